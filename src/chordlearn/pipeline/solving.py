"""A run from its backend to an outcome that holds, whatever ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, FINISHING, Outcome
from chordlearn.backends.base.registry import Backend
from chordlearn.backends.base.run import Run, checked_network
from chordlearn.backends.base.tolerance import rounding_of_network
from chordlearn.certificate.results.claims import largest_tolerance
from chordlearn.errors import (
    BackendError,
    ChordlearnError,
    ContradictionError,
    InputError,
    TooLargeError,
    option,
)
from chordlearn.graphs import separators
from chordlearn.pipeline.checkpoints import Checkpoint
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.system.running import StopReason

ROUNDING = 1e-13
"""Relative; two ways to add up the score of one network differ by less."""


def solve(run: Run, backend: Backend) -> Outcome:
    """The outcome of a run, or what was known by then if Ctrl-C or a failure ended it."""
    start = run.best
    outcome = _at_least(start, _guarded(run, lambda: _solved(run, backend)))
    if outcome.stopped_by == StopReason.INFEASIBLE:
        raise ContradictionError(
            "No chordal network satisfies the constraints; require or forbid less, or allow larger cliques."
        )
    if outcome.cliques is not None:
        run.best = Incumbent(outcome.score, outcome.cliques)
    return _with_honest_tolerance(run, outcome)


def _solved(run: Run, backend: Backend) -> Outcome:
    if run.problem.table is None and not backend.capabilities.any_columns:
        from chordlearn.backends.search.blocks import solve_in_blocks

        return solve_in_blocks(run, backend)
    return backend.solve(run)


def _guarded(run: Run, solve: Callable[[], Outcome]) -> Outcome:
    outcome: Outcome | None = None
    failure: ChordlearnError | None = None
    try:
        outcome = solve()
        if outcome.cliques is None and outcome.stopped_by == StopReason.INTERRUPTED:
            outcome = run.broken_off(StopReason.INTERRUPTED) or outcome
        _show_finishing(run, outcome)
    except KeyboardInterrupt:
        if outcome is not None and outcome.cliques is not None:
            return replace(outcome, stopped_by=StopReason.INTERRUPTED)
        outcome = run.broken_off(StopReason.INTERRUPTED)
        if outcome is None:
            raise
        _show_finishing(run, outcome)
    except (TooLargeError, BackendError) as error:
        failure = error
        too_large = isinstance(error, TooLargeError)
        outcome = run.broken_off(StopReason.TOO_LARGE if too_large else StopReason.FAILURE)
        if outcome is None:
            raise
    return outcome if failure is None else replace(outcome, failure=failure)


def _show_finishing(run: Run, outcome: Outcome) -> None:
    for observer in run.observers:
        observer.progress(FINISHING, outcome.score, outcome.bound)


def _at_least(start: Incumbent | None, outcome: Outcome) -> Outcome:
    """The outcome, never worse than what the run began with."""
    if start is None:
        return outcome
    # Of networks that tie, a run that is done returns the simplest.
    slack = outcome.tolerance if outcome.status == "optimal" else 0.0
    least = start.score - max(slack, ROUNDING * abs(start.score))
    if outcome.cliques is None or outcome.score < least:
        if outcome.bound < start.score - outcome.tolerance:
            raise BackendError(
                f"The backend claims that no network scores more than {outcome.bound:.6f}, "
                f"but the run began with one of {start.score:.6f}."
            )
        outcome = replace(outcome, cliques=start.cliques, score=start.score)
    return replace(outcome, bound=max(outcome.bound, start.score))


def _with_honest_tolerance(run: Run, outcome: Outcome) -> Outcome:
    """Optimal within the precision of doubles; where that says nothing, a bound and no proof.

    The best network may be scored too low and this one too high, each by the error of its score.
    """
    if outcome.cliques is None:
        return outcome
    tolerance = outcome.tolerance
    if outcome.status == "optimal":
        rounding = rounding_of_network(run.problem, outcome.cliques)
        tolerance = max(tolerance, rounding, 2 * score_error(run.problem, outcome.cliques))
    if tolerance <= largest_tolerance(outcome.score):
        return replace(outcome, tolerance=tolerance)
    return replace(
        outcome,
        bound=max(outcome.bound, outcome.score + tolerance),
        tolerance=DEFAULT_TOLERANCE,
        stopped_by=StopReason.ROUNDING if outcome.stopped_by == StopReason.PROOF else outcome.stopped_by,
    )


def score_error(problem: Problem, cliques: tuple[int, ...]) -> float:
    """By how much the score of a network may be off; 0 where scores count as exact."""
    accuracy = problem.scores.accuracy
    return 0.0 if accuracy is None else accuracy.of_network(cliques, separators(cliques))


def taken_up(checkpoint: Checkpoint, problem: Problem) -> Incumbent:
    """The network of a checkpoint, scored anew; refused unless this run could have found it."""
    try:
        return checked_network(problem, checkpoint.pairs, checkpoint.score)
    except ValueError as wrong:
        raise InputError(
            f"The network of the checkpoint {wrong}, so it is damaged; "
            f"name another file, or leave {option('resume')} out."
        ) from None
