"""The folder of a proof, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from chordlearn.checking import check_proof
from chordlearn.checking import claim as claims
from chordlearn.checking import integers as whole_numbers
from chordlearn.errors import BackendError, InputError, ProofError, TooLargeError
from chordlearn.problem.problem import Problem
from chordlearn.proof.explanation import explanation
from chordlearn.proof.proving import Scaled, prove, scale
from chordlearn.result import Result
from chordlearn.showing import json_text


def check_place(directory: str | os.PathLike[str], variables: int) -> None:
    """Refuse a folder that cannot become a proof, or more variables than a proof can have."""
    if variables > claims.MOST_VARIABLES:
        raise TooLargeError(
            f"A proof can have {claims.MOST_VARIABLES} variables, and these are {variables}; "
            "choose among them, or learn without --proof."
        )
    path = Path(directory)
    try:
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise InputError(f"{path} is there already; give --proof a new folder.")
        if not path.absolute().parent.is_dir():
            raise InputError(f"The folder in which {path} is to be does not exist; make it first.")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}; choose another place.") from None


def write_proof(
    directory: str | os.PathLike[str],
    result: Result,
    problem: Problem,
    *,
    reduce: bool = True,
    deadline: float | None = None,
) -> None:
    """Prove that a result is optimal, and write the proof to a new folder; check it with ``verify``.

    Without ``reduce`` every allowed set is in the instance, and no bounds are needed to believe it. Nothing
    is written when there is no proof by the deadline (of time.monotonic), or if it gets too long.
    """
    check_place(directory, problem.n)
    if result.status != "optimal":
        raise ProofError(
            "There is nothing to prove, for the network is not known to be optimal "
            f"(stopped by {result.stopped_by})."
        )
    scaled = scale(result, problem)
    scores = "".join(whole_numbers.lines(scaled.integers, np.isfinite(problem.values)))
    texts = {claims.RESULT: result.to_json() + "\n", claims.SCORES: scores}
    texts |= prove(problem, scaled, reduce=reduce, deadline=deadline)
    texts |= {claims.CLAIM: _claim(result, scaled, texts)}
    texts["README.txt"] = explanation(result, with_instance=claims.INSTANCE in texts)
    _write_folder(Path(directory), texts, problem)


def _claim(result: Result, scaled: Scaled, texts: Mapping[str, str]) -> str:
    document = result.to_dict()
    claim = {
        "schema": claims.SCHEMA,
        **{name: document[name] for name in claims.SHARED},
        "factor": scaled.factor,
        "threshold": scaled.threshold,
        "files": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()},
    }
    return json_text(claim, indent=2) + "\n"


def _write_folder(path: Path, texts: Mapping[str, str], problem: Problem) -> None:
    """Write the files beside the place and move them there together once they pass their check."""
    target = path.absolute()
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.name[:100]}.", dir=target.parent) as beside:
            folder = Path(beside) / "proof"
            folder.mkdir()
            for name, text in texts.items():
                _write(folder / name, text)
            report = check_proof(folder, scores=lambda names: problem.scores[names], ask_others=False)
            if not report.ok:
                raise BackendError(
                    f"The proof does not pass its own check ({report.failures[0]}), which is a defect."
                )
            folder.replace(target)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}; free the place or choose another."
        ) from None


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
