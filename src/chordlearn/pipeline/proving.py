"""From a result to its proof in writing, by whichever of the two ways there is or is shorter."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Options
from chordlearn.bounds import Prices
from chordlearn.certificate.proofs.claim import is_proof
from chordlearn.errors import ChordlearnError, ProofError
from chordlearn.network.result import Result
from chordlearn.pipeline.inputs import Input
from chordlearn.problem.constraints import recorded_constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.proof import (
    LATE_PROOF,
    check_place,
    check_size,
    cuts_prove_best,
    write_proof,
    write_proof_by_cuts,
)
from chordlearn.scores import CustomScore, ScoreTable
from chordlearn.system.running import DeadlinePassed, ending_at


def check_provable(place: str | os.PathLike[str], given: Input, max_clique: int | None) -> None:
    """Refuse before the work begins what cannot have a proof in this place."""
    check_place(place)
    score = given.described.function["name"] if _cuts_can_prove(given) else None
    check_size(len(given.variables), max_clique, score, given.data is None or given.dataset.unit == 1)


def prove(
    directory: str | os.PathLike[str],
    result: Result,
    given: Input,
    problem: Problem,
    score_all: Callable[[], ScoreTable],
    limits: Limits,
    options: Options,
    prices: Prices | None = None,
) -> None:
    """Write the proof; if that fails, the network that was learned is not lost.

    Prices are those with which the problem was solved, so that they need not be looked for again.
    """
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    # What is proved is the whole network, constant columns included.
    constraints = recorded_constraints(result.constraints)
    by_cuts = _cuts_can_prove(given) and (
        problem.table is None
        or cuts_prove_best(len(given.variables), constraints.max_clique, reduce=options.reduce)
    )

    def write() -> None:
        if by_cuts:
            assert given.data is not None
            whole = make_problem(given.data, constraints)
            known = prices if problem.n == whole.n else None
            write_proof_by_cuts(directory, result, whole, prices=known, deadline=deadline)
        else:
            whole = problem if problem.n == len(given.variables) else make_problem(score_all(), constraints)
            write_proof(directory, result, whole, reduce=options.reduce, deadline=deadline)

    try:
        with ending_at(deadline):
            write()
    except ChordlearnError as error:
        raise ProofError(error.sentence, result) from None
    except (KeyboardInterrupt, DeadlinePassed) as stop:
        if is_proof(Path(directory)):
            # It came when everything was done.
            return
        sentence = (
            LATE_PROOF
            if isinstance(stop, DeadlinePassed)
            else "The proof was interrupted; nothing of it was written."
        )
        raise ProofError(sentence, result) from None


def _cuts_can_prove(given: Input) -> bool:
    return given.data is not None and not isinstance(given.function, CustomScore)
