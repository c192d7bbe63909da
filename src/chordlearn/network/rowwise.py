"""Inference for many rows at once: rows that lack the same values are one batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from chordlearn.network.propagation import Evidence, Node, Positions, Propagation, Table, log_sum

CELLS_AT_ONCE = 1 << 18
FEW_ROWS = 64
FEW_PATTERNS = 8
LARGEST_MASKED = 4096

Codes = NDArray[np.int32]
"""Shape (rows, variables); −1 where a value is not known."""


def log_likelihoods(nodes: Sequence[Node], codes: Codes) -> Table:
    """log P of what is known of each row."""
    found = np.empty(len(codes))
    for rows, evidence in _batches(nodes, codes):
        found[rows] = Propagation(nodes, evidence).log_probability()
    return found


def posteriors(nodes: Sequence[Node], codes: Codes, target: int) -> Table:
    """P(target | all else that is known) for each row, a column per state; NaN where that is impossible."""
    near, blanket = _around(nodes, target)
    place = blanket.index(target)
    around = codes[:, list(blanket)]
    around[:, place] = 0
    shielded = (around >= 0).all(axis=1)
    # Where all neighbours are known nothing beyond them matters.
    if shielded.all():
        return _posteriors(near, around, place)
    beyond = _posteriors(nodes, codes[~shielded], target)
    found = np.empty((len(codes), beyond.shape[1]))
    found[~shielded] = beyond
    if shielded.any():
        found[shielded] = _posteriors(near, around[shielded], place)
    return found


def _around(nodes: Sequence[Node], target: int) -> tuple[list[Node], Positions]:
    """The part of a forest that holds a variable, and the variables in it, by whose places it goes."""
    kept = [k for k, node in enumerate(nodes) if target in node.clique]
    blanket = tuple(sorted({position for k in kept for position in nodes[k].clique}))
    place = {position: i for i, position in enumerate(blanket)}
    order: dict[int | None, int] = {k: i for i, k in enumerate(kept)}
    near = []
    for k in kept:
        node, parent = nodes[k], order.get(nodes[k].parent)
        separator = () if parent is None else tuple(place[position] for position in node.separator)
        clique = tuple(place[position] for position in node.clique)
        near.append(Node(clique, parent, separator, node.log_table))
    return near, blanket


def _posteriors(nodes: Sequence[Node], codes: Codes, target: int) -> Table:
    hidden = codes.copy(order="F")
    hidden[:, target] = -1
    size = next(node.log_table.shape[node.clique.index(target)] for node in nodes if target in node.clique)
    found = np.empty((len(codes), size))
    for rows, evidence in _batches(nodes, hidden):
        logs = Propagation(nodes, evidence, constants=False).joint((target,))
        with np.errstate(invalid="ignore"):
            found[rows] = np.exp(logs - log_sum(logs, (1,))[:, None])
    return found


def completed(
    nodes: Sequence[Node], codes: Codes, rng: np.random.Generator | None
) -> tuple[Codes, NDArray[np.bool_]]:
    """Fill in what is not known, and say which rows are possible at all.

    Without a generator the values are those that are most probable together; with one they are drawn.
    """
    filled = codes.copy(order="F")
    possible = np.ones(len(codes), dtype=np.bool_)
    for rows, evidence in _batches(nodes, codes):
        if len(evidence.observed) == codes.shape[1]:
            continue
        propagation = Propagation(nodes, evidence, constants=False)
        possible[rows] = ~np.isneginf(propagation.log_probability())
        if rng is None:
            chosen, _ = propagation.most_probable()
        else:
            count = len(codes[rows])
            chosen = propagation.sample(count, rng)
        for position, values in chosen.items():
            filled[rows, position] = values
    return filled, possible


Selection = slice | NDArray[np.int64]


def _batches(nodes: Sequence[Node], codes: Codes) -> Iterator[tuple[Selection, Evidence]]:
    """Rows with the same gaps together; what is left over is masked, if the tables are small enough."""
    left_over: list[NDArray[np.int64]] = []
    for observed, rows in _patterns(codes):
        if rows is not None and len(rows) < FEW_ROWS:
            left_over.append(rows)
            continue
        yield from _alike(nodes, codes, observed, rows)
    if not left_over:
        return
    together = np.concatenate(left_over)
    certain = np.flatnonzero((codes[together] >= 0).all(axis=0)).tolist()
    if len(left_over) < FEW_PATTERNS or _largest_table(nodes, certain) > LARGEST_MASKED:
        for rows in left_over:
            yield from _alike(nodes, codes, tuple(np.flatnonzero(codes[rows[0]] >= 0).tolist()), rows)
        return
    sizes = {p: n for node in nodes for p, n in zip(node.clique, node.log_table.shape, strict=True)}
    for chosen, evidence in _alike(nodes, codes, tuple(certain), together):
        masks = {p: _mask(codes[chosen, p], sizes[p]) for p in sizes if p not in certain}
        yield chosen, Evidence(evidence.observed, evidence.codes, masks)


def _alike(
    nodes: Sequence[Node], codes: Codes, observed: Positions, rows: NDArray[np.int64] | None
) -> Iterator[tuple[Selection, Evidence]]:
    """Pieces of some rows (all, if None) of which these variables are observed."""
    length = len(codes) if rows is None else len(rows)
    step = max(1, CELLS_AT_ONCE // _largest_table(nodes, observed))
    for start in range(0, length, step):
        chosen: Selection = slice(start, start + step) if rows is None else rows[start : start + step]
        known = np.asfortranarray(codes[chosen][:, list(observed)]) if observed else None
        yield chosen, Evidence(observed, known)


def _mask(column: NDArray[np.int32], size: int) -> Table:
    """Log weights that allow only the state of a row, or every state where there is none."""
    allowed = (column[:, None] < 0) | (column[:, None] == np.arange(size))
    return np.where(allowed, 0.0, -np.inf)


def _patterns(codes: Codes) -> Iterator[tuple[Positions, NDArray[np.int64] | None]]:
    """Which variables are known, and in which rows (None for all of them)."""
    hidden = codes < 0
    partly = hidden.any(axis=0) & ~hidden.all(axis=0)
    if not partly.any():
        yield tuple(np.flatnonzero(~hidden.all(axis=0)).tolist()), None
        return
    _, group = np.unique(np.packbits(hidden, axis=1), axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(group.ravel()))
    for rows in np.split(order, ends[:-1]):
        yield tuple(np.flatnonzero(~hidden[rows[0]]).tolist()), rows


def _largest_table(nodes: Sequence[Node], observed: Sequence[int]) -> int:
    known = set(observed)
    largest = 1
    for node in nodes:
        cells = 1
        for position, size in zip(node.clique, node.log_table.shape, strict=True):
            cells *= 1 if position in known else size
        largest = max(largest, cells)
    return largest
