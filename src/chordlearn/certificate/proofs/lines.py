"""Lines of whole numbers, as the files of a proof have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from chordlearn.certificate.results.report import Failed

_WHOLE = re.compile(r"-?[0-9]{1,25}")


def numbers_in(line: str, where: str) -> list[int]:
    """The whole numbers in a line, at least one.

    >>> numbers_in("12 -3 0", "line 1")
    [12, -3, 0]
    """
    words = line.split()
    if not words or not all(map(_WHOLE.fullmatch, words)):
        raise Failed(f"{where} is not a line of whole numbers")
    return [int(word) for word in words]


def check_set(variables: Sequence[int], n: int, where: str) -> None:
    """Refuse what does not name some of n variables in rising order.

    >>> check_set([0, 2], 3, "line 1")
    """
    if not all(0 <= i < n for i in variables) or not all(a < b for a, b in pairwise(variables)):
        raise Failed(f"{where} names no set of variables, in rising order")


def read_lines(path: Path) -> list[str]:
    """The lines of a file of a proof."""
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError as error:
        raise Failed(f"{path.name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Failed(f"{path.name} is not plain text") from None
