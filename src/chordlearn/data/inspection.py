"""A table read and judged, what stands against learning from it, and the options with which it can be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from chordlearn.data.coding import Column, as_labels, code_columns
from chordlearn.data.columns import (
    DATE,
    FINE,
    IDENTIFIER,
    MANY,
    MOST_STATES,
    MOSTLY,
    NO_LABELS,
    NUMBERS,
    UNPRINTABLE,
    Judged,
)
from chordlearn.data.counts import NO_COUNTS, counting_column, may_count, unit_of_weights
from chordlearn.data.declarations import OCCURRING, declared_states, refuse_undeclared
from chordlearn.data.fractions import plain
from chordlearn.data.gathering import Gathered, Watch, gather
from chordlearn.data.naming import choose, has_control, listed, position_of
from chordlearn.data.numbers import Plan, cut_column, parse_plan
from chordlearn.data.tables import WEIGHT, OpenTable
from chordlearn.errors import InputError, as_flags, call, option

_GAPS = re.compile(r"em|impute:([1-9]\d{0,5})")


def imputations(missing: str) -> int | None:
    """How many completed tables `missing` asks for if it keeps gaps; None if it does not.

    >>> imputations("em"), imputations("impute:20"), imputations("drop")
    (0, 20, None)
    """
    match = _GAPS.fullmatch(missing)
    return int(match[1] or 0) if match else None


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
    uncounted: str = ""
    """Why the column that seems to hold counts could not be read so, a sentence; it stands as a variable."""

    @property
    def rows(self) -> float:
        """Number of observations, whether or not they are complete."""
        return self.judged[0].observations

    @property
    def keeps_gaps(self) -> bool:
        """Whether missing values are to be learned from as they are."""
        return imputations(str(self.options.get("missing"))) is not None

    def is_cut(self, index: int) -> bool:
        """Whether the numbers of a column were cut into classes."""
        return self.columns[index] is not self.judged[index].column

    @cached_property
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
    what = "weights" if opened.are_weights else "counts"
    positions = choose(table.names, options.get("columns"), options.get("drop"), counts, what)
    names = [table.names[position] for position in positions]
    may_be_counted = counts is None and options.get("counts") != NO_COUNTS
    hidden = _left_out_counts(opened, options, names, watch) if may_be_counted else None
    if hidden is not None:
        return _with_counts(hidden, opened, options, watch)
    plan, uncounted = parse_plan(options.get("discretize"), names), ""
    gathered = gather(
        table.batches(
            [*positions, *([] if counts is None else [position_of(counts, table.names, what)])], False
        ),
        opened.shown,
        names,
        counts,
        _weight_unit(opened) if opened.are_weights else None,
        [plan.may_cut(name) for name in names],
        watch,
    )
    states = options.get("states", {})
    asked = {} if states == OCCURRING else declared_states(states, table.names)
    declared = [
        None if states == OCCURRING else asked.get(name, table.declared.get(position))
        for name, position in zip(names, positions, strict=True)
    ]
    judged, has_complete_rows = _judged(gathered, names, declared, options.get("missing", "error"), plan)
    for one in judged:
        if one.name in asked:
            occurring = one.column.states.filter(one.column.counts > 0).to_list()
            refuse_undeclared(one.name, occurring, asked[one.name])
    if may_be_counted:
        found = counting_column([one for one in judged if one.name not in plan.named], judged, gathered.rows)
        if found is not None:
            try:
                return _with_counts(found, opened, options, watch)
            except InputError as error:
                uncounted = error.sentence
    columns = [_cut(one, plan) for one in judged]
    return Inspected(opened, options, gathered, judged, columns, has_complete_rows, uncounted=uncounted)


def _weight_unit(opened: OpenTable) -> float:
    """The unit of the weights, which is known when all of them have been read."""
    name = str(opened.counts)
    position = position_of(name, opened.table.names, "weights")
    return unit_of_weights(
        (
            (as_labels(batch["0"], name), batch[WEIGHT].to_numpy() if WEIGHT in batch.columns else None)
            for batch in opened.table.batches([position], False)
        ),
        name,
    )


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
    if whole.uncounted:
        raise InputError(whole.uncounted)
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
    observations = plain(tallies[0].counts.sum())
    has_complete_rows = True
    if missing in ("error", "drop") and any(labels.null_count() for labels in gathered.labels):
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
            is_weighted=gathered.unit is not None,
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


CUT = "quantile:3"
NOTHING_LEFT = "None of its columns can be learned from; give the table other columns."
MEND_COUNTS = "Mend its counts first."
LONGEST_CALL = 450
"""A longer command would be shortened where errors are shown; `chordlearn data` shows it whole."""


def problems(found: Inspected) -> list[str]:
    """Why the table cannot be learned from as it was read; each is part of a sentence.

    >>> from chordlearn.data.reading import inspected
    >>> problems(inspected({"a": ["x", "y", None], "b": [1, 2, 1]}))[0].partition(";")[0]
    "there are missing values in column 'a' (1)"
    """
    phrases = [_counts_problem(found)] if found.seems_counted else []
    if found.uncounted:
        phrases.append(f"{found.uncounted[:-1]} (or {option('counts', NO_COUNTS)} if it is a variable)")
    refused: dict[str, list[Judged]] = {}
    for index, one in enumerate(found.judged):
        if one.is_refused and (one.verdict == UNPRINTABLE or not found.is_cut(index)):
            refused.setdefault(NUMBERS if one.verdict == MOSTLY else one.verdict, []).append(one)
    for verdict, describe in _REASONS.items():
        if verdict in refused:
            named = listed([describe(one) for one in refused[verdict]])
            many = len(refused[verdict]) > 1
            phrases.append(f"column{'s' * many} {named} {_CLAIMS[verdict][many]}")
    phrases += _missing_problems(found)
    phrases += [
        f"column {name!r} has more than {MOST_STATES:,} values, so that the rest was not read"
        for name in found.gathered.hopeless
        if not any(one.name == name and one.is_refused for one in found.judged)
    ]
    return phrases


def _counts_problem(found: Inspected) -> str:
    name = str(found.opened.counts)
    return (
        f"this looks like a contingency table: use {option('counts', name)} (column {name!r} holds whole "
        "numbers, and no combination of the others occurs twice), "
        f"or {option('counts', NO_COUNTS)} if it is a variable"
    )


def _missing_problems(found: Inspected) -> list[str]:
    gaps = [f"{one.name!r} ({one.missing})" for one in found.judged if one.missing and not one.dtype]
    missing = found.options.get("missing", "error")
    if missing == "error" and gaps:
        return [
            f"there are missing values in column{'s' * (len(gaps) > 1)} {listed(gaps)}; "
            f"{option('missing', 'drop')} leaves out their rows, "
            f"{option('missing', 'category')} makes them a state, "
            f"{option('missing', 'em')} learns from what there is"
        ]
    empty = [repr(one.name) for one in found.judged if one.distinct == 0 and not one.dtype]
    if found.keeps_gaps and empty:
        return [
            f"column{'s' * (len(empty) > 1)} {listed(empty)} {'have' if len(empty) > 1 else 'has'} no values"
        ]
    if missing == "drop" and not found.has_complete_rows:
        return [f"every row has a missing value, so {option('missing', 'drop')} leaves nothing"]
    return []


def _control(one: Judged) -> str:
    return f"{one.name!r} ({next(filter(has_control, one.column.states))!a})"


_REASONS: Mapping[str, Callable[[Judged], str]] = {
    IDENTIFIER: lambda one: (
        f"{one.name!r} ({one.distinct:,} values in {int(one.column.counts.sum()):,} rows)"
    ),
    DATE: lambda one: f"{one.name!r} ({one.distinct:,} different ones)",
    NUMBERS: lambda one: f"{one.name!r} ({len(one.distinct_numbers):,} distinct numbers)",
    MANY: lambda one: f"{one.name!r} ({len(one.column.states)} states)",
    NO_LABELS: lambda one: f"{one.name!r} ({one.dtype})",
    UNPRINTABLE: _control,
}
_CLAIMS = {
    IDENTIFIER: ("identifies rows", "identify rows"),
    DATE: ("holds dates", "hold dates"),
    NUMBERS: ("looks continuous", "look continuous"),
    MANY: (f"has more than {MOST_STATES} states", f"have more than {MOST_STATES} states"),
    NO_LABELS: ("holds values that are no labels", "hold values that are no labels"),
    UNPRINTABLE: ("has a value with a control character", "have values with control characters"),
}


def proposal(found: Inspected) -> dict[str, Any] | None:
    """The options of reading with which the table can be learned from; None if nothing in it can.

    >>> from chordlearn.data.reading import inspected
    >>> table = {"id": [f"p{i}" for i in range(60)], "x": [i / 7 for i in range(60)], "s": ["n", "y"] * 30}
    >>> proposal(inspected(table))
    {'drop': ['id'], 'discretize': ['quantile:3']}
    """
    hopeless = [
        one.name for index, one in enumerate(found.judged) if one.is_hopeless and not found.is_cut(index)
    ]
    left = [index for index, one in enumerate(found.judged) if one.name not in hopeless]
    if not left or found.uncounted:
        return None
    options = {name: value for name, value in found.options.items() if value is not None}
    if hopeless:
        options["drop"] = [*options.get("drop", ()), *hopeless]
    if found.seems_counted:
        options["counts"] = found.opened.counts
    lost = options.get("missing", "error") == "error" or not found.has_complete_rows
    if lost and any(found.judged[index].missing for index in left):
        options["missing"] = "category"
    cuts = _cuts(found, left)
    if cuts:
        asked = options.get("discretize", [])
        given = (
            [f"{name}={method}" for name, method in asked.items()] if isinstance(asked, Mapping) else asked
        )
        options["discretize"] = [*([given] if isinstance(given, str) else given), *cuts]
    if isinstance(options.get("discretize"), list):
        options["discretize"] = [text for text in options["discretize"] if not _is_about(text, hopeless)]
    return {name: options[name] for name in _ORDER if options.get(name)}


_ORDER = ("columns", "drop", "counts", "weights", "states", "missing", "discretize")


def _is_about(text: str, names: Sequence[str]) -> bool:
    return text.rpartition("=")[0].strip() in names


def _cuts(found: Inspected, left: Sequence[int]) -> list[str]:
    """How to cut the columns that look continuous, and no others: whatever takes fewer words."""
    to_cut = [
        found.judged[index].name
        for index in left
        if found.judged[index].verdict == NUMBERS and not found.is_cut(index)
    ]
    if not to_cut:
        return []
    others = [
        found.judged[index].name
        for index in left
        if not found.is_cut(index)
        and found.judged[index].verdict != NUMBERS
        and len(found.judged[index].distinct_numbers) > int(CUT.partition(":")[2])
    ]
    if found.options.get("discretize") is None and len(others) < len(to_cut):
        return [CUT, *(f"{name}=keep" for name in others)]
    return [f"{name}={CUT}" for name in to_cut]


def refusal(found: Inspected, reasons: Sequence[str]) -> InputError:
    """The error that names all problems and ends with a call that has none of them."""
    return InputError(f"{found.opened.shown}: {'; '.join(reasons)}. {_remedy(found)}")


def _remedy(found: Inspected) -> str:
    source = found.opened.shown if found.opened.is_file else None
    options = proposal(found)
    if found.gathered.hopeless:
        # The rest of the table was not read, so that nobody knows what else it takes.
        left_out = option("drop", found.gathered.hopeless)
        return f"Leave it out with {left_out}; to see what else there is: {call('data', source, {})}"
    if options is None:
        return MEND_COUNTS if found.uncounted else NOTHING_LEFT
    what_works = call("learn", source, options)
    if len(as_flags(what_works)) > LONGEST_CALL:
        return f"To see the options with which it works: {call('data', source, {})}"
    return f"This works: {what_works}"
