"""Rows of codes packed into a few 64-bit words each, so that ordering rows is ordering numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.integer]
Words = list[NDArray[np.int64]]

_ROOM = 1 << 62


class Layout:
    """Where each column lies in the words, given how many codes it has; the first column counts most.

    >>> layout = Layout([2, 10])
    >>> words = layout.pack([np.array([0, 1]), np.array([7, 3])])
    >>> words
    [array([ 7, 13])]
    >>> [column.tolist() for column in layout.unpack(words)]
    [[0, 1], [7, 3]]
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self._words: list[list[int]] = []
        room = 0
        for column, size in enumerate(self.sizes):
            if size > room:
                self._words.append([])
                room = _ROOM
            self._words[-1].append(column)
            room //= max(size, 1)

    @property
    def words(self) -> int:
        """How many words a row takes."""
        return len(self._words)

    def pack(self, columns: Sequence[Codes]) -> Words:
        """Pack columns of equal length."""
        words = []
        for members in self._words:
            word = columns[members[0]].astype(np.int64)
            for column in members[1:]:
                word *= self.sizes[column]
                word += columns[column]
            words.append(word)
        return words

    def unpack(self, words: Words) -> list[Codes]:
        """The columns again, each in the smallest type that holds its codes."""
        columns: list[Codes] = [np.empty(0, dtype=np.uint8)] * len(self.sizes)
        for column, codes in self.each(words):
            columns[column] = codes.astype(code_type(self.sizes[column]))
        return columns

    def each(self, words: Words) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Every column with its position, one at a time and in no particular order."""
        for word, members in zip(words, self._words, strict=True):
            left = word
            for column in reversed(members[1:]):
                size = self.sizes[column]
                quotient = left // size
                yield column, left - quotient * size
                left = quotient
            yield members[0], left


def code_type(size: int) -> np.dtype[np.unsignedinteger]:
    """The smallest type that holds the codes of so many states.

    >>> code_type(256), code_type(257)
    (dtype('uint8'), dtype('uint16'))
    """
    return np.min_scalar_type(max(size - 1, 0))
