"""The score files of Junctor (Kangas, Koivisto and Niinimäki 2014).

The first line holds the number of variables n and the largest size of a set; then follows, one to a line, the
log-score of each set of at most that size, in increasing order of bit masks (variable 0 is the lowest bit,
the empty set comes first). There are no names: variables are called x0, x1, …

The files that the authors published list all sets. That sets above the largest size are left out, as they are
in the successor's format (see ``dmst``), is an assumption; a file that lists them all the same is read, and
their scores are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from chordlearn.scores.files.text import ScoreText
from chordlearn.scores.files.values import check_variables, from_mask_order, parse_whole, scores_in_mask_order
from chordlearn.scores.table import ScoreTable


def matches(text: ScoreText) -> bool:
    """Whether the first line holds two whole numbers, and the second one word."""
    words = text.words(0)
    return len(words) == 2 and all(word.isdigit() for word in words) and len(text.words(1)) <= 1


def read(text: ScoreText) -> ScoreTable:
    """The table in a file."""
    words = text.words(0)
    if len(words) != 2:
        raise text.error(0, "there should be two numbers, of variables and of the largest set")
    line = text.filled[0]
    n = parse_whole(text, line, words[0], "the number of variables")
    max_size = parse_whole(text, line, words[1], "the largest size of a set")
    check_variables(text, line, n)
    if not 1 <= max_size <= n:
        raise text.error(line, f"the largest size of a set is {max_size} and must be between 1 and {n}")
    return from_mask_order(text, n, max_size, first=1)


def lines(table: ScoreTable) -> Iterator[str]:
    """The lines of a file; the names of the variables are lost."""
    yield f"{table.n} {table.max_size}"
    yield from scores_in_mask_order(table)
