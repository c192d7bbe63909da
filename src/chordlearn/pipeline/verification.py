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
from chordlearn.data import Dataset, bundled, read
from chordlearn.data.origins import find_files
from chordlearn.errors import InputError, StoppedError, either, option
from chordlearn.network.result import Result
from chordlearn.scores import ScoreTable, read_scores
from chordlearn.system.running import DeadlinePassed, ending_at

READING_OPTIONS = ("columns", "drop", "counts", "missing", "discretize")


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
            data = recorded_source(origin)
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


def recorded_source(origin: Mapping[str, Any]) -> str:
    """The files or the bundled set that a result names, if they are still there."""
    source = origin.get("source")
    if isinstance(source, str) and (source in {entry.name for entry in bundled()} or find_files(source)):
        return source
    raise InputError(
        f"The data of the result, {source!r}, are not there to read again; "
        f"give them as {either('data', 'DATA')}."
    )


def read_again(origin: Mapping[str, Any], options: Mapping[str, Any], sha256: object, data: Any) -> Dataset:
    """The data that a network was learned from, or those given instead, read with these options."""
    if data is not None:
        return data if isinstance(data, Dataset) else read(data, **options)
    dataset = read(recorded_source(origin), **options)
    refuse_changed(dataset, sha256)
    return dataset


def refuse_changed(dataset: Dataset, sha256: object) -> None:
    """Refuse data that are not those of which a network records the hash."""
    if dataset.sha256 != sha256:
        raise InputError(
            f"The data {dataset.source!r} have changed since the network was learned; learn it again, "
            "or name the data to use."
        )


def recorded_options(origin: Mapping[str, Any]) -> dict[str, Any]:
    """The options with which a result says that its data were read, if they are sound."""
    options = origin.get("options")
    if not isinstance(options, Mapping) or not all(map(_is_sound, options.keys(), options.values())):
        raise InputError(
            "The result records options of reading that do not exist; it was changed or cut off."
        )
    return dict(options)


def _is_sound(name: str, value: object) -> bool:
    texts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return name in READING_OPTIONS and all(isinstance(text, str) for text in texts)


def _score_file(data: Any) -> Path:
    if isinstance(data, str | os.PathLike):
        return Path(data)
    raise InputError(f"The result was learned from a score file; give that file as {either('data', 'DATA')}.")


def _lookup(table: ScoreTable) -> Callable[[Iterable[str]], float]:
    return lambda names: table[names]
