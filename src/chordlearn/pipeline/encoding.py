"""The learning problem as a file for any solver, with a map of its variables beside it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from chordlearn.backends.base.outcome import Observer
from chordlearn.backends.base.preparation import KEPT_BELOW_INCUMBENT, prepare
from chordlearn.backends.base.run import Options, Run, RunStopped
from chordlearn.encodings import (
    Encoding,
    IntegerScaling,
    absolute_weight,
    asp,
    find_encoding,
    largest_factor,
    scaled_problem,
    smallest_factor,
)
from chordlearn.encodings.languages import LANGUAGES
from chordlearn.encodings.mapping import map_document, map_path
from chordlearn.errors import InputError, StoppedError, option
from chordlearn.pipeline.inputs import Input, read_input, score_input
from chordlearn.problem.candidates import Candidates, reduce_candidates
from chordlearn.problem.constraints import Constraints, Edge
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.system.files import writing
from chordlearn.system.json import JsonMixin
from chordlearn.system.text import json_text

LARGEST_TOTAL = 2**62
LARGEST_ASP_WEIGHT = 2**31 - 1
ENOUGH_ERROR = 4e-7
FORMATS = ("wcnf", "wcnf-classic", "opb", "smt2", "lp", "mps")


@dataclass(frozen=True)
class Encoded(JsonMixin):
    """What was written: the model, the map beside it, and how large the model is."""

    model: Path
    map: Path
    size: str
    """As in "36 variables, 120 clauses, 0 linear constraints, 14 weights"."""


def encode(
    data: Any,
    output: str | os.PathLike[str],
    *,
    encoding: str = "edges",
    format: str | None = None,
    reduce: bool = True,
    scale: float | None = None,
    settings: Mapping[str, bool] | None = None,
    max_clique: int | None = None,
    require: Iterable[Edge] = (),
    forbid: Iterable[Edge] = (),
    threads: int | None = None,
    observer: Observer | None = None,
    **reading: Any,
) -> Encoded:
    """Write the learning problem as a constraint model for any solver, and beside it a map of its variables.

    :func:`chordlearn.decode` makes a result of the solver's answer.

    Parameters
    ----------
    data, max_clique, require, forbid, threads, observer, reading
        As :func:`chordlearn.learn` takes them; ``reading`` are the options for the table and its scores.
    output
        The file of the model; the map is written beside it, with `.map.json` after its name.
    encoding
        `"paper"`, `"paper-implied"`, `"edges"` or `"elimination"`.
    format
        `"wcnf"`, `"wcnf-classic"`, `"opb"`, `"smt2"`, `"lp"` or `"mps"`; by default the suffix says.
    reduce
        Leave out sets that no best network can have.
    scale
        Round scores times this to integers; by default as precise as the format allows. `"smt2"` and `"mps"`
        keep real scores.
    settings
        Options of the encoding.

    Examples
    --------
    >>> import tempfile, chordlearn as cl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cl.encode("heart", f"{folder}/heart.wcnf", columns=["smoke", "phys"]).model.name
    'heart.wcnf'
    """
    path, chosen, switches = Path(output), find_encoding(encoding), dict(settings or {})
    language = model_format(path, format)
    chosen.check_options(switches)
    given = read_input(data, observer=observer, **reading)
    table = score_input(given, max_size=max_clique, threads=threads, observer=observer)
    problem = make_problem(table, Constraints(max_clique, tuple(require), tuple(forbid)))
    work = _scaled(_prepared(problem, chosen, switches, reduce, observer), language, scale)
    if observer is not None:
        observer.progress("writing", None, None)
    return _write(work, language, path, _origin(given, work))


def model_format(output: Path, asked: str | None) -> str:
    """The format asked for, or that of the suffix."""
    named = asked or output.suffix.lstrip(".").lower()
    if named not in FORMATS:
        raise InputError(
            f"No language is named {named!r}; give {option('format', 'wcnf')}, or another of "
            f"{', '.join(FORMATS[1:])}."
        )
    return named


@dataclass(frozen=True)
class _Work:
    """What is to be written: a problem, its candidates, and the integers that stand for its scores."""

    problem: Problem
    encoding: Encoding
    switches: Mapping[str, bool]
    candidates: Candidates
    best_score: float | None
    scaled: Problem
    scaling: IntegerScaling | None = None


def _prepared(
    problem: Problem,
    encoding: Encoding,
    switches: Mapping[str, bool],
    reduce: bool,
    observer: Observer | None,
) -> _Work:
    run = Run(problem, options=Options(reduce=reduce), observers=[] if observer is None else [observer])
    try:
        candidates = prepare(run)
    except RunStopped as stop:
        raise StoppedError(f"Nothing was written: {stop.reason} while preparing; run it again.") from None
    best = None if run.best is None else run.best.score
    return _Work(problem, encoding, switches, candidates, best, problem)


def _scaled(work: _Work, language: str, scale: float | None) -> _Work:
    """The same with integer scores where the format needs them or they are asked for."""
    if scale is None and language in LANGUAGES and not LANGUAGES[language].integers:
        return work
    scaled, scaling = scaled_problem(work.problem, scale or _factor(work, language))
    candidates = work.candidates
    if work.best_score is not None and scaling.margin > KEPT_BELOW_INCUMBENT:
        # Candidates must suit the rounded scores too.
        candidates = reduce_candidates(work.problem, work.best_score - scaling.margin)
    return replace(work, candidates=candidates, scaled=scaled, scaling=scaling)


def _factor(work: _Work, language: str) -> float:
    """The factor that makes rounding errors small enough, or as small as the format allows."""
    wanted = 10.0 ** math.ceil(math.log10(smallest_factor(work.problem, ENOUGH_ERROR)))
    if language == "lp":
        return largest_factor(
            work.problem,
            lambda scaled: asp.largest_weight(scaled, work.candidates),
            LARGEST_ASP_WEIGHT,
            wanted,
        )
    encode = partial(work.encoding.encode, **work.switches)
    return largest_factor(
        work.problem,
        lambda scaled: absolute_weight(encode(scaled, work.candidates, None)),
        LARGEST_TOTAL,
        wanted,
    )


def _write(work: _Work, language: str, output: Path, origin: Mapping[str, Any]) -> Encoded:
    if language == "lp":
        model = None
        text = (
            f"{asp.rules(work.encoding.name)}\n{asp.facts(work.scaled, work.candidates, work.encoding.name)}"
        )
        size = f"{work.candidates.after} candidates"
    else:
        model = work.encoding.encode(work.scaled, work.candidates, None, **work.switches)
        text = "".join(LANGUAGES[language].lines(model))
        size = (
            f"{model.variable_count} variables, {model.clause_count} clauses, "
            f"{model.linear_count} linear constraints, {len(model.weights)} weights"
        )
    if work.scaling is not None:
        size += f"; scores × {work.scaling.factor:g}, off by {work.scaling.max_error:.3g} at most"
    document = map_document(
        work.problem,
        work.candidates,
        encoding=work.encoding.name,
        language=language,
        model=model,
        scaled=work.scaled,
        scaling=work.scaling,
        origin=origin,
    )
    # Both or neither: a model and the map of another would make a wrong network of an answer.
    with writing(output) as file, writing(map_path(output)) as beside:
        file.write(text.encode())
        beside.write(f"{json_text(document)}\n".encode())
    return Encoded(output, map_path(output), size)


def _origin(given: Input, work: _Work) -> dict[str, Any]:
    """What a result says of where its scores come from."""
    described = given.described
    constraints = work.problem.constraints.as_json()
    if work.problem.max_clique < work.problem.n:
        constraints["max_clique"] = work.problem.max_clique
    return {
        "score_function": dict(described.function),
        "rows": described.rows,
        "states": None if given.states is None else [list(labels) for labels in given.states],
        "constraints": constraints,
        "data": {"source": described.source, "options": described.options},
        "data_sha256": described.sha256,
        "candidates": work.candidates.as_json(),
        "seconds": given.seconds,
    }
