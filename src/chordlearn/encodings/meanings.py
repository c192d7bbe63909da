"""What the Boolean variables of a constraint model say about the network."""

from __future__ import annotations

from dataclasses import dataclass

from chordlearn.graphs import members


@dataclass(frozen=True, slots=True)
class Edge:
    """The vertices a < b are adjacent."""

    a: int
    b: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"e_{self.a}_{self.b}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The set is a maximal clique."""

    clique: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"x_{_set(self.clique)}"


@dataclass(frozen=True, slots=True)
class Separator:
    """The junction tree joins the two cliques, first < second."""

    first: int
    second: int

    @property
    def label(self) -> int:
        """What the two cliques share."""
        return self.first & self.second

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"s_{_set(self.first)}__{_set(self.second)}"


@dataclass(frozen=True, slots=True)
class Before:
    """Vertex a comes before b in the order; parents come before their children."""

    a: int
    b: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"o_{self.a}_{self.b}"


@dataclass(frozen=True, slots=True)
class Parents:
    """The neighbours of the vertex that come before it are exactly this set."""

    vertex: int
    parents: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"p_{self.vertex}__{_set(self.parents)}"


@dataclass(frozen=True, slots=True)
class Complete:
    """Every two vertices of the set are adjacent."""

    vertices: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"c_{_set(self.vertices)}"


@dataclass(frozen=True, slots=True)
class Level:
    """The clique is a leaf of this level or of a lower one, in the junction tree."""

    clique: int
    level: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"l{self.level}_{_set(self.clique)}"


@dataclass(frozen=True, slots=True)
class Attached:
    """In the junction tree the clique has this neighbour, and it is no leaf of the level."""

    clique: int
    neighbour: int
    level: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"t{self.level}_{_set(self.clique)}__{_set(self.neighbour)}"


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """A step of a translation, without a meaning of its own."""

    number: int

    @property
    def name(self) -> str:
        """Unique, and legal in every language."""
        return f"y_{self.number}"


Meaning = Edge | Chosen | Separator | Before | Parents | Complete | Level | Attached | Auxiliary


def _set(mask: int) -> str:
    return "_".join(map(str, members(mask))) or "none"
