"""The data set as every later station sees it: coded, deduplicated, weighted rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.distinct import deduplicated
from chordlearn.data.fractions import Weights, in_units, plain, unit_of
from chordlearn.data.naming import listed, position_of
from chordlearn.data.origins import BUNDLED
from chordlearn.errors import InputError, option
from chordlearn.system.text import shown

if TYPE_CHECKING:
    import polars as pl

HASHED_VALUES = 1 << 20
"""So many are widened at a time when they are hashed."""
HEAD = 4096
"""This many rows distinguish most columns; only the others are compared on all rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Distinct rows of coded values with the number of times each occurs.

    Build one with :func:`chordlearn.read`; the constructor trusts its input.
    """

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    """The labels of each variable; a code indexes its variable's labels."""
    codes: NDArray[np.integer]
    """Shape (distinct rows, variables), lexicographically sorted, read-only.

    :func:`chordlearn.read` uses the smallest unsigned type that holds the codes; widen before arithmetic.
    With gaps they are of 32 bits, and −1 stands for what is missing.
    """
    weights: Weights
    """How often each distinct row occurs; all positive. Fractions are multiples of :attr:`unit`."""
    source: str = "memory"
    """Where the data came from: a path, a bundled name or the kind of object."""
    options: dict[str, Any] = field(default_factory=dict)
    """The reading options that are not defaults, so that the same table can be read again."""
    notes: tuple[str, ...] = ()
    """What was decided while reading, each a sentence: which numbers were cut, which states never occur."""

    @property
    def rows(self) -> float:
        """Number of observations (not of distinct rows): what the weights sum to."""
        return plain(self.weights.sum())

    @cached_property
    def unit(self) -> float:
        """1 if weights are whole, else a power of two of which they are multiples."""
        return unit_of(self.weights)

    @property
    def units(self) -> NDArray[np.int64]:
        """The weights in units."""
        return in_units(self.weights, self.unit)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether values are missing, and neither dropped nor a state: to be learned from as they are."""
        return self.codes.dtype.kind == "i" and bool((self.codes < 0).any())

    def refuse_gaps(self) -> None:
        """Refuse what needs whole rows."""
        if self.has_gaps:
            raise InputError(
                f"The rows of {self.source} have missing values, and this needs whole rows; read them with "
                f"{option('missing', 'drop')} or {option('missing', 'category')}."
            )

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each variable."""
        return tuple(len(labels) for labels in self.states)

    @cached_property
    def sha256(self) -> str:
        """Hash of names, labels, distinct rows and weights; independent of the format and the row order."""
        digest = hashlib.sha256()
        for name, labels in zip(self.variables, self.states, strict=True):
            for text in (name, *labels):
                encoded = text.encode()
                digest.update(len(encoded).to_bytes(8, "little"))
                digest.update(encoded)
            digest.update(b"\xff" * 8)
        for values, form in ((self.codes, "<i4"), (self.weights, f"<{self.weights.dtype.kind}8")):
            step = max(1, HASHED_VALUES // max(len(self.variables), 1))
            for start in range(0, len(values), step):
                digest.update(values[start : start + step].astype(form).tobytes())
        return digest.hexdigest()

    def column_counts(self, variable: int | str) -> Weights:
        """Count the observations of each state of a variable, given by position or name.

        >>> from chordlearn.data import read
        >>> read("heart").column_counts("family").tolist()
        [260, 1581]
        """
        index = self.index(variable) if isinstance(variable, str) else variable
        counts: Weights = np.zeros(len(self.states[index]), dtype=self.weights.dtype)
        known = self.codes[:, index] >= 0
        np.add.at(counts, self.codes[known, index], self.weights[known])
        return counts

    def index(self, name: str) -> int:
        """Return the position of a variable, or say which names are near."""
        return position_of(name, self.variables, "columns")

    def select(self, names: Sequence[str]) -> Dataset:
        """Keep only some variables, in the order given; equal rows are merged.

        >>> from chordlearn.data import read
        >>> read("heart").select(["family", "smoke"])
        Dataset(2 variables, 1841 rows (4 distinct), from 'heart': family 2, smoke 2)
        """
        positions = [self.index(name) for name in names]
        arities = [len(self.states[position]) for position in positions]
        chosen = [self.codes[:, position] for position in positions]
        codes, weights = deduplicated(chosen, arities, self.weights)
        source, options = self.source, {**self.options, "columns": list(names)}
        options.pop("drop", None)
        if options.get("missing") == "drop":
            # Reading these columns alone would keep rows that were dropped for the sake of the others.
            source, options = f"selection from {self.source}", {}
        return Dataset(
            variables=tuple(names),
            states=tuple(self.states[position] for position in positions),
            codes=codes,
            weights=weights,
            source=source,
            options=options,
        )

    def to_frame(self) -> pl.DataFrame:
        """Return the distinct rows as a polars data frame of labels with their counts in the last column.

        The last column is named `count`, with underscores added if a variable has that name.
        """
        import polars as pl

        columns = {
            name: pl.Series([*labels, None], dtype=pl.Enum(labels)).gather(
                np.where(self.codes[:, index] < 0, len(labels), self.codes[:, index])
            )
            for index, (name, labels) in enumerate(zip(self.variables, self.states, strict=True))
        }
        counts = "count"
        while counts in columns:
            counts += "_"
        return pl.DataFrame({**columns, counts: self.weights})

    def __repr__(self) -> str:
        """Say how large the data set is and how many states each variable has."""
        sizes = [f"{name} {arity}" for name, arity in zip(self.variables, self.arities, strict=True)]
        return shown(
            f"Dataset({len(self.variables)} variable{'s' * (len(self.variables) != 1)}, {self.rows} rows "
            f"({len(self.weights)} distinct), from {self.source!r}: {listed(sizes)})"
        )


def describe(data: Dataset) -> dict[str, Any]:
    """Describe a data set in plain values: variables, states with counts, rows, and notes.

    >>> from chordlearn.data import read
    >>> account = describe(read("heart"))
    >>> account["rows"], account["distinct_rows"], account["variables"][0]["states"]
    (1841, 63, [{'label': 'n', 'count': 880}, {'label': 'y', 'count': 961}])
    """
    entry = BUNDLED.get(data.source)
    variables = []
    for index, (name, labels) in enumerate(zip(data.variables, data.states, strict=True)):
        counts = data.column_counts(index).tolist()
        states = [{"label": label, "count": count} for label, count in zip(labels, counts, strict=True)]
        meaning = entry.variables.get(name) if entry else None
        missing = {"missing": plain(data.rows - sum(counts))} if data.has_gaps else {}
        variables.append(
            {"name": name, "states": states, **missing, **({"meaning": meaning} if meaning else {})}
        )
    account: dict[str, Any] = {
        "source": data.source,
        "rows": data.rows,
        "distinct_rows": len(data.weights),
        "variables": variables,
        "notes": list(data.notes),
        "sha256": data.sha256,
    }
    if entry:
        account |= {"title": entry.title, "description": entry.description, "reference": entry.source}
    return account


def constant_columns(dataset: Dataset) -> list[str]:
    """The variables that have the same value in every row, whatever other states they declare.

    >>> from chordlearn.data import read
    >>> constant_columns(read({"a": [1, 2, 1], "k": ["x", "x", "x"]}))
    ['k']
    """
    codes = dataset.codes
    places = np.flatnonzero((codes[:HEAD] == codes[:1]).all(axis=0))
    return [dataset.variables[place] for place in places if (codes[:, place] == codes[:1, place]).all()]


def copies(dataset: Dataset) -> list[list[str]]:
    """The groups of variables that determine each other one-to-one; constants are not among them.

    >>> from chordlearn.data import read
    >>> copies(read({"a": [1, 2, 1], "b": ["x", "y", "x"], "c": [1, 1, 2], "k": [0, 0, 0]}))
    [['a', 'b']]
    """
    constant = set(constant_columns(dataset))
    varying = [place for place, name in enumerate(dataset.variables) if name not in constant]
    groups = [group for similar in _alike(dataset, varying, HEAD) for group in _alike(dataset, similar, None)]
    return [[dataset.variables[place] for place in group] for group in sorted(groups)]


def _alike(dataset: Dataset, places: list[int], rows: int | None) -> list[list[int]]:
    """The groups of columns that determine each other in the first so many rows, without single ones."""
    groups: dict[bytes, list[int]] = {}
    for place in places:
        gap = int(dataset.has_gaps)
        pattern = _pattern(dataset.codes[:rows, place] + gap, len(dataset.states[place]) + gap)
        groups.setdefault(hashlib.blake2b(pattern.tobytes(), digest_size=16).digest(), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def _pattern(codes: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """For every row the first row with the same code, which does not depend on how states are labelled."""
    first = np.empty(size, dtype=np.int64)
    # Of several assignments to one place the last holds, so the rows are taken from the end.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    rows: NDArray[np.int64] = first[codes]
    return rows
