"""Which backend `auto` chooses."""

from __future__ import annotations

from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.engine.auto import choose
from chordlearn.data import read
from chordlearn.problem.problem import make_problem
from chordlearn.scores import BDeu, compute_scores


def test_auto_chooses_by_encoding_and_memory() -> None:
    econ = make_problem(compute_scores(read("econ"), BDeu(1.0)))
    assert choose(econ, Limits(), encoding=None) == "native"
    assert choose(econ, Limits(), encoding="paper") == "asp:clingo"
    assert choose(econ, Limits(memory_bytes=10), encoding=None) == "maxsat:rc2"
