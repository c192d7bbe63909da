"""What a network must and must not have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chordlearn.errors import ContradictionError, InputError, option
from chordlearn.graphs import mask_of

Edge = tuple[str, str]
EdgeIndices = tuple[tuple[int, int], ...]
"""Edges as pairs of variable numbers, the lower first."""


@dataclass(frozen=True)
class Constraints:
    """Restrictions on the network, by variable name."""

    max_clique: int | None = None
    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()

    def among(self, variables: Collection[str]) -> Constraints:
        """Those on edges between these variables; the others are left out.

        >>> Constraints(3, forbidden=(("a", "b"), ("b", "c"))).among(["a", "b"]).forbidden
        (('a', 'b'),)
        """

        def kept(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
            return tuple(edge for edge in edges if set(edge) <= set(variables))

        return Constraints(self.max_clique, kept(self.required), kept(self.forbidden))

    def as_json(self) -> dict[str, object]:
        """The constraints as they stand in the JSON result."""
        return {
            "max_clique": self.max_clique,
            "required": [list(edge) for edge in self.required],
            "forbidden": [list(edge) for edge in self.forbidden],
        }


def recorded_constraints(recorded: object) -> Constraints:
    """The constraints that a result or a network file states.

    >>> recorded_constraints({"max_clique": 3, "required": [["a", "b"]], "forbidden": []})
    Constraints(max_clique=3, required=(('a', 'b'),), forbidden=())
    """
    try:
        stated = dict(recorded or {})  # type: ignore[call-overload]
        largest = stated.get("max_clique")
        if largest is not None and type(largest) is not int:
            raise TypeError
        required, forbidden = (
            tuple((str(a), str(b)) for a, b in stated.get(kind, ())) for kind in ("required", "forbidden")
        )
    except (TypeError, ValueError):
        raise InputError(
            "The constraints that are recorded make no sense; learn the network again."
        ) from None
    return Constraints(largest, required, forbidden)


def allows(constraints: Constraints, variables: Sequence[str], cliques: Sequence[int]) -> bool:
    """Whether a network, given by its maximal cliques as bit masks, keeps to the constraints.

    >>> allows(Constraints(required=(("a", "c"),)), "abc", [0b011, 0b110])
    False
    """

    def adjacent(edge: Edge) -> bool:
        pair = mask_of(variables.index(name) for name in edge)
        return any(pair & clique == pair for clique in cliques)

    largest = constraints.max_clique
    return (
        all(map(adjacent, constraints.required))
        and not any(map(adjacent, constraints.forbidden))
        and (largest is None or max(map(int.bit_count, cliques), default=0) <= largest)
    )


def index_constraints(
    variables: tuple[str, ...], constraints: Constraints
) -> tuple[EdgeIndices, EdgeIndices]:
    """Required and forbidden edges by number; what is wrong or contradicts itself is refused.

    >>> index_constraints(("a", "b", "c"), Constraints(required=(("c", "a"),)))
    (((0, 2),), ())
    """
    if constraints.max_clique is not None and constraints.max_clique < 1:
        raise InputError(
            f"The largest clique allowed must have at least 1 variable; "
            f"give {option('max_clique', 1)} or more."
        )
    required = tuple(_index_pair(variables, edge) for edge in constraints.required)
    forbidden = tuple(_index_pair(variables, edge) for edge in constraints.forbidden)
    for a, b in set(required) & set(forbidden):
        pair = f"{variables[a]},{variables[b]}"
        raise ContradictionError(f"The edge {pair} is both required and forbidden; drop one of the two.")
    if required and constraints.max_clique == 1:
        raise ContradictionError(
            f"An edge is required but cliques may have only 1 variable; allow {option('max_clique', 2)}."
        )
    return required, forbidden


def _index_pair(variables: tuple[str, ...], edge: Edge) -> tuple[int, int]:
    for name in edge:
        if name not in variables:
            known = ", ".join(variables[:10]) + (", …" if len(variables) > 10 else "")
            raise InputError(
                f"There is no variable {name!r} for a required or forbidden edge; there are {known}."
            )
    a, b = sorted(variables.index(name) for name in edge)
    if a == b:
        raise InputError(f"An edge needs two different variables, but {edge[0]},{edge[1]} names one twice.")
    return a, b
