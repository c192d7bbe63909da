"""Branch and cut: bounds from linear programs, and cases of edges where those leave a gap."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from chordlearn._core import Ascent, Control, CutBound
from chordlearn.bounds.linear_program import Edge, Master, Numbers, Reals, Solution
from chordlearn.graphs import Graph, chordless_cycle, graph_from_edges, maximal_cliques
from chordlearn.problem.problem import Incumbent

SHARES = (0.85, 0.4, 0.0)
"""How far towards the best network cuts are looked for, one after the other until there are some.
Cuts found inside are deeper, so that far fewer rounds are needed."""
CUT_TOLERANCE = 1e-4
FINEST_CUT_TOLERANCE = 1e-6
CUTS_PER_ROUND = 1500
FAMILIES_PER_VARIABLE = 10
WORTH_TOLERANCE = 1e-9
WHOLE = 1e-6
"""A value so near to 0 or 1 is taken for it."""
ROUNDS_BETWEEN_EXCLUSIONS = 10
FEW_SETS = 1000
"""So few are left to a linear program, which is exact, once the bound falls slowly."""
PATIENCE = 12, 0.99
PATIENCE_WITH_FEW = 8, 0.5
"""After so many checks the gap must have fallen to so much of what it was."""


GivenCut = tuple[Sequence[int], Sequence[int], int, bool]
"""As CutBound.cut gives it."""


@dataclass(frozen=True)
class Prices:
    """Cuts with multipliers."""

    cuts: Sequence[GivenCut] = ()
    multipliers: Sequence[float] = ()
    most: Sequence[float] = ()
    """By variable: no family of any size is worth more by them, if that is known."""


@dataclass(frozen=True)
class Step:
    """What the multipliers of cuts, by place, prove: sets excluded, a case settled, or one split."""

    fixed_in: tuple[Edge, ...]
    fixed_out: tuple[Edge, ...]
    multipliers: tuple[tuple[int, float], ...]
    outcome: Literal["excluded", "settled"] | Edge


@dataclass(order=True)
class _Case:
    """The networks with some edges and without others; those with the largest bound come first."""

    order: float
    fixed_in: tuple[Edge, ...] = field(compare=False)
    fixed_out: tuple[Edge, ...] = field(compare=False)

    @property
    def bound(self) -> float:
        return -self.order

    def split(self, edge: Edge, bound: float) -> list[_Case]:
        return [
            _Case(-bound, (*self.fixed_in, edge), self.fixed_out),
            _Case(-bound, self.fixed_in, (*self.fixed_out, edge)),
        ]


@dataclass
class BranchAndCut:
    """A run on the sets of up to so many variables.

    ``bound`` holds at any time: no allowed network scores more.
    """

    sets: CutBound
    n: int
    largest: int
    """No clique has more variables."""
    score: Callable[[tuple[int, ...]], float]
    """The score of a network, given its cliques."""
    required: Sequence[Edge] = ()
    best: Incumbent | None = None
    """The best network known; may be replaced by a better one between rounds."""
    tolerance: float = 5e-7
    """A case is settled when its bound exceeds the best score by less; at least what rounding takes."""
    slack: float = 0.0
    """Sets are excluded only if no network with them scores within this distance of the best."""
    most_for_programs: float = math.inf
    """Linear programs are for so many sets at most; with more the run ends with what it has."""
    on_round: Callable[[BranchAndCut], None] = lambda _: None
    """Called between rounds."""
    on_step: Callable[[Step], None] = lambda _: None
    """Receives the steps of the proof."""
    bound: float = math.inf
    multipliers: tuple[tuple[int, float], ...] = ()
    """Of cuts, by place, in the last prices."""
    cases: int = 0
    rounds: int = 0
    is_infeasible: bool = False
    """Whether it is proved that no network has the required edges."""

    def tighten(self, control: Control, deadline: float | None = None) -> bool:
        """Bound and exclude as far as goes without cases; False if stopped before."""
        self._control, self._deadline, self._halted = control, deadline, False
        self.tolerance = max(self.tolerance, 2 * self.sets.error)
        self._master = Master(self.sets, self.n)
        self._others = -math.inf
        self.cases = 1
        root = _Case(-math.inf, tuple(self.required), ())
        bound, edge = self._ascend(root), None
        if not self._is_settled(bound) and self.sets.left > self.most_for_programs:
            self._halted = True
        if not self._is_settled(bound) and not self._halted:
            self._seed_program()
            bound, edge = self._solve(root)
        self._open = [] if edge is None else root.split(edge, bound)
        self._settled = bound if edge is None else -math.inf
        if not self._halted:
            self._exclude(root)
            self._report_end(root, edge)
        return not self._halted

    def _ascend(self, root: _Case) -> float:
        """The bound of multipliers that grow better, until few sets are left or a long time gains little."""
        nothing = np.zeros(0, dtype=np.int64)
        bound = best_bound = self._price(nothing, np.zeros(0))
        if self.best is None:
            return bound
        edges = [self.sets.edge_cut(a, b) for a, b in root.fixed_in]
        ascent = Ascent(self.sets, np.array(edges, dtype=np.int64))
        gaps: list[float] = []
        while not self._is_settled(bound):
            self._exclude(root)
            gaps.append(best_bound - self._lower)
            checks, progress = PATIENCE_WITH_FEW if self.sets.left <= FEW_SETS else PATIENCE
            if len(gaps) > checks and gaps[-1] > progress * gaps[-1 - checks]:
                break
            ascent.renew(bound, self._lower + self.tolerance / 2)
            while not ascent.work():
                if self._is_stopped():
                    self._halted = True
                    return best_bound
            self.offer(graph_from_edges(self.n, ascent.network(list(self.required))))
            bound = self._price(*ascent.multipliers())
            best_bound = min(best_bound, bound)
            self._round(best_bound)
        return best_bound

    def _price(self, places: Numbers, multipliers: Reals) -> float:
        self.multipliers = tuple(zip(places.tolist(), multipliers.tolist(), strict=True))
        return self.sets.price(places, multipliers)

    def _round(self, bound: float) -> None:
        self.bound = min(self.bound, max(bound, self._others, self._lower))
        self.rounds += 1
        self.on_round(self)

    def _is_settled(self, bound: float) -> bool:
        return bound <= self._lower + self.tolerance or bound < self.sets.least_score

    @property
    def prices(self) -> Prices:
        """The cuts that gave the last bound, with their multipliers."""
        cuts = [self.sets.cut(place) for place, _ in self.multipliers]
        return Prices(cuts, [multiplier for _, multiplier in self.multipliers])

    def run(self, control: Control, deadline: float | None = None) -> bool:
        """Go on until nothing can score more than the best network; False if stopped before."""
        if not self.tighten(control, deadline):
            return False
        while self._open:
            case = heapq.heappop(self._open)
            if case.bound <= self._lower + self.tolerance:
                self._settled = max(self._settled, case.bound)
                break
            self.cases += 1
            self._others = max([self._settled, *(other.bound for other in self._open)])
            bound, edge = self._solve(case)
            if self._halted:
                return False
            self._report_end(case, edge)
            if edge is None:
                self._settled = max(self._settled, bound)
            else:
                for part in case.split(edge, bound):
                    heapq.heappush(self._open, part)
        self.bound = min(self.bound, max(self._settled, self._lower))
        self.is_infeasible = self.best is None and self.bound < self.sets.least_score
        return True

    @property
    def _lower(self) -> float:
        return -math.inf if self.best is None else self.best.score

    def _is_stopped(self) -> bool:
        return self._control.stopped or (self._deadline is not None and time.monotonic() >= self._deadline)

    def _solve(self, case: _Case) -> tuple[float, Edge | None]:
        """The bound of a case, and the edge to branch on; None if the case is settled or the run stopped."""
        self._master.fix(case.fixed_in, case.fixed_out)
        bound = case.bound
        is_root = self.cases == 1
        for case_round in range(10**9):
            if self._is_stopped():
                self._halted = True
                return bound, None
            solution = self._master.solve(self._is_stopped, self._deadline)
            if solution is None:
                self._halted = True
                return bound, None
            bound = min(bound, self._price(*self._master.multipliers()))
            self._round(bound)
            if self._is_settled(bound):
                return bound, None
            if is_root and case_round % ROUNDS_BETWEEN_EXCLUSIONS == ROUNDS_BETWEEN_EXCLUSIONS - 1:
                self._exclude(case)
            added = self._add_cuts(solution)
            added += self._master.price_columns(FAMILIES_PER_VARIABLE, WORTH_TOLERANCE)
            if added == 0:
                edge = self._most_divided_edge(solution)
                if edge is not None:
                    return bound, edge
                if not self._take(solution):
                    return bound, None
            else:
                self._master.drop_idle_cuts()
        raise AssertionError

    def _exclude(self, case: _Case) -> None:
        if self.best is not None and self.sets.exclude_below(self._lower - self.slack):
            self._master.exclude()
            self.on_step(Step(case.fixed_in, case.fixed_out, self.multipliers, "excluded"))

    def _report_end(self, case: _Case, edge: Edge | None) -> None:
        multipliers = self.multipliers if edge is None else ()
        self.on_step(Step(case.fixed_in, case.fixed_out, multipliers, edge or "settled"))

    def _add_cuts(self, solution: Solution) -> int:
        network = self._complete_sets()
        for share in SHARES if len(network) else SHARES[-1:]:
            for tolerance in (CUT_TOLERANCE, FINEST_CUT_TOLERANCE):
                places = self.sets.separate(
                    solution.numbers, solution.values, network, share, tolerance, CUTS_PER_ROUND
                )
                added = self._master.add_cuts(places)
                if added:
                    return added
        return 0

    def _pairs(self, solution: Solution) -> list[tuple[Edge, float]]:
        pairs = []
        for number, value in zip(solution.numbers.tolist(), solution.values.tolist(), strict=True):
            members = self.sets.members(number)
            if len(members) == 2:
                pairs.append(((members[0], members[1]), value))
        return pairs

    def _most_divided_edge(self, solution: Solution) -> Edge | None:
        divided = [
            (abs(value - 0.5), edge) for edge, value in self._pairs(solution) if WHOLE < value < 1 - WHOLE
        ]
        return min(divided)[1] if divided else None

    def _take(self, solution: Solution) -> bool:
        """Take the whole solution as a network; if it is none, cut it off and say so."""
        graph = graph_from_edges(self.n, [edge for edge, value in self._pairs(solution) if value > 0.5])
        cycle = chordless_cycle(graph)
        if cycle is None:
            self.offer(graph)
            return False
        return self._master.add_cuts(np.array([self.sets.component_cut(list(cycle))])) > 0

    def sets_left(self, control: Control) -> CutBound:
        """The sets that may be complete in a network within the slack of the best one, after a run."""
        self.sets.watched_by(control)
        self.sets.close([])
        if self.cases == 1 and self.rounds > 0:
            # The last prices hold for all networks, not for a case of them only.
            self.sets.exclude_below(self._lower - self.slack)
        return self.sets

    def offer(self, graph: Graph) -> None:
        """Take a chordal graph as the best network if it is one."""
        cliques = maximal_cliques(graph)
        too_large = max(map(int.bit_count, cliques)) > self.largest
        if too_large or any(not graph[a] >> b & 1 for a, b in self.required):
            return
        score = self.score(cliques)
        if score > self._lower:
            self.best = Incumbent(score, cliques)

    def _complete_sets(self) -> Numbers:
        """The sets of two variables or more that are complete in the best network."""
        if self.best is None:
            return np.zeros(0, dtype=np.int64)
        return np.array(sorted(self._families_of(self.best.cliques)), dtype=np.int64)

    def _families_of(self, cliques: Sequence[int]) -> set[int]:
        numbers: set[int] = set()
        for clique in cliques:
            members = [i for i in range(self.n) if clique >> i & 1]
            for size in range(2, len(members) + 1):
                numbers.update(self.sets.number(list(part)) for part in combinations(members, size))
        return numbers

    def _seed_program(self) -> None:
        """Known cuts, the best network in every orientation, and what each variable would like best."""
        if self.multipliers:
            self._master.start_from(self.multipliers)
        else:
            self._master.add_cuts(self.sets.forest_cuts())
        self._price(*self._master.multipliers())
        self._master.price_columns(FAMILIES_PER_VARIABLE, WORTH_TOLERANCE)
        known = self._complete_sets()
        if len(known):
            families = [(child, number) for number in known.tolist() for child in self.sets.members(number)]
            children, numbers = np.array(families, dtype=np.int64).T
            self._master.add_families(np.ascontiguousarray(children), np.ascontiguousarray(numbers))
