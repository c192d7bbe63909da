"""From an outcome to the result that users hold: what was found, how, and from what."""

from __future__ import annotations

import platform
import warnings
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import load_backend
from chordlearn.backends.base.run import Run
from chordlearn.data.dataset import constant_columns, copies
from chordlearn.errors import CheckpointWarning, FalseClaimError, UnfinishedWarning
from chordlearn.network.result import Result, build_result
from chordlearn.pipeline.checkpoints import Checkpoint, CheckpointWriter
from chordlearn.pipeline.inputs import Input
from chordlearn.pipeline.solving import score_error
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem


def assemble(
    given: Input,
    run: Run,
    outcome: Outcome,
    backend: str,
    constraints: Constraints,
    resumed: Checkpoint | None,
    writer: CheckpointWriter | None,
) -> Result:
    """The result; warns of what went wrong, and raises ``FalseClaimError`` with it where a backend lied."""
    problem, details = run.problem, _details(given, run, outcome, constraints, resumed, writer)
    if writer is not None and writer.failure is not None:
        warnings.warn(str(writer.failure), CheckpointWarning, stacklevel=4)
    used = details.pop("backend", backend)
    described = given.described
    places = [given.variables.index(name) for name in problem.variables]
    placed = outcome.placed(places, len(given.variables))
    result = build_result(
        variables=given.variables,
        cliques=placed.cliques,
        score=placed.score,
        bound=placed.bound,
        stopped_by=placed.stopped_by.value,
        tolerance=placed.tolerance,
        score_function=described.function,
        backend=used,
        data_sha256=described.sha256,
        rows=described.rows,
        states=given.states,
        constraints=_stated(problem, constraints).as_json(),
        encoding=placed.encoding,
        scaling=None if placed.scaling is None else asdict(placed.scaling),
        candidates=details.pop("candidates", _all_candidates(problem)),
        seconds=given.seconds,
        seed=run.limits.seed,
        versions={
            "chordlearn": version("chordlearn"),
            "python": platform.python_version(),
            "numpy": np.__version__,
            used: load_backend(used).probe().version,
        },
        data={"source": described.source, "options": described.options},
        runners_up=placed.runners_up,
        claims=[(claim.largest, claim.cliques, claim.score, claim.bound) for claim in placed.claims],
        details=details,
    )
    failure = outcome.failure
    if isinstance(failure, FalseClaimError):
        raise FalseClaimError(failure.sentence, result)
    if failure is not None:
        warnings.warn(UnfinishedWarning(failure.sentence), stacklevel=4)
    return result


def _details(
    given: Input,
    run: Run,
    outcome: Outcome,
    constraints: Constraints,
    resumed: Checkpoint | None,
    writer: CheckpointWriter | None,
) -> dict[str, Any]:
    """Figures of the run, and what a reader should know of the data."""
    details = dict(outcome.details) | _idle_columns(given, run.problem)
    if given.data is not None and given.dataset.notes:
        details["reading"] = list(given.dataset.notes)
    if run.problem.scores.accuracy is not None and outcome.cliques is not None:
        details["score_error"] = score_error(run.problem, outcome.cliques)
    if resumed is not None and outcome.cliques is not None:
        details["resumed"] = {"score": resumed.score, "seconds": resumed.seconds}
    if writer is not None and writer.failure is not None:
        details["checkpoint_failure"] = str(writer.failure)
    if outcome.failure is not None:
        details["failure"] = str(outcome.failure)
    return details


def _stated(problem: Problem, constraints: Constraints) -> Constraints:
    """The constraints as the result states them: optimal means among such networks.

    Cliques may also be limited by the score file, or by what the rows support.
    """
    if problem.max_clique < problem.n:
        return replace(constraints, max_clique=problem.max_clique)
    return constraints


def _all_candidates(problem: Problem) -> dict[str, int] | None:
    """How many sets there are where nothing was excluded; None where they were not counted."""
    if problem.table is None:
        return None
    sets = int(np.isfinite(problem.table).sum()) - 1
    return {"before": sets, "after": sets}


def _idle_columns(given: Input, problem: Problem) -> dict[str, list[Any]]:
    """The columns that add nothing: constants, which of them were set aside, and copies."""
    if given.data is None:
        return {}
    found: dict[str, list[Any]] = {
        "constants": constant_columns(given.dataset),
        "set_aside": [name for name in given.variables if name not in set(problem.variables)],
        "copies": copies(given.dataset),
    }
    return {what: names for what, names in found.items() if names}
