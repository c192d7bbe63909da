"""All that is done with one problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaign.attempts import Attempt, attempt
from campaign.comparing import MANY_ROWS, Comparison
from campaign.problems import Trial
from campaign.proving import check_proofs
from campaign.scoring import check_scores, score_trial
from campaign.settings import BUILT_IN, MOST_VARIABLES_FOR_PAPER, Setting
from chordlearn.data import Dataset
from chordlearn.errors import ContradictionError
from chordlearn.problem.candidates import reduce_candidates
from chordlearn.problem.problem import Problem, make_problem

MOST_CANDIDATES_FOR_SOLVERS = 100
KEPT_BELOW_BEST = 1e-3


@dataclass(frozen=True)
class Finding:
    """What came of one problem."""

    attempts: tuple[Attempt, ...]
    comparisons: int
    complaints: tuple[str, ...]


def examine(trial: Trial, settings: Sequence[Setting]) -> Finding:
    """Solve a problem in all these ways and compare."""
    table = score_trial(trial)
    verdicts = list(check_scores(trial, table))
    try:
        problem = make_problem(table, trial.constraints)
    except ContradictionError:
        attempts = [attempt(trial, None, setting) for setting in settings]
        return _finding(attempts, [*verdicts, *map(_notices_the_contradiction, attempts)])
    attempts = _solve(trial, problem, settings)
    comparison = Comparison(problem, attempts)
    comparison.run()
    _check_certificates(trial, comparison)
    for one in [one for one in attempts if one.result is not None and one.proved][:1]:
        verdicts += check_proofs(trial, problem, one)
    agreed = comparison.made - len(comparison.complaints)
    return _finding(attempts, [*verdicts, *comparison.complaints, *[None] * agreed])


def _finding(attempts: Sequence[Attempt], verdicts: Sequence[str | None]) -> Finding:
    complaints = tuple(verdict for verdict in verdicts if verdict is not None)
    return Finding(tuple(attempts), len(verdicts), complaints)


def _notices_the_contradiction(one: Attempt) -> str | None:
    if one.contradiction:
        return None
    return f"{one.setting.name}: does not notice that the constraints contradict each other"


def _solve(trial: Trial, problem: Problem, settings: Sequence[Setting]) -> list[Attempt]:
    attempts: list[Attempt] = []
    for setting in settings:
        if not _is_hopeless(setting, problem, attempts):
            attempts.append(attempt(trial, problem, setting))
    return attempts


def _check_certificates(trial: Trial, comparison: Comparison) -> None:
    with_results = [one for one in comparison.attempts if one.result is not None]
    many = isinstance(trial.source, Dataset) and len(trial.source.weights) > MANY_ROWS
    for one in with_results[: 1 if many else None]:
        comparison.check_certificate(one)


def _is_hopeless(setting: Setting, problem: Problem, attempts: Sequence[Attempt]) -> bool:
    """Whether a solver would only wait for its time limit, because the bounds leave too many candidates."""
    if setting.backend in BUILT_IN or problem.n <= MOST_VARIABLES_FOR_PAPER:
        return False
    scores = [one.result.score for one in attempts if one.result is not None and one.proved]
    if not scores:
        return False
    return reduce_candidates(problem, max(scores) - KEPT_BELOW_BEST).after > MOST_CANDIDATES_FOR_SOLVERS
