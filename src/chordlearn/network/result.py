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
from chordlearn.system.files import write_whole
from chordlearn.system.json import JsonMixin, convert, load_document, parse_document, plain_values
from chordlearn.system.text import counted, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from chordlearn.network.fitted import FittedNetwork

MOST_READ_AGAIN = 20_000_000
"""Cells of a table that a notebook reads again to show what was learned from it."""
SCHEMA = "chordlearn/result@1"
OWN_ENGINES = ("native", "exhaustive", "search", "ilp:cuts")
"""Backends whose proofs come from this package; those of others are solvers that it runs."""
TELLING, FEW_NATS = 0.05, 10.0
"""A gap says something if it is no larger part of the score than this, or no more than so much."""
CAUSES = {"time limit": "the time limit", "memory limit": "the memory limit", "interrupted": "the user"}
INFINITIES = {"score": -math.inf, "bound": math.inf, "gap": math.inf}
"""What ``null`` stands for."""

_DIFFERENT = {"uniqueItems": True}

Names = Annotated[tuple[str, ...], Meta(min_length=1, extra_json_schema=_DIFFERENT)]
Edge = Annotated[tuple[str, str], Meta(extra_json_schema=_DIFFERENT)]
ListedEdge = Annotated[list[str], Meta(min_length=2, max_length=2, extra_json_schema=_DIFFERENT)]
LogValue = Annotated[float, Meta(description="a number, or null for infinity")]


class RunnerUp(JsonMixin, msgspec.Struct, frozen=True):
    """Another network that came close."""

    score: float
    cliques: tuple[Names, ...]


class Claim(JsonMixin, msgspec.Struct, frozen=True):
    """What is known of the networks of a class: the best one found, and a bound that none of them exceeds."""

    among: Annotated[
        dict[Literal["max_clique"], int], Meta(description="max_clique, or nothing for all networks")
    ] = msgspec.field(name="class")
    """`max_clique`, the largest clique of these networks; empty for all networks."""
    status: Literal["optimal", "feasible"]
    score: float
    bound: LogValue
    gap: LogValue
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


class Result(JsonMixin, msgspec.Struct, frozen=True, kw_only=True, dict=True):
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
    rows: Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)] | None
    """Number of observations, or what their weights sum to; None when the scores came from a file."""
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
    """The next best networks in falling order, if requested."""
    claims: tuple[Claim, ...]
    """What is known of which class of networks, the narrowest first; the last is the class requested."""
    details: dict[str, Any]
    """Figures of the run as the backend names them."""

    @property
    def network(self) -> ChordalNetwork:
        """The learned network."""
        if self.status == "none":
            raise InputError(f"This result holds no network: the run was stopped by {self.stopped_by}.")
        return ChordalNetwork.from_cliques(self.variables, self.cliques, self.states)

    # These do what functions to the right on the arrow do, so they ask the front door when they are called.

    def plot(self, kind: str | None = None, **options: Any) -> Figure:
        """Draw the network as a figure of matplotlib; see :func:`chordlearn.plot` for the options.

        >>> import chordlearn as cl
        >>> len(cl.learn("heart").plot().axes)
        1
        """
        import chordlearn

        return chordlearn.plot(self, kind, **options)

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
        """The strongest statement that can be made, as a reader understands it at once.

        A bound that is too far away to say anything is not mentioned.
        """
        if self.status == "optimal":
            return f"optimal, proved{self.proved_by}"
        stopped = f"stopped by {CAUSES.get(self.stopped_by, self.stopped_by)}"
        if self.status == "none":
            return f"no network found: {stopped}"
        if isinstance(self.details.get("em"), dict):
            return self._em_in_words(self.details["em"], stopped)
        telling, proved = says_something(self.gap, self.score), self.proved_claim
        if proved is None:
            if telling:
                return f"within {self.gap:.6g} of the best, not proved optimal ({stopped})"
            return f"the best found, not proved optimal: how far from the best is not known ({stopped})"
        narrower = f"networks with cliques of at most {proved.among['max_clique']}"
        if self.score - proved.score <= self.tolerance:
            known = f"best of all {narrower}, proved; with larger cliques none better is known"
        else:
            more = f"{self.score - proved.score:.6g}"
            known = (
                f"{more} better than the best of all {narrower}, which is proved; not proved optimal itself"
            )
        at_most = f", and none is more than {self.gap:.6g} better" if telling else ""
        return f"{known}{at_most} ({stopped})"

    def _em_in_words(self, em: dict[str, Any], stopped: str) -> str:
        """What is known of a network that was learned from missing values."""
        found = f"a local optimum of EM, the best of {counted(len(em.get('starts', ())), 'start')}"
        if not em.get("fixed_point"):
            return f"{found}, not proved optimal, nor yet at rest ({stopped})"
        how = "proved" if em.get("step_proved") else "as far as a search can tell"
        return f"{found}, not proved optimal; for the counts that it expects it is the best network, {how}"

    @property
    def proved_claim(self) -> Claim | None:
        """The claim about the widest class whose best network is proved; None if there is none."""
        return next((claim for claim in reversed(self.claims) if claim.status == "optimal"), None)

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
            document = document | _with_infinities(document.get("claims"))
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
        return (
            f"<Result: {self.status_in_words}; score {_number(self.score)}; "
            f"{counted(len(self.variables), 'variable')}, {counted(len(self.edges), 'edge')}, "
            f"{counted(len(self.cliques), 'clique')}>"
        )

    def __str__(self) -> str:
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
        import chordlearn

        if self.status == "none":
            return f"<p>{escape(shown(self.status_in_words))}</p>"
        if (self.rows or 0) * len(self.variables) > MOST_READ_AGAIN:
            return self.network._repr_html_()
        return chordlearn.explorer_html(self)


def build_result(
    *,
    variables: Sequence[str],
    cliques: Sequence[int] | None,
    score: float,
    bound: float,
    tolerance: float,
    states: Sequence[Sequence[str]] | None = None,
    runners_up: Sequence[tuple[Sequence[int], float]] = (),
    claims: Sequence[tuple[int, Sequence[int], float, float]] = (),
    **provenance: Any,
) -> Result:
    """The result with everything that follows from the cliques (bit masks; None without a network).

    ``claims`` are about classes narrower than the one asked for: the largest clique, the cliques of the best
    network, its score, and a bound. ``provenance`` has the other fields. A bound that rounding has left below
    the score is raised to it, which keeps it valid.

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
    stated = plain_values(unstated | provenance)
    largest = stated["constraints"]["max_clique"]

    def claim(size: int | None, masks: Sequence[int], score: float, bound: float) -> Claim:
        return Claim(
            {} if size is None else {"max_clique": size},
            "optimal" if bound - score <= tolerance else "feasible",
            float(score),
            float(bound),
            float(bound - score),
            ChordalNetwork.from_masks(network.variables, masks).cliques,
        )

    every = [*claims, (largest, cliques, score, bound)] if cliques is not None else []
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
        claims=tuple(claim(*known) for known in every),
        **stated,
    )


def says_something(gap: float, score: float) -> bool:
    """Whether a bound so far above a score is of any use.

    >>> says_something(41.2, -11108.7), says_something(10663.4, -11108.7)
    (True, False)
    """
    return gap <= max(FEW_NATS, TELLING * abs(score))


def _with_infinities(claims: object) -> dict[str, Any]:
    """The claims of a document, where ``null`` stands for infinity."""
    if not isinstance(claims, list):
        return {}
    unbounded = {"bound": math.inf, "gap": math.inf}
    return {
        "claims": [
            claim | {name: unbounded[name] for name in unbounded if claim.get(name, 0) is None}
            if isinstance(claim, dict)
            else claim
            for claim in claims
        ]
    }


def _number(value: float) -> str:
    return f"{value:.6f}"


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
    _check_claims(result)


def _check_claims(result: Result) -> None:
    """The last claim is the result itself; the others are about narrower classes."""
    sizes = [claim.among.get("max_clique", len(result.variables) + 1) for claim in result.claims]
    last = result.claims[-1] if result.claims else None
    if (
        last is None
        or sizes != sorted(set(sizes))
        or (last.status, last.score, last.bound) != (result.status, result.score, result.bound)
        or any((claim.gap <= result.tolerance) != (claim.status == "optimal") for claim in result.claims)
        or any(claim.gap != claim.bound - claim.score for claim in result.claims)
    ):
        raise InputError("The claims of the result contradict it or each other; learn it again.")
