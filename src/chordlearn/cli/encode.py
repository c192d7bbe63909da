"""`chordlearn encode`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chordlearn.cli import options
from chordlearn.cli.consoles import Console
from chordlearn.cli.options import gather_edges
from chordlearn.cli.outputs import ForceOption, check_outputs
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import InputError
from chordlearn.system.files import writing
from chordlearn.system.text import json_text, plain

if TYPE_CHECKING:
    from chordlearn.encodings import IntegerScaling, Model
    from chordlearn.pipeline.inputs import Scored
    from chordlearn.problem.candidates import Candidates
    from chordlearn.problem.problem import Problem

LARGEST_TOTAL = 2**62
LARGEST_ASP_WEIGHT = 2**31 - 1
ENOUGH_ERROR = 4e-7
FORMATS = ("wcnf", "wcnf-classic", "opb", "smt2", "lp", "mps")


def encode_command(
    data: options.DataArgument,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the model.", show_default=False),
    ],
    encoding: Annotated[
        str, typer.Option("--encoding", metavar="paper|edges|elimination", help="The constraint model.")
    ] = "edges",
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="wcnf|wcnf-classic|opb|smt2|lp|mps",
            help="The language, if the suffix does not say.",
        ),
    ] = None,
    no_reduce: Annotated[bool, typer.Option("--no-reduce", help="Write every candidate.")] = False,
    scale: Annotated[
        float | None,
        typer.Option(
            "--scale",
            metavar="K",
            help="Round scores times K to integers. By default as precise as integer languages allow; "
            "smt2 and mps keep real scores.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=on|off", help="An option of the encoding. May be repeated."),
    ] = None,
    max_clique: Annotated[
        int | None, typer.Option("--max-clique", metavar="K", min=1, help="Largest clique allowed.")
    ] = None,
    require: Annotated[
        list[str] | None, typer.Option("--require", metavar="A,B", help="An edge that must be there.")
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option("--forbid", metavar="A,B", help="An edge that must not be.")
    ] = None,
    score: options.ScoreOption = "bdeu",
    ess: options.EssOption = None,
    alpha: options.AlphaOption = None,
    edge_prior: options.EdgePriorOption = 0.0,
    threads: options.ThreadsOption = None,
    columns: options.ColumnsOption = None,
    drop: options.DropOption = None,
    counts: options.CountsOption = None,
    missing: options.MissingOption = "error",
    discretize: options.DiscretizeOption = None,
    force: ForceOption = False,
) -> None:
    """Write the learning problem as a constraint model for any solver, and beside it a map of its variables.

    The solver's answer becomes a result with chordlearn decode.
    """
    from chordlearn.encodings import find_encoding
    from chordlearn.encodings.mapping import map_path
    from chordlearn.pipeline.inputs import score_sets
    from chordlearn.problem.constraints import Constraints
    from chordlearn.problem.problem import make_problem

    language = _language(output, file_format)
    chosen = find_encoding(encoding)
    switches = _switches(settings or [])
    chosen.check_options(switches)
    check_outputs([(output, "encoded"), (map_path(output), "model")], [data], force=force)
    with ProgressLine() as line:
        scored = score_sets(
            options.one_source(data),
            score=score,
            ess=ess,
            alpha=alpha,
            edge_prior=edge_prior,
            max_size=max_clique,
            threads=threads,
            observer=line,
            **options.reading(columns, drop, counts, missing, discretize),
        )
        constraints = Constraints(
            max_clique, gather_edges(require, "--require"), gather_edges(forbid, "--forbid")
        )
        problem = make_problem(scored.table, constraints)
        writing = _Writing(problem, encoding, language, switches)
        writing.prepare(reduce=not no_reduce, scale=scale, observer=line)
        line.progress("writing", None, None)
        size = writing.write(output, scored)
    Console(highlight=False).print(plain(f"{output}: {size}"))


def _language(output: Path, file_format: str | None) -> str:
    asked = file_format or output.suffix.lstrip(".").lower()
    if asked not in FORMATS:
        raise InputError(f"No language is named {asked!r}; give --format {'|'.join(FORMATS)}.")
    return asked


def _switches(settings: list[str]) -> dict[str, bool]:
    switches = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if value not in ("on", "off"):
            raise InputError(f"--set {setting!r} must be NAME=on or NAME=off, as in --set chordality=off.")
        switches[name.strip().replace("-", "_")] = value == "on"
    return switches


class _Writing:
    """From a problem to its files."""

    def __init__(self, problem: Problem, encoding: str, language: str, switches: Mapping[str, bool]) -> None:
        self.problem = problem
        self.encoding = encoding
        self.language = language
        self.switches = switches
        self.candidates: Candidates
        self.scaled = problem
        self.scaling: IntegerScaling | None = None

    def prepare(self, *, reduce: bool, scale: float | None, observer: ProgressLine) -> None:
        """Reduce and scale, with candidates that suit the rounded scores too."""
        from chordlearn.backends.base.preparation import KEPT_BELOW_INCUMBENT, prepare
        from chordlearn.backends.base.run import Options, Run, RunStopped
        from chordlearn.encodings import scaled_problem
        from chordlearn.encodings.languages import LANGUAGES
        from chordlearn.errors import StoppedError
        from chordlearn.problem.candidates import reduce_candidates

        run = Run(self.problem, options=Options(reduce=reduce), observers=[observer])
        try:
            self.candidates = prepare(run)
        except RunStopped as stop:
            raise StoppedError(f"Nothing was written: {stop.reason} while preparing; run it again.") from None
        if scale is None and self.language in LANGUAGES and not LANGUAGES[self.language].integers:
            return
        self.scaled, self.scaling = scaled_problem(self.problem, scale or self._factor())
        if run.best is not None and self.scaling.margin > KEPT_BELOW_INCUMBENT:
            lower = run.best.score - self.scaling.margin
            self.candidates = reduce_candidates(self.problem, lower)

    def _factor(self) -> float:
        from chordlearn.encodings import largest_factor, smallest_factor

        wanted = 10.0 ** math.ceil(math.log10(smallest_factor(self.problem, ENOUGH_ERROR)))
        if self.language != "lp":
            return largest_factor(self.problem, self._model, LARGEST_TOTAL, wanted)
        return self._asp_factor(wanted)

    def _asp_factor(self, wanted: float) -> float:
        from chordlearn.encodings import scaled_problem
        from chordlearn.encodings.asp import largest_weight

        factor = wanted
        while factor > 1:
            if largest_weight(scaled_problem(self.problem, factor)[0], self.candidates) <= LARGEST_ASP_WEIGHT:
                break
            factor /= 10
        return factor

    def _model(self, problem: Problem) -> Model:
        from chordlearn.encodings import find_encoding

        return find_encoding(self.encoding).encode(problem, self.candidates, None, **self.switches)

    def write(self, output: Path, scored: Scored) -> str:
        """Write the file and its map; says how large it is."""
        from chordlearn.encodings import asp
        from chordlearn.encodings.languages import LANGUAGES
        from chordlearn.encodings.mapping import map_document, map_path

        model: Model | None = None
        if self.language == "lp":
            text = f"{asp.rules(self.encoding)}\n{asp.facts(self.scaled, self.candidates, self.encoding)}"
            size = f"{self.candidates.after} candidates"
        else:
            model = self._model(self.scaled)
            text = "".join(LANGUAGES[self.language].lines(model))
            size = (
                f"{model.variable_count} variables, {model.clause_count} clauses, "
                f"{model.linear_count} linear constraints, {len(model.weights)} weights"
            )
        document = map_document(
            self.problem,
            self.candidates,
            encoding=self.encoding,
            language=self.language,
            model=model,
            scaled=self.scaled,
            scaling=self.scaling,
            origin=self._origin(scored),
        )
        # Both or neither: a model and the map of another would make a wrong network of an answer.
        with writing(output) as file, writing(map_path(output)) as beside:
            file.write(text.encode())
            beside.write(f"{json_text(document)}\n".encode())
        if self.scaling is not None:
            size += f"; scores × {self.scaling.factor:g}, off by {self.scaling.max_error:.3g} at most"
        return size

    def _origin(self, scored: Scored) -> dict[str, Any]:
        table = scored.table
        constraints = self.problem.constraints.as_json()
        if self.problem.max_clique < self.problem.n:
            constraints["max_clique"] = self.problem.max_clique
        return {
            "score_function": dict(table.function),
            "rows": table.rows,
            "states": None if scored.states is None else [list(labels) for labels in scored.states],
            "constraints": constraints,
            "data": {"source": table.source, "options": table.options},
            "data_sha256": table.sha256,
            "candidates": self.candidates.as_json(),
            "seconds": scored.seconds,
        }
