"""What is in a table, column by column, and the options with which it can be learned from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chordlearn.data.coding import Column
from chordlearn.data.columns import COUNTS, FINE, Judged, frequent_states
from chordlearn.data.counts import NO_COUNTS
from chordlearn.data.dataset import copies
from chordlearn.data.gathering import Watch
from chordlearn.data.inspection import MEND_COUNTS, NOTHING_LEFT, Inspected, inspect, problems, proposal
from chordlearn.data.naming import check_names, distinguished
from chordlearn.data.reading import assembled, inspected, open_table, read
from chordlearn.data.tables import OpenTable
from chordlearn.errors import InputError, as_flags, call, in_python
from chordlearn.system.json import JsonMixin


@dataclass(frozen=True)
class Survey(JsonMixin):
    """What :func:`survey` found."""

    source: str
    rows: float
    distinct_rows: int | None
    """How many different rows there are when it is read with the options proposed; None if there are none."""
    columns: list[dict[str, Any]]
    """Of each its `name`, `type`, number of `distinct` and of `missing` values, most `frequent` states,
    `verdict` (see `chordlearn.data.columns`) and `advice`."""
    copies: list[list[str]]
    """Groups of columns that determine each other one-to-one."""
    problems: list[str]
    """Why :func:`chordlearn.read` refuses the table when it is read with the options given."""
    notes: list[str]
    """What is decided when it is read with the options proposed."""
    options: dict[str, Any] | None
    """The options proposed, with which the table can be learned from; None if there are none."""
    why_not: str = ""
    """Why there are none."""
    is_file: bool = True

    @property
    def command(self) -> str | None:
        """The command that learns from the table, ready to paste in a shell."""
        if self.options is None or not self.is_file:
            return None
        return as_flags(call("learn", self.source, self.options))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "source": self.source,
            "rows": self.rows,
            "distinct_rows": self.distinct_rows,
            "columns": self.columns,
            "copies": self.copies,
            "problems": [in_python(problem) for problem in self.problems],
            "notes": self.notes,
            "options": self.options,
            "command": self.command,
            "why_no_command": in_python(self.why_not) or None,
        }


def survey(source: Any, *, progress: Callable[[int], None] | None = None, **options: Any) -> Survey:
    """Describe a table and propose how to learn from it; the options of reading are those of :func:`read`.

    ``progress`` is called with the number of rows read so far.

    >>> found = survey({"id": range(60), "dose": [i / 7 for i in range(60)], "ill": ["yes", "no"] * 30})
    >>> [(column["name"], column["type"], column["verdict"]) for column in found.columns]
    [('id', 'number', 'row identifier'), ('dose', 'number', 'numbers to cut'), ('ill', 'yes/no', 'fine')]
    >>> found.options
    {'drop': ['id'], 'discretize': ['quantile:3']}
    >>> survey("heart").command
    'chordlearn learn heart'
    """
    opened, why_not = _opened(source, options)
    found, hopeless = _inspected(opened, options, Watch(progress))
    reasons = problems(found)
    reasons += [f"column {one.name!r} has more than {one.distinct - 1:,} values" for one in hopeless]
    columns, notes = _columns(found, hopeless), found.notes
    proposed = None if why_not else proposal(found)
    groups: list[list[str]] = []
    distinct_rows = None
    if proposed is None:
        why_not = why_not or (MEND_COUNTS if found.uncounted else NOTHING_LEFT)
    else:
        try:
            dataset = read(opened, **proposed) if reasons or proposed != found.options else assembled(found)
            notes, groups, distinct_rows = dataset.notes, copies(dataset), len(dataset.weights)
        except InputError as error:
            proposed, why_not = None, error.args[0]
    return Survey(
        source=found.opened.shown,
        rows=found.rows,
        distinct_rows=distinct_rows,
        columns=columns,
        copies=groups,
        problems=reasons,
        notes=list(notes),
        options=proposed,
        why_not=why_not,
        is_file=found.opened.is_file,
    )


def _opened(source: Any, options: Mapping[str, Any]) -> tuple[Any, str]:
    """The table, opened once and also if its names are not sound; what is wrong with them then."""
    opened = open_table(source, options.get("counts"), options.get("weights"))
    table = opened.table
    try:
        check_names(table.names, opened.shown)
    except InputError as error:
        if not table.names:
            raise
        return replace(opened, table=replace(table, names=distinguished(table.names))), error.args[0]
    return opened, ""


def _inspected(source: Any, options: Mapping[str, Any], watch: Watch) -> tuple[Inspected, list[Judged]]:
    """The columns of a table, those apart that have so many values that they have to be left out first."""
    found = inspected(source, **options, watch=watch)
    hopeless: list[Judged] = []
    while 0 < len(found.gathered.hopeless) < len(found.judged):
        names = found.gathered.hopeless
        hopeless += [one for one in found.judged if one.name in names]
        dropped = [*found.options.get("drop", ()), *names]
        found = inspected(source, **{**options, "drop": dropped}, watch=watch)
    return found, hopeless


def _columns(found: Inspected, hopeless: Sequence[Judged]) -> list[dict[str, Any]]:
    rows = [_row(one, one.column, one.advice) for one in hopeless]
    for index, (one, column) in enumerate(zip(found.judged, found.columns, strict=True)):
        advice = [f"cut into {len(column.states)} classes" if found.is_cut(index) else one.advice]
        advice += one.numbers.remarks if one.numbers is not None else ()
        rows.append(_row(one, column, "; ".join(advice)))
    if found.opened.counts is not None:
        rows.append(_counts_row(found.opened))
    place = {name: index for index, name in enumerate(found.opened.table.names)}
    return sorted(rows, key=lambda row: place[row["name"]])


def _row(one: Judged, column: Column, advice: str) -> dict[str, Any]:
    return {
        "name": one.name,
        "type": one.type,
        "distinct": one.distinct,
        "missing": one.missing,
        "frequent": [{"state": state, "count": count} for state, count in frequent_states(column)],
        "verdict": one.verdict if column is one.column else FINE,
        "advice": advice,
    }


def _counts_row(opened: OpenTable) -> dict[str, Any]:
    """The column of counts, read as if it were a variable."""
    assert opened.counts is not None
    alone = {"columns": [opened.counts], "counts": NO_COUNTS, "missing": "category"}
    (one,) = inspect(replace(opened, counts=None, are_weights=False), alone, Watch()).judged
    what = "weights" if opened.are_weights else COUNTS
    return _row(one, one.column, f"{what}: how many observations each row stands for") | {"verdict": what}
