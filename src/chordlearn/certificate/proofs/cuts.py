"""The file cuts.txt: why no network, with cliques of any size, scores more; replayed step by step.

all                    at first, if every set that the constraints allow is looked at
prices                 the lines that follow are cuts, each with a multiplier M
M component i j …
M around i … : j … : k
M edge i j
most U U …             after the first prices, unless it began with all: by these prices no family of a
                       variable is worth more than its number
left COUNT             by these prices so many sets may still be complete in a network above the threshold
closed                 by these prices there is no such network (of this case)
split i j              from here on the case without the edge, then (after its end) the case with it

Let x(S) be 1 if the set S is complete and 0 if not. In a chordal graph these cuts hold:

    component C:       Σ (−1)^(|S|+1) x(S) ≥ 1             over the non-empty S in C
    around T : C : j   Σ (−1)^(|S|+1) x(T ∪ S) ≥ x(T ∪ j)   over the non-empty S in C; j is one of C

because the left side counts the connected components of the graph on C, or on those of C that are joined to
all of the complete set T. Where an edge is known to be there,

    edge a b:          x(a b) ≥ 1

Let V(K) be the integer score of the set K, and the multipliers of the cuts that hold K's part of them: of a
component C, if C meets K; of what is around T, if T is in K, C meets K, and j is not in K; of an edge, if it
is in K. Along a perfect order each variable i with its neighbours P before it is worth V(P ∪ i) − V(P). These
sum to the score, what is left over in the cuts, which is not negative, and the multipliers of all components
and edges. If K is complete, some perfect order begins with K, whose variables are worth V(K) together. So a
network in which K is complete scores at most V(K), and the most that the other variables' families are worth,
less those multipliers.

What families of any size are worth at most is checked by a search of its own over all sets of parents. After
that every family of a network above the threshold consists of sets that are left, so that the most a variable
is worth need only be sought among these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from chordlearn.certificate.proofs.claim import Reader, check_set, numbers_in
from chordlearn.certificate.results.report import Failed

Edge = tuple[int, int]
MOST_MULTIPLIER = 1 << 52
"""Of all cuts together."""


@dataclass(frozen=True)
class Cut:
    """A cut and its multiplier."""

    multiplier: int
    kind: Literal["component", "around", "edge"]
    among: tuple[int, ...]
    """C, or the two variables of an edge."""
    apart: tuple[int, ...] = ()
    """T."""
    at: int = -1
    """j."""

    @property
    def constant(self) -> int:
        """What the cut takes off a bound."""
        return 0 if self.kind == "around" else self.multiplier

    @property
    def parts(self) -> tuple[float, list[int], list[int], int]:
        """The multiplier counts for a set that holds the first part, meets the second, and lacks the last."""
        apart = self.among if self.kind == "edge" else self.apart
        return float(self.multiplier), list(apart), list(self.among), self.at

    def __str__(self) -> str:
        """Its line in the file of cuts.

        >>> str(Cut(7, "around", (3, 5), apart=(1, 2), at=3))
        '7 around 1 2 : 3 5 : 3'
        """
        among = " ".join(map(str, self.among))
        if self.kind == "around":
            among = f"{' '.join(map(str, self.apart))} : {among} : {self.at}"
        return f"{self.multiplier} {self.kind} {among}"


def read_cuts(file: Reader, n: int, there: Collection[Edge]) -> list[Cut]:
    """The cuts in the lines that follow, where some edges are known to be there."""
    cuts = [read_cut(line, n, file.where, there) for line in file.lines_with_numbers()]
    if sum(cut.multiplier for cut in cuts) > MOST_MULTIPLIER:
        raise Failed(f"the multipliers before {file.where} are too large to be added up exactly")
    return cuts


def read_cut(line: str, n: int, where: str, there: Collection[Edge] = ()) -> Cut:
    """The cut in a line, of n variables, where some edges are known to be there.

    >>> read_cut("7 around 1 2 : 3 5 : 3", 6, "line 1").at
    3
    """
    words = line.split(maxsplit=2)
    if len(words) != 3:
        raise Failed(f"{where} is no cut")
    multiplier, kind, variables = words
    (units,) = numbers_in(multiplier, where)
    parts = [numbers_in(part, where) for part in variables.split(":")]
    if units < 0:
        raise Failed(f"{where} has a multiplier below 0")
    for part in parts:
        check_set(part, n, where)
    if kind == "component" and len(parts) == 1:
        return Cut(units, "component", tuple(parts[0]))
    if kind == "edge" and len(parts) == 1:
        if tuple(parts[0]) not in there:
            raise Failed(f"{where} counts on an edge that need not be there")
        return Cut(units, "edge", tuple(parts[0]))
    if kind == "around" and len(parts) == 3 and len(parts[2]) == 1:
        apart, among, (at,) = parts
        if not set(apart) & set(among) and at in among:
            return Cut(units, "around", tuple(among), tuple(apart), at)
    raise Failed(f"{where} is no cut")


def read_edge(variables: Sequence[int], n: int, where: str) -> Edge:
    """The edge between two of n variables; nothing else.

    >>> read_edge([0, 3], 4, "line 1")
    (0, 3)
    """
    check_set(variables, n, where)
    if len(variables) != 2:
        raise Failed(f"{where} is about something else than an edge")
    return variables[0], variables[1]
