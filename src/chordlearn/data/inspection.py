"""A table gathered, coded and judged, before it is decided whether it can be learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chordlearn.data.coding import Column, code_columns
from chordlearn.data.columns import FINE, MOSTLY, NUMBERS, Judged
from chordlearn.data.counts import NO_COUNTS, counting_column, may_count
from chordlearn.data.discretize import Plan, cut_column, parse_plan
from chordlearn.data.gathering import Gathered, Watch, gather
from chordlearn.data.naming import choose, listed, position_of
from chordlearn.data.table import OpenTable


@dataclass(frozen=True)
class Inspected:
    """What was found; nothing has been refused yet."""

    opened: OpenTable
    options: Mapping[str, Any]
    """How it was read."""
    gathered: Gathered
    judged: list[Judged]
    columns: list[Column]
    """The variables as they would be learned from: numbers cut, if that was asked for."""
    has_complete_rows: bool = True
    seems_counted: bool = False
    """Whether the column of counts was not given but found."""

    @property
    def rows(self) -> int:
        """Number of observations, whether or not they are complete."""
        return self.judged[0].observations

    def is_cut(self, index: int) -> bool:
        """Whether the numbers of a column were cut into classes."""
        return self.columns[index] is not self.judged[index].column

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided on the way, each a sentence."""
        pairs = list(zip(self.judged, self.columns, strict=True))
        cut = [(one, column) for one, column in pairs if column is not one.column]
        found = list(self.opened.table.notes())
        if cut:
            found.append(f"Cut into classes: {listed([_classes(column) for _, column in cut])}.")
            left = [
                f"{one.name} ({one.distinct} values)"
                for one, column in pairs
                if one.column is column and one.is_number and one.distinct > 2
            ]
            if left:
                found.append(f"Columns of numbers left as they are: {listed(left)}.")
        found += [
            f"In {one.name!r}, {', '.join(one.numbers.remarks)}."
            for one, _ in cut
            if one.numbers is not None and one.numbers.remarks
        ]
        unseen = [
            f"{column.name} ({listed(column.states.filter(column.counts == 0).to_list())})"
            for column in self.columns
            if not column.counts.all()
        ]
        if unseen:
            found.append(f"States that never occur, but are declared or have the count 0: {listed(unseen)}.")
        return tuple(found)


def _classes(column: Column) -> str:
    return f"{column.name} ({listed(column.states.to_list())})"


def inspect(opened: OpenTable, options: Mapping[str, Any], watch: Watch) -> Inspected:
    """Read a table as the options say and judge its columns; find out whether one of them holds counts."""
    table, counts = opened.table, opened.counts
    positions = choose(table.names, options.get("columns"), options.get("drop"), counts)
    names = [table.names[position] for position in positions]
    may_be_counted = counts is None and options.get("counts") != NO_COUNTS
    hidden = _left_out_counts(opened, options, names, watch) if may_be_counted else None
    if hidden is not None:
        return _with_counts(hidden, opened, options, watch)
    plan = parse_plan(options.get("discretize"), names)
    gathered = gather(
        table.batches(
            [*positions, *([] if counts is None else [position_of(counts, table.names, "counts")])], False
        ),
        opened.shown,
        names,
        counts,
        [plan.may_cut(name) for name in names],
        watch,
    )
    declared = [table.declared.get(position) for position in positions]
    judged, has_complete_rows = _judged(gathered, names, declared, options.get("missing", "error"), plan)
    if may_be_counted:
        found = counting_column([one for one in judged if one.name not in plan.named], judged, gathered.rows)
        if found is not None:
            return _with_counts(found, opened, options, watch)
    columns = [_cut(one, plan) for one in judged]
    return Inspected(opened, options, gathered, judged, columns, has_complete_rows)


def _with_counts(name: str, opened: OpenTable, options: Mapping[str, Any], watch: Watch) -> Inspected:
    return replace(inspect(replace(opened, counts=name), options, watch), seems_counted=True)


def _left_out_counts(
    opened: OpenTable, options: Mapping[str, Any], names: Sequence[str], watch: Watch
) -> str | None:
    """The column of counts of a contingency table of which only other columns were asked for."""
    known = {*names, *(options.get("drop") or ())}
    hidden = [name for name in opened.table.names if name not in known and may_count(name)]
    if not hidden:
        return None
    whole = inspect(opened, {"missing": "category"}, watch)
    return whole.opened.counts if whole.opened.counts in hidden else None


def _judged(
    gathered: Gathered,
    names: Sequence[str],
    declared: Sequence[Sequence[str] | None],
    missing: str,
    plan: Plan,
) -> tuple[list[Judged], bool]:
    """The columns judged, and whether there are complete rows, if only those may count."""
    tallies = gathered.tallies()
    gaps = [tally.missing for tally in tallies]
    observations = int(tallies[0].counts.sum())
    has_complete_rows = True
    if missing != "category" and any(labels.null_count() for labels in gathered.labels):
        complete = gathered.tallies(complete=True)
        has_complete_rows = bool(complete[0].counts.any())
        if has_complete_rows and (missing == "drop" or not any(gaps)):
            tallies = complete
    columns = code_columns(names, tallies, declared)
    judged = [
        Judged(
            column=column,
            missing=gap,
            observations=observations,
            table_rows=gathered.table_rows,
            dtype=gathered.no_labels.get(column.name, ""),
            is_kept=plan.keeps(column.name),
        )
        for column, gap in zip(columns, gaps, strict=True)
    ]
    return judged, has_complete_rows


def _cut(one: Judged, plan: Plan) -> Column:
    method = plan.named.get(one.name)
    if method is None and plan.default is not None and one.verdict in (FINE, MOSTLY, NUMBERS):
        method = plan.default_for(len(one.distinct_numbers))
    return (
        one.column if method is None or method.kind == "keep" else cut_column(one.column, one.numbers, method)
    )
