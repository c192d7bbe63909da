"""Answer set programming: rule files that can be read and run by hand, and the facts they need."""

from chordlearn.encodings.asp.facts import RULE_FILES, fact_lines, facts, largest_weight, rules

__all__ = ["RULE_FILES", "fact_lines", "facts", "largest_weight", "rules"]
