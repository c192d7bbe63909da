"""What checks of proofs have in C++, apart from the core that made them."""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Table:
    """
    Rows that all differ, how often each occurs, and how many states columns have.
    """

    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], states: Sequence[int]) -> None: ...

class Families:
    """The families of a table under the multipliers of cuts."""

    def __init__(self, table: Table, score: str, ess: float, edge_prior: float, most_parents: int, forbidden: Sequence[tuple[int, int]], cuts: Sequence[tuple[float, Sequence[int], Sequence[int], int]]) -> None: ...

class FamilyCheck:
    """Whether no family of a child is worth more than some number."""

    def __init__(self, families: Families, child: int, most: float) -> None: ...

    def advance(self, nodes: int) -> bool:
        """Go on through so many nodes; whether it is done."""

    @property
    def counterexample(self) -> list[int] | None:
        """Parents with which the family is worth more, or None."""

    @property
    def nodes(self) -> int:
        """How many sets of parents were looked into."""

    @property
    def error(self) -> float:
        """By how much rounding may change what is compared."""

def grow_sets(table: Table, term: Callable[[int, float], float], rest: Callable[[float], float], edge_prior: float, factor: float, largest: int, forbidden: Sequence[tuple[int, int]], cuts: Sequence[tuple[float, Sequence[int], Sequence[int], int]], most: Sequence[int], slack: int, limit: int, pause: Callable[[], None]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None:
    """
    Sets that lose less than the slack, with multipliers, most and scores in units: the members of one after those of the other, where each ends, and scores. All sets if there is no most; None if they are more than the limit. Calls pause now and then.
    """
