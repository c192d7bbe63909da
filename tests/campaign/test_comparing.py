"""Whatever a backend says that is not true is noticed."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from campaign.attempts import Attempt, attempt
from campaign.comparing import Comparison
from campaign.problems import Trial
from campaign.settings import TOP, Setting
from chordlearn.network.result import Result, RunnerUp
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.scores import ScoreTable
from chordlearn.testing.random_scores import scores_like_data

TABLE = ScoreTable(tuple("abcde"), scores_like_data(5, np.random.default_rng(7)), 5)
TRIAL = Trial(TABLE, None, Constraints(), seed=0)
PROBLEM = make_problem(TABLE)


@pytest.fixture(scope="module")
def honest() -> list[Attempt]:
    settings = [Setting("exhaustive", top=TOP), Setting("native", top=TOP), Setting("search")]
    return [attempt(TRIAL, PROBLEM, setting) for setting in settings]


def complaints(attempts: list[Attempt]) -> list[str]:
    comparison = Comparison(PROBLEM, attempts)
    comparison.run()
    for one in attempts:
        comparison.check_certificate(one)
    assert comparison.made > 20
    return comparison.complaints


def lying(one: Attempt, **changes: object) -> Attempt:
    assert one.result is not None
    return replace(one, result=msgspec.structs.replace(one.result, **changes))


def second_best(result: Result) -> dict[str, object]:
    other = result.runners_up[0]
    network = Result.from_json(result.to_json())
    lie = attempt(TRIAL, PROBLEM, Setting("native", top=TOP)).result
    assert lie is not None and network.cliques == lie.cliques
    return {"score": other.score, "bound": other.score, "gap": 0.0, "cliques": other.cliques}


def test_the_truth_is_believed(honest: list[Attempt]) -> None:
    assert complaints(honest) == []


def test_a_low_bound_is_noticed(honest: list[Attempt]) -> None:
    exhaustive, native, search = honest
    assert search.result is not None
    low = search.result.score - 0.01
    found = complaints([exhaustive, native, lying(search, bound=low)])
    assert any("search: has the bound" in complaint for complaint in found)


def test_the_second_best_is_not_the_best(honest: list[Attempt]) -> None:
    exhaustive, native, search = honest
    assert native.result is not None
    found = complaints([exhaustive, lying(native, **second_best(native.result)), search])
    assert any("claims the optimum" in complaint for complaint in found)


def test_a_wrong_score_is_noticed(honest: list[Attempt]) -> None:
    exhaustive, native, search = honest
    assert native.result is not None
    better = native.result.score + 1e-9
    found = complaints([exhaustive, lying(native, score=better, bound=better), search])
    assert any("states the score" in complaint for complaint in found)


def test_a_wrong_contradiction_is_noticed(honest: list[Attempt]) -> None:
    exhaustive, _, search = honest
    liar = Attempt(Setting("native"), 0.1, refusal="No network.", contradiction=True)
    assert any("says that there is no network" in found for found in complaints([exhaustive, liar, search]))


def test_a_proof_that_is_none_is_noticed(honest: list[Attempt]) -> None:
    exhaustive, native, search = honest
    assert native.result is not None
    bound = native.result.score + 1.0
    found = complaints([exhaustive, lying(native, bound=bound, gap=1.0, status="feasible"), search])
    assert any("claims a proof" in complaint for complaint in found)


def test_a_missing_runner_up_is_noticed(honest: list[Attempt]) -> None:
    exhaustive, native, search = honest
    assert native.result is not None
    others = (*native.result.runners_up[1:], RunnerUp(-999.0, (("a",), ("b",), ("c",), ("d",), ("e",))))
    found = complaints([exhaustive, lying(native, runners_up=others), search])
    assert any("list other best scores" in complaint for complaint in found)


def test_wrong_ties_are_noticed(honest: list[Attempt]) -> None:
    exhaustive, native, search = honest
    details = {"ties": {"networks": 3, "within": 1e-6, "complete": True}}
    found = complaints([exhaustive, lying(native, details=details), search])
    assert any("counts 3 networks" in complaint for complaint in found)


def test_what_is_lost_in_json_is_noticed(honest: list[Attempt]) -> None:
    exhaustive, native, search = honest
    found = complaints([exhaustive, native, lying(search, details={1: "a number is no key in JSON"})])
    assert any("JSON" in complaint for complaint in found)


def test_a_failure_is_a_complaint(honest: list[Attempt]) -> None:
    failed = Attempt(Setting("sat"), 0.1, failure="BackendError: it broke")
    assert complaints([*honest, failed]) == ["sat: failed: BackendError: it broke"]


def test_a_refusal_and_a_time_limit_are_not(honest: list[Attempt]) -> None:
    refused = Attempt(Setting("sat"), 0.1, refusal="Too large.")
    exhaustive, native, search = honest
    assert native.result is not None
    open_end = {"bound": float("inf"), "gap": float("inf"), "status": "feasible"}
    claim = msgspec.structs.replace(native.result.claims[-1], **open_end)
    slow = lying(native, **open_end, claims=(claim,), stopped_by="time limit")
    assert complaints([exhaustive, slow, search, refused]) == []
