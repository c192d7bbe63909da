"""All that is done with one problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chordlearn.data import Dataset
from chordlearn.errors import ContradictionError
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.reduction.candidates import reduce_candidates
from chordlearn.selftest.attempts import Attempt, attempt
from chordlearn.selftest.comparing import MANY_ROWS, Comparison
from chordlearn.selftest.proving import check_proofs
from chordlearn.selftest.scoring import check_scores, score_trial
from chordlearn.selftest.settings import BUILT_IN, MOST_VARIABLES_FOR_PAPER, Setting
from chordlearn.selftest.trials import Trial

MOST_CANDIDATES_FOR_SOLVERS = 100
KEPT_BELOW_BEST = 1e-3


@dataclass(frozen=True)
class Finding:
    """What came of one problem."""

    trial: Trial
    attempts: tuple[Attempt, ...]
    comparisons: int
    complaints: tuple[str, ...]
    skipped: tuple[Setting, ...] = field(default=())
    """Ways of solving that would have been hopeless."""


class OutOfTime(Exception):  # noqa: N818
    """The campaign is over before this problem is."""


def examine(
    trial: Trial, settings: Sequence[Setting], is_over: Callable[[], bool] = lambda: False
) -> Finding:
    """Solve a problem in all these ways and compare.

    >>> from chordlearn.selftest.trials import make_trial
    >>> finding = examine(make_trial(0, 0), [Setting("native"), Setting("search")])
    >>> finding.comparisons > 5, finding.complaints
    (True, ())
    """
    table = score_trial(trial)
    verdicts = list(check_scores(trial, table))
    complaints = [verdict for verdict in verdicts if verdict is not None]
    problem: Problem | None
    try:
        problem = make_problem(table, trial.constraints)
    except ContradictionError:
        problem = None
    attempts: list[Attempt] = []
    skipped: list[Setting] = []
    for setting in settings:
        if is_over():
            raise OutOfTime
        if problem is not None and _is_hopeless(setting, problem, attempts):
            skipped.append(setting)
        else:
            attempts.append(attempt(trial, problem, setting))
    if problem is None:
        made = len(attempts)
        complaints += [
            f"{one.setting.name}: does not notice that the constraints contradict each other"
            for one in attempts
            if not one.contradiction
        ]
        return Finding(trial, tuple(attempts), len(verdicts) + made, tuple(complaints))
    comparison = Comparison(problem, attempts)
    comparison.run()
    with_results = [one for one in attempts if one.result is not None]
    many = isinstance(trial.source, Dataset) and len(trial.source.weights) > MANY_ROWS
    for one in with_results[: 1 if many else None]:
        comparison.check_certificate(one)
    for one in [one for one in with_results if one.proved][:1]:
        of_proofs = list(check_proofs(trial, problem, one))
        verdicts += of_proofs
        complaints += [verdict for verdict in of_proofs if verdict is not None]
    return Finding(
        trial,
        tuple(attempts),
        len(verdicts) + comparison.made,
        (*complaints, *comparison.complaints),
        tuple(skipped),
    )


def _is_hopeless(setting: Setting, problem: Problem, attempts: Sequence[Attempt]) -> bool:
    """Whether a solver would only wait for its time limit, because the bounds leave too many candidates."""
    if setting.backend in BUILT_IN or problem.n <= MOST_VARIABLES_FOR_PAPER:
        return False
    scores = [one.result.score for one in attempts if one.result is not None and one.proved]
    if not scores:
        return False
    return reduce_candidates(problem, max(scores) - KEPT_BELOW_BEST).after > MOST_CANDIDATES_FOR_SOLVERS
