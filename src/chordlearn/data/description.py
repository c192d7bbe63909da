"""A plain account of a data set, for people and for JSON."""

from __future__ import annotations

from typing import Any

from chordlearn.data.catalogue import BUNDLED
from chordlearn.data.dataset import Dataset


def describe(data: Dataset) -> dict[str, Any]:
    """Describe a data set in plain values: variables, states with counts, rows, and notes.

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
        "notes": list(data.notes),
        "sha256": data.sha256,
    }
    if entry:
        account |= {"title": entry.title, "description": entry.description, "reference": entry.source}
    return account
