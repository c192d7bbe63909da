"""Two networks side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.system.json import JsonMixin, plain_values

Edge = tuple[str, str]
Network = ChordalNetwork | FittedNetwork | Result


@dataclass(frozen=True)
class Comparison(JsonMixin):
    """What two networks on the same variables have in common."""

    common: tuple[Edge, ...]
    only_first: tuple[Edge, ...]
    only_second: tuple[Edge, ...]
    common_cliques: tuple[tuple[str, ...], ...]

    @property
    def distance(self) -> int:
        """The structural Hamming distance: how many edges must be added or removed."""
        return len(self.only_first) + len(self.only_second)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        document = {
            "structural_hamming_distance": self.distance,
            "common_edges": self.common,
            "only_in_first": self.only_first,
            "only_in_second": self.only_second,
            "common_cliques": self.common_cliques,
        }
        return dict(plain_values(document))


def structure_of(network: Network) -> ChordalNetwork:
    """The structure of a result or of a network with tables."""
    if isinstance(network, Result):
        return network.network
    return network.structure if isinstance(network, FittedNetwork) else network


def compare(one: Network, other: Network) -> Comparison:
    """Compare two networks on the same variables, in whatever order; results and fitted networks too.

    >>> one, other = (ChordalNetwork.from_edges("abc", edges) for edges in (["ab", "bc"], ["ab", "ac"]))
    >>> compare(one, other).distance, compare(one, other).common
    (2, (('a', 'b'),))
    """
    first, second = structure_of(one), structure_of(other)
    if set(first.variables) != set(second.variables):
        lacking = sorted(set(first.variables) ^ set(second.variables))
        raise InputError(
            f"The networks are not on the same variables: {lacking[0]!r} is in one only; "
            "compare networks of the same table."
        )
    mine, theirs = _sets(first.edges), _sets(second.edges)
    cliques = _sets(second.cliques)
    return Comparison(
        tuple(edge for edge in first.edges if frozenset(edge) in theirs),
        tuple(edge for edge in first.edges if frozenset(edge) not in theirs),
        tuple(edge for edge in second.edges if frozenset(edge) not in mine),
        tuple(clique for clique in first.cliques if frozenset(clique) in cliques),
    )


def _sets(groups: Sequence[Sequence[str]]) -> set[frozenset[str]]:
    return {frozenset(group) for group in groups}
