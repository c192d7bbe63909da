"""From any table to a `Dataset`: select, gather, settle what is missing, code, check, deduplicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chordlearn.data.catalogue import BUNDLED, open_bundled
from chordlearn.data.coding import Column, code_columns
from chordlearn.data.dataset import Dataset
from chordlearn.data.discretize import Plan, cut_column, parse_plan
from chordlearn.data.distinct import as_matrix, recoded
from chordlearn.data.formulas import unprotected_labels
from chordlearn.data.frames import open_memory
from chordlearn.data.gathering import Gathered, Watch, gather
from chordlearn.data.missing import METHODS, tally
from chordlearn.data.naming import check_names, choose, parse_names, position_of
from chordlearn.data.parts import find_files, has_wildcard, joined, open_parts
from chordlearn.data.suspects import identifies_rows, looks_continuous, refuse_suspects
from chordlearn.data.table import OpenTable, RawTable
from chordlearn.errors import InputError
from chordlearn.limits import TO_READ, refuse_narrow_space


def read(
    source: Any,
    *,
    columns: str | Iterable[str] | None = None,
    drop: str | Iterable[str] | None = None,
    counts: str | None = None,
    missing: str = "error",
    discretize: str | Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
    deadline: float | None = None,
    memory_bytes: float | None = None,
) -> Dataset:
    """Read a table of discrete data.

    Parameters
    ----------
    source
        A path to CSV, TSV (also gzipped) or Parquet, of any size; a pattern such as `"part-*.parquet"` or a
        list of paths, whose files are one table; a bundled name (see :func:`bundled`); a data frame of
        pandas, polars, pyarrow or any library that narwhals knows; a 2-D or structured numpy array; a dict
        of columns; or a `Dataset`.
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
    progress
        Called now and then with the number of rows read.
    deadline, memory_bytes
        When to stop with an error (in seconds of `time.monotonic`), and how much memory the rows may take (by
        default what is free).

    Examples
    --------
    >>> import chordlearn.data
    >>> heart = chordlearn.data.read("heart")
    >>> heart.rows, heart.variables
    (1841, ('smoke', 'mental', 'phys', 'systol', 'protein', 'family'))
    >>> chordlearn.data.read({"a": [1, 2, 2], "b": ["x", "y", "y"]}).codes.tolist()
    [[0, 0], [1, 1]]
    """
    if missing not in METHODS:
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
    gathered = gather(
        table.batches([*positions, *count_positions]),
        shown,
        names,
        counts_used,
        [plan.may_cut(name) for name in names],
        Watch(progress, deadline, memory_bytes),
    )
    if table.is_text:
        gathered = replace(gathered, labels=unprotected_labels(gathered.labels))
    declared = [table.declared.get(position) for position in positions]
    variables = _variables(gathered, names, declared, missing, plan)
    return _assemble(
        gathered, variables, shown, {key: value for key, value in options.items() if value is not None}
    )


def open_table(source: Any, counts: str | None) -> tuple[RawTable, str, str | None]:
    """Find out what the source is; also return how to name it and which column holds counts."""
    refuse_narrow_space(TO_READ, "reading tables")
    if isinstance(source, str) and source in BUNDLED:
        return open_bundled(source), source, counts or "count"
    if isinstance(source, (str, Path)):
        paths = find_files(source)
        if not paths:
            raise _no_such_file(str(source))
        return open_parts(paths), str(source), counts
    if isinstance(source, (list, tuple)) and source and all(isinstance(part, (str, Path)) for part in source):
        paths = []
        for part in source:
            found = find_files(part)
            if not found:
                raise _no_such_file(str(part))
            paths += found
        return open_parts(paths), joined(paths), counts
    if isinstance(source, OpenTable):
        return source.table, source.shown, counts
    table, kind = open_memory(source)
    return table, kind, counts


def _no_such_file(shown: str) -> InputError:
    import difflib

    if "://" in shown:
        return InputError(f"{shown} is an address, not a file; download it first.")
    if has_wildcard(shown):
        return InputError(f"No file matches {shown!r}; check the pattern.")
    if "/" in shown or "." in shown:
        return InputError(f"There is no file {shown!r}; check the path.")
    near = difflib.get_close_matches(shown.lower(), BUNDLED, n=1)
    hint = f"did you mean {near[0]}?" if near else f"give a path, or one of {', '.join(sorted(BUNDLED))}."
    return InputError(f"There is no file and no bundled data set {shown!r}; {hint}")


def _variables(
    gathered: Gathered,
    names: Sequence[str],
    declared: Sequence[Sequence[str] | None],
    missing: str,
    plan: Plan,
) -> list[Column]:
    coded = code_columns(names, tally(gathered, names, missing), declared)
    columns = [_discretized(column, plan) for column in coded]
    refuse_suspects(columns, {name for name, method in plan.named.items() if method.kind == "keep"})
    if not gathered.whole:
        most = max(columns, key=lambda column: len(column.places))
        raise InputError(
            f"Column {most.name!r} has more than {len(most.places)} values; use --drop {most.name}."
        )
    return columns


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


def _assemble(gathered: Gathered, columns: Sequence[Column], shown: str, options: dict[str, Any]) -> Dataset:
    sizes = [len(column.states) for column in columns]
    codes, weights = as_matrix(recoded(gathered.rows, [column.places for column in columns], sizes))
    codes.setflags(write=False)
    weights.setflags(write=False)
    return Dataset(
        variables=tuple(column.name for column in columns),
        states=tuple(tuple(column.states.to_list()) for column in columns),
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
