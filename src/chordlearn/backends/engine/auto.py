"""The backend that measurements favour for a problem."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

from chordlearn._core import FamilyBounds, Relaxation
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import Availability, Capabilities, load_backend
from chordlearn.backends.base.run import Run
from chordlearn.errors import StoppedError, TooLargeError
from chordlearn.problem.problem import MOST_SCORED_VARIABLES, make_problem
from chordlearn.scores.compute import ScoredData, compute_scores
from chordlearn.scores.functions import CustomScore
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import StopReason

FOR_ENCODING = {
    "paper": "asp:clingo",
    "paper-implied": "asp:clingo",
    "edges": "maxsat:rc2",
    "elimination": "maxsat:rc2",
}
"""Who proved econ quickest in each encoding."""

FEWEST_WITHOUT_TABLE = 24
"""With fewer variables, scoring all sets takes a few seconds at most."""
TABLE_SECONDS = 20.0
"""For 25 variables, and half as much with one fewer: what scoring all sets takes, which may be spared."""


class Auto:
    """Native where it fits; a constraint solver where it does not, or when an encoding is asked for."""

    name = "auto"
    summary = "native where it fits, otherwise the solver that measurements favour"
    exact = True
    capabilities = Capabilities(any_columns=True, encodings=True, runners_up=True, starts=True)

    def probe(self) -> Availability:
        """Native is always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, run: Run) -> Outcome:
        """Choose a backend and run it; the outcome's details say which."""
        if run.problem.table is None and run.problem.n <= MOST_SCORED_VARIABLES:
            return _without_table_if_it_goes_quickly(run)
        chosen = choose(run)
        outcome = load_backend(chosen).solve(run)
        return replace(outcome, details={"backend": chosen, **outcome.details})


def choose(run: Run) -> str:
    """The name of the backend to use."""
    if run.problem.table is None:
        return "ilp:cuts" if run.options.prove else "search"
    if run.options.encoding is not None:
        return FOR_ENCODING.get(run.options.encoding, "maxsat:rc2")
    memory = available_bytes() if run.limits.memory_bytes is None else run.limits.memory_bytes
    return "native" if Relaxation.bytes_needed(run.problem.n) <= memory else "maxsat:rc2"


def can_do_without_table(data: ScoredData) -> bool:
    """Whether a proof may need few of the sets, and scoring all of them takes long."""
    if not FEWEST_WITHOUT_TABLE <= data.n <= MOST_SCORED_VARIABLES or isinstance(data.function, CustomScore):
        return False
    return FamilyBounds.can_bound(data.scorer)


def _without_table_if_it_goes_quickly(run: Run) -> Outcome:
    """Prove by families of any size, or else score all sets and let the engine go on."""
    deadline = run.deadline
    run.deadline = run.within(TABLE_SECONDS * 2.0 ** (run.problem.n - MOST_SCORED_VARIABLES))
    try:
        outcome = load_backend("search").solve(run)
    finally:
        run.deadline = deadline
    if outcome.status == "optimal" or outcome.stopped_by == StopReason.INTERRUPTED or run.is_late:
        return outcome
    try:
        return _with_table(run)
    except (StoppedError, TooLargeError):
        return outcome


def _with_table(run: Run) -> Outcome:
    data, limits = run.problem.scores, run.limits
    assert isinstance(data, ScoredData)
    with run.timed("score"):
        table = compute_scores(
            data.dataset,
            data.function,
            max_size=run.problem.constraints.max_clique,
            threads=limits.threads,
            progress=lambda done, every: run.report("scoring", f"{done:,} of {every:,} sets", again=True),
            deadline=run.deadline,
            memory_bytes=limits.memory_bytes,
        )
    engine = run.part(make_problem(table, run.problem.constraints), *run.observers)
    engine.best = run.best
    outcome = load_backend("native").solve(engine)
    return replace(outcome, details={"backend": "native", **outcome.details})
