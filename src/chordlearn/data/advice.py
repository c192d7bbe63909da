"""What stands against learning from a table, and the options with which it can be learned from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chordlearn.data.columns import (
    DATE,
    IDENTIFIER,
    MANY,
    MOST_STATES,
    MOSTLY,
    NO_LABELS,
    NUMBERS,
    UNPRINTABLE,
    Judged,
)
from chordlearn.data.counts import NO_COUNTS
from chordlearn.data.inspection import Inspected
from chordlearn.data.naming import has_control, listed
from chordlearn.errors import InputError, as_flags, call, option

CUT = "quantile:3"
NOTHING_LEFT = "None of its columns can be learned from; give the table other columns."
LONGEST_CALL = 450
"""A longer command would be shortened where errors are shown; `chordlearn data` shows it whole."""


def problems(found: Inspected) -> list[str]:
    """Why the table cannot be learned from as it was read; each is part of a sentence.

    >>> from chordlearn.data.reading import inspected
    >>> problems(inspected({"a": ["x", "y", None], "b": [1, 2, 1]}))[0].partition(";")[0]
    "there are missing values in column 'a' (1)"
    """
    phrases = [_counts_problem(found)] if found.seems_counted else []
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
            f"{option('missing', 'category')} makes them a state"
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
    if not left:
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


_ORDER = ("columns", "drop", "counts", "missing", "discretize")


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
        return NOTHING_LEFT
    what_works = call("learn", source, options)
    if len(as_flags(what_works)) > LONGEST_CALL:
        return f"To see the options with which it works: {call('data', source, {})}"
    return f"This works: {what_works}"
