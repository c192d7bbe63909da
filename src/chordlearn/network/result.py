"""The frozen result of a run: what was found, what is proved, and from what; to JSON and back.

JSON has no infinity. In the file ``null`` stands for it: a ``score`` of ``null`` is −∞ (no network), a
``bound`` or ``gap`` of ``null`` is +∞ (nothing known). NaN never occurs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError, either
from chordlearn.network import ChordalNetwork, JunctionEdge
from chordlearn.network.consistency import check_agreement
from chordlearn.network.interop import to_networkx
from chordlearn.system.files import write_whole as write_whole
from chordlearn.system.json import parse_json, read_text
from chordlearn.system.text import JsonMixin, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from chordlearn.network.fitted import FittedNetwork

SCHEMA = "chordlearn/result@1"
OWN_ENGINES = ("native", "exhaustive", "search", "ilp:cuts")
"""Backends whose proofs come from this package; those of others are solvers that it runs."""
STATUSES = ("optimal", "feasible", "none")
NO_CONSTRAINTS: Mapping[str, Any] = {"max_clique": None, "required": [], "forbidden": []}

Names = tuple[str, ...]


@dataclass(frozen=True)
class RunnerUp:
    """Another network that came close."""

    score: float
    cliques: tuple[Names, ...]


@dataclass(frozen=True)
class Result(JsonMixin):
    """A learned network with its score, a bound that no network exceeds, and the whole provenance.

    :func:`chordlearn.learn` gives one; :meth:`load` reads it from a file, and :meth:`save` writes it.
    """

    schema: str
    status: str
    """`optimal`, `feasible` (a network, not proved) or `none`."""
    score: float
    """−∞ without a network."""
    bound: float
    """No allowed network scores more, by our own proof or on the word of :attr:`backend`; may be ∞."""
    gap: float
    """Bound minus score."""
    tolerance: float
    """The bound meets the score when it is at most this much larger."""
    stopped_by: str
    variables: Names
    states: tuple[Names, ...] | None
    """The labels of each variable; None when the scores came from a file."""
    edges: tuple[tuple[str, str], ...]
    cliques: tuple[Names, ...]
    separators: tuple[Names, ...]
    junction_tree: tuple[JunctionEdge, ...]
    score_function: Mapping[str, Any]
    """Name and parameters."""
    rows: int | None
    """Number of observations; None when the scores came from a file."""
    constraints: Mapping[str, Any]
    """`max_clique`, `required` and `forbidden`."""
    backend: str
    encoding: str | None
    scaling: Mapping[str, float] | None
    """`factor` and `max_error` of integer scores; None when real scores were compared."""
    candidates: Mapping[str, int] | None
    """How many sets might be complete, `before` and `after` reduction."""
    seconds: Mapping[str, float]
    """Per stage."""
    seed: int | None
    versions: Mapping[str, str]
    data: Mapping[str, Any]
    """`source` and `options`: how to read the same table again."""
    data_sha256: str
    runners_up: tuple[RunnerUp, ...] = ()
    """The next best networks in falling order, when asked for."""
    details: Mapping[str, Any] = field(default_factory=dict)
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

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        document = {item.name: _plain(getattr(self, item.name)) for item in fields(self)}
        document["junction_tree"] = [
            {"cliques": list(edge.cliques), "separator": list(edge.separator)} for edge in self.junction_tree
        ]
        document["runners_up"] = [
            {"score": _plain(other.score), "cliques": _plain(other.cliques)} for other in self.runners_up
        ]
        return document

    @classmethod
    def from_dict(cls, document: object) -> Result:
        """The result in a JSON document; says in one sentence what is wrong with it."""
        return _read(document)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """The result in JSON text."""
        try:
            document = parse_json(text)
        except ValueError as error:
            raise InputError(
                f"This is not a whole JSON result ({error}); it may be cut off: "
                f"write it again with {either('Result.save', '--json')}."
            ) from None
        return cls.from_dict(document)

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
        try:
            text = read_text(path)
        except OSError as error:
            raise InputError(f"The result {os.fspath(path)} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise InputError(
                f"The file {os.fspath(path)} is not text; give the JSON result of a run."
            ) from None
        try:
            return cls.from_json(text)
        except InputError as error:
            raise InputError(f"{os.fspath(path)}: {error.sentence}") from None

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
    stopped_by: str,
    tolerance: float,
    score_function: Mapping[str, Any],
    backend: str,
    data_sha256: str,
    rows: int | None = None,
    states: Sequence[Sequence[str]] | None = None,
    constraints: Mapping[str, Any] = NO_CONSTRAINTS,
    encoding: str | None = None,
    scaling: Mapping[str, float] | None = None,
    candidates: Mapping[str, int] | None = None,
    seconds: Mapping[str, float] | None = None,
    seed: int | None = None,
    versions: Mapping[str, str] | None = None,
    data: Mapping[str, Any] | None = None,
    runners_up: Sequence[tuple[Sequence[int], float]] = (),
    details: Mapping[str, Any] | None = None,
) -> Result:
    """The result with everything that follows from the cliques (bit masks; None without a network).

    A bound that rounding has left below the score is raised to it, which keeps it valid.

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
    return Result(
        schema=SCHEMA,
        status="none" if not found else "optimal" if gap <= tolerance else "feasible",
        score=score,
        bound=bound,
        gap=gap,
        tolerance=float(tolerance),
        stopped_by=stopped_by,
        variables=network.variables,
        states=network.states,
        edges=network.edges,
        cliques=network.cliques,
        separators=network.separators,
        junction_tree=network.junction_tree,
        score_function=_plain(score_function),
        rows=None if rows is None else int(rows),
        constraints=_plain(constraints),
        backend=backend,
        encoding=encoding,
        scaling=None if scaling is None else {name: float(value) for name, value in scaling.items()},
        candidates=None if candidates is None else {name: int(value) for name, value in candidates.items()},
        seconds={stage: float(value) for stage, value in (seconds or {}).items()},
        seed=None if seed is None else int(seed),
        versions=dict(versions or {}),
        data=_plain(data or {"source": "memory", "options": {}}),
        data_sha256=data_sha256,
        runners_up=tuple(
            RunnerUp(float(other), ChordalNetwork.from_masks(network.variables, masks).cliques)
            for masks, other in runners_up
        ),
        details=_plain(details or {}),
    )


def _number(value: float) -> str:
    return f"{value:.6f}"


def _counted(items: Sequence[object], noun: str) -> str:
    return f"{len(items)} {noun}" + ("" if len(items) == 1 else "s")


def _plain(value: Any) -> Any:
    """As JSON can hold it: tuples become lists, numpy scalars numbers, infinities null."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)


def _read(document: object) -> Result:
    if not isinstance(document, dict):
        raise InputError(
            "A result is a JSON object, but this is something else; give the JSON result of a run."
        )
    if document.get("schema") != SCHEMA:
        raise InputError(
            f"The schema is {document.get('schema')!r} where this version reads {SCHEMA!r}; "
            "give the JSON result of a run of chordlearn."
        )
    values = {}
    for name, (expected, convert) in _FIELDS.items():
        if name not in document:
            raise InputError(f"The result has no field {name!r}; it is cut off or not a result.")
        try:
            values[name] = convert(document[name])
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError(f"The field {name!r} of the result must be {expected}.") from None
    result = Result(**values)
    known = set(result.variables)
    used = {name for clique in (*result.cliques, *result.separators, *result.edges) for name in clique}
    for name in sorted(used - known):
        raise InputError(f"The result uses a variable {name!r} that is not among its variables.")
    if result.states is not None and not _are_states(result.states, len(result.variables)):
        raise InputError("The states of the result must be a list of different labels for each variable.")
    if any(not 0 <= i < len(result.cliques) for edge in result.junction_tree for i in edge.cliques):
        raise InputError("The junction tree of the result names a clique that is not there.")
    _check_claim(result)
    if result.status != "none":
        check_agreement(result.network, result.cliques, result.edges, result.separators, result.junction_tree)
    return result


def _check_claim(result: Result) -> None:
    """Refuse a status or a gap that is not what score, bound and tolerance make it."""
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


def _are_states(states: Sequence[Names], variables: int) -> bool:
    return len(states) == variables and all(len(set(labels)) == len(labels) for labels in states)


def _demand(condition: bool) -> None:
    if not condition:
        raise ValueError


def _text(value: Any) -> str:
    _demand(isinstance(value, str))
    return str(value)


def _whole(value: Any) -> int:
    _demand(isinstance(value, int) and not isinstance(value, bool))
    return int(value)


def _real(value: Any) -> float:
    _demand(isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value))
    return float(value)


def _status(value: Any) -> str:
    _demand(value in STATUSES)
    return str(value)


def _dict(value: Any) -> dict[str, Any]:
    _demand(isinstance(value, dict))
    return dict(value)


def _list_of(convert: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def convert_all(value: Any) -> tuple[Any, ...]:
        _demand(isinstance(value, list))
        return tuple(convert(item) for item in value)

    return convert_all


def _dict_of(convert: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {key: convert(item) for key, item in _dict(value).items()}


def _or(convert: Callable[[Any], Any], instead_of_null: Any = None) -> Callable[[Any], Any]:
    return lambda value: instead_of_null if value is None else convert(value)


def _pair(convert: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    def convert_both(value: Any) -> tuple[Any, Any]:
        _demand(isinstance(value, list) and len(value) == 2)
        return convert(value[0]), convert(value[1])

    return convert_both


def _junction_edge(value: Any) -> JunctionEdge:
    edge = _dict(value)
    return JunctionEdge(_pair(_whole)(edge["cliques"]), _names(edge["separator"]))


def _runner_up(value: Any) -> RunnerUp:
    other = _dict(value)
    return RunnerUp(_real(other["score"]), _list_of(_names)(other["cliques"]))


def _function(value: Any) -> dict[str, Any]:
    function = _dict(value)
    _text(function["name"])
    _dict(function["parameters"])
    return function


def _constraints(value: Any) -> dict[str, Any]:
    constraints = _dict(value)
    _or(_whole)(constraints["max_clique"])
    _list_of(_pair(_text))(constraints["required"])
    _list_of(_pair(_text))(constraints["forbidden"])
    return constraints


def _data(value: Any) -> dict[str, Any]:
    data = _dict(value)
    _text(data["source"])
    _dict(data["options"])
    return data


_names = _list_of(_text)

_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "schema": ("text", _text),
    "status": ("optimal, feasible or none", _status),
    "score": ("a number, or null without a network", _or(_real, -math.inf)),
    "bound": ("a number, or null for no bound", _or(_real, math.inf)),
    "gap": ("a number, or null for no bound", _or(_real, math.inf)),
    "tolerance": ("a number", _real),
    "stopped_by": ("text", _text),
    "variables": ("a list of names", _names),
    "states": ("a list of lists of labels, or null", _or(_list_of(_names))),
    "edges": ("a list of pairs of names", _list_of(_pair(_text))),
    "cliques": ("a list of lists of names", _list_of(_names)),
    "separators": ("a list of lists of names", _list_of(_names)),
    "junction_tree": ("a list of objects with cliques (two numbers) and separator", _list_of(_junction_edge)),
    "score_function": ("an object with name and parameters", _function),
    "rows": ("a whole number, or null", _or(_whole)),
    "constraints": ("an object with max_clique, required and forbidden", _constraints),
    "backend": ("text", _text),
    "encoding": ("text, or null", _or(_text)),
    "scaling": ("an object of numbers, or null", _or(_dict_of(_real))),
    "candidates": ("an object of whole numbers, or null", _or(_dict_of(_whole))),
    "seconds": ("an object of numbers", _dict_of(_real)),
    "seed": ("a whole number, or null", _or(_whole)),
    "versions": ("an object of texts", _dict_of(_text)),
    "data": ("an object with source and options", _data),
    "data_sha256": ("text", _text),
    "runners_up": ("a list of objects with score and cliques", _list_of(_runner_up)),
    "details": ("an object", _dict),
}
