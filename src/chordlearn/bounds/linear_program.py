"""The linear program: some families as columns, some cuts as rows, kept in HiGHS between rounds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import CutBound

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]
Edge = tuple[int, int]

SMALLEST_VALUE = 1e-9
LONGEST_SECONDS = 1.0
"""So long before it is asked whether to go on with a linear program."""
LARGEST_COST = 2.0**20
"""Costs are given in units in which none is larger: the tolerances of the solver do not depend on them, and
doubles hold no reduced cost of larger ones that exactly."""
IDLE_ROUNDS = 6
"""A cut that has had no say for so many rounds leaves the program."""


@dataclass(frozen=True)
class Solution:
    """A solution of the program: how complete each set is; sets that are not listed are at 0."""

    numbers: Numbers
    values: Reals


class Master:
    """A linear program that grows and shrinks.

    A column is a family: a variable, and the neighbours before it in an elimination order. Each variable
    has at most one; without, it has no neighbours before it.
    """

    def __init__(self, sets: CutBound, n: int) -> None:
        import highspy

        self.sets = sets
        self.n = n
        self._children: Numbers = np.zeros(0, dtype=np.int64)
        self._families: Numbers = np.zeros(0, dtype=np.int64)
        self._known: set[tuple[int, int]] = set()
        self._cuts: Numbers = np.zeros(0, dtype=np.int64)
        """The cut of each row after the first n."""
        self._idle: Numbers = np.zeros(0, dtype=np.int64)
        self._missing_edges: list[int] = []
        """The columns that stand for edges that are there but missing."""
        self._edge_cuts: list[int] = []
        # Doing without an edge that is there has a price, so that the program is feasible whatever columns it
        # has; a price larger than the range of scores shows that there is no network at all.
        self._missing_edge_cost = 1.0 + 2.0 * (sets.price(self._cuts, np.zeros(0)) - sets.least_score)
        self._unit = 2.0 ** max(0, math.ceil(math.log2(self._missing_edge_cost / LARGEST_COST)))
        self._fixed_out: set[Edge] = set()
        self._multipliers: Reals = np.zeros(0)
        self._shares: Reals = np.zeros(n)
        self._infinity = highspy.kHighsInf
        self._statuses = highspy.HighsModelStatus
        self._solver = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("threads", 1)
        for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._solver.setOptionValue(tolerance, 1e-9)
        nothing = np.zeros(0)
        self._solver.addRows(
            n,
            np.full(n, -self._infinity),
            np.ones(n),
            0,
            np.zeros(n, np.int32),
            nothing.astype(np.int32),
            nothing,
        )

    def solve(self, is_stopped: Callable[[], bool], deadline: float | None = None) -> Solution | None:
        """The best point; None if it is stopped before, or if the solver fails."""
        if not self._run(is_stopped, deadline):
            return None
        if self._solver.getModelStatus() != self._statuses.kOptimal:
            # What it goes on from may be what it fails at.
            self._solver.clearSolver()
            if not self._run(is_stopped, deadline):
                return None
        if not len(self._children):
            self._shares = np.zeros(self.n)
            self._multipliers = np.zeros(len(self._cuts))
            return Solution(np.zeros(0, dtype=np.int64), np.zeros(0))
        if self._solver.getModelStatus() != self._statuses.kOptimal:
            return None
        solution = self._solver.getSolution()
        duals = np.array(solution.row_dual)
        self._shares = np.maximum(-duals[: self.n], 0.0) * self._unit
        self._multipliers = np.maximum(duals[self.n :], 0.0) * self._unit
        self._idle = np.where(self._multipliers > 0, 0, self._idle + 1)
        values = np.array(solution.col_value)
        used = np.flatnonzero((values > SMALLEST_VALUE) & (self._children >= 0))
        return Solution(*self.sets.complete_sets(self._children[used], self._families[used], values[used]))

    def _run(self, is_stopped: Callable[[], bool], deadline: float | None) -> bool:
        """Run the solver to its end; False if it is stopped before."""
        while True:
            left = math.inf if deadline is None else deadline - time.monotonic()
            # The solver counts the seconds of all its runs, and goes on where it was.
            seconds = self._solver.getRunTime() + max(0.0, min(LONGEST_SECONDS, left))
            self._solver.setOptionValue("time_limit", seconds)
            self._solver.run()
            if is_stopped():
                return False
            if self._solver.getModelStatus() != self._statuses.kTimeLimit:
                return True

    def multipliers(self) -> tuple[Numbers, Reals]:
        """The places of the cuts that have a say, and their multipliers by the last solution."""
        used = np.flatnonzero(self._multipliers > 0)
        return self._cuts[used], self._multipliers[used]

    def price_columns(self, most: int, above: float) -> int:
        """Columns for families that are worth more than their child's share; returns how many are new."""
        return self.add_families(*self.sets.families_above((self._shares + above).tolist(), most))

    def add_families(self, children: Numbers, families: Numbers) -> int:
        """Columns for these families, where there are none; returns how many."""
        fresh = [
            pair for pair in zip(children.tolist(), families.tolist(), strict=True) if pair not in self._known
        ]
        if not fresh:
            return 0
        self._known.update(fresh)
        children = np.array([child for child, _ in fresh], dtype=np.int64)
        families = np.array([family for _, family in fresh], dtype=np.int64)
        rows, columns, values = self.sets.coefficients(self._cuts, children, families)
        rows = np.concatenate([children, rows + self.n])
        columns = np.concatenate([np.arange(len(fresh)), columns])
        values = np.concatenate([np.ones(len(fresh)), values])
        order = np.lexsort((rows, columns))
        upper = np.where(self._is_fixed_out(families), 0.0, self._infinity)
        self._add_columns(
            children, families, -self.sets.family_weights(children, families), upper,
            rows[order], columns[order], values[order],
        )  # fmt: skip
        return len(fresh)

    def add_cuts(self, places: Numbers) -> int:
        """Rows for these cuts, where there are none; returns how many."""
        places = np.setdiff1d(places, self._cuts)
        if not len(places):
            return 0
        real = np.flatnonzero(self._children >= 0)
        rows, columns, values = self.sets.coefficients(places, self._children[real], self._families[real])
        order = np.lexsort((columns, rows))
        self._solver.addRows(
            len(places),
            -self.sets.constants(places),
            np.full(len(places), self._infinity),
            len(values),
            np.searchsorted(rows[order], np.arange(len(places))).astype(np.int32),
            real[columns[order]].astype(np.int32),
            values[order],
        )
        self._cuts = np.concatenate([self._cuts, places])
        self._idle = np.concatenate([self._idle, np.zeros(len(places), dtype=np.int64)])
        self._multipliers = np.concatenate([self._multipliers, np.zeros(len(places))])
        return len(places)

    def start_from(self, multipliers: Sequence[tuple[int, float]]) -> None:
        """Begin with the cuts at these places, and these multipliers."""
        self.add_cuts(np.array([place for place, _ in multipliers], dtype=np.int64))
        known = dict(multipliers)
        self._multipliers = np.array([known[place] for place in self._cuts.tolist()])

    def drop_idle_cuts(self) -> None:
        """Forget the cuts that have had no say for long."""
        self._drop((self._idle >= IDLE_ROUNDS) & ~np.isin(self._cuts, self._edge_cuts))

    def exclude(self) -> None:
        """Keep at 0 what the sets have excluded since."""
        self._set_upper_bounds()

    def fix(self, fixed_in: Iterable[Edge], fixed_out: Iterable[Edge]) -> None:
        """The edges that are there, and those that are not; the others may be."""
        for column in self._missing_edges:
            self._solver.changeColBounds(column, 0.0, 0.0)
        self._missing_edges.clear()
        self._drop(np.isin(self._cuts, self._edge_cuts))
        self._edge_cuts.clear()
        self._fixed_out = set(fixed_out)
        self.sets.close(sorted(self._fixed_out))
        self._set_upper_bounds()
        for a, b in fixed_in:
            place = self.sets.edge_cut(a, b)
            self.add_cuts(np.array([place]))
            self._edge_cuts.append(place)
            row = self.n + int(np.flatnonzero(self._cuts == place)[0])
            self._missing_edges.append(len(self._children))
            none = np.full(1, -1, dtype=np.int64)
            self._add_columns(
                none, none, np.full(1, self._missing_edge_cost), np.full(1, self._infinity),
                np.full(1, row), np.zeros(1, dtype=np.int64), np.ones(1),
            )  # fmt: skip

    def _drop(self, cuts: NDArray[np.bool_]) -> None:
        rows = (self.n + np.flatnonzero(cuts)).astype(np.int32)
        if len(rows):
            self._solver.deleteRows(len(rows), rows)
            self._cuts, self._idle = self._cuts[~cuts], self._idle[~cuts]
            self._multipliers = self._multipliers[~cuts]

    def _is_fixed_out(self, families: Numbers) -> NDArray[np.bool_]:
        closed = np.array(self.sets.excluded(families), dtype=np.bool_)
        if self._fixed_out:
            for k in np.flatnonzero(~closed):
                members = self.sets.members(int(families[k]))
                closed[k] = any(a in members and b in members for a, b in self._fixed_out)
        return closed

    def _set_upper_bounds(self) -> None:
        real = np.flatnonzero(self._children >= 0)
        closed = self._is_fixed_out(self._families[real])
        self._solver.changeColsBounds(
            len(real),
            real.astype(np.int32),
            np.zeros(len(real)),
            np.where(closed, 0.0, self._infinity),
        )

    def _add_columns(
        self,
        children: Numbers,
        families: Numbers,
        costs: Reals,
        upper: Reals,
        rows: Numbers,
        columns: Numbers,
        values: Reals,
    ) -> None:
        count = len(children)
        self._solver.addCols(
            count, costs / self._unit, np.zeros(count), upper, len(values),
            np.searchsorted(columns, np.arange(count)).astype(np.int32), rows.astype(np.int32), values,
        )  # fmt: skip
        self._children = np.concatenate([self._children, children])
        self._families = np.concatenate([self._families, families])
