"""Proofs by cuts and multipliers: of any number of variables, with cliques of any size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal

from chordlearn._core import Control, CutBound, FamilyBounds, Stopped, count_sets
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Run
from chordlearn.backends.search.waves import Slice
from chordlearn.bounds import BranchAndCut, GivenCut, Prices, Step
from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.cuts import Cut, Edge
from chordlearn.certificate.proofs.families import WITH_SEARCH, UnitScores
from chordlearn.certificate.proofs.sets_left import SetsLeft
from chordlearn.certificate.results.report import Failed
from chordlearn.errors import ProofError, option
from chordlearn.graphs import mask_of
from chordlearn.network.result import Result
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.proof.proving import as_file
from chordlearn.proof.scaling import KEPT_BACK
from chordlearn.proof.searching import stop_after
from chordlearn.scores.compute import ScoredData
from chordlearn.system.processes import usable_processors
from chordlearn.system.running import StopReason, watch

TOLERANCE_SHARE = 0.3
"""Of the tolerance of the result: so close the multipliers come; rounding takes its part too."""
FEW_SETS = 20_000
"""So many are all looked at, rather than families of any size searched."""
MOST_LISTED = 1 << 20
"""Where families cannot be searched, so many sets can be looked at."""
SMALL_CLIQUES = 3, 4
"""The multipliers for families of any size are those for networks with such cliques."""
FEW_SMALL_SETS = 100_000
SEARCH_SECONDS = 5.0
WORTH_STATING = 0.9
"""Prices are stated when they leave at most this part of the sets."""


@dataclass(frozen=True)
class CutProof:
    """A proof by cuts: the text of its file, and what it is in units of."""

    texts: dict[str, str]
    factor: float
    threshold: int


def prove_by_cuts(
    result: Result, problem: Problem, prices: Prices | None = None, deadline: float | None = None
) -> CutProof:
    """Prove a result by cuts; the prices are those of a search over families of any size, if there was one.

    Raises ``ProofError`` at the deadline (of time.monotonic), or if the multipliers are not good enough.
    """
    try:
        watched = watch(lambda control: _Writer(result, problem, control).prove(prices), deadline=deadline)
    except Failed as failure:
        raise ProofError(f"There is no proof by cuts: {failure}.") from None
    if watched.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    stop_after(deadline)
    if watched.value is None:
        raise ProofError("There is not enough memory for a proof by cuts.")
    return watched.value


def can_prove(n: int, largest: int, score: str, whole: bool = True) -> bool:
    """Whether there may be a proof by cuts: families of whole counts can be searched, or all sets listed.

    >>> can_prove(500, 500, "bdeu"), can_prove(500, 500, "qnml"), can_prove(50, 4, "qnml")
    (True, False, True)
    """
    return (whole and score in WITH_SEARCH) or _is_few(n, largest, MOST_LISTED)


def _is_few(n: int, largest: int, most: int) -> bool:
    return count_sets(n, largest) <= most


class _Writer:
    """States the steps with the numbers that the checker will find."""

    def __init__(self, result: Result, problem: Problem, control: Control) -> None:
        data = problem.scores
        assert isinstance(data, ScoredData)
        self.problem = problem
        self.control = control
        self.tolerance = result.tolerance
        number = {name: i for i, name in enumerate(problem.variables)}
        cliques = tuple(mask_of(number[name] for name in clique) for clique in result.cliques)
        self.best = Incumbent(result.score, cliques)
        # Half a unit for each of the scores that a network is summed from takes an eighth of the tolerance.
        self.factor = 2.0 ** math.ceil(math.log2(8 * problem.n / result.tolerance))
        self.scores = UnitScores(data.dataset, result.score_function, result.constraints, self.factor)
        score = min(result.score, self.scores.of_network(result.cliques, result.separators))
        self.threshold = self.scores.threshold(score, (1 - KEPT_BACK) * result.tolerance)

    def prove(self, prices: Prices | None) -> CutProof:
        """The whole proof."""
        lines, left = self._begin(prices)
        return CutProof(as_file(claims.CUTS, lines + self._close(left)), self.factor, self.threshold)

    def _begin(self, prices: Prices | None) -> tuple[list[str], SetsLeft]:
        problem, required = self.problem, frozenset(self.problem.required)
        if not self.scores.can_search or (
            prices is None and _is_few(problem.n, problem.max_clique, FEW_SETS)
        ):
            return ["all"], SetsLeft(problem.n, self.scores.grow([], [], 0, self._pause), required)
        prices = prices or self._find_prices()
        cuts = self._in_units(zip(prices.cuts, prices.multipliers, strict=True))
        # Rounding of the multipliers, which may count for a family, and of what is compared.
        room = self.scores.slack + (len(cuts) + 2) / self.factor
        most = [math.ceil((worth + room) * self.factor) for worth in prices.most]
        slack = sum(most) - sum(cut.constant for cut in cuts) - self.threshold
        left = SetsLeft(problem.n, self.scores.grow(cuts, most, slack, self._pause), required)
        left.price(cuts)
        left.shrink(self.threshold)
        return [*_price_lines(cuts), f"most {' '.join(map(str, most))}", f"left {len(left)}"], left

    def _find_prices(self) -> Prices:
        """Multipliers for small cliques, and what families of any size are worth at most by them."""
        problem, control = self.problem, self.control
        sizes = [size for size in SMALL_CLIQUES if _is_few(problem.n, size, FEW_SMALL_SETS)] or [2]
        size = min(sizes[-1], problem.max_clique)
        sets = CutBound.of_table(problem.scorer, size, problem.forbidden, 1, control)
        run = self._branch_and_cut(sets, size, self._best_up_to(size))
        run.tighten(control)
        prices = run.prices
        families = FamilyBounds(
            problem.scorer, prices.cuts, prices.multipliers, problem.max_clique, problem.forbidden
        )
        families.search(usable_processors(), control)
        return replace(prices, most=families.most)

    def _best_up_to(self, size: int) -> Incumbent | None:
        """The best network, or what a short search finds among those with cliques of up to so many."""
        if max(map(int.bit_count, self.best.cliques)) <= size:
            return self.best
        part = Run(self.problem.with_cliques_up_to(size), Limits(seconds=SEARCH_SECONDS, threads=1))
        Slice(part, lambda: self.control.stopped or part.is_late).search_in(self.control)
        return part.best

    def _branch_and_cut(
        self,
        sets: CutBound,
        largest: int,
        best: Incumbent | None,
        on_step: Callable[[Step], None] = lambda _: None,
    ) -> BranchAndCut:
        return BranchAndCut(
            sets,
            self.problem.n,
            largest,
            self.problem.score,
            required=self.problem.required,
            best=best,
            tolerance=TOLERANCE_SHARE * self.tolerance,
            on_step=on_step,
        )

    def _close(self, left: SetsLeft) -> list[str]:
        """The lines that settle what is left, by cases of edges if need be."""
        if not len(left):
            return ["closed"]
        steps: list[Step] = []
        listed = left.listed
        sets = CutBound.of_sets(
            self.problem.n, listed.members, listed.ends, listed.scores / self.factor, self.control
        )
        self._branch_and_cut(sets, self.problem.max_clique, self.best, steps.append).run(self.control)
        excluding = [step for step in steps if step.outcome == "excluded"]
        ends = {(step.fixed_in, step.fixed_out): step for step in steps if step.outcome != "excluded"}
        # The last multipliers may do alone, and few of the others may; with all it must be a proof.
        for worth_stating in (0.0, WORTH_STATING, 1.0):
            lines, smaller = self._excluded(left, sets, excluding, worth_stating)
            closing = self._cases(smaller, ends, sets)
            if closing is not None:
                return lines + closing
        raise ProofError(
            "The linear programs are not solved exactly enough for a proof; "
            f"a smaller {option('max_clique')} may help."
        )

    def _excluded(
        self, left: SetsLeft, sets: CutBound, steps: Sequence[Step], worth_stating: float
    ) -> tuple[list[str], SetsLeft]:
        """The prices after each of which at most this part of the sets is left, and what is left at last."""
        lines: list[str] = []
        for step in steps if worth_stating else ():
            if not len(left):
                break
            cuts = self._cuts(sets, step)
            smaller = self._shrunk(left, cuts)
            if len(smaller) < len(left) and len(smaller) <= worth_stating * len(left):
                lines += [*_price_lines(cuts), f"left {len(smaller)}"]
                left = smaller
        return lines, left

    def _cases(self, left: SetsLeft, ends: dict[tuple[Any, Any], Step], sets: CutBound) -> list[str] | None:
        """The lines that split what is left until every case is closed; None if one is not."""
        lines: list[str] = []
        waiting: list[tuple[SetsLeft, tuple[Edge, ...], tuple[Edge, ...]]] = []
        waiting.append((left, tuple(self.problem.required), ()))
        while waiting:
            case, fixed_in, fixed_out = waiting.pop()
            step = ends.get((fixed_in, fixed_out))
            if step is None or isinstance(step.outcome, str):
                cuts = [] if step is None else self._cuts(sets, step)
                if len(self._shrunk(case, cuts)):
                    return None
                lines += [*(_price_lines(cuts) if len(case) else []), "closed"]
            else:
                a, b = edge = step.outcome
                lines.append(f"split {a} {b}")
                waiting.append((case.with_edge(edge), (*fixed_in, edge), fixed_out))
                waiting.append((case.without_edge(edge), fixed_in, (*fixed_out, edge)))
        return lines

    def _shrunk(self, left: SetsLeft, cuts: Sequence[Cut]) -> SetsLeft:
        self._pause()
        smaller = copy(left)
        smaller.price(cuts)
        smaller.shrink(self.threshold)
        return smaller

    def _pause(self) -> None:
        if self.control.stopped:
            raise Stopped

    def _cuts(self, sets: CutBound, step: Step) -> list[Cut]:
        return self._in_units([(sets.cut(place), multiplier) for place, multiplier in step.multipliers])

    def _in_units(self, cuts: Iterable[tuple[GivenCut, float]]) -> list[Cut]:
        found = []
        for (apart, among, at, is_edge), multiplier in cuts:
            units = round(multiplier * self.factor)
            kind: Literal["edge", "around", "component"] = (
                "edge" if is_edge else "around" if apart else "component"
            )
            if units > 0:
                found.append(Cut(units, kind, tuple(among), tuple(apart), at if kind == "around" else -1))
        return found


def _price_lines(cuts: Sequence[Cut]) -> list[str]:
    return ["prices", *map(str, cuts)]
