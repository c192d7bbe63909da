"""Values become labels, which are the same whatever type or format they came in, and labels become codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.distinct import Codes, code_type
from chordlearn.data.fractions import Weights, plain
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl


MISSING = "?"
"""The state of a missing value; no other value can have this label, because as a text it means missing."""
MISSING_TEXTS = ("", MISSING, "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null")
"""Texts that stand for a missing value. `None` is not one: as a text it is a common state ("no injury")."""

EXACT_INTEGERS = 2.0**53
SHORT_RANGE = 1 << 16
"""Integers that lie so close together are looked up in a table."""
LONG_BATCH = 1 << 16
"""Rows from which on that pays."""


def label_of(value: Any) -> str | None:
    """Return the label of one Python value, or None where it is missing.

    >>> [label_of(value) for value in (1, 1.0, 1.5, True, " yes ", "01", None, float("nan"), "?")]
    ['1', '1', '1.5', 'True', 'yes', '01', None, None, None]
    """
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT_INTEGERS:
        value = int(value)
    text = str(value).strip()
    return None if text in MISSING_TEXTS or text == "NaT" else text


def declared_labels(schema: pl.Schema) -> dict[int, list[str]]:
    """Collect the labels that Enum columns of a polars schema declare, by position."""
    import polars as pl

    found: dict[int, list[str]] = {}
    for position, dtype in enumerate(schema.dtypes()):
        if isinstance(dtype, pl.Enum):
            labels = (label_of(category) for category in dtype.categories.to_list())
            found[position] = [label for label in labels if label is not None]
    return found


def has_no_labels(dtype: pl.DataType) -> bool:
    """Whether values of this type cannot be labels: lists, structures, bytes."""
    import polars as pl

    return dtype == pl.Binary or dtype.is_nested() or dtype == pl.Object


def refuse_no_labels(dtype: pl.DataType, name: str) -> None:
    """Refuse a column of values that cannot be labels."""
    if has_no_labels(dtype):
        raise InputError(f"Column {name!r} holds {dtype} values, not labels; convert it to text or drop it.")


def as_labels(values: pl.Series, name: str) -> pl.Series:
    """The labels of a column's values, null where one is missing.

    >>> import polars as pl
    >>> as_labels(pl.Series([1.0, 2.5, None]), "a").to_list()
    ['1', '2.5', None]
    """
    import polars as pl

    refuse_no_labels(values.dtype, name)
    text = _text(pl.col("0"), values.dtype).str.strip_chars()
    label = pl.when(~text.is_in(MISSING_TEXTS)).then(text).alias("0")
    return _selected(values.alias("0").to_frame(), [label])["0"]


def _text(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    import polars as pl

    if dtype.is_float() or dtype.is_decimal():
        number = column.cast(pl.Float64) if dtype.is_decimal() else column
        number = number.fill_nan(None)
        whole = (number == number.floor()) & (number.abs() < EXACT_INTEGERS)
        integer = pl.when(whole).then(number).cast(pl.Int64)
        return pl.coalesce(integer.cast(pl.String), number.cast(pl.String))
    if dtype == pl.Boolean:
        return pl.when(column).then(pl.lit("True")).when(~column).then(pl.lit("False"))
    if dtype == pl.Duration:
        return column.dt.to_string("iso")
    return column.cast(pl.String)


def _selected(frame: pl.DataFrame, labels: Sequence[pl.Expr]) -> pl.DataFrame:
    import polars as pl

    try:
        return frame.select(labels)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"The values cannot be written as labels ({error}); convert them to text.") from None


class Vocabulary:
    """The texts of a column's values, each with a code, batch by batch: one set of categories of polars.

    >>> import polars as pl
    >>> words = Vocabulary()
    >>> for answers in (["yes", "no"], [" no ", None, "yes"]):
    ...     print(coded(pl.DataFrame({"0": answers}), [words])[0].tolist())
    [0, 1]
    [2, 3, 0]
    >>> labels_of([words])[0].to_list()
    ['yes', 'no', 'no', None]
    """

    def __init__(self) -> None:
        import polars as pl

        self.size = 0
        self.dtype = pl.Categorical(pl.Categories.random())
        # Categories last as long as a series that has some of them.
        self.texts: list[pl.Series] = []

    def add(self, texts: pl.Series, codes: Codes, size: int) -> None:
        """Add the texts whose codes are new, now that there are so many codes."""
        new = np.flatnonzero(codes >= self.size)
        row = np.zeros(size - self.size, dtype=np.int64)
        row[codes[new] - self.size] = new
        self.texts.append(texts[row])
        self.size = size


def labels_of(vocabularies: Sequence[Vocabulary]) -> list[pl.Series]:
    """The label of each code of each vocabulary, null for a missing value; several may be the same."""
    import polars as pl

    texts = [texts.cast(pl.String) for vocabulary in vocabularies for texts in vocabulary.texts]
    # In many chunks each slice would take as long as there are chunks.
    labels = as_labels(pl.concat(texts, rechunk=True), "")
    ends = np.cumsum([vocabulary.size for vocabulary in vocabularies]).tolist()
    return [labels[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def coded(batch: pl.DataFrame, vocabularies: Sequence[Vocabulary]) -> list[Codes]:
    """The codes of all columns of a batch; what is new in it goes into the vocabularies."""
    found: dict[int, Codes] = {}
    for index, (column, vocabulary) in enumerate(zip(batch.get_columns(), vocabularies, strict=True)):
        if column.dtype.is_integer() and len(column) >= LONG_BATCH:
            integers = _in_table(column)
            if integers is not None:
                values, places = integers
                found[index] = _categorized(values.to_frame(), [vocabulary])[0][places]
    left = [index for index in range(batch.width) if index not in found]
    if left:
        codes = _categorized(batch[:, left], [vocabularies[index] for index in left])
        found |= dict(zip(left, codes, strict=True))
    return [found[index] for index in range(batch.width)]


def _in_table(column: pl.Series) -> tuple[pl.Series, Codes] | None:
    """The distinct integers of a column and the place of each row's, if they lie close together."""
    import polars as pl

    if column.null_count() == len(column):
        return None
    lowest, highest = int(column.min()), int(column.max())  # type: ignore[arg-type]
    if highest - lowest >= SHORT_RANGE or lowest < -(1 << 63) or highest >= 1 << 63:
        return None
    missing = highest - lowest + 1
    numbers = (column.cast(pl.Int64) - lowest).fill_null(missing).to_numpy()
    occurs = np.zeros(missing + 1, dtype=np.bool_)
    occurs[numbers] = True
    values = np.flatnonzero(occurs)
    place = np.zeros(missing + 1, dtype=code_type(len(values)))
    place[values] = np.arange(len(values))
    distinct = [None if value == missing else value + lowest for value in values.tolist()]
    return pl.Series(column.name, distinct, dtype=column.dtype), place[numbers]


def _categorized(frame: pl.DataFrame, vocabularies: Sequence[Vocabulary]) -> list[Codes]:
    import polars as pl

    texts = _selected(
        frame,
        [
            _text(pl.col(name), dtype).fill_null(MISSING).cast(vocabulary.dtype)
            for (name, dtype), vocabulary in zip(frame.schema.items(), vocabularies, strict=True)
        ],
    )
    codes = texts.select(pl.all().to_physical()).to_numpy()
    for place, (most, vocabulary) in enumerate(zip(codes.max(axis=0).tolist(), vocabularies, strict=True)):
        if most >= vocabulary.size:
            vocabulary.add(texts.to_series(place), codes[:, place], most + 1)
    return list(codes.T)


FIRST_STATES = 64

_IN_NUMBERS = frozenset("0123456789+-.eEinfINF")


@dataclass(frozen=True)
class Tally:
    """The labels of a column, null if missing; which of them occur in rows that count, and how often."""

    labels: pl.Series
    occurs: NDArray[np.bool_]
    counts: Weights

    @property
    def missing(self) -> float:
        """How many observations lack a value."""
        return plain(self.counts[self.labels.is_null().to_numpy()].sum()) if self.labels.null_count() else 0


@dataclass(frozen=True)
class Column:
    """One variable: its states in order, how often each occurs, and where its labels have gone."""

    name: str
    states: pl.Series
    places: NDArray[np.int32]
    """The state of each label that was gathered; −1 for labels that belong to no state."""
    counts: Weights
    numbers: NDArray[np.float64] | None
    """The states as numbers (NaN for the missing state), or None if some state is no number."""
    declared: bool = False

    @cached_property
    def first(self) -> list[str]:
        """The first states: all of them in most columns, and enough of the others to see what they are."""
        return self.states.head(FIRST_STATES).to_list()

    @cached_property
    def has_missing_state(self) -> bool:
        """Whether the last state is that of missing values."""
        count = len(self.counts)
        return count > 0 and (self.first[-1] if count <= FIRST_STATES else self.states[-1]) == MISSING


def _settled(
    numbers: NDArray[np.float64], labels: pl.Series, missing: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Ask Python about what is no finite number, because it knows infinity by more names."""
    for place in np.flatnonzero(~np.isfinite(numbers) & ~missing).tolist():
        text = labels[place]
        try:
            numbers[place] = float(text) if _IN_NUMBERS.issuperset(text) else np.nan
        except ValueError:
            return None
        if np.isnan(numbers[place]):
            return None
    return numbers


def code_columns(
    names: Sequence[str], tallies: Sequence[Tally], declared: Sequence[Sequence[str] | None]
) -> list[Column]:
    """Make states of the labels that occur and of those declared: numbers in their order, else by code point.

    Labels may repeat. Those that are the same number go by code point; the missing state comes last.

    >>> import polars as pl
    >>> labels = pl.Series(["y", "z", None, "x", "y"])
    >>> tally = Tally(labels, np.array([1, 0, 1, 1, 1], bool), np.array([5, 0, 1, 2, 1]))
    >>> (column,) = code_columns(["a"], [tally], [["w"]])
    >>> column.states.to_list(), column.places.tolist(), column.counts.tolist()
    (['w', 'x', 'y', '?'], [2, -1, 3, 1, 2], [0, 2, 6, 1])
    """
    import polars as pl

    used = [np.flatnonzero(tally.occurs) for tally in tallies]
    parts = []
    for tally, some, more in zip(tallies, used, declared, strict=True):
        present = tally.labels if len(some) == len(tally.labels) else tally.labels.gather(some)
        parts.append(pl.concat([present, pl.Series(list(more), dtype=pl.String)]) if more else present)
    columns = []
    for name, tally, some, more, (states, state, numbers) in zip(
        names, tallies, used, declared, sorted_states(parts), strict=True
    ):
        places = np.full(len(tally.labels), -1, dtype=np.int32)
        places[some] = state[: len(some)]
        counts: Weights = np.zeros(len(states), dtype=tally.counts.dtype)
        np.add.at(counts, places[some], tally.counts[some])
        columns.append(Column(name, states, places, counts, numbers, more is not None))
    return columns


def sorted_states(
    columns: Sequence[pl.Series],
) -> Iterator[tuple[pl.Series, NDArray[np.int32], NDArray[np.float64] | None]]:
    """For the labels of each column: its states, the place of each label, and the states as numbers.

    Null stands for the missing state. There may be thousands of columns, so that texts are looked at for all
    of them together.

    >>> import polars as pl
    >>> states, places, numbers = next(sorted_states([pl.Series(["10", "9", None, "10"])]))
    >>> states.to_list(), places.tolist(), numbers
    (['9', '10', '?'], [1, 0, 2, 1], array([ 9., 10., nan]))
    """
    import polars as pl

    ends = np.cumsum([len(column) for column in columns]).tolist()
    ranges = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    labels = pl.concat(columns, rechunk=True).fill_null(MISSING)
    missing = (labels == MISSING).to_numpy()
    parsed = labels.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(writable=True)
    numbers = [_settled(parsed[part], labels[part], missing[part]) for part in ranges]
    place = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
    keys = [missing[part] if own is None else own for part, own in zip(ranges, numbers, strict=True)]
    # Zero has no sign in this order.
    key = np.concatenate(keys, dtype=np.float64) + 0.0
    by = pl.DataFrame({"place": place, "key": key, "label": labels})
    order = by.select(pl.arg_sort_by(by.columns)).to_series().to_numpy()
    ordered = labels.gather(order)
    differs = ordered.ne_missing(ordered.shift(1)).to_numpy(writable=True)
    differs[[part.start for part in ranges if part.start < part.stop]] = True
    for part, own in zip(ranges, numbers, strict=True):
        first = differs[part]
        places = np.empty(len(first), dtype=np.int32)
        places[order[part] - part.start] = np.cumsum(first, dtype=np.int32) - 1
        states = ordered[part] if first.all() else ordered[part].filter(pl.Series(first))
        yield states, places, None if own is None else own[order[part] - part.start][first]


def recode(column: Column, states: list[str], mapping: NDArray[np.int32]) -> Column:
    """Replace each state by its image, as when values are gathered into intervals."""
    import polars as pl

    counts: Weights = np.zeros(len(states), dtype=column.counts.dtype)
    np.add.at(counts, mapping, column.counts)
    places = np.where(column.places < 0, np.int32(-1), mapping[column.places])
    return Column(column.name, pl.Series(states), places, counts, None, declared=True)
