"""The frozen result of a run: what was found, what is proved, and from what; to JSON and back.

JSON has no infinity. There ``null`` stands for it: a ``score`` of ``null`` is −∞ (no network), a ``bound`` or
``gap`` of ``null`` is +∞ (nothing known).
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import msgspec
from msgspec import Meta

from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError, either
from chordlearn.network.chordal import ChordalNetwork, JunctionEdge
from chordlearn.network.exports import to_networkx
from chordlearn.network.network_file import checked_structure
from chordlearn.system.files import write_whole as write_whole
from chordlearn.system.json import JsonMixin, convert, load_document, parse_document, plain_values
from chordlearn.system.text import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from chordlearn.network.fitted import FittedNetwork

SCHEMA = "chordlearn/result@1"
OWN_ENGINES = ("native", "exhaustive", "search", "ilp:cuts")
"""Backends whose proofs come from this package; those of others are solvers that it runs."""
INFINITIES = {"score": -math.inf, "bound": math.inf, "gap": math.inf}
"""What ``null`` stands for."""

_DIFFERENT = {"uniqueItems": True}

Names = Annotated[tuple[str, ...], Meta(min_length=1, extra_json_schema=_DIFFERENT)]
Edge = Annotated[tuple[str, str], Meta(extra_json_schema=_DIFFERENT)]
ListedEdge = Annotated[list[str], Meta(min_length=2, max_length=2, extra_json_schema=_DIFFERENT)]
LogValue = Annotated[float, Meta(description="a number, or null for infinity")]


class RunnerUp(msgspec.Struct, frozen=True):
    """Another network that came close."""

    score: float
    cliques: tuple[Names, ...]


class FunctionRecord(TypedDict):
    """A score function as a result names it."""

    name: str
    parameters: dict[str, Any]


class ConstraintsRecord(TypedDict):
    """The constraints among which a result is the best."""

    max_clique: Annotated[int, Meta(ge=1)] | None
    required: list[ListedEdge]
    forbidden: list[ListedEdge]


class DataRecord(TypedDict):
    """How to read the same table again."""

    source: str
    options: dict[str, Any]


class Result(JsonMixin, msgspec.Struct, frozen=True, kw_only=True):
    """A learned network with its score, a bound that no network exceeds, and the whole provenance.

    :func:`chordlearn.learn` gives one; :meth:`load` reads it from a file, and :meth:`save` writes it.
    """

    schema: Literal["chordlearn/result@1"]
    status: Annotated[Literal["optimal", "feasible", "none"], Meta(description="optimal, feasible or none")]
    """`optimal`, `feasible` (a network, not proved) or `none`."""
    score: LogValue
    """−∞ without a network."""
    bound: LogValue
    """No allowed network scores more, by our own proof or on the word of :attr:`backend`; may be ∞."""
    gap: LogValue
    """Bound minus score."""
    tolerance: Annotated[float, Meta(ge=0)]
    """The bound meets the score when it is at most this much larger."""
    stopped_by: str
    variables: Names
    states: tuple[tuple[str, ...], ...] | None
    """The labels of each variable; None when the scores came from a file."""
    edges: tuple[Edge, ...]
    cliques: tuple[Names, ...]
    separators: tuple[Names, ...]
    junction_tree: tuple[JunctionEdge, ...]
    score_function: FunctionRecord
    """Name and parameters."""
    rows: Annotated[int, Meta(ge=0)] | None
    """Number of observations; None when the scores came from a file."""
    constraints: ConstraintsRecord
    """`max_clique`, `required` and `forbidden`."""
    backend: str
    encoding: str | None
    scaling: dict[str, float] | None
    """`factor` and `max_error` of integer scores; None when real scores were compared."""
    candidates: dict[str, int] | None
    """How many sets might be complete, `before` and `after` reduction."""
    seconds: dict[str, float]
    """Per stage."""
    seed: int | None
    versions: dict[str, str]
    data: DataRecord
    """`source` and `options`: how to read the same table again."""
    data_sha256: str
    runners_up: tuple[RunnerUp, ...]
    """The next best networks in falling order, when asked for."""
    details: dict[str, Any]
    """Figures of the run as the backend names them."""

    @property
    def network(self) -> ChordalNetwork:
        """The learned network."""
        if self.status == "none":
            raise InputError(f"This result holds no network: the run was stopped by {self.stopped_by}.")
        return ChordalNetwork.from_cliques(self.variables, self.cliques, self.states)

    # These do what functions to the right on the arrow do, so they ask the front door when they are called.

    def plot(self, kind: str | None = None) -> Figure:
        """Draw the network as a figure of matplotlib; see :func:`chordlearn.plot`.

        >>> import chordlearn as cl
        >>> len(cl.learn("heart").plot().axes)
        1
        """
        import chordlearn

        return chordlearn.plot(self, kind)

    def report(self, path: str | os.PathLike[str], data: Any = None) -> None:
        """Write the report, one HTML file that opens offline; see :func:`chordlearn.write_report`."""
        import chordlearn

        chordlearn.write_report(self, path, data)

    def fit(self, data: Any = None) -> FittedNetwork:
        """The network with its tables; see :func:`chordlearn.fit`, which has more options.

        >>> import chordlearn as cl
        >>> cl.learn("heart").fit().marginal("smoke")
        <Distribution of smoke: n: 0.478013 | y: 0.521987>
        """
        import chordlearn

        return chordlearn.fit(self, data)

    def to_networkx(self) -> Any:
        """The graph as one of networkx."""
        return to_networkx(self.network)

    @property
    def status_in_words(self) -> str:
        """The status as a reader understands it at once."""
        if self.status == "optimal":
            return f"optimal, proved{self.proved_by}"
        if self.status == "none":
            return f"no network found (stopped by {self.stopped_by})"
        gap = f"within {self.gap:.6g} of the best" if math.isfinite(self.gap) else "no bound known"
        return f"not proved optimal ({gap}; stopped by {self.stopped_by})"

    @property
    def proved_by(self) -> str:
        """Whose word the proof is: " by maxsat:rc2 1.8, which chordlearn ran"; nothing if it is our own.

        The engines of the package prove by themselves. Of a solver that we ran we know the network, which is
        checked and scored again, and its claim that there is no better one.
        """
        prover = str(self.details.get("winner", self.backend))
        if prover in OWN_ENGINES:
            return ""
        number = self.versions.get(prover, "")
        return f" by {prover}{number and ' '}{number}, which chordlearn ran"

    @classmethod
    def from_dict(cls, document: object) -> Result:
        """The result in a JSON document; says in one sentence what is wrong with it."""
        if isinstance(document, dict):
            if document.get("schema") != SCHEMA:
                raise InputError(
                    f"The schema is {document.get('schema')!r} where this version reads {SCHEMA!r}; "
                    "give the JSON result of a run of chordlearn."
                )
            for name, infinity in INFINITIES.items():
                value = document.get(name, 0)
                if isinstance(value, float) and not math.isfinite(value):
                    raise InputError(f"The field {name!r} of the result must be a number, or null.")
                document = document | ({name: infinity} if value is None else {})
        result = convert(document, cls, "result")
        _check(result)
        return result

    @classmethod
    def from_json(cls, text: str) -> Result:
        """The result in JSON text."""
        return cls.from_dict(parse_document(text, "result", either("Result.save", "--json")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON to a file, all of it or nothing; the file of the data is never replaced."""
        refuse_replacing(path, self.data.get("source"))
        write_whole(Path(path), self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a result from a file.

        A file that contradicts itself is refused. What is left is the word of whoever wrote it, until
        :func:`chordlearn.verify` has checked it from the data.
        """
        return load_document(path, "result", cls.from_json)

    def __repr__(self) -> str:
        """One line."""
        return (
            f"<Result: {self.status_in_words}; score {_number(self.score)}; "
            f"{_counted(self.variables, 'variable')}, {_counted(self.edges, 'edge')}, "
            f"{_counted(self.cliques, 'clique')}>"
        )

    def __str__(self) -> str:
        """Status, score and structure, a line each."""
        return "\n".join(f"{name + ':':<11} {shown(text)}" for name, text in self._summary())

    def _summary(self) -> list[tuple[str, str]]:
        return [
            ("status", self.status_in_words),
            ("score", _number(self.score)),
            ("bound", f"{_number(self.bound)} (gap {self.gap:.6g})"),
            ("cliques", "  ".join("–".join(clique) for clique in self.cliques) or "none"),
            ("separators", "  ".join("–".join(separator) for separator in self.separators) or "none"),
        ]

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr style="text-align:left"><th>{escape(name)}</th><td>{escape(shown(text))}</td></tr>'
            for name, text in self._summary()
        )
        drawing = "" if self.status == "none" else self.network._repr_html_()
        return f"<table>{rows}</table>{drawing}"


def build_result(
    *,
    variables: Sequence[str],
    cliques: Sequence[int] | None,
    score: float,
    bound: float,
    tolerance: float,
    states: Sequence[Sequence[str]] | None = None,
    runners_up: Sequence[tuple[Sequence[int], float]] = (),
    **provenance: Any,
) -> Result:
    """The result with everything that follows from the cliques (bit masks; None without a network).

    ``provenance`` has the other fields. A bound that rounding has left below the score is raised to it, which
    keeps it valid.

    >>> build_result(
    ...     variables=["a", "b"], cliques=[0b11], score=-3.5, bound=-3.5, stopped_by="proof", tolerance=1e-6,
    ...     score_function={"name": "bic", "parameters": {}}, backend="native", data_sha256="00",
    ... )
    <Result: optimal, proved; score -3.500000; 2 variables, 1 edge, 1 clique>
    """
    found = cliques is not None
    network = ChordalNetwork.from_masks(tuple(variables), cliques or (), states)
    score = float(score) if found else -math.inf
    bound = max(float(bound), score)
    gap = bound - score if found else math.inf
    if math.isnan(score) or math.isnan(gap):
        raise InputError("The score of the network is not a number; check the score function.")
    unstated: dict[str, Any] = {
        "rows": None,
        "constraints": {"max_clique": None, "required": [], "forbidden": []},
        "encoding": None,
        "scaling": None,
        "candidates": None,
        "seconds": {},
        "seed": None,
        "versions": {},
        "data": {"source": "memory", "options": {}},
        "details": {},
    }
    return Result(
        schema="chordlearn/result@1",
        status="none" if not found else "optimal" if gap <= tolerance else "feasible",
        score=score,
        bound=bound,
        gap=gap,
        tolerance=float(tolerance),
        variables=network.variables,
        states=network.states,
        edges=network.edges,
        cliques=network.cliques,
        separators=network.separators,
        junction_tree=network.junction_tree,
        runners_up=tuple(
            RunnerUp(float(other), ChordalNetwork.from_masks(network.variables, masks).cliques)
            for masks, other in runners_up
        ),
        **plain_values(unstated | provenance),
    )


def _number(value: float) -> str:
    return f"{value:.6f}"


def _counted(items: Sequence[object], noun: str) -> str:
    return f"{len(items)} {noun}" + ("" if len(items) == 1 else "s")


def _check(result: Result) -> None:
    """Refuse a result that contradicts itself."""
    if result.status == "none":
        if result.cliques or result.edges or result.separators or math.isfinite(result.score):
            raise InputError("The result has status none, but a network or a score; learn it again.")
        return
    if not math.isfinite(result.score) or result.bound < result.score:
        raise InputError("The bound of the result is below its score, or the score is none; learn it again.")
    gap = result.bound - result.score
    if result.gap != gap:
        raise InputError("The gap of the result is not its bound minus its score; learn it again.")
    if (gap <= result.tolerance) != (result.status == "optimal"):
        raise InputError(
            f"The status of the result is {result.status}, but its gap is {gap:.6g}; learn it again."
        )
    checked_structure(result)
