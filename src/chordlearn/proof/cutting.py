"""Proofs for many variables, if cliques are small: the cuts and multipliers of a branch and cut."""

from __future__ import annotations

import numpy as np

from chordlearn._core import Control, CutBound
from chordlearn.bounds import BranchAndCut, Step
from chordlearn.bounds.linear_program import Edge
from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.cuts import Cut, CutCase, Prices, moebius_weights
from chordlearn.certificate.proofs.sets import SmallSets
from chordlearn.errors import ProofError, option
from chordlearn.graphs import mask_of
from chordlearn.network.result import Result
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.proof.proving import as_file
from chordlearn.proof.scaling import Scaled
from chordlearn.proof.searching import stop_after
from chordlearn.system.running import StopReason, watch

TOLERANCE_SHARE = 0.3
"""Of the tolerance of the result: so close the multipliers come; rounding takes its part too."""


def prove_by_cuts(
    result: Result, problem: Problem, scaled: Scaled, sets: SmallSets, deadline: float | None = None
) -> dict[str, str]:
    """The text of cuts.txt.

    Raises ``ProofError`` at the deadline (of time.monotonic), or if the multipliers are not good enough.
    """
    steps: list[Step] = []
    number = {name: i for i, name in enumerate(problem.variables)}
    cliques = tuple(mask_of(number[name] for name in clique) for clique in result.cliques)
    best = Incumbent(result.score, cliques)

    def run(control: Control) -> CutBound | None:
        cut_bound = CutBound.of_table(problem.scorer, sets.largest, problem.forbidden, 1, control)
        branch_and_cut = BranchAndCut(
            cut_bound,
            problem.n,
            sets.largest,
            problem.score,
            required=problem.required,
            best=best,
            tolerance=TOLERANCE_SHARE * result.tolerance,
            on_step=steps.append,
        )
        return cut_bound if branch_and_cut.run(control, deadline) else None

    watched = watch(run, deadline=deadline)
    if watched.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    stop_after(deadline)
    if watched.value is None:
        raise ProofError("The linear program could not be solved, so there is no proof by cuts.")
    whole = CutCase(sets, scaled.allowed, frozenset(problem.required))
    lines = _Writer(steps, watched.value, scaled, whole).lines(tuple(problem.required))
    return as_file(claims.CUTS, lines)


class _Writer:
    """Puts the steps in order, with the numbers that the checker will find."""

    def __init__(self, steps: list[Step], cut_bound: CutBound, scaled: Scaled, whole: CutCase) -> None:
        self.exclusions = [step for step in steps if step.came_to == "excluded"]
        self.ends = {(step.there, step.closed): step for step in steps if step.came_to != "excluded"}
        self.cut_bound = cut_bound
        self.scaled = scaled
        self.whole = whole
        self.weights = moebius_weights(scaled.integers, whole.sets, whole.allowed)

    def lines(self, required: tuple[Edge, ...]) -> list[str]:
        """The whole file."""
        root = self.ends[required, ()]
        if root.came_to == "settled":
            at_once = self._closed(root, self.whole)
            if at_once is not None:
                return at_once
        lines, case = [], self.whole
        for step in self.exclusions:
            excluding, sets = self._excluded(step, case)
            if sets:
                lines += excluding
                case = case.excluding(sets)
        waiting: list[tuple[CutCase, tuple[Edge, ...], tuple[Edge, ...]]] = [(case, required, ())]
        while waiting:
            case, there, closed = waiting.pop()
            step = self.ends[there, closed]
            if isinstance(step.came_to, str):
                end = self._closed(step, case)
                if end is None:
                    raise ProofError(
                        "The linear program is not solved exactly enough for a proof; "
                        f"a smaller {option('max_clique')} may help."
                    )
                lines += end
            else:
                a, b = edge = step.came_to
                lines.append(f"split {a} {b}")
                waiting.append((case.with_edge(edge), (*there, edge), closed))
                waiting.append((case.excluding([edge]), there, (*closed, edge)))
        return lines

    def _closed(self, step: Step, case: CutCase) -> list[str] | None:
        """The lines that end a case; None if its bound is too high."""
        cuts = self._cuts(step)
        bound = Prices(self.weights, case.sets, case.allowed, cuts).bound()
        return [*_price_lines(cuts), f"closed {bound}"] if bound <= self.scaled.threshold else None

    def _excluded(self, step: Step, case: CutCase) -> tuple[list[str], list[list[int]]]:
        """The lines that exclude sets, and the sets."""
        cuts = self._cuts(step)
        bounds = Prices(self.weights, case.sets, case.allowed, cuts).bounds_with()
        excluded = case.allowed & (bounds <= self.scaled.threshold)
        excluded[: case.sets.n + 1] = False
        minimal = np.flatnonzero(case.sets.minimal(excluded)).tolist()
        sets = [case.sets.members(number) for number in minimal]
        stated = [
            " ".join(map(str, (bounds[number], *variables)))
            for number, variables in zip(minimal, sets, strict=True)
        ]
        return [*_price_lines(cuts), "exclude", *stated], sets

    def _cuts(self, step: Step) -> list[Cut]:
        cuts = [self._cut(place, multiplier) for place, multiplier in step.multipliers]
        return [cut for cut in cuts if cut.multiplier > 0]

    def _cut(self, place: int, multiplier: float) -> Cut:
        apart, among, at, is_edge = self.cut_bound.cut(place)
        units = round(multiplier * self.scaled.factor)
        if is_edge:
            return Cut(units, "edge", tuple(among))
        return Cut(units, "around" if apart else "component", tuple(among), tuple(apart), at)


def _price_lines(cuts: list[Cut]) -> list[str]:
    return ["prices", *map(str, cuts)]
