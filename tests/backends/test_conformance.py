"""Every backend that can run here keeps its promises, and a liar is caught."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import backend_names, load_backend
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.engine.exhaustive import Exhaustive
from chordlearn.system.running import StopReason
from chordlearn.testing import ConformanceError, check_backend

EFFORT = {"native": "thorough", "exhaustive": "thorough", "asp:clingo": "usual", "maxsat:rc2": "usual"}


@pytest.mark.parametrize("name", backend_names())
def test_backend_keeps_its_promises(name: str) -> None:
    found = load_backend(name).probe()
    if not found.available:
        pytest.skip(f"{found.reason} {found.how_to_get}")
    assert check_backend(name, effort=EFFORT.get(name, "brief")) > 10


@pytest.mark.parametrize("encoding", ["paper", "elimination"])
@pytest.mark.parametrize("name", ["asp:clingo", "maxsat:rc2"])
def test_other_encodings(name: str, encoding: str) -> None:
    assert check_backend(name, effort="brief", encoding=encoding) > 10


class SecondBest(Exhaustive):
    """Claims that the second best network is optimal."""

    name = "second-best"

    def solve(self, run: Run) -> Outcome:
        outcome = super().solve(Run(run.problem, run.limits, Options(top=2)))
        if not outcome.runners_up:
            return outcome
        cliques, score = outcome.runners_up[0]
        return replace(outcome, cliques=cliques, score=score, bound=score)


class BraggingScore(Exhaustive):
    """Adds a little to every score."""

    name = "bragging-score"

    def solve(self, run: Run) -> Outcome:
        outcome = super().solve(run)
        return replace(outcome, score=outcome.score + 0.01, bound=outcome.bound + 0.01)


class LowBound(Exhaustive):
    """Gives a bound below the optimum when it has no network."""

    name = "low-bound"

    def solve(self, run: Run) -> Outcome:
        outcome = super().solve(run)
        return replace(outcome, cliques=None, score=-float("inf"), bound=outcome.score - 1)


class GivesUp(Exhaustive):
    """Says that the constraints allow no network, whatever they are."""

    name = "gives-up"
    exact = False

    def solve(self, run: Run) -> Outcome:
        return Outcome(None, -float("inf"), float("inf"), StopReason.INFEASIBLE)


@pytest.mark.parametrize("liar", [SecondBest, BraggingScore, LowBound, GivesUp])
def test_a_lying_backend_is_caught(liar: type[Exhaustive]) -> None:
    with pytest.raises(ConformanceError, match=liar.name):
        check_backend(liar(), effort="brief")
