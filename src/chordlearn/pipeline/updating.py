"""More rows for a network: its tables count them, and its structure is compared with what is now the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from msgspec import to_builtins

from chordlearn.backends.base.outcome import Observer
from chordlearn.data.dataset import Dataset
from chordlearn.data.distinct import deduplicated
from chordlearn.data.fractions import plain
from chordlearn.data.inspection import imputations
from chordlearn.data.ordered_rows import HIDDEN, read_rows
from chordlearn.errors import InputError, option
from chordlearn.network.completions import Completions
from chordlearn.network.evaluation import Comparison, compare, recorded_function, score_network
from chordlearn.network.fitted import FittedNetwork, RowsAdded
from chordlearn.network.parameters import together, with_counts
from chordlearn.network.result import Result, says_something
from chordlearn.pipeline.learning import learn
from chordlearn.pipeline.rereading import (
    keep_data,
    read_again,
    recorded_options,
    recorded_source,
    refuse_changed,
)
from chordlearn.problem.constraints import recorded_constraints
from chordlearn.system.json import JsonMixin, plain_values


@dataclass(frozen=True, eq=False)
class Review(JsonMixin):
    """The structure of a network beside the best one for all its rows."""

    score: float
    """Of the structure, on all rows."""
    best: Result
    """Learned from all rows, with the score function and the constraints that the network records."""
    changes: Comparison
    """From the structure to the best one."""

    @property
    def gain(self) -> float:
        """How much more the best network scores; what is no more than a tie counts as nothing."""
        more = self.best.score - self.score
        return more if more > self.best.tolerance else 0.0

    @property
    def most_gain(self) -> float:
        """No network scores more than this above the structure; may be infinite."""
        return max(self.best.bound - self.score, self.gain)

    @property
    def in_words(self) -> str:
        """What follows for the structure."""
        if self.gain:
            proved = " and is proved to be the best" if self.best.status == "optimal" else ""
            more, fewer = len(self.changes.only_second), len(self.changes.only_first)
            return (
                f"the structure would now be another, with {more} more and {fewer} fewer edges, "
                f"which scores {self.gain:.6g} higher{proved}"
            )
        if self.most_gain <= self.best.tolerance:
            return "the structure is still the best, proved"
        telling = says_something(self.most_gain, self.score)
        most = f"; none scores more than {self.most_gain:.6g} above it" if telling else ""
        return f"no better structure was found{most}"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "score": self.score,
            "gain": self.gain,
            "most_gain": plain_values(self.most_gain),
            "in_words": self.in_words,
            "changes": self.changes.to_dict(),
            "best": self.best.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Update(JsonMixin):
    """A network whose tables count more rows than before."""

    network: FittedNetwork
    """With the structure that it had."""
    before: FittedNetwork
    added: Dataset
    """The rows that were added, in the states of the network, with their gaps."""
    dropped: float
    """How many observations were left out, because they had missing values."""

    @property
    def counted_before(self) -> bool:
        """Whether just these rows are counted already, as if they had been added twice."""
        known = [part.data_sha256 for part in self.before.updates]
        return self.added.sha256 in [self.before.provenance.get("data_sha256"), *known]

    def review(
        self,
        data: Any = None,
        *,
        time_limit: float | None = None,
        threads: int | None = None,
        observer: Observer | None = None,
    ) -> Review:
        """Learn the best network of all rows and compare it with this one.

        Of rows with gaps it is the best for the counts that this network expects, both scored on these.
        ``data`` are the rows that the network counted before, if they are no longer where it says.

        >>> import chordlearn as cl
        >>> rows = cl.fit(cl.learn("heart")).sample(500, seed=1)
        >>> cl.update(cl.fit(cl.learn("heart")), rows).review().in_words
        'the structure is still the best, proved'
        """
        structure, record = self.network.structure, self.network.provenance
        rows = together(structure, [data_of(self.before, data), self.added])
        if rows.has_gaps:
            rows = Completions(rows).expected(self.network).rows
        function = recorded_function(record.get("score_function"))
        constraints = recorded_constraints(record.get("constraints"))
        best = learn(
            rows,
            score=function,
            max_clique=constraints.max_clique,
            require=constraints.required,
            forbid=constraints.forbidden,
            time_limit=time_limit,
            threads=threads,
            observer=observer,
        )
        found = best if best.status != "none" else structure
        return Review(score_network(structure, rows, function), best, compare(structure, found))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without the tables."""
        return {
            "rows_before": self.before.rows,
            "rows_added": self.added.rows,
            "rows_dropped": self.dropped,
            "counted_before": self.counted_before,
        }


def update(
    network: FittedNetwork,
    more: Any,
    *,
    counts: str | None = None,
    weights: str | None = None,
    missing: str | None = None,
) -> Update:
    """Count more rows in the tables of a network; its structure stays.

    The tables are those that :func:`chordlearn.fit` would give it for all rows together, and the rows counted
    before are not needed for that. Whether the structure is still the best, :meth:`Update.review` tells.

    Parameters
    ----------
    network
        As :func:`chordlearn.fit` or :func:`chordlearn.load_network` give it.
    more
        Anything that :func:`chordlearn.read` reads. Columns that the network does not know are ignored, and
        numbers are put into its intervals.
    counts
        The column that says how often each row occurs, or `"none"`; by default as the network was learned.
    weights
        The column of the weights of rows; by default as the network was learned.
    missing
        `"error"`, `"drop"` or `"em"` for rows with missing values; by default as the network was learned.
        With `"em"` a row adds to the tables what the network expects it to hold.

    Examples
    --------
    >>> import chordlearn as cl
    >>> heart = cl.fit(cl.learn("heart"))
    >>> updated = cl.update(heart, heart.sample(1000, seed=1)).network
    >>> heart.rows, updated.rows, updated.edges == heart.edges
    (1841, 2841, True)
    """
    origin = network.provenance.get("data")
    recorded = recorded_options(origin) if isinstance(origin, Mapping) else {}
    asked = {
        "counts": counts or recorded.get("counts"),
        "weights": weights or recorded.get("weights"),
        "missing": missing or recorded.get("missing"),
    }
    options = {name: value for name, value in asked.items() if value is not None}
    added, dropped = _read(network, more, options)
    whole = Completions(added).expected(network).rows if added.has_gaps else added
    tables = with_counts(network.structure, network.tables, network.rows, whole, network.estimation)
    part = RowsAdded({"source": added.source, "options": added.options}, added.sha256, added.rows)
    provenance = {**network.provenance, "updates": to_builtins([*network.updates, part])}
    updated = replace(network, tables=tables, provenance=provenance)
    keep_data(updated, added, network)
    return Update(updated, network, added, dropped)


def data_of(network: FittedNetwork, data: Any = None) -> Dataset:
    """The data that the tables of a network count, read again as they were read then; or those given.

    >>> import chordlearn as cl
    >>> data_of(cl.fit(cl.learn("heart"))).rows
    1841
    """
    record = network.provenance
    origin = record.get("data")
    if not isinstance(origin, Mapping):
        raise InputError("The network does not say what it was learned from; name the data.")
    first = read_again(origin, recorded_options(origin), record.get("data_sha256"), data)
    if data is not None or not network.updates:
        return first
    return together(network.structure, [first, *(_read_again(network, part) for part in network.updates)])


def _read_again(network: FittedNetwork, part: RowsAdded) -> Dataset:
    source = recorded_source(part.data, part.data_sha256)
    if isinstance(source, Dataset):
        return source
    dataset, _ = _read(network, source, recorded_options(part.data))
    refuse_changed(dataset, part.data_sha256)
    return dataset


def _read(network: FittedNetwork, more: Any, options: Mapping[str, str]) -> tuple[Dataset, float]:
    """Rows in the states of the network, and how many observations were dropped."""
    rows = read_rows(more, counts=options.get("counts"), weights=options.get("weights"))
    codes = rows.codes(network.variables, network.states)
    missing = options.get("missing", "error")
    kept = np.full(len(codes), imputations(missing) is not None) | (codes != HIDDEN).all(axis=1)
    if missing != "drop" and not kept.all():
        row, column = (int(place) for place in np.argwhere(codes == HIDDEN)[0])
        raise InputError(
            f"Row {row + 1} of {rows.source} has no value of {network.variables[column]!r}; count what the "
            f"network expects with {option('missing', 'em')}, or leave out such rows with "
            f"{option('missing', 'drop')}."
        )
    if not rows.weights[kept].any():
        raise InputError(f"No row of {rows.source} is left to count: each has a missing value.")
    distinct = deduplicated(list(codes[kept].T), list(map(len, network.states)), rows.weights[kept])
    added = Dataset(network.variables, network.states, *distinct, rows.source, dict(options))
    return added, plain(rows.weights[~kept].sum())
