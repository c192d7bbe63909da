"""Local search: a good network soon, with a bound but without the promise of a proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from chordlearn._core import Relaxation
from chordlearn.backends.base.annealing import NEIGHBOURHOOD, anneal
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import Availability, Capabilities
from chordlearn.backends.base.run import Run, RunStopped
from chordlearn.backends.base.ties import settle
from chordlearn.backends.search.block_ties import settle_in_blocks
from chordlearn.backends.search.ladder import ladder_beside
from chordlearn.backends.search.starts import EFFORTS, Starts, advance_round, advance_waves
from chordlearn.backends.search.waves import FOREST_CLIQUE, Waves
from chordlearn.problem.candidates import reduce_candidates
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import StopReason


class Search:
    """Annealing over chordal graphs with restarts; waves of neighbourhoods where there are many columns."""

    name = "search"
    summary = "local search over chordal graphs, with a bound but no proof"
    exact = False
    capabilities = Capabilities(any_columns=True, starts=True)

    def probe(self) -> Availability:
        """Part of the package, so always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, run: Run) -> Outcome:
        """Search until the effort or the time is spent, and bound what could be missed."""
        if run.problem.table is None:
            return search_with_bound(run)
        return _anneal_from_seeds(run) if run.options.starts > 1 else _anneal_in_rounds(run)


def search_with_bound(run: Run, *, patient: bool = False) -> Outcome:
    """Search where sets are scored as they are asked for, with a bound beside it.

    A patient one does not end before the bound meets the best network, or a limit.
    """
    is_forest = run.problem.max_clique <= FOREST_CLIQUE
    bound = None if is_forest else ladder_beside(run, patient=patient)
    if run.options.starts > 1:
        outcome = Starts(run, advance_waves, bound).outcome()
    else:
        outcome = Waves(run, bound=bound).outcome()
    # The forest of largest weight is optimal by itself; nothing was cut.
    by_cuts = outcome.stopped_by == StopReason.PROOF and not is_forest
    outcome = replace(outcome, details={**outcome.details, "backend": "ilp:cuts" if by_cuts else Search.name})
    return settle_in_blocks(run, outcome, bound)


def _anneal_from_seeds(run: Run) -> Outcome:
    starts = Starts(run, advance_round)
    stopped_by = starts.search()
    try:
        if stopped_by is None:
            _tighten(run)
    except RunStopped as stop:
        stopped_by = stop.reason
    return _ended(run, stopped_by or StopReason.SEARCH_ENDED, starts.details)


def _anneal_in_rounds(run: Run) -> Outcome:
    """Rounds of annealing, each harder than the one before; the bound comes after the first.

    With a time limit the last is repeated with new seeds until time is up, unless the variables are so few
    that each round is exact.
    """
    try:
        with run.resuming():
            rounds = int(run.state or 0)
        if rounds == 0:
            _anneal(run, 0)
        _tighten(run)
        rounds = max(rounds, 1)
        while not run.is_proved and run.best is not None:
            if rounds >= len(EFFORTS) and (run.deadline is None or run.problem.n <= NEIGHBOURHOOD):
                break
            run.save_state(rounds)
            _anneal(run, rounds)
            rounds += 1
    except RunStopped as stop:
        return _ended(run, stop.reason)
    return _ended(run, StopReason.SEARCH_ENDED)


def _anneal(run: Run, round_number: int) -> None:
    search = partial(
        anneal,
        run.problem,
        replace(run.limits, seed=run.limits.seed + round_number),
        effort=EFFORTS[min(round_number, len(EFFORTS) - 1)],
        starts=() if run.best is None else (run.best,),
    )
    found = run.watch("searching", search)
    if run.offer(next(iter(found), None)):
        run.report("searching")


def _tighten(run: Run) -> None:
    """The bound of the relaxation, if there is room for it."""
    if run.best is None or Relaxation.bytes_needed(run.problem.n) > available_bytes() / 2:
        return
    lower, threads = run.best.score, run.limits.threads
    reduced = run.watch(
        "searching", lambda control: reduce_candidates(run.problem, lower, threads=threads, control=control)
    )
    run.tighten(max(reduced.bound, lower))
    run.report("searching")


def _ended(run: Run, stopped_by: StopReason, details: Mapping[str, Any] = MappingProxyType({})) -> Outcome:
    if not run.is_proved:
        return run.outcome(stopped_by, details=details)
    ties = settle(run, run.tolerance).as_json()
    return run.outcome(StopReason.PROOF, details={**details, "ties": ties})
