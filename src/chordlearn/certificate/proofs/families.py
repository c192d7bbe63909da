"""The scores of sets in whole numbers, and what families of any size are worth by them.

The score V of a set, without prices, is rounded once to units; so the score of a network, which has at most n
cliques and n separators, is off by at most 2n times the error of a set. The sets that matter are those that
may be complete in a network above the threshold; of the others only an upper bound matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._checker import Families, FamilyCheck, Table, grow_sets
from chordlearn.certificate.proofs.cuts import Cut
from chordlearn.certificate.results.report import Failed
from chordlearn.certificate.results.values import score_formula, value_from_data
from chordlearn.data.dataset import Dataset
from chordlearn.system.processes import usable_processors

Units = NDArray[np.int64]

MOST_SETS = 2_000_000
"""That may be left after the first exclusion."""
MOST_UNITS = 1 << 58
"""Of scores and multipliers together: sums over all variables then stay inside 64 bits."""
MOST_STATES = 1 << 16
PER_FRACTION = 2.0**-40
"""By how much the term of a count that is no whole number may be off."""
NODES_AT_ONCE = 2_000
WAIT_SECONDS = 0.1
PENALISED = ("bic", "aic")
WITH_SEARCH = ("bdeu", "bic", "aic")
"""Score functions for which families of any size can be searched."""


@dataclass(frozen=True)
class SetList:
    """Sets, the members of one after those of the other, where those of each end, and their scores."""

    members: Units
    ends: Units
    scores: Units


class UnitScores:
    """The scores of sets in units, by what is claimed of a table."""

    def __init__(
        self, dataset: Dataset, function: Mapping[str, Any], constraints: Mapping[str, Any], factor: float
    ) -> None:
        self.dataset = dataset
        self.n = len(dataset.variables)
        self.name, self.parameters = function["name"], function["parameters"]
        self.factor = factor
        self.largest = min(constraints["max_clique"] or self.n, self.n)
        number = {name: i for i, name in enumerate(dataset.variables)}
        self.forbidden = [(number[a], number[b]) for a, b in constraints["forbidden"]]
        self.total = dataset.rows
        self.formula = score_formula(self.name, self.parameters, self.total)
        self.states = [len(labels) for labels in dataset.states]
        if max(self.states) > MOST_STATES:
            raise Failed(f"a variable has more than {MOST_STATES:,} states")
        codes = np.ascontiguousarray(dataset.codes, dtype=np.uint16)
        self.table = Table(codes, dataset.units, self.states)
        self.range = self._range()
        """No set that matters is further from 0, nor is what its score is summed from."""
        terms = 0 if dataset.unit == 1 else len(dataset.weights)
        self.error = 0.5 / factor + self.range * 2.0**-50 + terms * PER_FRACTION
        """By how much the score of a set that matters may be off."""
        if 2 * self.range * factor > MOST_UNITS:
            raise Failed(f"with the factor {factor:g} the scores cannot be added up exactly")

    def _range(self) -> float:
        """Of terms of the score: logarithms of counts, of numbers of joint states, and of the parameter."""
        parameter = float(self.parameters.get("ess", self.parameters.get("alpha", 1.0)))
        logs = (
            math.fsum(map(math.log, self.states)) + abs(math.log(self.total)) + abs(math.log(parameter)) + 2
        )
        size = 2 * self.total * logs + abs(self.formula.edge_prior) * self.n**2
        # Of a set that matters, and so does not score too little, what it is charged; see check_range.
        return 4 * size if self.name in PENALISED else size

    def threshold(self, score: float, tolerance: float) -> int:
        """The largest integer score that proves that nothing scores more than the tolerance above a score."""
        room = score + tolerance - 2 * self.n * self.error - (abs(score) + tolerance) * 2.0**-50
        return math.floor(room * self.factor)

    def of_network(self, cliques: Iterable[Collection[str]], separators: Iterable[Collection[str]]) -> float:
        """The score of a network, computed afresh."""
        value = value_from_data(self.dataset, self.name, self.parameters)
        terms = [value(frozenset(clique)) for clique in cliques]
        return math.fsum([*terms, *(-value(frozenset(separator)) for separator in separators)])

    @property
    def can_search(self) -> bool:
        """Whether families of any size can be searched, by the score and for whole rows."""
        return self.name in WITH_SEARCH and self.dataset.unit == 1

    @property
    def slack(self) -> float:
        """By so much the worth of a family must stay below the number stated for it, for rounding."""
        return 2 * self.error

    def grow(
        self, cuts: Sequence[Cut], most: Sequence[int], slack: int, pause: Callable[[], None] = lambda: None
    ) -> SetList:
        """The sets that lose less than the slack by what families are worth at most; all if that is empty."""
        if abs(slack) > MOST_UNITS:
            raise Failed("what families are worth at most is too large to be added up exactly")
        formula, unit = self.formula, self.dataset.unit
        try:
            found = grow_sets(
                self.table,
                formula.term if unit == 1 else lambda count, cells: formula.term(count * unit, cells),
                lambda joint_states: formula.rest(round(joint_states)),
                formula.edge_prior,
                self.factor,
                self.largest,
                self.forbidden,
                [cut.parts for cut in cuts],
                list(most),
                slack,
                MOST_SETS,
                pause,
            )
        except (ArithmeticError, ValueError):
            raise Failed("with these parameters the score of a set is beyond all numbers") from None
        if found is None:
            raise Failed(f"more than {MOST_SETS:,} sets are left to look at")
        self.check_range(int(np.abs(found[2]).max(initial=0)))
        return SetList(*found)

    def check_range(self, units: int) -> None:
        """Refuse scores, or sums that bound them, for which the error is not what it is said to be.

        Only what a set is charged for its joint states can be that large.
        """
        if self.name in PENALISED and units > 0.75 * self.range * self.factor:
            raise Failed("the scores of sets, or what families are worth at most, are too large")

    def check_most(
        self, cuts: Sequence[Cut], most: Sequence[int], progress: Callable[[str], object] = lambda _: None
    ) -> int:
        """Search all families; raises ``Failed`` if one is worth more. Gives how many were looked into."""
        if not self.can_search:
            scores = ", ".join(WITH_SEARCH)
            raise Failed(
                f"families of any size are checked for {scores} and whole counts, not for {self.name} here"
            )
        families = Families(
            self.table,
            self.name,
            float(self.parameters.get("ess", 1.0)),
            self.formula.edge_prior,
            self.largest - 1,
            self.forbidden,
            [
                (units / self.factor, *rest)
                for units, rest in ((cut.multiplier, cut.parts[1:]) for cut in cuts)
            ],
        )

        def search(child: int) -> int:
            check = FamilyCheck(families, child, most[child] / self.factor - self.slack)
            while not check.advance(NODES_AT_ONCE):
                if stopped:
                    return 0
            if check.counterexample is not None:
                names = [self.dataset.variables[i] for i in (child, *check.counterexample)]
                raise Failed(
                    f"the family of {' with '.join(map(repr, names))} may be worth more than is stated"
                )
            return check.nodes

        stopped: list[bool] = []
        with ThreadPoolExecutor(usable_processors()) as pool:
            searches = [pool.submit(search, child) for child in range(self.n)]
            try:
                pending = set(searches)
                while pending:
                    # Not for long, so that what ends this reaches it.
                    done, pending = wait(pending, WAIT_SECONDS, FIRST_COMPLETED)
                    for found in done:
                        found.result()
                    progress(f"families of {self.n - len(pending)} of {self.n} variables")
                return sum(found.result() for found in searches)
            finally:
                stopped.append(True)
                pool.shutdown(wait=False, cancel_futures=True)
