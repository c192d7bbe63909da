"""What all formats share: numbers, sets in the order of their bit masks, and the table made of them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import TooLargeError
from chordlearn.scores.files.text import ScoreText
from chordlearn.scores.table import ScoreTable
from chordlearn.system.memory import most_variables


def default_names(n: int) -> tuple[str, ...]:
    """Names for the variables of a file that has none.

    >>> default_names(3)
    ('x0', 'x1', 'x2')
    """
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


def parse_whole(text: ScoreText, line: int, word: str, what: str) -> int:
    """A whole number that is not negative."""
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise text.error(line, f"{what} should be a whole number but is {word!r}")
    return int(word)


def parse_score(text: ScoreText, line: int, word: str) -> float:
    """A score: a finite number or −∞."""
    try:
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise text.error(line, f"the score should be a number or -inf but is {word!r}")
    return value


def parse_scores(text: ScoreText, first: int) -> NDArray[np.float64]:
    """One score on each line that is not blank, from the ``first`` such line on."""
    indices = text.filled[first:]
    words = [text.lines[i] for i in indices]
    try:
        values = np.array(words, dtype=np.float64)
    except ValueError:
        values = np.array([np.nan])
    if np.isnan(values).any() or np.isposinf(values).any() or any("_" in word for word in words):
        # Again and slowly, for the line at fault.
        values = np.array([parse_score(text, i, text.lines[i].strip()) for i in indices])
    return values


def count_sets(n: int, max_size: int) -> int:
    """How many sets of at most ``max_size`` out of ``n`` variables there are.

    >>> count_sets(3, 1)
    4
    """
    return sum(math.comb(n, size) for size in range(max_size + 1))


def first_missing(given: Mapping[int, float], among: Sequence[int], max_size: int) -> tuple[int, ...] | None:
    """The first set of at most ``max_size`` of these variables that has no score; None if all have.

    >>> first_missing({0b00: 0.0, 0b01: -1.0}, [0, 1], 2)
    (1,)
    """
    sets = (chosen for size in range(max_size + 1) for chosen in combinations(among, size))
    return next((chosen for chosen in sets if mask_of(chosen) not in given), None)


def mask_of(variables: Iterable[int]) -> int:
    """The bit mask of some variables."""
    return sum(1 << variable for variable in variables)


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
    values = parse_scores(text, first)
    count = count_sets(n, max_size)
    if len(values) not in (count, 1 << n):
        expected = f"{count} scores (the sets of at most {max_size} out of {n} variables) should follow"
        surplus = first + count
        line = text.filled[surplus] if surplus < len(text.filled) else len(text.lines)
        raise text.error(
            line, f"the number of scores is wrong: {expected} the head but there are {len(values)}"
        )
    masks = masks_up_to(n, max_size)
    everything = np.full(1 << n, -np.inf)
    everything[masks] = values if len(values) == count else values[masks]
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


def scores_in_mask_order(table: ScoreTable) -> Iterator[str]:
    """The scores of the sets of at most ``max_size`` variables, in increasing order of bit masks."""
    for value in table.values[masks_up_to(table.n, table.max_size)].tolist():
        yield format_score(value)
