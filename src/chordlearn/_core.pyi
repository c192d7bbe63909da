"""The compiled core of chordlearn."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Stopped(Exception):
    pass

class Control:
    """Watches and stops a long computation from another thread."""

    def __init__(self) -> None: ...

    def stop(self) -> None:
        """Ask the computation to end soon."""

    @property
    def stopped(self) -> bool: ...

    @property
    def done(self) -> int:
        """Units of work done so far."""

    @property
    def score(self) -> float:
        """Score of the best network so far, where the computation reports it."""

class Scorer:
    """Scores sets of columns of a coded table."""

    def __init__(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arities: Sequence[int], name: str, parameter: float = 1.0, edge_prior: float = 0.0, unit: float = 1.0) -> None: ...

    def all(self, max_size: int, threads: int, control: Control) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None:
        """Scores of all sets by bit mask, -inf above max_size; None if stopped."""

    def parts(self, max_size: int, first: int, last: int, control: Control) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]] | None:
        """
        The sets of some parts of all(), as bit masks, and their scores; None if stopped.
        """

    def sets(self, sets: Sequence[Sequence[int]]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Scores of some sets, each the increasing indices of its columns."""

    def counts(self, variables: Sequence[int]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Positive cell counts of one set, in units, by first occurrence."""

    def bytes(self, max_size: int, threads: int) -> float:
        """Memory that all() needs, estimated."""

def count_parts(n: int) -> int:
    """Into how many parts all sets of n variables can be divided."""

def count_sets(n: int, max_size: int) -> float:
    """Sets of at most max_size out of n variables."""

def log_rising(a: float, c: float) -> float:
    """lgamma(a + c) - lgamma(a) without cancellation."""

def log_rising_fraction(a: float, c: float, rows: float) -> float:
    """lgamma(a + c) - lgamma(a) - c (log(rows) - 1), for any c."""

def log_nml_constant(draws: float, cells: float) -> float:
    """log of the multinomial NML normalising constant."""

def exhaustive(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Sequence[tuple[int, int]], top: int, control: Control) -> tuple[int, list[tuple[float, list[int]]]]: ...

def exhaustive_simplest(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Sequence[tuple[int, int]], least: float, control: Control) -> tuple[float, list[int]]: ...

def search(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Sequence[tuple[int, int]], restarts: int, moves: int, seed: int, threads: int, keep: int, neighbourhood: int, patience: int, control: Control, starts: Sequence[Sequence[int]] = []) -> list[tuple[float, list[int]]]: ...

class States:
    """States of the drop/add/split program that may matter."""

    @property
    def count(self) -> int: ...

    @property
    def complete(self) -> bool: ...

    @property
    def root(self) -> int: ...

class Relaxation:
    """The DAG relaxation and the sets it leaves."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Sequence[tuple[int, int]], threads: int) -> None: ...

    @staticmethod
    def bytes_needed(n: int) -> int: ...

    def tighten(self, lower: float, control: Control) -> int: ...

    def tighten_lagrangian(self, lower: float, iterations: int, control: Control) -> int: ...

    def snapshot(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def restore(self, kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def kept(self) -> int: ...

    @property
    def allowed(self) -> int: ...

    @property
    def bound(self) -> float: ...

    @property
    def lower(self) -> float: ...

    @property
    def best_parts(self) -> list[float]: ...

    @property
    def step(self) -> float: ...

    def kept_sets(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    def bound_with(self, set: int) -> float: ...

    def bound_without(self, a: int, b: int) -> float: ...

    def forced_edges(self, among: Sequence[tuple[int, int]], control: Control) -> list[tuple[int, int]]: ...

    def states(self, forced: Sequence[tuple[int, int]], most: int, control: Control) -> States: ...

    def solve(self, states: States, threads: int, control: Control) -> tuple[float, list[int]]: ...

    def solve_two(self, states: States, threads: int, control: Control) -> tuple[tuple[float, list[int]], float]: ...

    def solve_simplest(self, states: States, equal: float, near: float, threads: int, control: Control) -> tuple[tuple[float, list[int]], bool]: ...

    def solve_top(self, states: States, count: int, threads: int, control: Control) -> list[tuple[float, list[int]]]: ...

def solve_dense(relaxation: Relaxation, threads: int, control: Control) -> tuple[tuple[float, list[int]], float]: ...

def bytes_for_dense(n: int) -> int: ...

def bytes_for_states(states: int) -> int: ...

def bytes_for_states_top(states: int, count: int) -> int: ...

class WideSearch:
    """Search in steps, for any number of variables."""

    def __init__(self, scorer: Scorer, max_clique: int, required: Sequence[tuple[int, int]], forbidden: Sequence[tuple[int, int]], seed: int) -> None: ...

    @property
    def feasible(self) -> bool: ...

    def start(self, threads: int, control: Control) -> None:
        """The best forest around the required edges."""

    def start_from(self, edges: Sequence[tuple[int, int]]) -> bool:
        """
        The edges and the required ones, made chordal; False if the constraints do not let that be.
        """

    def propose(self) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None, 2))], Annotated[NDArray[numpy.int32], dict(shape=(None, 2))], Annotated[NDArray[numpy.int32], dict(shape=(None, 2))], int, int, float, float, int]]:
        """The next wave: the arguments of improve_region for each region."""

    def accept(self, changes: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], float] | None]) -> None:
        """What improving the regions of the last wave gave, in the same order."""

    @property
    def ended(self) -> bool:
        """Nothing to gain was found for long."""

    @property
    def score(self) -> float:
        """Of the network, by adding up gains."""

    def best(self) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None, 2))]]:
        """The network, scored anew: score and edges."""

    def state(self) -> dict[str, Any]:
        """All that the search goes by between two waves, as plain values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state."""

def improve_region(scorer: Scorer, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], present: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], required: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], max_clique: int, moves: int, hot: float, cold: float, seed: int, control: Control) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None, 2))], float] | None:
    """
    A better graph on the variables of a region: variables, edges and gain; or None.
    """

class CutBound:
    """
    An upper bound from the scores of sets and cuts on chordal graphs; every call may raise Stopped.
    """

    @staticmethod
    def of_table(scorer: Scorer, largest: int, forbidden: Sequence[tuple[int, int]], threads: int, control: Control) -> CutBound: ...

    @staticmethod
    def of_values(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], largest: int, control: Control | None = None) -> CutBound: ...

    @staticmethod
    def of_sets(n: int, members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], control: Control) -> CutBound:
        """
        Of sets of up to 24 variables, each listed with all its parts: the members of one after those of the other, and where they end.
        """

    def watched_by(self, control: Control) -> None:
        """From now on another control may stop the calls."""

    @property
    def left(self) -> int:
        """Sets of two variables or more that are not excluded."""

    @property
    def independent(self) -> float:
        """Score of the network without edges."""

    @property
    def least_score(self) -> float:
        """No network scores less."""

    @property
    def error(self) -> float:
        """By how much rounding may raise bounds."""

    def number(self, variables: Sequence[int]) -> int:
        """The number of a set."""

    def members(self, number: int) -> list[int]: ...

    def family_weights(self, children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """What each family adds to the score of the network without edges."""

    def excluded(self, numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]: ...

    def candidates(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The sets of two variables or more that are not excluded."""

    def forest_cuts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Places of cuts to start with."""

    def component_cut(self, variables: Sequence[int]) -> int:
        """
        Place of the cut that says that the graph on these variables has a component.
        """

    def edge_cut(self, a: int, b: int) -> int:
        """Place of the cut that says that an edge is there."""

    def complete_sets(self, children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Numbers of sets and how complete each is where families have these values.
        """

    def separate(self, numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], network: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float, tolerance: float, most: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Places of at most so many violated cuts, `share` of the way from the point to the network.
        """

    def cut(self, place: int) -> tuple[list[int], list[int], int, bool]:
        """
        A cut: the set it is seen from, the variables it is about, one of these, and whether it is about an edge.
        """

    def constants(self, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def coefficients(self, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Rows, columns and values of what is not 0; constant + row * families is never negative.
        """

    def price(self, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], multipliers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The bound with these multipliers."""

    def families_above(self, shares: Sequence[float], most: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        By the last prices: children and sets of families worth more than the child's share.
        """

    def exclude_below(self, lower: float) -> int:
        """
        By the last prices: excludes sets with which no network scores this; returns how many.
        """

    def close(self, edges: Sequence[tuple[int, int]]) -> None:
        """The edges that are not there in the following prices."""

class Ascent:
    """
    Multipliers of cuts that are made better and better; any call may raise Stopped.
    """

    def __init__(self, sets: CutBound, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """The cuts at these places stay, others come and go."""

    def renew(self, bound: float, lower: float) -> None:
        """
        Goes on from the last prices of the sets, towards a bound below `lower`.
        """

    def work(self) -> bool:
        """
        Makes the multipliers better and looks for cuts; whether it is time to price all sets again.
        """

    def multipliers(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Places of cuts and their multipliers, the best since the renewal."""

    def network(self, required: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Edges of a chordal graph that is near."""

def local_bound(scorer: Scorer, largest: int, threads: int, control: Control) -> float:
    """
    No network scores more than this: the best parents of each variable, bounded beyond `largest` - 1 of them.
    """

class LeftSets:
    """
    The sets, of any size, that may be complete in a network that scores more than another.
    """

    def __len__(self) -> int: ...

    def set(self, place: int) -> list[int]:
        """The variables of one of the sets."""

    def sets(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Members of all sets, one after the other, where those of each end, and scores: as CutBound.of_sets takes them.
        """

    @property
    def largest(self) -> int:
        """How many variables the largest has."""

    @property
    def bound(self) -> float:
        """No network scores more than this or than the other one."""

    def shrink(self, lower: float, control: Control) -> None:
        """
        Exclude what no network that scores more than `lower` has, until nothing changes.
        """

    def price(self, cuts: Sequence[tuple[Sequence[int], Sequence[int], int, bool]], multipliers: Sequence[float], control: Control) -> None:
        """Exclude by other multipliers of cuts."""

class FamilyBounds:
    """
    What no family of each variable is worth more than, whatever its size, by multipliers of cuts; bounds hold at any time.
    """

    def __init__(self, scorer: Scorer, cuts: Sequence[tuple[Sequence[int], Sequence[int], int, bool]], multipliers: Sequence[float], largest: int, forbidden: Sequence[tuple[int, int]]) -> None: ...

    @staticmethod
    def can_bound(scorer: Scorer) -> bool:
        """Whether there is such a bound for the score function and the table."""

    def search(self, threads: int, control: Control) -> None:
        """Go on to the end; may raise Stopped, and keeps what is known."""

    @property
    def bound(self) -> float:
        """No network scores more."""

    @property
    def most(self) -> list[float]:
        """By variable: no family of it is worth more."""

    @property
    def branches(self) -> int:
        """How many parts the search has, so far."""

    @property
    def open_branches(self) -> int:
        """How many of them are not done."""

    @property
    def nodes(self) -> int:
        """How many sets of parents were looked into."""

    def sets_left(self, lower: float, most: int, threads: int, control: Control) -> LeftSets | None:
        """
        The sets that a network that scores more than `lower` may have; None if there are more than `most`.
        """

class NetworkSums:
    """Sums of the weights of all chordal graphs, each counted once."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Sequence[tuple[int, int]], threads: int, control: Control) -> None: ...

    @staticmethod
    def bytes_needed(n: int, threads: int) -> float: ...

    @staticmethod
    def work(n: int) -> float:
        """What the control's count ends with."""

    @property
    def log_total(self) -> tuple[float, float]:
        """
        The logarithm of the sum over all graphs, and by how much it may be off.
        """

    def complete(self, set: int) -> tuple[float, float]:
        """The probability that a set is complete, and by how much it may be off."""

    def separated_by_complete(self, a: int, b: int, set: int) -> tuple[float, float]:
        """The probability that a set is complete and separates a from b."""

class NetworkDraws:
    """Draws networks from their sums."""

    def __init__(self, sums: NetworkSums) -> None: ...

    def draw(self, seed: int, first: int, count: int, control: Control) -> list[list[int]]:
        """
        The cliques of networks; each depends on the seed and its number alone.
        """

class KeptSums:
    """Sums of the weights of the chordal graphs whose states were kept."""

    @property
    def log_total(self) -> float: ...

    @property
    def rounding(self) -> float:
        """A relative bound of what rounding did to a sum."""

    def share(self, set: int) -> float:
        """Of the sum, that of the graphs in which a set is complete."""

    def draw(self, seed: int, first: int, count: int, control: Control) -> list[list[int]]: ...

class KeptStates:
    """The states of all networks that score more than a bound."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Sequence[tuple[int, int]], threads: int) -> None: ...

    def find(self, lower: float, iterations: int, most: int, control: Control) -> int | None:
        """
        How many states there are above a lower bound; None if more than so many.
        """

    @property
    def cells(self) -> float:
        """Of three numbers each, which the sums need."""

    def sum(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, control: Control) -> KeptSums:
        """Sum weights, by the scores themselves, which may be others."""

class EdgeChain:
    """A Markov chain over chordal graphs, of single edges that come and go."""

    @overload
    def __init__(self, scorer: Scorer, max_clique: int, required: Sequence[tuple[int, int]], forbidden: Sequence[tuple[int, int]], start: Sequence[tuple[int, int]], seed: int) -> None: ...

    @overload
    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_clique: int, required: Sequence[tuple[int, int]], forbidden: Sequence[tuple[int, int]], start: Sequence[tuple[int, int]], seed: int) -> None: ...

    def run(self, moves: int, control: Control) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """How much of the time each pair was an edge: 0-1, 0-2, 1-2, 0-3, …"""

    def set_heat(self, heat: float) -> None:
        """Weights are taken to the power of 1/heat."""

    @property
    def steepest(self) -> float:
        """The largest gain of joining two variables."""

    @property
    def edges(self) -> list[tuple[int, int]]: ...

    @property
    def toggles(self) -> int:
        """How many edges came or went by themselves."""

    @property
    def blocks(self) -> int:
        """How often the graph on a few variables was drawn anew."""

def pages_are_sound(file: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
    """
    Whether every column of a Parquet file has pages with as many values as its footer says.
    """
