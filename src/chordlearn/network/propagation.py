"""Exact inference by messages along the junction forest, for one row of evidence or for many at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import TooLargeError
from chordlearn.network.directed import Node, Positions, Table
from chordlearn.network.factors import Factor, flat_index

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
