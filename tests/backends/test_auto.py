"""Which backend `auto` chooses."""

from __future__ import annotations

import pytest

import chordlearn as cl
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.engine import auto
from chordlearn.backends.engine.auto import choose
from chordlearn.data import read
from chordlearn.problem.problem import make_problem
from chordlearn.scores import BDeu, compute_scores
from wide_tables import copies_with_noise


def test_auto_chooses_by_encoding_and_memory() -> None:
    econ = make_problem(compute_scores(read("econ"), BDeu(1.0)))
    assert choose(Run(econ)) == "native"
    assert choose(Run(econ, options=Options(encoding="paper"))) == "asp:clingo"
    assert choose(Run(econ, Limits(memory_bytes=10))) == "maxsat:rc2"


def test_few_sets_may_do_and_otherwise_all_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    table = copies_with_noise(24)
    monkeypatch.setattr(auto, "TABLE_SECONDS", 1e6)
    quickly = cl.learn(table)
    assert (quickly.status, quickly.backend) == ("optimal", "ilp:cuts")
    monkeypatch.setattr(auto, "TABLE_SECONDS", 0.0)
    with_table = cl.learn(table)
    assert (with_table.status, with_table.backend) == ("optimal", "native")
    assert with_table.score == pytest.approx(quickly.score, abs=1e-6)
    assert with_table.edges == quickly.edges
