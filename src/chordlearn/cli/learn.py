"""`chordlearn learn`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import chordlearn as cl
from chordlearn.cli.console import note, print_bytes, stdout
from chordlearn.cli.failures import INTERRUPTED, NO_NETWORK, OK
from chordlearn.cli.options import (
    CONSTRAINTS,
    LONG_RUNS,
    READING,
    SCORE,
    THREADS,
    ClusterOption,
    DataArgument,
    ForceOption,
    one_source,
    option,
    with_options,
)
from chordlearn.cli.progress import (
    Broadcast,
    Finishing,
    ProgressLine,
    Trace,
    cluster_notes,
    open_cluster,
)
from chordlearn.errors import (
    CheckpointWarning,
    ChordlearnError,
    FalseClaimError,
    InputError,
    ProofError,
    UnfinishedWarning,
)
from chordlearn.report.outputs import (
    WITH_TABLES,
    Output,
    check_outputs,
    check_page,
    same_file,
    save_result,
    saved_kind,
)
from chordlearn.report.terminal import print_result

LEAST_SHOWN = 0.05
"""An edge that the best network lacks is listed if it is more probable."""
SHORTEST_SECONDS = 0.001
"""What is left of a time limit is never 0."""

_solving = partial(option, "Solving")
_long_runs = partial(option, LONG_RUNS)
_output = partial(option, "Output")

SOLVING = {
    "backend": _solving(str, "auto", "One of [b]chordlearn solvers[/b], or auto.", metavar="NAME"),
    "encoding": _solving(
        str | None,
        None,
        "The constraint model, for backends that solve one.",
        metavar="paper|paper-implied|edges|elimination",
    ),
    "reduce": _solving(
        bool,
        False,
        "Give the backend every candidate.",
        "--no-reduce",
        convert=lambda without: not without,
    ),
    "time_limit": _solving(float | None, None, "Stop after this time.", metavar="SECONDS"),
    "memory_limit": _solving(float | None, None, "Use no more memory than this.", metavar="GB"),
    "seed": _solving(int, 0, "The seed of the random numbers.", min=0),
    "top": _solving(int, 1, "List the K best networks.", metavar="K", min=1),
    "starts": _long_runs(int, 1, "Search from N seeds and take the best.", metavar="N", min=1),
    "checkpoint": _long_runs(
        Path | None,
        None,
        "Write the best network and the state of the search to this file at intervals.",
        metavar="FILE",
    ),
    "checkpoint_every": _long_runs(float, 10.0, "The least time between two checkpoints.", metavar="SECONDS"),
    "resume": _long_runs(
        Path | None,
        None,
        "Go on from a checkpoint; may be the --checkpoint, which then need not exist yet.",
        metavar="FILE",
    ),
    "proof": _output(
        Path | None,
        None,
        "A new folder for a proof that [b]chordlearn verify[/b] and other programs check.",
        metavar="DIR",
    ),
}
"""As :func:`chordlearn.learn` takes them."""

OUTPUT = {
    "json": _output(
        str | None, None, "Write the result as JSON; - prints it and nothing else.", metavar="FILE|-"
    ),
    "save": _output(
        list[Path] | None,
        None,
        "By suffix: .chord.json (network file), .json (result), .graphml, .dot, .csv (adjacency), .bif, "
        ".xmlbif, .uai, .net. May be repeated.",
        metavar="FILE",
        convert=lambda paths: {path: saved_kind(path) for path in paths or ()},
    ),
    "report": _output(
        Path | None,
        None,
        "A page with the network, its proof and live queries; one file, opens offline.",
        metavar="FILE.html",
    ),
    "posterior": _output(
        bool,
        False,
        "Also the probability of each edge over all networks, in the report and below the result; "
        "[b]chordlearn posterior[/b] has more.",
    ),
    "bootstrap": _output(
        int, 0, "Also how often each edge comes back in N resampled tables.", metavar="N", min=0
    ),
    "trace": _output(Path | None, None, "A line of JSON per new score or bound.", metavar="FILE.jsonl"),
}


@with_options(SCORE, CONSTRAINTS, SOLVING, THREADS, READING, OUTPUT)
def learn_command(
    data: DataArgument,
    json: str | None,
    save: dict[Path, str],
    report: Path | None,
    trace: Path | None,
    posterior: bool,
    bootstrap: int,
    cluster: ClusterOption = None,
    force: ForceOption = False,
    **options: Any,
) -> int:
    """Learn the best network of a table and prove it.

    Exit codes: 0 a network was found · 2 the input or the call is wrong · 3 stopped with no network ·
    4 the backend is missing, failed or made a false claim · 5 the network is written but its proof is not ·
    130 interrupted (the best network so far is still written).
    """
    _check_files(
        data, [(json, "result"), *save.items(), (report, "report"), (trace, "trace")], options, force
    )
    source = one_source(data)
    has_rows = not (isinstance(source, str) and cl.is_score_file(source))
    with_tables = [path for path, kind in save.items() if kind in WITH_TABLES]
    if with_tables and not has_rows:
        raise InputError(f"--save {with_tables[0]} holds tables, but a score file has no data to count.")
    finishing, dataset, reading = Finishing(), None, 0.0
    with ExitStack() as stack:
        line = stack.enter_context(ProgressLine())
        tracing = None if trace is None else Trace(trace)
        observer = Broadcast([line, finishing, *([] if tracing is None else [tracing])])
        workers = stack.enter_context(open_cluster(cluster, line)) if cluster else None
        notes = stack.enter_context(_noting_why())
        if with_tables or ((report is not None or bootstrap) and has_rows):
            # Read once: what was learned from is what is counted, also if it comes through a pipe.
            started = time.perf_counter()
            dataset, options = _read(source, options, observer)
            reading = time.perf_counter() - started
        given = source if dataset is None else dataset
        asked = dict(options)
        result, failures = _learn(given, cluster=workers, observer=observer, **options)
        sure = _certainty(given, result, posterior, bootstrap, asked, observer)
    result.seconds["read"] += reading
    network = cl.fit(result, dataset) if with_tables and result.status != "none" else None
    writes: list[Callable[[], object]] = (
        [] if json in (None, "-") else [partial(result.save, Path(str(json)))]
    )
    writes += [partial(save_result, result, path, network) for path in save]
    writes += [] if tracing is None else [tracing.close]
    writes += [] if report is None else [partial(cl.write_report, result, report, dataset, **sure)]
    failures += _failures_of(writes)
    if json == "-":
        print_bytes(f"{result.to_json()}\n")
    else:
        print_result(result, stdout())
        _print_certainty(result, sure)
    for sentence in [*notes, *_notes(result, options), *cluster_notes(workers)]:
        note(sentence)
    if "checkpoint_failure" in result.details:
        failures.append(InputError(result.details["checkpoint_failure"]))
    if failures:
        raise failures[0]
    if finishing.interrupted or result.stopped_by == "interrupted":
        return INTERRUPTED
    return NO_NETWORK if result.status == "none" else OK


def _check_files(data: list[str], outputs: list[Output], options: Mapping[str, Any], force: bool) -> None:
    """Refuse before the work begins what could not be written after it."""
    checkpoint, resume = options["checkpoint"], options["resume"]
    outputs = [*outputs, (checkpoint, "checkpoint"), (options["proof"], "proof")]
    for path, kind in outputs:
        if kind == "report" and path is not None:
            check_page(path)
    check_outputs(
        outputs, [data, options["states"], None if same_file(resume, checkpoint) else resume], force=force
    )


def _read(source: Any, options: Mapping[str, Any], observer: Broadcast) -> tuple[cl.Dataset, dict[str, Any]]:
    """The data, and the options that are left for learning from them in the time that is left."""
    limit, memory = options["time_limit"], options["memory_limit"]
    deadline = time.monotonic() + limit if limit and limit > 0 else None
    dataset = cl.read(
        source,
        **{name: options[name] for name in READING},
        progress=lambda rows: observer.progress("reading", detail=f"{rows:,} rows"),
        deadline=deadline,
        memory_bytes=None if memory is None else memory * 1e9,
    )
    if deadline is not None:
        limit = max(deadline - time.monotonic(), SHORTEST_SECONDS)
    left = {name: value for name, value in options.items() if name not in READING}
    return dataset, {**left, "time_limit": limit}


@contextmanager
def _noting_why() -> Iterator[list[str]]:
    """Why learning ended early, if it did; filled in while this is open."""
    sentences: list[str] = []

    with warnings.catch_warnings():
        show = warnings.showwarning

        def see(message: Warning | str, *where: Any) -> None:
            if isinstance(message, UnfinishedWarning):
                sentences.append(message.on_command_line())
            else:
                show(message, *where)

        warnings.simplefilter("ignore", CheckpointWarning)
        warnings.simplefilter("always", UnfinishedWarning)
        warnings.showwarning = see  # type: ignore[assignment]
        yield sentences


def _learn(data: Any, **options: Any) -> tuple[cl.Result, list[ChordlearnError]]:
    """The result, and the error if its proof could not be written or its backend made a false claim."""
    try:
        return cl.learn(data, **options), []
    except (ProofError, FalseClaimError) as error:
        if not isinstance(error.result, cl.Result):
            raise
        return error.result, [error]


def _certainty(
    data: Any,
    result: cl.Result,
    posterior: bool,
    bootstrap: int,
    options: dict[str, Any],
    observer: Broadcast,
) -> dict[str, Any]:
    """What all networks say of the edges, and those of resampled rows, as :func:`write_report` takes them."""
    if result.status == "none":
        return {}
    found: dict[str, Any] = {}
    reading = {} if isinstance(data, cl.Dataset) else {name: options[name] for name in READING}
    asked = {name: options[name] for name in (*SCORE, *CONSTRAINTS, *THREADS)} | reading
    asked |= {"seed": options["seed"], "observer": observer}
    if posterior:
        found["posterior"] = cl.posterior(data, best=result, **asked)
    if bootstrap:
        found["bootstrap"] = cl.bootstrap(data, samples=bootstrap, **asked)
    return found


def _print_certainty(result: cl.Result, found: dict[str, Any]) -> None:
    if not found:
        return
    known = {
        name: {frozenset(edge): float(share) for edge, share in one.edges.items()}
        for name, one in found.items()
    }
    joined, main = {frozenset(edge): edge for edge in result.edges}, next(iter(known.values()))
    pairs = [pair for pair, share in main.items() if pair in joined or share > LEAST_SHOWN]
    order = {name: i for i, name in enumerate(result.variables)}
    console = stdout()
    console.say()
    console.table(
        ["edge", *(f">{name}" for name in known), "in the best network"],
        [
            [
                "–".join(sorted(pair, key=order.__getitem__)),
                *(f"{shares.get(pair, 0.0):.4f}" for shares in known.values()),
                "●" if pair in joined else "",
            ]
            for pair in sorted(pairs, key=lambda pair: -main[pair])
        ],
        fixed=1,
    )


def _failures_of(writes: Iterable[Callable[[], object]]) -> list[ChordlearnError]:
    """Write every file that can be written; one that cannot must not cost the others."""
    failures = []
    for write in writes:
        try:
            write()
        except ChordlearnError as failure:
            failures.append(failure)
    return failures


def _notes(result: cl.Result, options: Mapping[str, Any]) -> list[str]:
    """Requests that were not met, and decisions that nobody requested."""
    notes = list(result.details.get("reading", ()))
    found, top, starts = 1 + len(result.runners_up), options["top"], options["starts"]
    if result.status == "optimal" and found < top:
        notes.append(f"The backend {result.backend} found {found} of the {top} networks requested.")
    if result.status == "feasible" and result.stopped_by in ("time limit", "search ended"):
        notes += _what_a_longer_run_does(result)
    if starts > 1 and "starts" not in result.details:
        notes.append(f"The backend {result.backend} is not a search, so --starts {starts} had no effect.")
    return notes


def _what_a_longer_run_does(result: cl.Result) -> list[str]:
    from chordlearn.report.html.sections import command_of

    command = command_of(result)
    if command is None or len(result.claims) < 2:
        return []
    return [f"A longer run may prove it for wider classes of networks: {command} --time-limit 3600"]
