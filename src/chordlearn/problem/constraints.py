"""What a network must and must not have."""

from __future__ import annotations

from dataclasses import dataclass

Edge = tuple[str, str]


@dataclass(frozen=True)
class Constraints:
    """Restrictions on the network, by variable name."""

    max_clique: int | None = None
    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The constraints as they stand in the JSON result."""
        return {
            "max_clique": self.max_clique,
            "required": [list(edge) for edge in self.required],
            "forbidden": [list(edge) for edge in self.forbidden],
        }
