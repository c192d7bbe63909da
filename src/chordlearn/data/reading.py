"""From any table to a `Dataset`: select, label, weigh, code, check, deduplicate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.catalogue import BUNDLED, open_bundled
from chordlearn.data.coding import MISSING, Column, code_column, deduplicate
from chordlearn.data.dataset import Dataset
from chordlearn.data.discretize import Plan, cut_column, parse_plan
from chordlearn.data.files import open_file
from chordlearn.data.frames import open_memory
from chordlearn.data.labels import as_labels
from chordlearn.data.naming import check_names, choose, listed, parse_names, position_of
from chordlearn.data.suspects import identifies_rows, looks_continuous, refuse_suspects
from chordlearn.data.table import WEIGHT, RawTable
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Missing = Literal["error", "drop", "category"]
MOST_ROWS = 2.0**53
"""Counts beyond this could not be added exactly."""


def read(
    source: Any,
    *,
    columns: str | Iterable[str] | None = None,
    drop: str | Iterable[str] | None = None,
    counts: str | None = None,
    missing: str = "error",
    discretize: str | Mapping[str, str] | None = None,
) -> Dataset:
    """Read a table of discrete data.

    Parameters
    ----------
    source
        A path to CSV, TSV (also gzipped) or Parquet; a bundled name (see :func:`bundled`); a data frame of
        pandas, polars, pyarrow or any library that narwhals knows; a 2-D or structured numpy array; a
        dict of columns; or a `Dataset`.
    columns, drop
        Names of the columns to use (in this order) or to leave out; a sequence, or one text with commas.
    counts
        The column that says how many observations each row stands for, as in a contingency table.
    missing
        What to do with `?`, empty, NA, NaN and null: `"error"` refuses them, `"drop"` leaves out their rows,
        `"category"` makes them a state named `?`.
    discretize
        `"quantile:4"` or `"width:5"` cuts every column that looks continuous into intervals; `"age=width:5"`
        (several with commas, or a dict) cuts the named columns; `"age=keep"` leaves a column as it is.

    Examples
    --------
    >>> import chordlearn.data
    >>> heart = chordlearn.data.read("heart")
    >>> heart.rows, heart.variables
    (1841, ('smoke', 'mental', 'phys', 'systol', 'protein', 'family'))
    >>> chordlearn.data.read({"a": [1, 2, 2], "b": ["x", "y", "y"]}).codes.tolist()
    [[0, 0], [1, 1]]
    """
    if missing not in ("error", "drop", "category"):
        raise InputError(f"--missing does not know {missing!r}; use error, drop or category.")
    if isinstance(source, Dataset):
        return _reselect(source, columns, drop, (counts, discretize, missing != "error"))
    table, shown, counts_used = open_table(source, counts)
    check_names(table.names, "The table" if shown == "memory" else shown)
    chosen, dropped = parse_names(columns, table.names), parse_names(drop, table.names)
    options: dict[str, Any] = {
        "columns": chosen,
        "drop": dropped,
        "counts": counts,
        "missing": None if missing == "error" else missing,
        "discretize": dict(discretize) if isinstance(discretize, Mapping) else discretize,
    }
    positions = choose(table.names, chosen, dropped, counts_used)
    names = [table.names[position] for position in positions]
    plan = parse_plan(discretize, names)
    count_positions = [] if counts_used is None else [position_of(counts_used, table.names, "counts")]
    rows = as_labels(
        table.distinct([*positions, *count_positions]), [*names, *([counts_used] if counts_used else [])]
    )
    if rows.height == 0:
        raise InputError(f"{shown} has no rows; give a table with observations.")
    if counts_used is not None:
        rows = _weigh(rows, str(len(positions)), counts_used)
    rows = _settle_missing(rows, names, missing)
    declared = {index: table.declared.get(position) for index, position in enumerate(positions)}
    weights = rows[WEIGHT].to_numpy().astype(np.int64)
    coded = [code_column(name, rows[str(i)], weights, declared[i]) for i, name in enumerate(names)]
    coded = _checked([_discretized(column, plan) for column in coded], plan)
    return _assemble(
        coded, weights, shown, {key: value for key, value in options.items() if value is not None}
    )


def open_table(source: Any, counts: str | None) -> tuple[RawTable, str, str | None]:
    """Find out what the source is; also return how to name it and which column holds counts."""
    if isinstance(source, str) and source in BUNDLED:
        return open_bundled(source), source, counts or "count"
    if isinstance(source, (str, Path)):
        shown = str(source)
        path = Path(source).expanduser()
        try:
            known = path.exists()
        except (OSError, ValueError):
            known = False
        if not known:
            raise _no_such_file(shown)
        return open_file(path, shown), shown, counts
    table, kind = open_memory(source)
    return table, kind, counts


def _no_such_file(shown: str) -> InputError:
    import difflib

    if "://" in shown:
        return InputError(f"{shown} is an address, not a file; download it first.")
    if "/" in shown or "." in shown:
        return InputError(f"There is no file {shown!r}; check the path.")
    near = difflib.get_close_matches(shown.lower(), BUNDLED, n=1)
    hint = f"did you mean {near[0]}?" if near else f"give a path, or one of {', '.join(sorted(BUNDLED))}."
    return InputError(f"There is no file and no bundled data set {shown!r}; {hint}")


def _weigh(rows: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    """Multiply each row's weight by its count."""
    import polars as pl

    numbers = pl.Series(row_counts(rows[column], name, rows[WEIGHT]))
    return rows.with_columns((numbers * rows[WEIGHT]).alias(WEIGHT)).drop(column)


def row_counts(texts: pl.Series, name: str, weights: pl.Series | None = None) -> NDArray[np.int64]:
    """The whole numbers in a column of labels; refuses what is no count, or too many in all."""
    import polars as pl

    numbers = texts.cast(pl.Float64, strict=False)
    sound = numbers.is_not_null() & numbers.is_finite() & (numbers >= 0) & (numbers == numbers.floor())
    bad = texts.filter(~sound.fill_null(False))
    if len(bad):
        shown = repr(bad.sort(nulls_last=True)[0]) if bad.null_count() < len(bad) else "a missing value"
        raise InputError(
            f"Column {name!r} holds {shown}, which is no count; "
            "--counts needs a column of whole numbers from 0 up."
        )
    total = float((numbers if weights is None else numbers * weights).sum())
    if total == 0:
        raise InputError(f"All counts in column {name!r} are zero; give at least one row a positive count.")
    if total > MOST_ROWS:
        raise InputError(f"The counts in column {name!r} add up to more than 2^53; scale them down.")
    return numbers.cast(pl.Int64).to_numpy()


def _settle_missing(rows: pl.DataFrame, names: list[str], missing: str) -> pl.DataFrame:
    import polars as pl

    fields = [str(index) for index in range(len(names))]
    if missing == "category":
        return rows.with_columns(pl.col(fields).fill_null(MISSING))
    incomplete = [field for field in fields if rows[field].null_count()]
    if not incomplete:
        return rows
    amounts = {
        names[int(field)]: int(rows[WEIGHT].filter(rows[field].is_null()).sum()) for field in incomplete
    }
    found = [f"{name!r} ({amount})" for name, amount in amounts.items() if amount]
    if found and missing == "error":
        raise InputError(
            f"There are missing values in column{'s' * (len(found) > 1)} {listed(found)}; "
            "use --missing drop or --missing category."
        )
    complete = rows.drop_nulls(fields)
    if int(complete[WEIGHT].sum()) == 0:
        raise InputError(
            f"Every row has a missing value (most in {max(amounts, key=lambda n: amounts[n])!r}), "
            "so --missing drop leaves nothing; drop that column or use --missing category."
        )
    return complete


def _discretized(column: Column, plan: Plan) -> Column:
    method = plan.named.get(column.name)
    if (
        method is None
        and plan.default is not None
        and looks_continuous(column)
        and not identifies_rows(column)
    ):
        method = plan.default
    return column if method is None or method.kind == "keep" else cut_column(column, method)


def _checked(columns: list[Column], plan: Plan) -> list[Column]:
    kept = {name for name, method in plan.named.items() if method.kind == "keep"}
    refuse_suspects(columns, kept)
    return columns


def _assemble(
    columns: list[Column], weights: NDArray[np.int64], shown: str, options: dict[str, Any]
) -> Dataset:
    codes = np.empty((len(weights), len(columns)), dtype=np.int32)
    for index, column in enumerate(columns):
        codes[:, index] = column.codes
    codes, weights = deduplicate(codes, [len(column.states) for column in columns], weights)
    codes.setflags(write=False)
    weights.setflags(write=False)
    return Dataset(
        variables=tuple(column.name for column in columns),
        states=tuple(tuple(column.states) for column in columns),
        codes=codes,
        weights=weights,
        source=shown,
        options=options,
    )


def _reselect(
    data: Dataset,
    columns: str | Iterable[str] | None,
    drop: str | Iterable[str] | None,
    others: tuple[Any, ...],
) -> Dataset:
    if any(others):
        raise InputError("A Dataset is read already; of the reading options it takes only columns and drop.")
    chosen, dropped = parse_names(columns, data.variables), parse_names(drop, data.variables)
    if chosen is None and dropped is None:
        return data
    return data.select([data.variables[i] for i in choose(data.variables, chosen, dropped, None)])
