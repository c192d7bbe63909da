"""Tables that are in memory already: data frames, arrays and dicts of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from chordlearn.data.labels import declared_labels, label_of
from chordlearn.data.naming import check_names
from chordlearn.data.table import WEIGHT, RawTable, numbered, sliced_rows
from chordlearn.errors import InputError, TooLargeError, option
from chordlearn.system.memory import available_bytes

if TYPE_CHECKING:
    import polars as pl

BYTES_PER_VALUE = 32
"""What a value may take on its way from an engine: a short text, beside what is made of it."""


def open_memory(source: Any) -> tuple[RawTable, str]:
    """Open a table in memory and name its kind."""
    if isinstance(source, np.ndarray):
        return _open_array(source), "numpy array"
    if isinstance(source, Mapping):
        columns = [(str(name).strip(), _series(values)) for name, values in source.items()]
        return _open_columns(columns), "dict"
    return _open_frame(source)


def _open_array(array: np.ndarray[Any, Any]) -> RawTable:
    if array.dtype.names is not None and array.ndim == 1:
        return _open_columns([(str(name).strip(), _series(array[name])) for name in array.dtype.names])
    if array.ndim != 2:
        raise InputError(
            f"The array has {array.ndim} dimension{'s' * (array.ndim != 1)}, not 2; give one row per "
            "observation and one column per variable."
        )
    return _open_columns([(f"X{index}", _series(array[:, index])) for index in range(array.shape[1])])


def _open_columns(columns: Sequence[tuple[str, tuple[pl.Series, list[str] | None]]]) -> RawTable:
    import polars as pl

    names = [name for name, _ in columns]
    check_names(names, "The table")
    lengths = {len(series) for _, (series, _) in columns}
    if len(lengths) > 1:
        raise InputError("The columns differ in length; give every column one value per row.")
    frame = pl.DataFrame([series.alias(str(index)) for index, (_, (series, _)) in enumerate(columns)])
    declared = {index: labels for index, (_, (_, labels)) in enumerate(columns) if labels is not None}
    return _open_polars(frame, names, declared)


def _open_polars(
    frame: pl.DataFrame | pl.LazyFrame, names: list[str], declared: dict[int, list[str]]
) -> RawTable:
    import polars as pl

    lazy = frame.lazy()
    own_names = lazy.collect_schema().names()

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        columns = [own_names[position] for position in positions]
        with _readable():
            if isinstance(frame, pl.DataFrame):
                yield from sliced_rows(lazy, columns)
            elif in_order:
                yield numbered(lazy, columns).collect()
            else:
                keys = [str(index) for index in range(len(columns))]
                counted = numbered(lazy, columns).group_by(keys).agg(pl.len().cast(pl.Int64).alias(WEIGHT))
                yield counted.collect(engine="streaming")

    return RawTable(names, batches, declared)


@contextmanager
def _readable() -> Iterator[None]:
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise InputError(f"The data frame cannot be read ({error}); convert its columns to text.") from None


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
        raise InputError(f"The data frame cannot be read ({error}); check its columns.") from None
    native = frame.to_native()
    if isinstance(frame, nw.LazyFrame) and not isinstance(native, pl.LazyFrame):
        return _open_engine(frame), kind
    if isinstance(native, (pl.DataFrame, pl.LazyFrame)):
        schema = native.lazy().collect_schema()
        return _open_polars(native, [name.strip() for name in schema.names()], declared_labels(schema)), kind
    if kind.startswith("pyarrow"):
        converted = pl.from_arrow(native)
        assert isinstance(converted, pl.DataFrame)
        return _open_polars(converted, [name.strip() for name in converted.columns], {}), kind
    columns = [(str(column.name).strip(), _narwhals_series(column)) for column in frame.iter_columns()]
    return _open_columns(columns), kind


def _open_engine(frame: Any) -> RawTable:
    """Open a lazy frame of narwhals: its engine counts the rows, and distinct ones come here."""
    import narwhals as nw
    import polars as pl

    own_names = frame.collect_schema().names()

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        keys = [str(index) for index in range(len(positions))]
        chosen = frame.select(
            nw.col(own_names[position]).alias(key) for key, position in zip(keys, positions, strict=True)
        )
        most = int(available_bytes() / (BYTES_PER_VALUE * (len(keys) + 1)))
        with _answering():
            if in_order:
                yield chosen.collect("polars").to_native()
                return
            counted = chosen.group_by(keys).agg(nw.len().alias(WEIGHT))
            found: pl.DataFrame = counted.head(most + 1).collect("polars").to_native()
        if found.height > most:
            raise TooLargeError(
                f"The data frame has more than {most:,} distinct rows, and no more fit in memory; "
                f"keep fewer columns with {option('columns')} or {option('drop')}, or gather states."
            )
        yield found.with_columns(pl.col(WEIGHT).cast(pl.Int64))

    return RawTable([name.strip() for name in own_names], batches)


@contextmanager
def _answering() -> Iterator[None]:
    """Whatever goes wrong in an engine is its answer; each has errors of its own."""
    try:
        yield
    except Exception as error:
        raise InputError(f"The data frame cannot be read ({error}); check its columns.") from None


def _narwhals_series(column: Any) -> tuple[pl.Series, list[str] | None]:
    import narwhals as nw
    import polars as pl

    native = column.to_native()
    if hasattr(getattr(native, "cat", None), "codes"):
        labels = [label_of(category) for category in native.cat.categories.tolist()]
        codes = pl.Series(native.cat.codes.to_numpy())
        texts = pl.Series([*labels, None], dtype=pl.String).gather(
            codes.cast(pl.Int64).replace(-1, len(labels))
        )
        return texts, [label for label in labels if label is not None]
    complete = not column.is_null().any()
    if complete and (column.dtype.is_numeric() or column.dtype == nw.Boolean):
        return _series(column.to_numpy())
    values = column.to_list()
    if not complete:
        values = [
            None if gone else value for gone, value in zip(column.is_null().to_list(), values, strict=True)
        ]
    return _series(values)


def _series(values: Any) -> tuple[pl.Series, list[str] | None]:
    """Turn any sequence of values into a polars series; mixed types become labels at once."""
    import polars as pl

    if isinstance(values, pl.Series):
        return values, declared_labels(pl.Schema({"": values.dtype})).get(0)
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return pl.Series(np.ascontiguousarray(values)), None
    if hasattr(values, "__narwhals_series__") or type(values).__module__.partition(".")[0] in (
        "pandas",
        "pyarrow",
    ):
        import narwhals as nw

        return _narwhals_series(nw.from_native(values, series_only=True))
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise InputError("Every column must be a sequence of values; give lists, arrays or series.")
    if not isinstance(values, (list, np.ndarray)):
        values = list(values)
    try:
        return pl.Series(values, dtype=pl.String, strict=True), None
    except (TypeError, pl.exceptions.PolarsError):
        return _labelled(values), None


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
