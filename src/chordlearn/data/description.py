"""A plain account of a data set, for people and for JSON."""

from __future__ import annotations

from typing import Any

from chordlearn.data.catalogue import BUNDLED
from chordlearn.data.dataset import Dataset
from chordlearn.data.naming import listed

MANY_STATES = 20


def describe(data: Dataset) -> dict[str, Any]:
    """Describe a data set in plain values: variables, states with counts, rows, and suggestions.

    >>> from chordlearn.data import read
    >>> account = describe(read("heart"))
    >>> account["rows"], account["distinct_rows"], account["variables"][0]["states"]
    (1841, 63, [{'label': 'n', 'count': 880}, {'label': 'y', 'count': 961}])
    """
    entry = BUNDLED.get(data.source)
    variables = []
    for index, (name, labels) in enumerate(zip(data.variables, data.states, strict=True)):
        counts = data.column_counts(index).tolist()
        states = [{"label": label, "count": count} for label, count in zip(labels, counts, strict=True)]
        meaning = entry.variables.get(name) if entry else None
        variables.append({"name": name, "states": states, **({"meaning": meaning} if meaning else {})})
    account: dict[str, Any] = {
        "source": data.source,
        "rows": data.rows,
        "distinct_rows": len(data.weights),
        "variables": variables,
        "suggestions": _suggestions(data),
        "sha256": data.sha256,
    }
    if entry:
        account |= {"title": entry.title, "description": entry.description, "reference": entry.source}
    return account


def _suggestions(data: Dataset) -> list[str]:
    found = []
    constant = [name for name, arity in zip(data.variables, data.arities, strict=True) if arity == 1]
    if constant:
        found.append(f"Constant, so never linked to anything: {listed(constant)}; --drop leaves them out.")
    many = [
        f"{name} ({arity})"
        for name, arity in zip(data.variables, data.arities, strict=True)
        if arity > MANY_STATES
    ]
    if many:
        found.append(f"Many states, so few rows each: {listed(many)}; gathering some states may show more.")
    unseen = [
        name
        for index, name in enumerate(data.variables)
        if len(data.states[index]) > 1 and not data.column_counts(index).all()
    ]
    if unseen:
        found.append(f"Some declared states never occur: {listed(unseen)}; they still count as states.")
    return found
