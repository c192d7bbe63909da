"""Whether results that are proved can be proved in writing, and the checker of proofs accepts it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from campaign.attempts import Attempt
from campaign.problems import Trial
from chordlearn.backends.solvers.child import own_directory
from chordlearn.data import Dataset
from chordlearn.errors import ProofError
from chordlearn.network.result import Result
from chordlearn.pipeline.verification import verify
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.proof import write_proof, write_proof_by_cuts
from chordlearn.scores.compute import ScoredData

PROOF_SECONDS = 5.0
MOST_VARIABLES = 8
MOST_ROWS = 2000
"""Distinct ones; the checker counts in Python."""
ONE_IN = 3
"""Only every so many problems."""


def check_proofs(trial: Trial, problem: Problem, attempt: Attempt) -> Iterator[str | None]:
    """For each proof that can be had in time, what is wrong with it; None if nothing is."""
    result = attempt.result
    if result is None or not attempt.proved or not _is_for_proof(trial):
        return
    yield from _verdict("bounds and clauses", attempt, lambda folder: _write(folder, result, problem))
    if isinstance(trial.source, Dataset) and trial.function is not None:
        wide = make_problem(ScoredData(trial.source, trial.function), trial.constraints)
        deadline = time.monotonic() + PROOF_SECONDS
        yield from _verdict(
            "cuts", attempt, lambda folder: write_proof_by_cuts(folder, result, wide, deadline=deadline)
        )


def _is_for_proof(trial: Trial) -> bool:
    rows = len(trial.source.weights) if isinstance(trial.source, Dataset) else 0
    return trial.seed % ONE_IN == 0 and trial.n <= MOST_VARIABLES and rows <= MOST_ROWS


def _write(folder: Path, result: Result, problem: Problem) -> None:
    write_proof(folder, result, problem, deadline=time.monotonic() + PROOF_SECONDS)


def _verdict(kind: str, attempt: Attempt, write: Callable[[Path], None]) -> Iterator[str | None]:
    with own_directory() as directory:
        folder = directory / "proof"
        try:
            write(folder)
        except ProofError:
            return
        except Exception as error:
            yield f"{attempt.setting.name}: its proof by {kind} fails: {type(error).__name__}: {error}"
            return
        report = verify(folder, attempt.data)
    if report.ok and report.complete:
        yield None
    else:
        wrong = next(iter((*report.failures, *report.skipped)))
        yield f"{attempt.setting.name}: its proof by {kind} is rejected: {wrong.name}: {wrong.reason}"
