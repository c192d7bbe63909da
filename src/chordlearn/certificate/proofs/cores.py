"""The file cores.txt: core-guided steps, each raising what every solution of the instance costs.

A line has a weight w and literals of which not all can be true (a core). Their costs are w or more. Since one
is false, w is paid for sure; paid beyond it is w for every further one that is false. So w is taken from each
cost, the sure cost rises by w, and for each t ≥ 2 a new literal, "fewer than t of them are false", costs w.
New variables count the false ones by a tree: a node's t-th variable says that at least t of its leaves are
false, and clauses add up two halves.

That the cores are cores is what instance.cnf is about, whose clauses contradict each other: a selector for
each core makes all its literals true, and one of the selectors must be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chordlearn.certificate.proofs.instance import Clause, Instance
from chordlearn.certificate.proofs.lines import numbers_in
from chordlearn.certificate.results.report import Failed


@dataclass(frozen=True)
class Core:
    """Literals of which not all can be true, and the weight that is taken from their costs."""

    weight: int
    literals: Clause

    def __str__(self) -> str:
        """The line of the file."""
        return " ".join(map(str, (self.weight, *self.literals)))


def read_cores(text: Sequence[str]) -> list[Core]:
    """The steps in a file."""
    cores = []
    for number, line in enumerate(text, start=1):
        weight, *literals = numbers_in(line, f"line {number} of cores.txt")
        cores.append(Core(weight, tuple(literals)))
    return cores


class Accounts:
    """What the literals still cost, what is paid for sure, and the clauses that count false literals."""

    def __init__(self, instance: Instance) -> None:
        self.costs = dict(instance.costs)
        self.paid: float = 0
        """A whole number, or infinity when there is no solution at all."""
        self.variables = instance.variables
        self.meanings: list[str] = []
        self.clauses: list[Clause] = []

    def take(self, core: Core, name: str) -> list[int]:
        """Account for a core; returns the new literals, "fewer than t of them are false" for t = 2, 3, ….

        >>> accounts = Accounts(Instance(2, costs={1: 5, -2: 3}))
        >>> accounts.take(Core(3, (1, -2)), "core 1"), accounts.paid, accounts.costs
        ([-4], 3, {1: 2, -2: 0, -4: 3})
        >>> accounts.clauses
        [(-2, 3), (1, 3), (1, -2, 4)]
        """
        if core.weight <= 0 or len(set(core.literals)) != len(core.literals):
            raise Failed(f"{name} has a weight of {core.weight}, or a literal twice")
        for literal in core.literals:
            cost = self.costs.get(literal, 0)
            if cost < core.weight:
                raise Failed(f"{name} takes {core.weight} from the literal {literal}, which costs {cost}")
            self.costs[literal] = cost - core.weight
        if not core.literals:
            self.paid = float("inf")
            return []
        self.paid += core.weight
        first = self.variables + 1
        further = [-counter for counter in self._count_false(core.literals)[1:]]
        if further:
            self.meanings.append(f"{first} to {self.variables} count the false literals of {name}")
        for literal in further:
            self.costs[literal] = core.weight
        return further

    def _count_false(self, literals: Clause) -> list[int]:
        """Literals that are true if at least 1, 2, … of these are false."""
        if len(literals) == 1:
            return [-literals[0]]
        middle = len(literals) // 2
        left, right = self._count_false(literals[:middle]), self._count_false(literals[middle:])
        both = list(range(self.variables + 1, self.variables + 1 + len(literals)))
        self.variables += len(literals)
        for i in range(len(left) + 1):
            for j in range(len(right) + 1):
                if i + j:
                    some = [-left[i - 1]] if i else []
                    others = [-right[j - 1]] if j else []
                    self.clauses.append((*some, *others, both[i + j - 1]))
        return both


@dataclass(frozen=True)
class Contradiction:
    """The clauses of instance.cnf, which contradict each other if and only if all the cores are cores."""

    variables: int
    clauses: list[Clause]
    meanings: list[str]

    def lines(self) -> Iterator[str]:
        """The file, in DIMACS form."""
        yield from (f"c {meaning}" for meaning in self.meanings)
        yield f"p cnf {self.variables} {len(self.clauses)}"
        yield from (" ".join(map(str, (*clause, 0))) for clause in self.clauses)


def contradiction(instance: Instance, cores: Sequence[Core]) -> tuple[Contradiction, float]:
    """The clauses that say "one of these is no core", and what every solution costs if all are."""
    accounts = Accounts(instance)
    for number, core in enumerate(cores, start=1):
        accounts.take(core, f"core {number}")
    first = accounts.variables + 1
    selectors = list(range(first, first + len(cores)))
    chosen = [
        (-selector, literal)
        for selector, core in zip(selectors, cores, strict=True)
        for literal in core.literals
    ]
    meanings = [f"{number} {meaning}" for number, meaning in enumerate(instance.meanings, start=1)]
    if cores:
        accounts.meanings.append(f"{first} to {selectors[-1]} choose a core whose literals are all true")
    clauses = [*instance.clauses, *accounts.clauses, *chosen, tuple(selectors)]
    variables = accounts.variables + len(cores)
    return Contradiction(variables, clauses, meanings + accounts.meanings), accounts.paid
