"""The file bounds.txt: sets excluded by bounds and cases split on an edge, replayed step by step.

    round            the lines that follow exclude sets, by bounds with what is allowed at this point
    SCORE REST i j …  no network with this set complete scores more than SCORE + REST, which is enough
    split i j        from here on the case without the edge, then (after its end) the case with it
    open             this case is left to the refuted instance

A case ends when its empty set is excluded, or with `open`. With a set all its supersets are excluded.

The bounds are those of the DAG relaxation in whole numbers. A network with the complete set C has a perfect
order that begins with C: every later variable i finds, among those before it, a complete set P of neighbours,
and the network scores u(C) + Σ u(P ∪ {i}) − u(P). Without asking that the sets P fit together, a dynamic
program over all sets finds the largest such sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chordlearn.certificate.proofs.claim import Reader, numbers_in
from chordlearn.certificate.proofs.scores import Integers
from chordlearn.certificate.proofs.sets import (
    Flags,
    containing,
    mask_of,
    number_of_variables,
    sizes,
    spread_upwards,
)
from chordlearn.certificate.results.report import Failed

IMPOSSIBLE = -(1 << 57)
"""Below every sum of scores, and far enough above −2⁶³ to be added up for all variables."""
_HOPELESS = IMPOSSIBLE // 2


def rest_bounds(integers: Integers, allowed: Flags, required: tuple[int, ...]) -> Integers:
    """For every set the most that all other variables can add when it is complete and comes first.

    ``required`` has the neighbours that each variable must have, as masks. IMPOSSIBLE where there is no way
    to go on.

    >>> rest_bounds(np.array([0, 0, 0, 7]), np.ones(4, dtype=np.bool_), (0, 0)).tolist()
    [7, 7, 7, 0]
    """
    n = len(required)
    gains = [_best_gain(integers, allowed, i, required[i]) for i in range(n)]
    rest = np.full(1 << n, IMPOSSIBLE, dtype=np.int64)
    rest[-1] = 0
    for layer in _layers(n):
        for i, without in layer:
            found = rest[without | 1 << i] + gains[i][without]
            rest[without] = np.maximum(rest[without], found)
    rest[rest < _HOPELESS] = IMPOSSIBLE
    return rest


def _best_gain(integers: Integers, allowed: Flags, i: int, needed: int) -> Integers:
    """For every set U without i: the largest u(P ∪ {i}) − u(P) with P in U, and all needed ones of U in P."""
    n = number_of_variables(allowed)
    split = integers.reshape(-1, 2, 1 << i)
    gain = np.full(1 << n, IMPOSSIBLE, dtype=np.int64)
    gain.reshape(-1, 2, 1 << i)[:, 0] = np.where(
        allowed.reshape(-1, 2, 1 << i)[:, 1], split[:, 1] - split[:, 0], IMPOSSIBLE
    )
    for j in range(n):
        if j != i and not needed >> j & 1:
            halves = gain.reshape(-1, 2, 1 << j)
            np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return gain


@lru_cache(maxsize=2)
def _layers(n: int) -> list[list[tuple[int, NDArray[np.int64]]]]:
    """From large sets to small: for each size, the sets without each variable."""
    layers = []
    for size in range(n - 1, -1, -1):
        of_size = np.flatnonzero(sizes(n) == size)
        layers.append([(i, of_size[of_size >> i & 1 == 0]) for i in range(n)])
    return layers


@dataclass(frozen=True)
class Case:
    """What may still occur: which sets may be complete, and which neighbours each variable must have."""

    allowed: Flags
    required: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.required)

    def excluding(self, sets: Sequence[int]) -> Case:
        """The case without these sets and all their supersets."""
        excluded = np.zeros(len(self.allowed), dtype=np.bool_)
        excluded[list(sets)] = True
        spread_upwards(excluded)
        return Case(self.allowed & ~excluded, self.required)

    def without(self, a: int, b: int) -> Case:
        """The case in which the two are not adjacent."""
        return Case(self.allowed & ~containing(self.n, (a, b)), self.required)

    def with_edge(self, a: int, b: int) -> Case:
        """The case in which the two are adjacent."""
        required = list(self.required)
        required[a] |= 1 << b
        required[b] |= 1 << a
        return Case(self.allowed, tuple(required))


@dataclass
class Replay:
    """The result of a replay."""

    open_cases: list[Case]
    cases: int = 0
    rounds: int = 0
    excluded: int = 0


def replay(file: Reader, integers: Integers, whole: Case, threshold: int) -> Replay:
    """Follow the file and check every number in it; the cases that are left open come back."""
    done = Replay([])
    waiting = [whole]
    while waiting:
        case = waiting.pop()
        done.cases += 1
        closed = False
        while not closed:
            word = file.line()
            if word == "round":
                sets = _read_round(file, integers, case, threshold)
                closed = 0 in sets
                case = case.excluding(sets)
                done.rounds += 1
                done.excluded += len(sets)
            elif word.startswith("split "):
                a, b = _read_pair(word.removeprefix("split "), case, file.where)
                waiting += [case.with_edge(a, b), case.without(a, b)]
                break
            elif word == "open":
                done.open_cases.append(case)
                closed = True
            else:
                raise Failed(f"{file.where} is {word!r}, where a round, a split or open was to come")
    file.end()
    return done


def _read_round(file: Reader, integers: Integers, case: Case, threshold: int) -> list[int]:
    rest = rest_bounds(integers, case.allowed, case.required)
    opened, sets = file.where, []
    for line in file.lines_with_numbers():
        numbers = numbers_in(line, file.where)
        if len(numbers) < 2:
            raise Failed(f"{file.where} has one number, where a score and a bound were to come")
        score, bound, *variables = numbers
        mask = _mask(variables, case, file.where)
        if score != integers[mask] or bound != rest[mask]:
            raise Failed(
                f"{file.where} says that its set scores {score} and the rest at most {bound}, "
                f"but it scores {integers[mask]} and the rest at most {rest[mask]}"
            )
        if score + bound > threshold:
            raise Failed(f"{file.where} excludes a set whose networks may score {score + bound}")
        sets.append(mask)
    if not sets:
        raise Failed(f"{opened} opens a round that excludes nothing")
    return sets


def _mask(variables: Sequence[int], case: Case, where: str) -> int:
    if len(set(variables)) != len(variables) or not all(0 <= i < case.n for i in variables):
        raise Failed(f"{where} names no set of variables")
    return mask_of(variables)


def _read_pair(text: str, case: Case, where: str) -> tuple[int, int]:
    variables = numbers_in(text, where)
    if len(variables) != 2 or _mask(variables, case, where).bit_count() != 2:
        raise Failed(f"{where} splits on something else than an edge")
    return variables[0], variables[1]
