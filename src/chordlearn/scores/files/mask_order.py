"""Files that list the log-score of each set, one to a line, in increasing order of bit masks.

Variable 0 is the lowest bit and the empty set comes first. There are no names: variables are called x0, x1, …

**Junctor** (Kangas, Koivisto and Niinimäki 2014): the first line holds the number of variables and the
largest size of a set. The files that the authors published list all sets. That sets above the largest size
are left out, as they are in the successor's format, is an assumption; a file that lists them all the same is
read, and their scores are ignored.

**DMST** (Adjunct; Kangas, Niinimäki and Koivisto 2015): a head of four lines, ``DMST``; the number of
variables; ``subset_scores``; ``colex_order`` and the largest size of a set. Other kinds of scores and orders
are not known here.
"""

from __future__ import annotations

from collections.abc import Iterator

from chordlearn.scores.files.text import (
    ScoreText,
    check_variables,
    format_score,
    from_mask_order,
    masks_up_to,
)
from chordlearn.scores.table import ScoreTable


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
