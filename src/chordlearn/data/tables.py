"""Tables as every reader hands them over, and those that are in memory: data frames, arrays and dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chordlearn.data.coding import declared_labels, label_of
from chordlearn.data.naming import check_names
from chordlearn.errors import InputError, TooLargeError, option
from chordlearn.system.memory import available_bytes

if TYPE_CHECKING:
    import polars as pl


WEIGHT = "weight"
BATCH_VALUES = 1 << 23
"""How many values a batch may have, so that it takes about 100 MB."""
MOST_BATCH_ROWS = 1 << 20

Batches = Callable[[Sequence[int], bool], "Iterator[pl.DataFrame]"]


@dataclass(frozen=True)
class RawTable:
    """A table that has been opened but not yet coded."""

    names: list[str]
    batches: Batches
    """All rows of the columns at these positions, some at a time, named "0", "1", … in that order.

    Every row in the source's order if that is asked for. Otherwise equal rows may have been merged; then the
    column `weight` says how many rows of the source each stands for.
    """
    declared: dict[int, list[str]] = field(default_factory=dict)
    """Labels that belong to a column whether or not they occur, by position."""
    notes: Callable[[], Sequence[str]] = tuple
    """What was decided about its text, a sentence each; known when rows have been read."""


@dataclass(frozen=True)
class OpenTable:
    """A table, how to name it, and the column of its counts, if it is known to have one."""

    table: RawTable
    shown: str
    counts: str | None = None
    are_weights: bool = False
    """Whether these counts need not be whole."""
    is_file: bool = False
    """Whether the name is what a command takes: a path, a pattern or a bundled set."""


def batch_rows(columns: int) -> int:
    """How many rows of so many columns make a batch."""
    return max(1, min(MOST_BATCH_ROWS, BATCH_VALUES // max(columns, 1)))


def sliced_rows(frame: pl.LazyFrame, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of a frame that can be read from any row on, a batch at a time."""
    chosen = numbered(frame, columns)
    step = batch_rows(len(columns))
    start = 0
    while True:
        batch = chosen.slice(start, step).collect()
        if batch.height:
            yield batch
        if batch.height < step:
            return
        start += step


def numbered(frame: pl.LazyFrame, columns: Sequence[str]) -> pl.LazyFrame:
    """Some columns of a frame, named by their position among them."""
    import polars as pl

    return frame.select([pl.col(name).alias(str(index)) for index, name in enumerate(columns)])


BYTES_PER_VALUE = 32
"""What a value may take on its way from an engine: a short text, beside what is made of it."""


def open_memory(source: Any) -> tuple[RawTable, str]:
    """Open a table in memory and name its kind."""
    if isinstance(source, np.ndarray):
        return _open_array(source), "numpy array"
    if isinstance(source, Mapping):
        return _open_columns(list(source.items())), "dict"
    return _open_frame(source)


def _open_array(array: np.ndarray[Any, Any]) -> RawTable:
    if array.dtype.names is not None and array.ndim == 1:
        return _open_columns([(name, array[name]) for name in array.dtype.names])
    if array.ndim != 2:
        raise InputError(
            f"The array has {array.ndim} dimension{'s' * (array.ndim != 1)}, not 2; give one row per "
            "observation and one column per variable."
        )
    return _open_columns([(f"X{index}", array[:, index]) for index in range(array.shape[1])])


def _open_columns(columns: Sequence[tuple[Any, Any]]) -> RawTable:
    import polars as pl

    names = [str(name).strip() for name, _ in columns]
    check_names(names, "The table")
    series = [_series(values).alias(str(index)) for index, (_, values) in enumerate(columns)]
    if len(set(map(len, series))) > 1:
        raise InputError("The columns differ in length; give every column one value per row.")
    return _open_polars(pl.DataFrame(series), names)


def _open_frame(source: Any) -> tuple[RawTable, str]:
    import narwhals as nw
    import polars as pl

    kind = f"{type(source).__module__.partition('.')[0]} {type(source).__name__}"
    if kind == "pandas DataFrame":
        check_names([str(label).strip() for label in source.columns], "The data frame")
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise InputError(
            f"A {type(source).__name__} is no table; "
            "give a path, a data frame, a 2-D array or a dict of columns."
        ) from None
    except Exception as error:
        raise _unreadable(error) from None
    native = frame.to_native()
    if isinstance(frame, nw.LazyFrame):
        return _open_engine(frame, isinstance(native, pl.LazyFrame)), kind
    if kind.startswith("pyarrow"):
        dictionaries = _arrow_dictionaries(native)
        native = pl.DataFrame(native)
        table = _open_polars(native, [name.strip() for name in native.columns])
        return replace(table, declared=table.declared | dictionaries), kind
    if isinstance(native, pl.DataFrame):
        return _open_polars(native, [name.strip() for name in native.columns]), kind
    return _open_columns([(column.name, column) for column in frame.iter_columns()]), kind


def _arrow_dictionaries(table: Any) -> dict[int, list[str]]:
    """The labels in the dictionaries of arrow's dictionary columns, by position."""
    found = {}
    for position, column in enumerate(table.columns):
        chunks = getattr(column, "chunks", [column])
        if chunks and hasattr(chunks[0], "dictionary"):
            labels = (label_of(value) for chunk in chunks for value in chunk.dictionary.to_pylist())
            found[position] = list(dict.fromkeys(label for label in labels if label is not None))
    return found


def _open_polars(frame: pl.DataFrame, names: list[str]) -> RawTable:
    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        return sliced_rows(frame.lazy(), [frame.columns[position] for position in positions])

    return RawTable(names, batches, declared_labels(frame.schema))


def _open_engine(frame: Any, is_polars: bool) -> RawTable:
    """Open a lazy frame of narwhals: its engine counts the rows, and distinct ones come here."""
    import narwhals as nw
    import polars as pl

    own_names = frame.collect_schema().names()
    declared = declared_labels(frame.to_native().collect_schema()) if is_polars else {}
    how = {"engine": "streaming"} if is_polars else {}

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        keys = [str(index) for index in range(len(positions))]
        chosen = frame.select(
            nw.col(own_names[position]).alias(key) for key, position in zip(keys, positions, strict=True)
        )
        most = int(available_bytes() / (BYTES_PER_VALUE * (len(keys) + 1)))
        counted = chosen.group_by(keys).agg(nw.len().alias(WEIGHT)).head(most + 1)
        try:
            found: pl.DataFrame = (chosen if in_order else counted).collect("polars", **how).to_native()
        except Exception as error:  # each engine has errors of its own
            raise _unreadable(error) from None
        if in_order:
            yield found
            return
        if found.height > most:
            raise TooLargeError(
                f"The data frame has more than {most:,} distinct rows, and no more fit in memory; "
                f"keep fewer columns with {option('columns')} or {option('drop')}, or gather states."
            )
        yield found.with_columns(pl.col(WEIGHT).cast(pl.Int64))

    return RawTable([name.strip() for name in own_names], batches, declared)


def _unreadable(error: Exception) -> InputError:
    return InputError(f"The data frame cannot be read ({error}); check its columns.")


def _series(values: Any) -> pl.Series:
    """Turn any sequence of values into a polars series; mixed types become labels at once."""
    import polars as pl

    if isinstance(values, pl.Series):
        return values
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return pl.Series(np.ascontiguousarray(values))
    library = type(values).__module__.partition(".")[0]
    if library in ("narwhals", "pandas", "pyarrow") or hasattr(values, "__narwhals_series__"):
        return _narwhals_series(values)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise InputError("Every column must be a sequence of values; give lists, arrays or series.")
    if not isinstance(values, (list, np.ndarray)):
        values = list(values)
    try:
        return pl.Series(values, dtype=pl.String, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        return _labelled(values)


def _narwhals_series(values: Any) -> pl.Series:
    import narwhals as nw
    import polars as pl

    column = nw.from_native(values, series_only=True)
    native = column.to_native()
    if hasattr(getattr(native, "cat", None), "codes"):
        labels = [label_of(category) for category in native.cat.categories.tolist()]
        codes = pl.Series(native.cat.codes.to_numpy()).cast(pl.Int64).replace(-1, len(labels))
        declared = pl.Enum(list(dict.fromkeys(label for label in labels if label is not None)))
        return pl.Series([*labels, None], dtype=pl.String).cast(declared).gather(codes)
    gaps = column.is_null()
    if gaps.any():
        return _series(
            [None if gone else value for gone, value in zip(gaps.to_list(), column.to_list(), strict=True)]
        )
    is_plain = column.dtype.is_numeric() or column.dtype == nw.Boolean
    return _series(column.to_numpy() if is_plain else column.to_list())


def _labelled(values: list[Any] | np.ndarray[Any, Any]) -> pl.Series:
    import polars as pl

    known: dict[tuple[type, Any], str | None] = {}
    labels = []
    for value in values.tolist() if isinstance(values, np.ndarray) else values:
        try:
            key = (type(value), value)
            if key not in known:
                known[key] = label_of(value)
        except TypeError:
            raise InputError(
                f"A {type(value).__name__} is no label; give numbers or texts in every column."
            ) from None
        labels.append(known[key])
    return pl.Series(labels, dtype=pl.String)
