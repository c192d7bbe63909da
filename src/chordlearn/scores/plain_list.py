"""A plain list that one can read: on each line a score and the variables of its set, by name.

::

    # 2 variables, sets of at most 2
    0.0
    -3.2 smoke
    -4.1 "blood pressure"
    -7.0 smoke "blood pressure"

The empty set stands without a name and scores 0. A name with blanks, quotes, ``#`` or hidden characters is
quoted as in JSON. The variables are ordered as their singletons are. Lines that begin with ``#`` are
comments; one like the first above, which is always written, lets the reader notice a file that was cut off.
Every set up to the largest size must be there; one that may not be complete in a network scores ``-inf``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import numpy as np

from chordlearn.scores.score_text import (
    ScoreText,
    check_variables,
    first_missing,
    format_score,
    make_table,
    masks_up_to,
)
from chordlearn.scores.table import ScoreTable
from chordlearn.system.text import json_text, shown

_HEAD = re.compile(r"#\s*(\d{1,9}) variables?, sets of at most (\d{1,9})\s*$", re.ASCII)
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"(?=\s|$)|[^\s"]+(?=\s|$)|(?P<bad>\S)')
_BARE = re.compile(r'[^\s"#]+')


def matches(text: ScoreText) -> bool:
    """Whether the first line that is no comment begins with a number."""
    for line in text.lines:
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                float(line.split()[0])
            except ValueError:
                return False
            return True
    return False


def read(text: ScoreText) -> ScoreTable:
    """The table in a file."""
    announced: tuple[int, int] | None = None
    scores: list[tuple[int, float, list[str]]] = []
    for line, content in enumerate(text.lines):
        stripped = content.strip()
        if stripped.startswith("#"):
            head = _HEAD.match(stripped)
            announced = (int(head[1]), int(head[2])) if head else announced
        elif stripped:
            word, *names = _words(text, line, stripped)
            scores.append((line, text.score(line, word), names))
    variables = tuple(names[0] for _, _, names in scores if len(names) == 1)
    n = len(variables)
    check_variables(text, len(text.lines), n)
    index = {name: i for i, name in enumerate(variables)}
    given: dict[int, float] = {}
    for line, score, names in scores:
        mask = _mask(text, line, names, index)
        if mask in given:
            raise text.error(line, "the score of this set is given a second time")
        if mask == 0 and score != 0.0:
            raise text.error(line, f"the empty set has the score {score} and must have 0")
        given[mask] = score
    max_size = max(len(names) for _, _, names in scores)
    missing = first_missing(given, range(n), max_size)
    if missing is not None:
        members = ", ".join(variables[i] for i in missing)
        raise text.error(len(text.lines), f"the score of the set {{{members}}} is missing")
    if announced not in (None, (n, max_size)):
        raise text.error(
            len(text.lines),
            f"there are {n} variables and sets of at most {max_size}, which is not what the file's head says",
        )
    values = np.full(1 << n, -np.inf)
    values[list(given)] = list(given.values())
    return make_table(text, variables, values, max_size)


def lines(table: ScoreTable) -> Iterator[str]:
    """The lines of a file: small sets first, then by bit mask."""
    names = [
        name if _BARE.fullmatch(name) and shown(name) == name else json_text(name) for name in table.variables
    ]
    plural = "s" if table.n > 1 else ""
    yield f"# {table.n} variable{plural}, sets of at most {table.max_size}"
    masks = masks_up_to(table.n, table.max_size)
    for mask in masks[np.argsort(np.bitwise_count(masks), kind="stable")].tolist():
        members = [names[i] for i in range(table.n) if mask >> i & 1]
        yield " ".join([format_score(table.values[mask]), *members])


def _words(text: ScoreText, line: int, content: str) -> list[str]:
    words = []
    for match in _WORD.finditer(content):
        if match["bad"]:
            raise text.error(line, f"there is a quote out of place in {content!r}")
        word = match[0]
        if word.startswith('"'):
            try:
                word = str(json.loads(word))
            except ValueError:
                raise text.error(line, f"the name {word} is not quoted as in JSON") from None
        words.append(word)
    return words


def _mask(text: ScoreText, line: int, names: list[str], index: dict[str, int]) -> int:
    mask = 0
    for name in names:
        if name not in index:
            raise text.error(line, f"the variable {name!r} has no score of its own")
        bit = 1 << index[name]
        if mask & bit:
            raise text.error(line, f"the variable {name!r} comes twice")
        mask |= bit
    return mask
