"""Answer set programming: rule files that can be read and run by hand, and the facts they need."""

from chordlearn.encodings.asp.facts import ENCODINGS, facts, minimal_excluded, rules
from chordlearn.encodings.asp.weights import Weights, best_weights, weigh

__all__ = ["ENCODINGS", "Weights", "best_weights", "facts", "minimal_excluded", "rules", "weigh"]
