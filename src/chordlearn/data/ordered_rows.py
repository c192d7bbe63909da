"""Rows in their own order, coded with the states of a network that is already there."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import MISSING, Vocabulary, as_labels, coded, labels_of, refuse_no_labels
from chordlearn.data.counts import row_counts, row_weights
from chordlearn.data.dataset import Dataset
from chordlearn.data.fractions import Weights, plain
from chordlearn.data.naming import SHOWN, check_names, listed, position_of
from chordlearn.data.numbers import numbers_in
from chordlearn.data.reading import open_table
from chordlearn.errors import InputError, option
from chordlearn.system.text import counted

if TYPE_CHECKING:
    import polars as pl


HIDDEN = -1
"""The code of a value that is not known."""
_UNSEEN_CODE = -2
UNSEEN = ("missing", "error")
"""What states can be that a variable does not have."""

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_INTERVAL = re.compile(rf"(?:(?P<low>{_NUMBER})\.\.|<|(?P<open>>=))(?P<end>{_NUMBER})")


@dataclass(frozen=True, eq=False)
class Rows:
    """Every row of a table as it stands there, with the number of observations that each stands for."""

    frame: pl.DataFrame
    weights: Weights
    source: str

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.weights)

    def codes(
        self,
        variables: Sequence[str],
        states: Sequence[Sequence[str]],
        optional: Collection[str] = (),
        *,
        unseen: str = "error",
    ) -> NDArray[np.int32]:
        """The code of every value, −1 where it is missing; see :meth:`coded`.

        >>> rows = read_rows({"a": ["x", None, "y"], "b": [1, 2, 7]})
        >>> rows.codes(["b", "a"], [["<2", "2..5", ">=5"], ["x", "y"]]).tolist()
        [[0, 0], [1, -1], [2, 1]]
        """
        return self.coded(variables, states, optional, unseen=unseen).codes

    def coded(
        self,
        variables: Sequence[str],
        states: Sequence[Sequence[str]],
        optional: Collection[str] = (),
        *,
        unseen: str = "missing",
    ) -> CodedRows:
        """The code of every value, −1 where it is missing.

        Numbers are put into the intervals that discretisation made of them. Columns that are ``optional``
        may be absent. States that a variable does not have are missing, or refused if ``unseen`` is "error".
        """
        if unseen not in UNSEEN:
            raise InputError(f"{option('unseen')} does not know {unseen!r}; use {' or '.join(UNSEEN)}.")
        codes = np.full((len(self), len(variables)), HIDDEN, dtype=np.int32, order="F")
        unknown = {}
        for index, (name, labels) in enumerate(zip(variables, states, strict=True)):
            if name in self.frame.columns:
                own = _coded(self.frame[name], labels, unseen == "missing")
                is_unseen = own == _UNSEEN_CODE
                if is_unseen.any():
                    unknown[name] = plain(self.weights[is_unseen].sum())
                codes[:, index] = np.maximum(own, HIDDEN)
            elif name not in optional:
                known = listed(self.frame.columns)
                raise InputError(
                    f"The data have no column {name!r}, which the network needs; their columns are {known}."
                )
        return CodedRows(codes, unknown)


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows in the states of a network."""

    codes: NDArray[np.int32]
    """Shape (rows, variables); −1 where a value is missing."""
    unseen: dict[str, float]
    """Of how many observations the value is a state that the variable does not have, if there are any."""


def unseen_in_words(unseen: Mapping[str, float]) -> str:
    """How many values count as missing because the network does not have them, a sentence.

    >>> unseen_in_words({"smoke": 2, "phys": 1})
    "2 values of 'smoke' and 1 of 'phys': states that the network does not have, which count as missing."
    """
    first, *others = unseen.items()
    counts = [
        f"{counted(first[1], 'value')} of {first[0]!r}",
        *(f"{n:.12g} of {name!r}" for name, n in others),
    ]
    listing = listed(counts) if len(counts) > SHOWN else " and ".join(counts)
    return f"{listing}: states that the network does not have, which count as missing."


def read_rows(source: Any, *, counts: str | None = None, weights: str | None = None) -> Rows:
    """Read a table without merging equal rows; the sources are those of :func:`chordlearn.read`.

    >>> read_rows("heart").weights[:3].tolist()
    [44, 5, 23]
    """
    if isinstance(source, Rows):
        return source
    if isinstance(source, Dataset):
        return Rows(source.to_frame()[:, :-1], source.weights, source.source)
    opened = open_table(source, counts, weights)
    names = opened.table.names
    check_names(names, opened.shown)
    batches = [batch for batch in opened.table.batches(range(len(names)), True) if batch.height]
    if not batches:
        raise InputError(f"{opened.shown} has no rows; give a table with observations.")
    frame = _stacked(batches, names)
    own: Weights = np.ones(frame.height, dtype=np.int64)
    if opened.counts is not None:
        position_of(opened.counts, names, "weights" if opened.are_weights else "counts")
        column = as_labels(frame[opened.counts], opened.counts)
        own = (row_weights if opened.are_weights else row_counts)(column, opened.counts)
    return Rows(frame, own, opened.shown)


def _stacked(batches: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """One frame of all rows; a column that differs in type between files becomes labels."""
    import polars as pl

    columns = []
    for index, name in enumerate(names):
        parts = [batch[str(index)].alias(name) for batch in batches]
        if len({part.dtype for part in parts}) > 1:
            parts = [as_labels(part, name).alias(name) for part in parts]
        columns.append(pl.concat(parts))
    return pl.DataFrame(columns)


def _coded(column: pl.Series, states: Sequence[str], unseen_are_missing: bool) -> NDArray[np.int32]:
    """Look each distinct value up once: values repeat far more often than they differ."""
    refuse_no_labels(column.dtype, column.name)
    vocabulary = Vocabulary()
    (places,) = coded(column.to_frame(), [vocabulary])
    labels = labels_of([vocabulary])[0].to_list()
    codes = _codes_of(labels, column.name, states, unseen_are_missing)
    found: NDArray[np.int32] = np.array(codes, dtype=np.int32)[places]
    return found


def _codes_of(
    labels: Sequence[str | None], name: str, states: Sequence[str], unseen_are_missing: bool
) -> list[int]:
    code = {label: index for index, label in enumerate(states)}
    code_of_missing = code.get(MISSING, HIDDEN)
    unseen = sorted({label for label in labels if label is not None and label not in code})
    if unseen:
        code |= _in_intervals(unseen, states)
        for label in unseen:
            if label not in code and not unseen_are_missing:
                raise unseen_state(name, label, states)
            code.setdefault(label, _UNSEEN_CODE)
    return [code_of_missing if label is None else code[label] for label in labels]


def same_kind(frame: pl.DataFrame, data: Any) -> Any:
    """The frame as the kind of data frame that ``data`` is: of pandas, with its index, or arrow; else polars.

    >>> import pandas, polars
    >>> same_kind(polars.DataFrame({"a": ["x"]}), pandas.DataFrame({"a": [None]}, index=[7])).index.tolist()
    [7]
    """
    kind = type(data).__module__.partition(".")[0]
    if kind == "pandas":
        import pandas

        return pandas.DataFrame({column.name: column.to_list() for column in frame}, index=data.index)
    return frame.to_arrow() if kind == "pyarrow" else frame


def unseen_state(name: str, label: object, states: Sequence[str]) -> InputError:
    """The sentence for a state that a variable of the network does not have.

    >>> print(unseen_state("wet", "perhaps", ["no", "yes"]))
    The variable 'wet' has no state 'perhaps' in this network; its states are no, yes.
    """
    return InputError(
        f"The variable {name!r} has no state {str(label)!r} in this network; "
        f"its states are {listed(list(states))}."
    )


def _in_intervals(labels: Sequence[str], states: Sequence[str]) -> dict[str, int]:
    """The codes of numbers whose variable was cut into classes; empty if it was not."""
    intervals = [(code, _interval(state)) for code, state in enumerate(states) if state != MISSING]
    classes = [(code, interval) for code, interval in intervals if interval is not None]
    if len(classes) < len(intervals) and len(classes) < 2:
        return {}
    numbers, _, _ = numbers_in(labels)
    found = {}
    for label, number in zip(labels, numbers.tolist(), strict=True):
        for code, (low, high) in classes:
            if low <= number < high or number == high == np.inf:
                found[label] = code
    return found


def _interval(state: str) -> tuple[float, float] | None:
    if state == "all":
        return -np.inf, np.inf
    match = _INTERVAL.fullmatch(state)
    if match is None:
        return None
    end = float(match["end"])
    return (end, np.inf) if match["open"] else (float(match["low"] or -np.inf), end)
