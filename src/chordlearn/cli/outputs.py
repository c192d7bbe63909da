"""Output files are checked before the work: nothing is lost at its end, and no file of yours is replaced."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from chordlearn.cli.kinds import KINDS, kind_of
from chordlearn.data.origins import Place, files_of, is_stream, place_of, would_read
from chordlearn.errors import InputError
from chordlearn.system.json import parse_json, read_text

Output = tuple[str | Path | None, str]
"""What an option gives, and the kind of file that is written there."""

ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Replace an output file also if it is not ours; an input never is."),
]


def check_outputs(outputs: Iterable[Output], inputs: Sequence[Any] = (), *, force: bool = False) -> None:
    """Refuse files that could not be written, or that would take the place of something else.

    Inputs are whatever the command reads: paths, patterns, lists of them. An old file is replaced if it is of
    the kind that is written now, or by force.
    """
    files = [(Path(path), kind) for path, kind in outputs if path not in (None, "-")]
    kept = [(path, kind) for path, kind in files if not is_stream(path)]
    _refuse_inputs([path for path, _ in kept], [source for source in inputs if source is not None])
    _refuse_repeated([path for path, _ in kept])
    for path, kind in files:
        # The folder of a proof has to be new, which is checked where it is made.
        if kind != "proof":
            _check_writable(path)
    for path, kind in kept:
        if kind != "proof":
            _refuse_foreign(path, kind, force)


def unwritable(path: Path, error: OSError) -> InputError:
    """The sentence for a file that the system refuses to write."""
    reason = error.strerror or str(error)
    return InputError(f"{path} cannot be written: {reason}; choose another file or folder.")


def same_file(first: Path | None, second: Path | None) -> bool:
    """Whether two options name one file."""
    return first is not None and second is not None and place_of(first) == place_of(second)


def _refuse_inputs(paths: Sequence[Path], inputs: Sequence[Any]) -> None:
    for path in paths:
        if any(would_read(source, path) for source in inputs) and not path.exists():
            raise InputError(
                f"{path} fits the pattern of the input, so the next run would read it as data; "
                "name a file that does not."
            )
    read: set[Place] = set()
    if any(path.exists() for path in paths):
        files = [file for source in inputs for file in files_of(source)]
        read = {place_of(file) for file in [*files, *(data for file in files for data in _data_of(file))]}
    for path in paths:
        if path.exists() and place_of(path) in read:
            raise InputError(
                f"{path} is an input of this command, which would replace it; name another file to write."
            )


def _data_of(file: Path) -> list[Path]:
    """The files that a result or a network file names as its data, which commands read again."""
    if is_stream(file) or kind_of(file) not in ("result", "network"):
        return []
    try:
        document = parse_json(read_text(file))
        return files_of(document.get("data", document.get("provenance", {}).get("data"))["source"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        # It names none; what is wrong with it is said where it is read.
        return []


def _refuse_repeated(paths: Sequence[Path]) -> None:
    seen: dict[Place, Path] = {}
    for path in paths:
        other = seen.setdefault(place_of(path), path)
        if other is not path:
            names = str(path) if str(other) == str(path) else f"{other}, which is also {path},"
            raise InputError(f"{names} is named for two outputs; give each a file of its own.")


def _check_writable(path: Path) -> None:
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; give the name of a file to write.")
        if path.exists():
            if not os.access(path, os.W_OK):
                raise InputError(f"{path} cannot be overwritten: it is write-protected; choose another file.")
            if not path.is_file():
                return
        probe = path.resolve().with_name(f".chordlearn-{secrets.token_hex(8)}.probe")
        probe.open("x").close()
        probe.unlink()
    except OSError as error:
        raise unwritable(path, error) from error


def _refuse_foreign(path: Path, kind: str, force: bool) -> None:
    """Refuse a file with something in it that is not of the kind that is written."""
    grows = KINDS[kind].grows
    if (force and not grows) or not path.exists() or path.stat().st_size == 0:
        return
    found = kind_of(path)
    if found == kind:
        return
    wanted = KINDS[kind].words
    if kind == "rows":
        is_what = "is there already, and whether it is data of yours cannot be told"
    elif found is None:
        is_what = f"is there already and is not {wanted} that chordlearn wrote"
    else:
        is_what = f"is there already and is {KINDS[found].words}, not {wanted}"
    force_it = "" if grows else ", or replace it with --force"
    raise InputError(f"{path} {is_what}; name another file{force_it}.")
