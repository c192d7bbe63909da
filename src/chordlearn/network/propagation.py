"""Exact inference by messages along the junction forest, for one row of evidence or for many at once.

A factor is a table of logarithms over some variables, for many rows at once: its first axis is the row,
or has length 1 if all rows share the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import TooLargeError

Table = NDArray[np.float64]
Positions = tuple[int, ...]
"""Variables by their rising positions; the axes of a table are in this order."""


@dataclass(frozen=True, eq=False)
class Node:
    """A clique of the rooted forest."""

    clique: Positions
    parent: int | None
    """Its parent's place in the order of the forest; None for the root of a tree."""
    separator: Positions
    """What it shares with its parent; empty for a root."""
    log_table: Table
    """log P(clique | separator), −∞ where the separator's state is impossible."""

    @property
    def residual(self) -> Positions:
        """What the clique does not share with its parent."""
        return tuple(position for position in self.clique if position not in self.separator)


def rooted_forest(
    cliques: Sequence[Positions], edges: Sequence[tuple[int, int]], tables: Sequence[Table]
) -> tuple[Node, ...]:
    """Root each tree at its first clique; parents come before their children."""
    neighbours: list[list[int]] = [[] for _ in cliques]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    nodes: list[Node] = []
    place: dict[int, int] = {}
    for start in range(len(cliques)):
        waiting: list[tuple[int, int | None]] = [] if start in place else [(start, None)]
        while waiting:
            clique, parent = waiting.pop()
            place[clique] = len(nodes)
            shared = () if parent is None else tuple(p for p in cliques[clique] if p in cliques[parent])
            nodes.append(
                Node(
                    cliques[clique],
                    None if parent is None else place[parent],
                    shared,
                    _log_conditional(tables[clique], cliques[clique], shared),
                )
            )
            waiting += [(other, clique) for other in reversed(neighbours[clique]) if other not in place]
    return tuple(nodes)


def _log_conditional(table: Table, clique: Positions, separator: Positions) -> Table:
    residual = tuple(axis for axis, position in enumerate(clique) if position not in separator)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(table) - (np.log(table.sum(axis=residual, keepdims=True)) if separator else 0.0)
    return np.where(table > 0, logs, -np.inf)


@dataclass(frozen=True, eq=False)
class Factor:
    """Logarithms over the variables at some rising positions."""

    variables: Positions
    logs: Table
    """Shape (rows or 1, *states of the variables)."""

    def times(self, other: Factor) -> Factor:
        """The product, over the variables of both."""
        union = tuple(sorted({*self.variables, *other.variables}))
        return Factor(union, self._spread(union) + other._spread(union))

    def over(self, other: Factor) -> Factor:
        """The quotient by a factor whose zeros are zeros of this one too, where 0/0 is 0."""
        divisor = other._spread(self.variables)
        return Factor(self.variables, self.logs - np.where(np.isneginf(divisor), 0.0, divisor))

    def summed_onto(self, kept: Positions) -> Factor:
        """The sum over all variables but these."""
        axes = self._axes_without(kept)
        return Factor(self._common(kept), log_sum(self.logs, axes)) if axes else self

    def maximum_onto(self, kept: Positions) -> Factor:
        """The maximum over all variables but these."""
        axes = self._axes_without(kept)
        return Factor(self._common(kept), self.logs.max(axis=axes)) if axes else self

    def restricted(self, observed: Positions, codes: NDArray[np.int32]) -> Factor:
        """The part that agrees with each row's codes of the observed variables (one column each)."""
        here = [position for position in self.variables if position in observed]
        if not here:
            return self
        hidden = tuple(position for position in self.variables if position not in observed)
        order = [self.variables.index(position) for position in (*here, *hidden)]
        table = self.logs[0].transpose(order)
        columns = [codes[:, observed.index(position)] for position in here]
        sizes = table.shape[: len(here)]
        return Factor(hidden, table.reshape(-1, *table.shape[len(here) :])[flat_index(columns, sizes)])

    def matrix(self, rows: Positions) -> Table:
        """Shape (rows or 1, states of ``rows``, states of the other variables), both flattened."""
        others = tuple(position for position in self.variables if position not in rows)
        order = [1 + self.variables.index(position) for position in (*rows, *others)]
        moved = self.logs.transpose([0, *order])
        count = int(np.prod(moved.shape[1 : 1 + len(rows)], dtype=np.int64))
        return moved.reshape(moved.shape[0], count, -1)

    def _common(self, kept: Positions) -> Positions:
        return tuple(position for position in self.variables if position in kept)

    def _axes_without(self, kept: Positions) -> tuple[int, ...]:
        return tuple(axis for axis, position in enumerate(self.variables, 1) if position not in kept)

    def _spread(self, variables: Positions) -> Table:
        """With an axis of length 1 for each variable that it lacks."""
        sizes = dict(zip(self.variables, self.logs.shape[1:], strict=True))
        return self.logs.reshape(self.logs.shape[0], *(sizes.get(position, 1) for position in variables))


def log_sum(logs: Table, axes: tuple[int, ...]) -> Table:
    """log Σ exp over some axes, without overflow; −∞ where all terms are.

    >>> log_sum(np.log(np.array([[0.25, 0.5]])), (1,)).round(6)
    array([-0.287682])
    """
    top = logs.max(axis=axes, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - top).sum(axis=axes)) + np.squeeze(top, axis=axes))


def flat_index(columns: Sequence[NDArray[np.integer]], sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Each row's place in a table of these sizes that is stored row by row.

    >>> flat_index([np.array([1, 0]), np.array([2, 1])], (2, 3))
    array([5, 1])
    """
    index = columns[0].astype(np.int64)
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        index *= size
        index += column
    return index


MOST_CELLS = 1 << 25
"""No joint table may be larger."""
MOST_AXES = 60
"""An array has at most 64, of which one is for rows."""
FEW_CHOICES = 8

Choice = Callable[[Table, NDArray[np.int64]], NDArray[np.int64]]
"""Takes a table of logarithms and the table's row for each answer; gives the column of each."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known: codes of the observed variables, a row per question, and weights of states of others."""

    observed: Positions = ()
    codes: NDArray[np.int32] | None = None
    """Shape (rows, observed variables); None if nothing is observed."""
    soft: Mapping[int, Table] | None = None
    """The log weight of each state, by variable: for all rows alike, or with a first axis of rows."""


class Propagation:
    """The messages of a forest under some evidence."""

    def __init__(self, nodes: Sequence[Node], evidence: Evidence, *, constants: bool = True) -> None:
        """Restrict every clique to the evidence; the messages are sent when they are needed.

        Without ``constants``, cliques in which all is observed are left out: what is hidden does not depend
        on them, only the probability of the evidence does.
        """
        self._nodes = nodes
        self._factors = _restricted(nodes, evidence, constants)

    def log_probability(self) -> Table:
        """log P(evidence) of each row (of all, if they share it)."""
        collected = self._collect(())
        roots = [f for node, f in zip(self._nodes, collected, strict=True) if node.parent is None]
        total = np.zeros(1)
        for factor in roots:
            total = total + factor.summed_onto(()).logs
        return total

    def joint(self, targets: Positions) -> Table:
        """log P(targets, evidence), with an axis for each target after that of the rows."""
        collected = self._collect(targets)
        joint = Factor((), np.zeros(1))
        for node, factor in zip(self._nodes, collected, strict=True):
            if node.parent is None:
                part = factor.summed_onto(targets)
                _refuse_large(joint, part)
                joint = joint.times(part)
        return joint.logs

    def beliefs(self) -> list[Factor]:
        """log P(hidden variables of the clique, evidence of its tree) for each clique."""
        collected = self._collect(())
        beliefs: list[Factor] = []
        for node, factor in zip(self._nodes, collected, strict=True):
            if node.parent is None:
                beliefs.append(factor)
                continue
            upward = factor.summed_onto(node.separator)
            downward = beliefs[node.parent].summed_onto(node.separator)
            beliefs.append(factor.times(downward.over(upward)))
        return beliefs

    def most_probable(self) -> tuple[dict[int, NDArray[np.int32]], Table]:
        """The codes of the hidden variables that are most probable together, and log P(them, evidence)."""
        factors = list(self._factors)
        for place in range(len(self._nodes) - 1, -1, -1):
            node = self._nodes[place]
            if node.parent is not None:
                message = factors[place].maximum_onto(node.separator)
                factors[node.parent] = factors[node.parent].times(message)
        best = np.zeros(1)
        codes: dict[int, NDArray[np.int32]] = {}
        for node, factor in zip(self._nodes, factors, strict=True):
            if node.parent is None:
                best = best + factor.maximum_onto(()).logs
            self._choose(factor, codes, _most_probable)
        return codes, best

    def sample(self, count: int, rng: np.random.Generator) -> dict[int, NDArray[np.int32]]:
        """Draw the hidden variables given the evidence, once for each row or ``count`` times for the one."""
        codes: dict[int, NDArray[np.int32]] = {}
        for factor in self._collect(()):
            self._choose(factor, codes, lambda logs, given: _drawn(logs, given, rng), count)
        return codes

    def _choose(
        self,
        factor: Factor,
        codes: dict[int, NDArray[np.int32]],
        choose: Choice,
        count: int = 1,
    ) -> None:
        """Fix the variables of a clique that are still open, given those that are fixed already."""
        fixed = tuple(position for position in factor.variables if position in codes)
        free = tuple(position for position in factor.variables if position not in codes)
        if not free:
            return
        sizes = dict(zip(factor.variables, factor.logs.shape[1:], strict=True))
        table = factor.matrix(fixed)
        rows = max([table.shape[0], count, *(len(codes[position]) for position in fixed)])
        given = np.zeros(rows, dtype=np.int64)
        if fixed:
            shape = tuple(sizes[position] for position in fixed)
            given = np.broadcast_to(flat_index([codes[position] for position in fixed], shape), rows)
        if table.shape[0] == 1:
            chosen = choose(table[0], given)
        else:
            chosen = choose(table[np.arange(rows), given], np.arange(rows))
        for position in reversed(free):
            chosen, code = np.divmod(chosen, sizes[position])
            codes[position] = code.astype(np.int32)

    def _collect(self, kept: Positions) -> list[Factor]:
        """Each clique's factor times the messages of its children, which carry the kept variables along."""
        factors = list(self._factors)
        for place in range(len(self._nodes) - 1, -1, -1):
            node = self._nodes[place]
            if node.parent is None:
                continue
            message = factors[place].summed_onto((*node.separator, *kept))
            _refuse_large(factors[node.parent], message)
            factors[node.parent] = factors[node.parent].times(message)
        return factors


def _restricted(nodes: Sequence[Node], evidence: Evidence, constants: bool) -> list[Factor]:
    factors = []
    weighed: set[int] = set()
    for node in nodes:
        if not constants and set(node.clique) <= set(evidence.observed):
            factors.append(Factor((), np.zeros(1)))
            continue
        factor = Factor(node.clique, node.log_table[None])
        for position in node.clique:
            if evidence.soft and position in evidence.soft and position not in weighed:
                weighed.add(position)
                factor = factor.times(Factor((position,), np.atleast_2d(evidence.soft[position])))
        if evidence.codes is not None:
            factor = factor.restricted(evidence.observed, evidence.codes)
        factors.append(factor)
    return factors


def _refuse_large(factor: Factor, message: Factor) -> None:
    sizes = dict(zip(message.variables, message.logs.shape[1:], strict=True))
    sizes |= dict(zip(factor.variables, factor.logs.shape[1:], strict=True))
    cells = 1
    for size in sizes.values():
        cells *= size
    if cells > MOST_CELLS or len(sizes) > MOST_AXES:
        raise TooLargeError(
            f"The joint table of these variables would need {cells} cells of {len(sizes)} variables, "
            f"more than {MOST_CELLS} or {MOST_AXES}; ask for fewer variables at a time."
        )


def _most_probable(logs: Table, given: NDArray[np.int64]) -> NDArray[np.int64]:
    best: NDArray[np.int64] = logs.argmax(axis=1)[given]
    return best


def _drawn(logs: Table, given: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a column for each row of ``given`` from the distribution in that row of the table."""
    top = logs.max(axis=1, keepdims=True)
    heights = np.exp(logs - np.where(np.isneginf(top), 0.0, top)).cumsum(axis=1)
    heights /= np.where(heights[:, -1:] > 0, heights[:, -1:], 1.0)
    uniform = rng.random(len(given))
    choices = heights.shape[1]
    if choices <= FEW_CHOICES:
        chosen = np.zeros(len(given), dtype=np.int64)
        for column in heights.T[:-1]:
            chosen += uniform >= column[given]
        return chosen
    # One search serves all rows of the table when each is lifted by its number.
    lifted = (heights + np.arange(len(heights))[:, None]).ravel()
    found: NDArray[np.int64] = np.searchsorted(lifted, uniform + given, side="right") - given * choices
    return found.clip(0, choices - 1)
