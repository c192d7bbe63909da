"""What all formats of score files share: lines, numbers, sets by bit mask, tables."""

from __future__ import annotations

import gzip
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import InputError, TooLargeError
from chordlearn.graphs import mask_of
from chordlearn.scores.table import ScoreTable
from chordlearn.system.files import read_whole, writing
from chordlearn.system.memory import most_variables


@dataclass(frozen=True)
class ScoreText:
    """The lines of a score file; the number of a line is its index plus one."""

    path: Path
    lines: list[str]

    @cached_property
    def filled(self) -> list[int]:
        """Indices of the lines that are not blank."""
        return [i for i, line in enumerate(self.lines) if line and not line.isspace()]

    def words(self, index: int) -> list[str]:
        """The words of the index-th line that is not blank, none behind the last."""
        return self.lines[self.filled[index]].split() if index < len(self.filled) else []

    def error(self, line: int, problem: str) -> InputError:
        """An error at a line (by index), or at the end of the file when there is no such line."""
        where = f"line {line + 1}" if line < len(self.lines) else "its end"
        return InputError(f"{self.path} is not a valid score file: at {where}, {problem}.")

    def whole(self, line: int, word: str, what: str) -> int:
        """A whole number that is not negative."""
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            raise self.error(line, f"{what} should be a whole number but is {word!r}")
        return int(word)

    def score(self, line: int, word: str) -> float:
        """A score: a finite number or −∞."""
        try:
            value = float(word) if "_" not in word else math.nan
        except ValueError:
            value = math.nan
        if math.isnan(value) or value == math.inf:
            raise self.error(line, f"the score should be a number or -inf but is {word!r}")
        return value

    def scores(self, first: int) -> NDArray[np.float64]:
        """One score on each line that is not blank, from the ``first`` such line on."""
        indices = self.filled[first:]
        words = [self.lines[i] for i in indices]
        try:
            values = np.array(words, dtype=np.float64)
        except ValueError:
            values = np.array([np.nan])
        if np.isnan(values).any() or np.isposinf(values).any() or any("_" in word for word in words):
            # Again and slowly, for the line at fault.
            values = np.array([self.score(i, self.lines[i].strip()) for i in indices])
        return values


def read_text(path: Path) -> ScoreText:
    """Read a whole file, unpacking it if it is gzipped."""
    try:
        text = read_whole(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; check the file.") from None
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not a text file; score files are text in UTF-8, gzipped or not."
        ) from None
    # Not splitlines(), which also splits at characters that a name may hold.
    return ScoreText(path, text.removesuffix("\n").split("\n"))


def write_text(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file that appears, or replaces the old one, only when it is complete."""
    with writing(path) as file:
        if path.suffix.lower() == ".gz":
            # Without name and time, so that the same scores give the same file.
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                packed.writelines(f"{line}\n".encode() for line in lines)
        else:
            file.writelines(f"{line}\n".encode() for line in lines)


def default_names(n: int) -> tuple[str, ...]:
    """Names for the variables of a file that has none: x0, x1, …"""
    return tuple(f"x{i}" for i in range(n))


def check_variables(text: ScoreText, line: int, n: int, tables: int = 1) -> None:
    """Refuse no variables, or more than so many tables of all sets fit in memory for."""
    if n < 1:
        raise text.error(line, f"the number of variables is {n} and must be at least 1")
    fits = most_variables(tables)
    if n > fits:
        raise TooLargeError(
            f"{text.path} has {n} variables, and a score for each of the 2^{n} sets does not fit in memory; "
            f"here at most {fits} variables do."
        )


def first_missing(given: Mapping[int, float], among: Sequence[int], max_size: int) -> tuple[int, ...] | None:
    """The first set of at most ``max_size`` of these variables that has no score; None if all have.

    >>> first_missing({0b00: 0.0, 0b01: -1.0}, [0, 1], 2)
    (1,)
    """
    sets = (chosen for size in range(max_size + 1) for chosen in combinations(among, size))
    return next((chosen for chosen in sets if mask_of(chosen) not in given), None)


def masks_up_to(n: int, max_size: int) -> NDArray[np.int64]:
    """Bit masks of all sets of at most ``max_size`` out of ``n`` variables, in increasing order.

    >>> masks_up_to(3, 1)
    array([0, 1, 2, 4])
    """
    masks = np.arange(1 << n)
    return masks if max_size >= n else masks[np.bitwise_count(masks) <= max_size]


def from_mask_order(text: ScoreText, n: int, max_size: int, first: int) -> ScoreTable:
    """The table of a file whose lines from ``first`` on are scores in increasing order of bit masks.

    The lines are those of the sets of at most ``max_size`` variables; a line for every set is accepted too.
    """
    values = text.scores(first)
    masks = masks_up_to(n, max_size)
    if len(values) not in (len(masks), 1 << n):
        expected = f"{len(masks)} scores (the sets of at most {max_size} out of {n} variables) should follow"
        surplus = first + len(masks)
        line = text.filled[surplus] if surplus < len(text.filled) else len(text.lines)
        raise text.error(
            line, f"the number of scores is wrong: {expected} the head but there are {len(values)}"
        )
    everything = np.full(1 << n, -np.inf)
    everything[masks] = values if len(values) == len(masks) else values[masks]
    if everything[0] != 0.0:
        raise text.error(text.filled[first], f"the empty set has the score {everything[0]} and must have 0")
    return make_table(text, default_names(n), everything, max_size)


def make_table(
    text: ScoreText, variables: tuple[str, ...], values: NDArray[np.float64], max_size: int
) -> ScoreTable:
    """A read-only table with the hash of its content."""
    values = values + 0.0  # no negative zeros, whose bytes differ
    values.setflags(write=False)
    return ScoreTable(
        variables, values, max_size, sha256=content_sha256(variables, values), source=str(text.path)
    )


def content_sha256(variables: Sequence[str], values: NDArray[np.float64]) -> str:
    """Hash of the number of variables, their names and all 2**n scores, the same for every file format."""
    digest = hashlib.sha256(len(variables).to_bytes(8, "little"))
    for name in variables:
        encoded = name.encode()
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    return digest.hexdigest()


def format_score(value: float) -> str:
    """The shortest text that reads back as the same double.

    >>> format_score(-0.1), format_score(0.0), format_score(float("-inf"))
    ('-0.1', '0.0', '-inf')
    """
    return repr(float(value) + 0.0)


def is_junctor(text: ScoreText) -> bool:
    """Whether the first line holds two whole numbers, and the second one word."""
    words = text.words(0)
    return len(words) == 2 and all(word.isdigit() for word in words) and len(text.words(1)) <= 1


def is_dmst(text: ScoreText) -> bool:
    """Whether the first line is the word DMST."""
    return text.words(0) == ["DMST"]


def read_junctor(text: ScoreText) -> ScoreTable:
    """The table in a file of Junctor."""
    words = text.words(0)
    if len(words) != 2:
        raise text.error(0, "there should be two numbers, of variables and of the largest set")
    return _read(text, (0, words[0]), (0, words[1]), first=1)


def read_dmst(text: ScoreText) -> ScoreTable:
    """The table in a file that begins with DMST."""
    if len(text.filled) < 4:
        raise text.error(
            len(text.lines), "the head of four lines (DMST, variables, subset_scores, order) is cut off"
        )
    if not is_dmst(text):
        raise text.error(text.filled[0], "the first word should be DMST")
    kind, order = text.words(2), text.words(3)
    if kind != ["subset_scores"]:
        raise text.error(text.filled[2], f"only subset_scores are known, not {' '.join(kind)!r}")
    if len(order) != 2 or order[0] != "colex_order":
        raise text.error(text.filled[3], "there should be the word colex_order and the largest size of a set")
    return _read(text, (1, " ".join(text.words(1))), (3, order[1]), first=4)


def _read(text: ScoreText, variables: tuple[int, str], largest: tuple[int, str], first: int) -> ScoreTable:
    """The table, given the two numbers of the head, each after the place of its line."""
    n = text.whole(text.filled[variables[0]], variables[1], "the number of variables")
    line = text.filled[largest[0]]
    max_size = text.whole(line, largest[1], "the largest size of a set")
    check_variables(text, text.filled[variables[0]], n)
    if not 1 <= max_size <= n:
        raise text.error(line, f"the largest size of a set is {max_size} and must be between 1 and {n}")
    return from_mask_order(text, n, max_size, first)


def junctor_lines(table: ScoreTable) -> Iterator[str]:
    """The lines of a file of Junctor; the names of the variables are lost."""
    yield f"{table.n} {table.max_size}"
    yield from _scores(table)


def dmst_lines(table: ScoreTable) -> Iterator[str]:
    """The lines of a file that begins with DMST; the names of the variables are lost."""
    yield from ("DMST", str(table.n), "subset_scores", f"colex_order {table.max_size}")
    yield from _scores(table)


def _scores(table: ScoreTable) -> Iterator[str]:
    yield from map(format_score, table.values[masks_up_to(table.n, table.max_size)].tolist())
