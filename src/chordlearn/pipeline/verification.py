"""The check of a result or a proof against the data it names: finds the data, then asks the checkers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from chordlearn.backends.base.outcome import Observer, SilentObserver
from chordlearn.certificate.proofs import check_proof, result_of
from chordlearn.certificate.results import Report, check, read_document
from chordlearn.data import Dataset, read
from chordlearn.errors import InputError, StoppedError, either, option
from chordlearn.network.result import Result
from chordlearn.pipeline.rereading import recorded_options, recorded_source
from chordlearn.scores import ScoreTable, read_scores
from chordlearn.system.running import DeadlinePassed, ending_at


def verify(
    result: Result | Mapping[str, Any] | str | os.PathLike[str],
    data: Any = None,
    *,
    scores: Callable[[Iterable[str]], float] | None = None,
    time_limit: float | None = None,
    observer: Observer | None = None,
) -> Report:
    """Check a result, or a whole proof, with code that shares nothing with the solver.

    Parameters
    ----------
    result
        A result, its JSON object, the path of its JSON file, or the folder of a proof.
    data
        What it was learned from, read with the options that the result records. Without it, the file or the
        bundled set that the result names is read again.
    scores
        For a result learned with one's own score function: gives the score of a set of variable names.
    time_limit
        Seconds after which ``StoppedError`` is raised; a proof about many variables can take minutes.
    observer
        Is told how far the check is.

    Of a result, structure, constraints, scores and sums are checked; that its bound is valid, and so that it
    is optimal, is the word of the backend, and the report says so (``on_trust``). A proof shows that too. Of
    the next best networks it is checked that they are networks and what they score, not that none lies
    between. Figures of the run, such as seconds, ties and versions, are read and not checked.

    Examples
    --------
    >>> import chordlearn as cl
    >>> cl.verify(cl.learn("heart")).ok
    True
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    folder = _proof_folder(result)
    document = result_of(folder) if folder else _document(result)
    origin = document.get("data")
    function = document.get("score_function")
    dataset, sha256, variables = None, None, None
    if isinstance(origin, Mapping) and isinstance(function, Mapping):
        if data is None:
            data = recorded_source(origin, document.get("data_sha256"))
        if function.get("name") == "file" or isinstance(data, ScoreTable):
            table = data if isinstance(data, ScoreTable) else read_scores(_score_file(data))
            scores, sha256, variables = _lookup(table), table.sha256, table.variables
        else:
            dataset = data if isinstance(data, Dataset) else read(data, **recorded_options(origin))
    if not folder:
        return check(document, dataset, scores=scores, sha256=sha256, variables=variables)
    watching = observer or SilentObserver()
    try:
        with ending_at(deadline):
            return check_proof(
                folder,
                dataset,
                scores=scores,
                sha256=sha256,
                variables=variables,
                progress=lambda detail: watching.progress("checking", None, None, detail),
            )
    except DeadlinePassed:
        raise StoppedError(
            f"The check did not end within {time_limit:g} s, and nothing was found wrong by then; "
            f"give it more time ({option('time_limit')})."
        ) from None


def _proof_folder(result: Result | Mapping[str, Any] | str | os.PathLike[str]) -> Path | None:
    """The folder, if that is what was given."""
    if isinstance(result, Result | Mapping) or not Path(result).is_dir():
        return None
    return Path(result)


def _document(result: Result | Mapping[str, Any] | str | os.PathLike[str]) -> Mapping[str, Any]:
    """The JSON object of a result."""
    if isinstance(result, Result):
        return result.to_dict()
    return result if isinstance(result, Mapping) else read_document(result)


def _score_file(data: Any) -> Path:
    if isinstance(data, str | os.PathLike):
        return Path(data)
    raise InputError(f"The result was learned from a score file; give that file as {either('data', 'DATA')}.")


def _lookup(table: ScoreTable) -> Callable[[Iterable[str]], float]:
    return lambda names: table[names]
