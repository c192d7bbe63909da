"""Cores of an instance, found by a SAT solver, until they cost enough or the time is up."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from chordlearn.certificate.proofs.instance import Accounts, Clause, Core, Instance
from chordlearn.errors import BackendError, ProofError, option

LATE_PROOF = f"The time limit came before the proof was whole; give more time ({option('time_limit')})."


def stop_after(deadline: float | None) -> None:
    """Raise once the deadline (of time.monotonic) has passed."""
    if deadline is not None and time.monotonic() > deadline:
        raise ProofError(LATE_PROOF)


SOLVER = "glucose4"
MOST_CONFLICTS = 20_000
LARGEST_TO_SHRINK = 60
CONFLICTS_PER_SHRINK = 500
DIVERSITY = 1.25
"""A stratum is wide enough when it has so many literals per different cost."""


def find_cores(
    instance: Instance,
    needed: int,
    deadline: float | None = None,
) -> tuple[list[Core], list[Clause]] | None:
    """Cores that show that every solution costs what is needed, and the clauses learned on the way.

    None when the solver needs too many conflicts, and when it is stopped at the deadline (of time.monotonic).

    >>> instance = Instance(2, clauses=[(-1, -2)], costs={1: 5, 2: 3})
    >>> find_cores(instance, 3)[0]
    [Core(weight=3, literals=(1, 2))]
    """
    from pysat.solvers import Solver

    with Solver(name=SOLVER, bootstrap_with=instance.clauses, with_proof=True) as solver:
        search = _Search(instance, solver)
        with _interrupted_at(deadline, solver):
            while search.accounts.paid < needed:
                if not search.step():
                    return None
                stop_after(deadline)
        return search.cores, _learned(solver.get_proof())


@contextmanager
def _interrupted_at(deadline: float | None, solver: Any) -> Iterator[None]:
    """Let the solver end its call at the deadline."""
    if deadline is None:
        yield
        return
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), solver.interrupt)
    timer.start()
    try:
        yield
    finally:
        # The solver must outlive the timer.
        timer.cancel()
        timer.join()


def _learned(proof: list[str]) -> list[Clause]:
    """The clauses that a DRUP proof adds.

    The empty clause, which the solver writes at the end of each call, may follow from assumptions only.
    """
    added = (line.split()[:-1] for line in proof if not line.startswith("d"))
    return [tuple(map(int, literals)) for literals in added if literals]


class _OutOfConflicts(Exception):  # noqa: N818
    pass


class _Search:
    """Stratified core-guided search: literals with large costs come first."""

    def __init__(self, instance: Instance, solver: Any) -> None:
        self.solver = solver
        self.accounts = Accounts(instance)
        self.cores: list[Core] = []
        self.assumed: set[int] = set()
        self.active = set(instance.costs)
        self.next: dict[int, int] = {}
        """The literal that counts one false literal more, which matters once this one is in a core."""
        self.stratum = max(instance.costs.values(), default=0)
        self._assume()

    def step(self) -> bool:
        """Find one more core, or another one's next; False when that is too hard."""
        try:
            while (core := self._solve(sorted(self.assumed, key=self._by_cost))) is None:
                if not self._widen():
                    raise BackendError(
                        "A SAT solver found a network that scores more than the one called optimal, "
                        "which is a defect; please report it."
                    )
            self._take(self._shrink(core))
        except _OutOfConflicts:
            return False
        return True

    def _by_cost(self, literal: int) -> tuple[int, int]:
        return -self.accounts.costs[literal], abs(literal)

    def _solve(self, literals: list[int], most: int | None = None) -> list[int] | None:
        """Literals among these that cannot all be true; None if they can or, with a limit, if unknown."""
        left = MOST_CONFLICTS - self.solver.accum_stats()["conflicts"]
        if left <= 0:
            raise _OutOfConflicts
        self.solver.conf_budget(left if most is None else min(most, left))
        satisfiable = self.solver.solve_limited(assumptions=literals, expect_interrupt=True)
        if satisfiable is False:
            return list(self.solver.get_core() or ())
        if satisfiable is None and most is None:
            raise _OutOfConflicts
        return None

    def _widen(self) -> bool:
        """Go on to the next stratum; False if all literals that cost are assumed already."""
        costs = {literal: self.accounts.costs[literal] for literal in self.active}
        levels = sorted({cost for cost in costs.values() if cost < self.stratum}, reverse=True)
        if not levels:
            return False
        before = len(self.assumed)
        for level in levels:
            self.stratum = level
            inside = [cost for cost in costs.values() if cost >= level]
            if len(inside) >= DIVERSITY * len(set(inside)) or len(inside) >= 1.3 * before + 10:
                break
        self._assume()
        return True

    def _assume(self) -> None:
        self.assumed = {
            literal for literal in self.active if self.accounts.costs[literal] >= max(self.stratum, 1)
        }

    def _shrink(self, core: list[int]) -> list[int]:
        """Leave out literals that the contradiction does not need, the cheapest first."""
        if len(core) > LARGEST_TO_SHRINK:
            return core
        core = sorted(core, key=self._by_cost, reverse=True)
        position = 0
        while position < len(core) > 1:
            smaller = self._solve(core[:position] + core[position + 1 :], CONFLICTS_PER_SHRINK)
            if smaller is None:
                position += 1
            else:
                needed = set(smaller)
                core = [literal for literal in core if literal in needed]
        return core

    def _take(self, literals: list[int]) -> None:
        """Account for a core, and go on with its count of false literals as far as that is easy."""
        while True:
            weight = min((self.accounts.costs[literal] for literal in literals), default=1)
            core = Core(weight, tuple(sorted(literals, key=abs)))
            known = len(self.accounts.clauses)
            further = self.accounts.take(core, f"core {len(self.cores) + 1}")
            self.cores.append(core)
            for clause in self.accounts.clauses[known:]:
                self.solver.add_clause(clause)
            self.next.update(pairwise(further))
            followers = further[:1] + [self.next[literal] for literal in literals if literal in self.next]
            self.active.update(followers)
            self.active = {literal for literal in self.active if self.accounts.costs[literal]}
            self._assume()
            if not followers or self._solve(followers[:1], CONFLICTS_PER_SHRINK) != followers[:1]:
                return
            literals = followers[:1]
