"""A result from a solver's answer to a file that :func:`chordlearn.encode` wrote."""

from __future__ import annotations

import math
import os
from importlib.metadata import version
from pathlib import Path

from chordlearn.encodings.answers import Answer, read_answer
from chordlearn.encodings.mapping import ModelMap, map_path, read_map
from chordlearn.errors import InputError
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, score_of, separators
from chordlearn.network.result import Result, build_result
from chordlearn.system.files import read_whole

TOLERANCE = 1e-6
CLAIMED = "optimum, as claimed by the solver"
UNCLAIMED = "the solver, which claims no optimum"
WITHIN_A_GAP = "optimum within a gap that is not stated, as claimed by the solver"
WITH_A_GAP = ("mps",)
"""Solvers of such files stop within a gap, 0.01 % with most, and call that optimal."""
RELATIVE_ERROR = {"smt2": 1e-9, "mps": 1e-4}
"""Of printed costs that are no whole numbers; solvers of MPS take 0.999999 for 1."""


def decode(model: str | os.PathLike[str], answer: str | os.PathLike[str]) -> Result:
    """Turn a solver's answer to an encoded file into a result, scored with the real scores.

    ``model`` is what :func:`chordlearn.encode` wrote, ``answer`` a file with what the solver printed, or its
    solution file. That the network is optimal is the solver's claim, so the result does not say it; the claim
    stands in its ``details``.
    """
    mapping = read_map(map_path(Path(model)))
    text = _read_text(Path(answer))
    return _result(mapping, read_answer(text, mapping.language, mapping.numbers), Path(model))


def _read_text(path: Path) -> str:
    try:
        return read_whole(path).decode(errors="replace")
    except OSError as error:
        raise InputError(f"The solver's output {path} cannot be read: {error.strerror}.") from None


def _result(mapping: ModelMap, answer: Answer, model: Path) -> Result:
    cliques = _cliques(mapping, answer)
    score = _score(mapping, cliques)
    details: dict[str, object] = {"model": model.name}
    stopped_by = UNCLAIMED
    if answer.claims_optimal:
        _check_cost(mapping, answer, cliques)
        stopped_by = WITHIN_A_GAP if mapping.language in WITH_A_GAP else CLAIMED
    if stopped_by == CLAIMED:
        # The best in integers is within twice the rounding error of the best.
        margin = 0.0 if mapping.scaling is None else mapping.scaling.margin
        details["claimed_bound"] = max(score + margin, mapping.lower)
    origin = mapping.origin
    scaling = mapping.scaling
    try:
        return build_result(
            variables=mapping.variables,
            cliques=cliques,
            score=score,
            # Nobody here saw a proof: what the solver claims stands in the details, as its claim.
            bound=math.inf,
            stopped_by=stopped_by,
            tolerance=TOLERANCE,
            score_function=origin["score_function"],
            backend=f"file:{mapping.language}",
            data_sha256=origin["data_sha256"],
            rows=origin["rows"],
            states=origin["states"],
            constraints=origin["constraints"],
            encoding=mapping.encoding,
            scaling=None if scaling is None else {"factor": scaling.factor, "max_error": scaling.max_error},
            candidates=origin["candidates"],
            seconds=origin["seconds"],
            versions={"chordlearn": version("chordlearn")},
            data=origin["data"],
            details=details,
        )
    except (KeyError, TypeError):
        raise InputError(
            f"The map of {model} lacks where the scores come from; write it again with chordlearn encode."
        ) from None


def _check_cost(mapping: ModelMap, answer: Answer, cliques: tuple[int, ...]) -> None:
    """Refuse an optimum whose cost, as the solver prints it, is not that of its network."""
    if answer.cost is None:
        return
    total = score_of(cliques, separators(cliques), mapping.values.__getitem__)
    # In whole numbers, which may be larger than doubles hold.
    cost = mapping.free - total if mapping.scaling is None else round(mapping.free) - round(total)
    allowed = RELATIVE_ERROR.get(mapping.language, 0.0) * max(1.0, abs(cost), abs(mapping.free))
    if not abs(answer.cost - cost) <= allowed:
        raise InputError(
            f"The solver claims an optimum that costs {answer.cost}, but in this file its network costs "
            f"{cost}; the solver erred or solved another file."
        )


def _cliques(mapping: ModelMap, answer: Answer) -> tuple[int, ...]:
    edges = [mapping.edges[number] for number in answer.true if number in mapping.edges]
    graph = graph_from_edges(len(mapping.variables), edges)
    if not is_chordal(graph):
        raise InputError(
            "The answer describes a graph that is not chordal; the solver erred or solved another file."
        )
    for a, b in mapping.required:
        if not graph[a] >> b & 1:
            raise InputError(
                f"The answer lacks the required edge {mapping.variables[a]},{mapping.variables[b]}; "
                "the solver erred or solved another file."
            )
    return maximal_cliques(graph)


def _score(mapping: ModelMap, cliques: tuple[int, ...]) -> float:
    for clique in cliques:
        if clique not in mapping.scores:
            names = ", ".join(name for i, name in enumerate(mapping.variables) if clique >> i & 1)
            raise InputError(
                f"The answer has a clique that is no candidate ({names}); "
                "the solver erred or solved another file."
            )
    return score_of(cliques, separators(cliques), mapping.scores.__getitem__)
