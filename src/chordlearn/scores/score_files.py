"""Score files: which format a file has, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError, option
from chordlearn.scores import cussens, plain_list, score_text
from chordlearn.scores.score_text import ScoreText, read_text, write_text
from chordlearn.scores.table import ScoreTable


class Format(NamedTuple):
    """A file format: how it is recognised, read and written."""

    suffixes: tuple[str, ...]
    matches: Callable[[ScoreText], bool]
    read: Callable[[ScoreText], ScoreTable]
    lines: Callable[[ScoreTable], Iterable[str]]


FORMATS = {
    "dmst": Format((".dmst",), score_text.is_dmst, score_text.read_dmst, score_text.dmst_lines),
    "junctor": Format((".score",), score_text.is_junctor, score_text.read_junctor, score_text.junctor_lines),
    "cussens": Format((".jkl", ".jaa", ".cussens"), cussens.matches, cussens.read, cussens.lines),
    "plain": Format((".scores", ".list"), plain_list.matches, plain_list.read, plain_list.lines),
}
"""The formats by name, in the order in which a file's content is tried against them."""


def read_scores(path: str | Path, format: str | None = None) -> ScoreTable:
    """Read a score file, gzipped or not; its format is known by its content unless it is named.

    ``format`` is ``junctor``, ``dmst``, ``cussens`` or ``plain``.
    """
    text = read_text(Path(path))
    if format is not None:
        return _named(format).read(text)
    by_suffix = _by_suffix(Path(path))
    if by_suffix == "plain":
        return FORMATS[by_suffix].read(text)
    for known in FORMATS.values():
        if known.matches(text):
            return known.read(text)
    raise InputError(
        f"{path} is in no score file format that is known ({', '.join(FORMATS)}); "
        "if it is data, give it a suffix such as .csv."
    )


def write_scores(table: ScoreTable, path: str | Path, format: str | None = None) -> None:
    """Write a score file, gzipped if the path ends in ``.gz``; its format goes by the suffix or by name.

    The suffixes are ``.score`` (junctor), ``.dmst``, ``.jkl`` (cussens) and ``.scores`` (plain).
    The file appears only when it is complete.
    """
    name = format if format is not None else _by_suffix(Path(path))
    if name is None:
        suffixes = ", ".join(f"{known.suffixes[0]} ({key})" for key, known in FORMATS.items())
        raise InputError(
            f"The suffix of {path} names no score file format; use {suffixes}, "
            f"or name it with {option('format')}."
        )
    lines = _named(name).lines(table)
    refuse_replacing(path, table.source)
    write_text(Path(path), lines)


def is_score_file(path: str | Path) -> bool:
    """Whether a path has a suffix that only score files have.

    >>> is_score_file("flare.score.gz"), is_score_file("flare.csv")
    (True, False)
    """
    return _by_suffix(Path(path)) is not None


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise InputError(f"There is no score file format {name!r}; choose one of {', '.join(FORMATS)}.")
    return FORMATS[name]


def _by_suffix(path: Path) -> str | None:
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    return next((name for name, known in FORMATS.items() if suffix in known.suffixes), None)
