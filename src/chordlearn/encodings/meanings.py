"""What the Boolean variables of a constraint model say about the network."""

from __future__ import annotations

from dataclasses import dataclass

from chordlearn.graphs import members


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one variable says; the classes below say what that may be."""

    @property
    def name(self) -> str:
        """Unique, and legal in every language.

        >>> Separator(0b011, 0b110).name
        's_0_1__1_2'
        """
        match self:
            case Edge(a, b):
                return f"e_{a}_{b}"
            case Chosen(clique):
                return f"x_{_set(clique)}"
            case Separator(first, second):
                return f"s_{_set(first)}__{_set(second)}"
            case Before(a, b):
                return f"o_{a}_{b}"
            case Parents(vertex, parents):
                return f"p_{vertex}__{_set(parents)}"
            case Complete(vertices):
                return f"c_{_set(vertices)}"
            case Level(clique, level):
                return f"l{level}_{_set(clique)}"
            case Attached(clique, neighbour, level):
                return f"t{level}_{_set(clique)}__{_set(neighbour)}"
            case Auxiliary(number):
                return f"y_{number}"
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Edge(Meaning):
    """The vertices a < b are adjacent."""

    a: int
    b: int


@dataclass(frozen=True, slots=True)
class Chosen(Meaning):
    """The set is a maximal clique."""

    clique: int


@dataclass(frozen=True, slots=True)
class Separator(Meaning):
    """The junction tree joins the two cliques, first < second."""

    first: int
    second: int

    @property
    def label(self) -> int:
        """What the two cliques share."""
        return self.first & self.second


@dataclass(frozen=True, slots=True)
class Before(Meaning):
    """Vertex a comes before b in the order; parents come before their children."""

    a: int
    b: int


@dataclass(frozen=True, slots=True)
class Parents(Meaning):
    """The neighbours of the vertex that come before it are exactly this set."""

    vertex: int
    parents: int


@dataclass(frozen=True, slots=True)
class Complete(Meaning):
    """Every two vertices of the set are adjacent."""

    vertices: int


@dataclass(frozen=True, slots=True)
class Level(Meaning):
    """The clique is a leaf of this level or of a lower one, in the junction tree."""

    clique: int
    level: int


@dataclass(frozen=True, slots=True)
class Attached(Meaning):
    """In the junction tree the clique has this neighbour, and it is no leaf of the level."""

    clique: int
    neighbour: int
    level: int


@dataclass(frozen=True, slots=True)
class Auxiliary(Meaning):
    """A step of a translation, without a meaning of its own."""

    number: int


def _set(mask: int) -> str:
    return "_".join(map(str, members(mask))) or "none"
