"""From any table to a `Dataset`: open, inspect, refuse what cannot be learned from, deduplicate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import MISSING
from chordlearn.data.counts import NO_COUNTS
from chordlearn.data.data_files import open_file, open_parts
from chordlearn.data.dataset import Dataset
from chordlearn.data.declarations import States, listed_labels
from chordlearn.data.distinct import as_matrix, recoded
from chordlearn.data.fractions import of_units
from chordlearn.data.gathering import Watch
from chordlearn.data.inspection import Inspected, imputations, inspect, problems, refusal
from chordlearn.data.naming import check_names, choose, parse_names
from chordlearn.data.numbers import Discretize
from chordlearn.data.origins import BUNDLED, FOLDER, find_files, has_wildcard, joined
from chordlearn.data.tables import OpenTable, open_memory
from chordlearn.errors import InputError, option
from chordlearn.system.memory import TO_READ, refuse_narrow_space


def read(
    source: Any,
    *,
    columns: str | Iterable[str] | None = None,
    drop: str | Iterable[str] | None = None,
    counts: str | None = None,
    weights: str | None = None,
    states: States | None = None,
    missing: str = "error",
    discretize: Discretize | None = None,
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
        Names of the columns to use (in this order) or to leave out: a text or several. A text that is exactly
        a column's name is that column; otherwise it is split at commas.
    counts
        The column that says how many observations each row stands for, as in a contingency table; `"none"`
        if a column that looks like one is a variable.
    weights
        The column of the weights of observations, such as those of a survey: numbers from 0 up, whole or not.
        They are taken as they are; what they sum to is how much the data say against the prior of a score.
    states
        The states of columns, whether or not they occur, as a mapping from names to lists, or in a file: JSON
        (such a mapping) or CSV (a line with a column and a state for each). They count in the score, in the
        tables and in what is exported; others must not occur. Categories of pandas, an Enum of polars and a
        dictionary of arrow are such a declaration too, unless it is `"occurring"`.
    missing
        What to do with `?`, empty, NA, NaN and null: `"error"` refuses them, `"drop"` leaves out their rows,
        `"category"` makes them a state named `?`. `"em"` and `"impute:M"` keep them as gaps, from which
        :func:`chordlearn.learn` learns by expectation and maximisation.
    discretize
        `"quantile:4"` or `"width:5"` cuts every column with more distinct numbers than that into classes;
        `"age=width:5"` cuts the named column, and `"age=keep"` leaves it as it is. Several with commas, as a
        sequence, or as a dict.
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
    if isinstance(source, Dataset):
        return _reselect(source, columns, drop, (counts, weights, states, discretize, missing != "error"))
    found = inspected(
        source,
        columns=columns,
        drop=drop,
        counts=counts,
        weights=weights,
        states=states,
        missing=missing,
        discretize=discretize,
        watch=Watch(progress, deadline, memory_bytes),
    )
    reasons = problems(found)
    if reasons:
        raise refusal(found, reasons)
    return assembled(found)


def inspected(
    source: Any,
    *,
    columns: str | Iterable[str] | None = None,
    drop: str | Iterable[str] | None = None,
    counts: str | None = None,
    weights: str | None = None,
    states: States | None = None,
    missing: str = "error",
    discretize: Discretize | None = None,
    watch: Watch | None = None,
) -> Inspected:
    """Open a table and judge its columns; the options are those of :func:`read`.

    >>> [one.verdict for one in inspected({"id": range(60), "a": [1, 2] * 30, "k": ["x"] * 60}).judged]
    ['row identifier', 'fine', 'constant']
    """
    if missing not in ("error", "drop", "category") and imputations(missing) is None:
        raise InputError(
            f"{option('missing')} does not know {missing!r}; use error, drop, category, em or impute:M, "
            "with a number M from 1 up."
        )
    opened = open_table(source, counts, weights)
    names = opened.table.names
    check_names(names, opened.shown)
    options: dict[str, Any] = {
        "columns": parse_names(columns, names, "columns"),
        "drop": parse_names(drop, names, "drop"),
        "counts": counts,
        "weights": weights,
        "states": _recorded(states),
        "missing": None if missing == "error" else missing,
        "discretize": _plain(discretize),
    }
    options = {name: value for name, value in options.items() if value is not None}
    return inspect(opened, options, watch or Watch())


def _plain(discretize: Discretize | None) -> str | list[str] | dict[str, str] | None:
    if discretize is None or isinstance(discretize, str):
        return discretize
    return dict(discretize) if isinstance(discretize, Mapping) else list(discretize)


def _recorded(states: States | None) -> str | dict[str, list[str]] | None:
    """As a result keeps it, so that the same table can be read again."""
    if isinstance(states, Mapping):
        return {str(name): listed_labels(name, labels) for name, labels in states.items()}
    return None if states is None else os.fspath(states)


def open_table(source: Any, counts: str | None, weights: str | None = None) -> OpenTable:
    """Find out what the source is and which column, if any, holds counts or weights."""
    refuse_narrow_space(TO_READ, "reading tables")
    if weights is not None:
        if counts not in (None, NO_COUNTS):
            raise InputError(
                f"A table has {option('counts')} or {option('weights')}, not both; "
                "multiply them in one column."
            )
        return replace(open_table(source, NO_COUNTS), counts=weights, are_weights=True)
    counted = None if counts == NO_COUNTS else counts
    if isinstance(source, OpenTable):
        return replace(source, counts=counted) if counts else source
    if isinstance(source, str) and source in BUNDLED:
        table = open_file(FOLDER / f"{source}.csv", source)
        return OpenTable(table, source, counted if counts else "count", is_file=True)
    paths = [source] if isinstance(source, str | Path) else source
    if isinstance(paths, list | tuple) and paths and all(isinstance(path, str | Path) for path in paths):
        files = [file for path in paths for file in _found(path)]
        shown = joined(files) if paths is source else str(source)
        return OpenTable(open_parts(files), shown, counted, is_file=True)
    table, kind = open_memory(source)
    return OpenTable(table, kind, counted, is_file=isinstance(source, list | tuple))


def _found(path: str | Path) -> list[Path]:
    found = find_files(path)
    if not found:
        raise _no_such_file(str(path))
    return found


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


def assembled(found: Inspected) -> Dataset:
    """The data set of a table that was inspected; its rows are used up."""
    notes = found.notes
    sizes = [len(column.states) for column in found.columns]
    places = [column.places for column in found.columns]
    matrix, units = as_matrix(recoded(found.gathered.rows, places, sizes))
    codes: NDArray[np.integer] = matrix
    states = [tuple(column.states.to_list()) for column in found.columns]
    if found.keeps_gaps and any(column.has_missing_state for column in found.columns):
        codes, states = _with_gaps(codes, states)
    return Dataset(
        variables=tuple(column.name for column in found.columns),
        states=tuple(states),
        codes=codes,
        weights=of_units(units, found.gathered.unit or 1.0),
        source=found.opened.shown,
        options=dict(found.options),
        notes=notes,
    )


def _with_gaps(
    codes: NDArray[np.integer], states: Sequence[tuple[str, ...]]
) -> tuple[NDArray[np.int32], list[tuple[str, ...]]]:
    """Take the missing state, which is the last one, away; −1 stands for it."""
    found = codes.astype(np.int32)
    for column, labels in enumerate(states):
        if labels[-1] == MISSING:
            found[found[:, column] == len(labels) - 1, column] = -1
    found.setflags(write=False)
    return found, [tuple(label for label in labels if label != MISSING) for labels in states]


def _reselect(
    data: Dataset,
    columns: str | Iterable[str] | None,
    drop: str | Iterable[str] | None,
    others: tuple[Any, ...],
) -> Dataset:
    if any(others):
        raise InputError(
            "A Dataset is read already; of the options of reading it takes only "
            f"{option('columns')} and {option('drop')}."
        )
    chosen = parse_names(columns, data.variables, "columns")
    dropped = parse_names(drop, data.variables, "drop")
    if chosen is None and dropped is None:
        return data
    return data.select([data.variables[i] for i in choose(data.variables, chosen, dropped, None)])
