"""Which backend `auto` chooses."""

from __future__ import annotations

from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.engine.auto import choose
from chordlearn.data import read
from chordlearn.problem.problem import make_problem
from chordlearn.scores import BDeu, compute_scores


def test_auto_chooses_by_encoding_and_memory() -> None:
    econ = make_problem(compute_scores(read("econ"), BDeu(1.0)))
    assert choose(Run(econ)) == "native"
    assert choose(Run(econ, options=Options(encoding="paper"))) == "asp:clingo"
    assert choose(Run(econ, Limits(memory_bytes=10))) == "maxsat:rc2"
