"""The score files of Adjunct (Kangas, Niinimäki and Koivisto 2015), which begin with the word DMST.

The head is four lines: ``DMST``; the number of variables n; ``subset_scores``; ``colex_order`` and the
largest size of a set. Then follows, one to a line, the log-score of each set of at most that size in
colexicographic order, which is the increasing order of bit masks with variable 0 as the lowest bit. There are
no names: variables are called x0, x1, … Other kinds of scores and orders than these are not known here.
"""

from __future__ import annotations

from collections.abc import Iterator

from chordlearn.scores.files.text import ScoreText
from chordlearn.scores.files.values import check_variables, from_mask_order, parse_whole, scores_in_mask_order
from chordlearn.scores.table import ScoreTable


def matches(text: ScoreText) -> bool:
    """Whether the first line is the word DMST."""
    return text.words(0) == ["DMST"]


def read(text: ScoreText) -> ScoreTable:
    """The table in a file."""
    if len(text.filled) < 4:
        raise text.error(
            len(text.lines), "the head of four lines (DMST, variables, subset_scores, order) is cut off"
        )
    if not matches(text):
        raise text.error(text.filled[0], "the first word should be DMST")
    kind, order = text.words(2), text.words(3)
    if kind != ["subset_scores"]:
        raise text.error(text.filled[2], f"only subset_scores are known, not {' '.join(kind)!r}")
    if len(order) != 2 or order[0] != "colex_order":
        raise text.error(text.filled[3], "there should be the word colex_order and the largest size of a set")
    n = parse_whole(text, text.filled[1], " ".join(text.words(1)), "the number of variables")
    max_size = parse_whole(text, text.filled[3], order[1], "the largest size of a set")
    check_variables(text, text.filled[1], n)
    if not 1 <= max_size <= n:
        raise text.error(
            text.filled[3], f"the largest size of a set is {max_size} and must be between 1 and {n}"
        )
    return from_mask_order(text, n, max_size, first=4)


def lines(table: ScoreTable) -> Iterator[str]:
    """The lines of a file; the names of the variables are lost."""
    yield "DMST"
    yield str(table.n)
    yield "subset_scores"
    yield f"colex_order {table.max_size}"
    yield from scores_in_mask_order(table)
