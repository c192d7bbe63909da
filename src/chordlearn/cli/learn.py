"""`chordlearn learn`."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from chordlearn.backends.base.outcome import Observer
from chordlearn.cli import options
from chordlearn.cli.clusters import cluster_notes, open_cluster
from chordlearn.cli.consoles import Console
from chordlearn.cli.failures import INTERRUPTED, NO_NETWORK, OK
from chordlearn.cli.kinds import kind_by_suffix
from chordlearn.cli.options import gather_edges
from chordlearn.cli.outputs import ForceOption, Output, check_outputs, same_file
from chordlearn.cli.progress import Broadcast, Finishing, ProgressLine, Trace
from chordlearn.data import Dataset, read
from chordlearn.errors import ChordlearnError, FalseClaimError, InputError, ProofError, UnfinishedWarning
from chordlearn.network.document import SUFFIX as NETWORK_SUFFIX
from chordlearn.network.exports import EXPORTS, export_text
from chordlearn.network.result import Result
from chordlearn.network.table_formats import TABLE_FORMATS
from chordlearn.pipeline.checkpoints import EVERY_SECONDS, CheckpointWarning
from chordlearn.pipeline.fitting import fit
from chordlearn.report.terminal import print_result
from chordlearn.scores import is_score_file
from chordlearn.system.files import write_whole

SOLVING = "Solving"
CONSTRAINTS = "Constraints"
OUTPUT = "Output"
EXAMPLES = """
Examples:

chordlearn learn heart

chordlearn learn survey.csv --missing category --max-clique 4 --json result.json --save network.graphml

chordlearn learn table.csv --counts count --score dirichlet --alpha 0.5 --require age,income

chordlearn learn wide.csv --time-limit 3600 --checkpoint wide.json --resume wide.json
"""


def learn_command(
    data: options.DataArgument,
    score: options.ScoreOption = "bdeu",
    ess: options.EssOption = None,
    alpha: options.AlphaOption = None,
    edge_prior: options.EdgePriorOption = 0.0,
    backend: Annotated[
        str,
        typer.Option(
            "--backend",
            metavar="NAME",
            help="One of [b]chordlearn solvers[/b], or auto.",
            rich_help_panel=SOLVING,
        ),
    ] = "auto",
    encoding: Annotated[
        str | None,
        typer.Option(
            "--encoding",
            metavar="paper|edges|elimination",
            help="The constraint model, for backends that solve one.",
            rich_help_panel=SOLVING,
        ),
    ] = None,
    no_reduce: Annotated[
        bool, typer.Option("--no-reduce", help="Give the backend every candidate.", rich_help_panel=SOLVING)
    ] = False,
    max_clique: Annotated[
        int | None,
        typer.Option(
            "--max-clique", metavar="K", min=1, help="Largest clique allowed.", rich_help_panel=CONSTRAINTS
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require", metavar="A,B", help="An edge that must be there.", rich_help_panel=CONSTRAINTS
        ),
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            "--forbid", metavar="A,B", help="An edge that must not be.", rich_help_panel=CONSTRAINTS
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="SECONDS", help="Stop after this time.", rich_help_panel=SOLVING
        ),
    ] = None,
    memory_limit: Annotated[
        float | None,
        typer.Option("--memory-limit", metavar="GB", help="Use no more.", rich_help_panel=SOLVING),
    ] = None,
    threads: options.ThreadsOption = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of what is random.", rich_help_panel=SOLVING)
    ] = 0,
    top: Annotated[
        int,
        typer.Option(
            "--top", metavar="K", min=1, help="Also the next best networks.", rich_help_panel=SOLVING
        ),
    ] = 1,
    columns: options.ColumnsOption = None,
    drop: options.DropOption = None,
    counts: options.CountsOption = None,
    missing: options.MissingOption = "error",
    discretize: options.DiscretizeOption = None,
    starts: Annotated[
        int,
        typer.Option(
            "--starts",
            metavar="N",
            min=1,
            help="Search from N seeds and take the best.",
            rich_help_panel=options.LONG_RUNS,
        ),
    ] = 1,
    cluster: options.ClusterOption = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="FILE",
            help="Write the best network and the state of the search to this file at intervals.",
            rich_help_panel=options.LONG_RUNS,
        ),
    ] = None,
    checkpoint_every: Annotated[
        float,
        typer.Option(
            "--checkpoint-every",
            metavar="SECONDS",
            help="The least time between two checkpoints.",
            rich_help_panel=options.LONG_RUNS,
        ),
    ] = EVERY_SECONDS,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="FILE",
            help="Go on from a checkpoint; may be the --checkpoint, which then need not exist yet.",
            rich_help_panel=options.LONG_RUNS,
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="FILE|-",
            help="Write the result as JSON; - prints it and nothing else.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="By suffix: .chord.json (network file), .json (result), .graphml, .dot, .csv (adjacency), "
            ".bif, .xmlbif, .uai, .net. May be repeated.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="A page with the network, its proof and live queries; one file, opens offline.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--proof",
            metavar="DIR",
            help="A new folder for a proof that [b]chordlearn verify[/b] and other programs check.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            metavar="FILE.jsonl",
            help="A line of JSON per new score or bound.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: ForceOption = False,
) -> int:
    """Learn the best network of a table and prove it.

    Exit codes: 0 a network was found · 2 the input or the call is wrong · 3 stopped with no network ·
    4 the backend is missing, failed or lied · 5 the network is written but its proof is not ·
    130 interrupted (the best network so far is still written).
    """
    from chordlearn.backends.base.run import SHORTEST_SECONDS
    from chordlearn.pipeline.inputs import telling_rows
    from chordlearn.pipeline.learning import learn
    from chordlearn.report.html import check_page

    for path in save or []:
        _check_suffix(path)
    if report is not None:
        check_page(report)
    outputs: list[Output] = [(json, "result"), *((path, kind_by_suffix(path)) for path in save or [])]
    outputs += [(report, "report"), (checkpoint, "checkpoint"), (trace, "trace"), (proof, "proof")]
    check_outputs(outputs, [data, None if same_file(resume, checkpoint) else resume], force=force)
    with_tables = [path for path in save or [] if _holds_tables(path)]
    source = options.one_source(data)
    has_rows = not (isinstance(source, str) and is_score_file(source))
    if with_tables and not has_rows:
        raise InputError(f"--save {with_tables[0]} holds tables, but a score file has no data to count.")
    finishing = Finishing()
    with ExitStack() as stack:
        observers: list[Observer] = [stack.enter_context(ProgressLine()), finishing]
        tracing = Trace(trace) if trace else None
        if tracing:
            observers.append(tracing)
        workers = stack.enter_context(open_cluster(cluster, observers[0])) if cluster else None
        unfinished = stack.enter_context(_noting_why())
        reading = options.reading(columns, drop, counts, missing, discretize)
        # Read once: what was learned from is what is counted, also if it comes through a pipe.
        dataset = None
        if with_tables or (report is not None and has_rows):
            deadline = time.monotonic() + time_limit if time_limit and time_limit > 0 else None
            dataset = read(
                source,
                **reading,
                progress=telling_rows(Broadcast(observers)),
                deadline=deadline,
                memory_bytes=None if memory_limit is None else memory_limit * 1e9,
            )
            if deadline is not None:
                time_limit = max(deadline - time.monotonic(), SHORTEST_SECONDS)
        result, failures = _even_with_failures(
            learn,
            source if dataset is None else dataset,
            score=score,
            ess=ess,
            alpha=alpha,
            edge_prior=edge_prior,
            backend=backend,
            encoding=encoding,
            reduce=not no_reduce,
            max_clique=max_clique,
            require=gather_edges(require, "--require"),
            forbid=gather_edges(forbid, "--forbid"),
            time_limit=time_limit,
            memory_limit=memory_limit,
            threads=threads,
            seed=seed,
            top=top,
            proof=proof,
            starts=starts,
            cluster=workers,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            resume=resume,
            observer=Broadcast(observers),
            **({} if dataset is not None else reading),
        )
    failures += _write_all(result, dataset, json, save or [], tracing)
    if report:
        failures += _write_report(result, dataset, report)
    if json == "-":
        # JSON is UTF-8, whatever the terminal speaks.
        sys.stdout.buffer.write(f"{result.to_json()}\n".encode())
    else:
        print_result(result, Console(highlight=False))
    if "checkpoint_failure" in result.details:
        failures.append(InputError(result.details["checkpoint_failure"]))
    for note in [*unfinished, *_notes(result, top, starts), *cluster_notes(workers)]:
        print(f"chordlearn: {note}", file=sys.stderr)
    if failures:
        raise failures[0]
    return INTERRUPTED if finishing.interrupted else _exit_code(result)


@contextmanager
def _noting_why() -> Iterator[list[str]]:
    """Why learning ended early, if it did; filled in while this is open."""
    sentences: list[str] = []

    with warnings.catch_warnings():
        show = warnings.showwarning

        def note(message: Warning | str, *where: Any) -> None:
            if isinstance(message, UnfinishedWarning):
                sentences.append(message.on_command_line())
            else:
                show(message, *where)

        warnings.simplefilter("ignore", CheckpointWarning)
        warnings.simplefilter("always", UnfinishedWarning)
        warnings.showwarning = note  # type: ignore[assignment]
        yield sentences


def _even_with_failures(
    learn: Callable[..., Result], data: Any, **options: Any
) -> tuple[Result, list[ChordlearnError]]:
    """The result, and why its proof was not written or its backend is not believed; other files are."""
    try:
        return learn(data, **options), []
    except (ProofError, FalseClaimError) as error:
        if not isinstance(error.result, Result):
            raise
        return error.result, [error]


def _check_suffix(path: Path) -> None:
    known = [".json", NETWORK_SUFFIX, *EXPORTS, *TABLE_FORMATS]
    if path.suffix.lower() not in known:
        raise InputError(
            f"--save {path} has no suffix that says its format; those known are {', '.join(known)}."
        )


def _holds_tables(path: Path) -> bool:
    return path.suffix.lower() in TABLE_FORMATS or path.name.lower().endswith(NETWORK_SUFFIX)


def _write_all(
    result: Result, dataset: Dataset | None, json: str | None, save: list[Path], trace: Trace | None
) -> list[ChordlearnError]:
    """Write every file that can be written; one that cannot must not cost the others."""
    failures: list[ChordlearnError] = []
    files = [*([Path(json)] if json not in (None, "-") else []), *save]
    network = None if dataset is None or result.status == "none" else fit(result, dataset)
    for path in files:
        try:
            if _holds_tables(path) and path in save:
                if network is not None:
                    network.export(path)
            elif path.suffix.lower() == ".json" or path not in save:
                result.save(path)
            elif result.status != "none":
                write_whole(path, export_text(path, result.variables, result.edges))
        except ChordlearnError as failure:
            failures.append(failure)
    if trace:
        try:
            trace.close()
        except ChordlearnError as failure:
            failures.append(failure)
    return failures


def _write_report(result: Result, data: Dataset | None, path: Path) -> list[ChordlearnError]:
    from chordlearn.report.html import write_report

    try:
        write_report(result, path, data)
    except ChordlearnError as failure:
        return [failure]
    return []


def _notes(result: Result, top: int, starts: int) -> list[str]:
    """What was asked for and could not be had, or was not asked for and decided."""
    notes = list(result.details.get("reading", ()))
    found = 1 + len(result.runners_up)
    if result.status == "optimal" and found < top:
        notes.append(f"Of the {top} networks asked for, the backend {result.backend} gave {found}.")
    if "default_max_clique" in result.details:
        largest = result.details["default_max_clique"]
        notes.append(
            f"Cliques have at most {largest} variables, because {result.rows:,} rows tell little about more; "
            "--max-clique sets another limit."
        )
    if starts > 1 and "starts" not in result.details:
        notes.append(f"The backend {result.backend} is no search, so --starts {starts} had no effect.")
    return notes


def _exit_code(result: Result) -> int:
    if result.stopped_by == "interrupted":
        return INTERRUPTED
    return NO_NETWORK if result.status == "none" else OK
