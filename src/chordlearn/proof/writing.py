"""The folder of a proof, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Collection, Mapping
from importlib.resources import files
from itertools import takewhile
from pathlib import Path

from chordlearn._core import count_sets
from chordlearn.bounds import Prices
from chordlearn.certificate.proofs import check_proof
from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.scores import integer_lines
from chordlearn.certificate.results import Report
from chordlearn.errors import BackendError, InputError, ProofError, TooLargeError, option
from chordlearn.network.result import Result
from chordlearn.problem.problem import Problem
from chordlearn.proof.cutting import can_prove, prove_by_cuts
from chordlearn.proof.proving import FEW_SETS, prove
from chordlearn.proof.scaling import scale
from chordlearn.scores.compute import ScoredData
from chordlearn.scores.table import ScoreTable
from chordlearn.system.text import json_text

LARGEST_BEST = 3
"""With cliques of up to so many variables, cuts usually close the gap at once."""


def check_place(directory: str | os.PathLike[str]) -> None:
    """Refuse a folder that cannot become a proof."""
    path = Path(directory)
    try:
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise InputError(f"{path} is there already; give {option('proof')} a new folder.")
        if not path.absolute().parent.is_dir():
            raise InputError(f"The folder in which {path} is to be does not exist; make it first.")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}; choose another place.") from None


def check_size(variables: int, max_clique: int | None, score: str | None, whole: bool = True) -> None:
    """Refuse more than a proof can have; the score function is None where there can be none by cuts.

    Whole are counts, if weights are no fractions.
    """
    if variables <= claims.MOST_VARIABLES:
        return
    largest = variables if max_clique is None else max_clique

    def fit(size: int) -> bool:
        return score is not None and can_prove(variables, size, score, whole)

    if fit(largest):
        return
    fits = max(takewhile(fit, range(2, largest)), default=None)
    advice = "choose among them" if fits is None else f"give {option('max_clique', fits)} or less"
    fractions = "" if whole else " and fractions for weights"
    raise TooLargeError(
        f"A proof with this score{fractions} can have {claims.MOST_VARIABLES} variables if cliques may be "
        f"large, and these are {variables}; {advice}, or learn without {option('proof')}."
    )


def cuts_prove_best(variables: int, max_clique: int | None, *, reduce: bool = True) -> bool:
    """Whether a proof by cuts is the only one that can be had, or likely to be the shorter one.

    Who does without the reduction wants every set in the clauses, as far as there is such a proof.

    >>> cuts_prove_best(37, None), cuts_prove_best(16, 3), cuts_prove_best(16, None)
    (True, True, False)
    >>> cuts_prove_best(37, 4, reduce=False), cuts_prove_best(16, 3, reduce=False)
    (True, False)
    """
    if variables > claims.MOST_VARIABLES:
        return True
    if max_clique is None or max_clique > LARGEST_BEST or not reduce:
        return False
    return count_sets(variables, max_clique) > FEW_SETS


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
    check_place(directory)
    _refuse_unproved(result)
    table = problem.scores
    assert isinstance(table, ScoreTable)
    scaled = scale(result, problem.values)
    scores = "".join(integer_lines(scaled.integers, scaled.allowed))
    texts = {claims.SCORES: scores, **prove(problem, scaled, reduce=reduce, deadline=deadline)}

    def check(folder: Path) -> Report:
        return check_proof(folder, scores=table.__getitem__, ask_others=False)

    _write_checked(directory, result, scaled.factor, scaled.threshold, texts, check)


def write_proof_by_cuts(
    directory: str | os.PathLike[str],
    result: Result,
    problem: Problem,
    *,
    prices: Prices | None = None,
    deadline: float | None = None,
) -> None:
    """The same by cuts, for any number of variables.

    What a search over families of any size came to may be given; else there is one here, where it is needed.
    """
    check_place(directory)
    _refuse_unproved(result)
    data = problem.scores
    assert isinstance(data, ScoredData)
    dataset = data.dataset
    proof = prove_by_cuts(result, problem, prices, deadline)
    _write_checked(
        directory,
        result,
        proof.factor,
        proof.threshold,
        proof.texts,
        lambda folder: check_proof(folder, dataset),
    )


def _refuse_unproved(result: Result) -> None:
    if result.status != "optimal":
        raise ProofError(
            "There is nothing to prove, for the network is not known to be optimal "
            f"(stopped by {result.stopped_by})."
        )


def explanation(result: Result, names: Collection[str]) -> str:
    """The text, in plain words, about files of these names."""
    texts = files("chordlearn.proof") / "texts"
    text = (texts / "proof.txt").read_text(encoding="utf-8")
    text = text.format(variables=len(result.variables), score=result.score, tolerance=result.tolerance)
    for name in (claims.SCORES, claims.BOUNDS, claims.INSTANCE, claims.CUTS):
        if name in names:
            text += (texts / f"{Path(name).stem}.txt").read_text(encoding="utf-8")
    return text


def _write_checked(
    directory: str | os.PathLike[str],
    result: Result,
    factor: float,
    threshold: int,
    proof: dict[str, str],
    check: Callable[[Path], Report],
) -> None:
    """Write the texts of a proof, with what they are about and what they claim."""
    document = result.to_dict()
    texts = {claims.RESULT: result.to_json() + "\n", **proof}
    claim = {
        "schema": claims.SCHEMA,
        **{name: document[name] for name in claims.SHARED},
        "factor": factor,
        "threshold": threshold,
        "files": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()},
    }
    readme = {"README.txt": explanation(result, texts)}
    texts |= {claims.CLAIM: json_text(claim, indent=2) + "\n"} | readme
    _write_folder(Path(directory), texts, check)


def _write_folder(path: Path, texts: Mapping[str, str], check: Callable[[Path], Report]) -> None:
    """Write the files beside the place and move them there together once they pass their check."""
    target = path.absolute()
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.name[:100]}.", dir=target.parent) as beside:
            folder = Path(beside) / "proof"
            folder.mkdir()
            for name, text in texts.items():
                with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
            report = check(folder)
            if not report.ok:
                raise BackendError(
                    f"The proof does not pass its own check ({report.failures[0]}), which is a defect."
                )
            folder.replace(target)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}; free the place or choose another."
        ) from None
