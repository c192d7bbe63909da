"""A table with its missing values filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chordlearn.data.ordered_rows import read_rows, same_kind, unseen_in_words
from chordlearn.network.fitted import FittedNetwork


@dataclass(frozen=True, eq=False)
class Imputation:
    """A table without its gaps."""

    frame: Any
    """As the data were given: a data frame of pandas or arrow, else one of polars."""
    filled: dict[str, int]
    """How many values of each variable were filled in."""
    unseen: dict[str, float]
    """How many of these were states that the network does not have."""

    @property
    def unseen_in_words(self) -> str:
        """The same as a sentence, if there are any."""
        return unseen_in_words(self.unseen)


def impute(
    network: FittedNetwork,
    data: Any,
    *,
    draw: bool = False,
    seed: int | None = None,
    unseen: str = "missing",
) -> Imputation:
    """Fill in missing values, with those that are most probable together or with a draw.

    States that the network does not have are missing, or refused if ``unseen`` is "error". Other values, the
    order of rows and columns that are not in the network stay as they are. A column of the network that the
    table lacks is added.

    >>> import chordlearn as cl
    >>> heart = cl.fit(cl.learn("heart"))
    >>> found = impute(heart, {"note": ["a", "b"], "smoke": ["y", None], "phys": ["n", "y"]})
    >>> found.frame.row(1)[:3], found.filled["smoke"]
    (('b', 'y', 'y'), 1)
    """
    import polars as pl

    rows = read_rows(data)
    coded = network.coded(rows, network.variables, unseen=unseen)
    codes = coded.codes
    completed = network.complete_codes(codes, draw=draw, seed=seed)
    frame = rows.frame
    for i, (name, labels) in enumerate(zip(network.variables, network.states, strict=True)):
        gaps = codes[:, i] < 0
        if gaps.any():
            chosen = np.array(labels, dtype=object)[completed[:, i]]
            old = frame[name].cast(pl.String).to_list() if name in frame.columns else [None] * len(rows)
            values = [new if gap else kept for new, kept, gap in zip(chosen, old, gaps, strict=True)]
            frame = frame.with_columns(pl.Series(name, values, dtype=pl.String))
    filled = (codes < 0).sum(axis=0).tolist()
    return Imputation(same_kind(frame, data), dict(zip(network.variables, filled, strict=True)), coded.unseen)
