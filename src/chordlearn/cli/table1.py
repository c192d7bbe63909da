"""`chordlearn table1`."""

from __future__ import annotations

import json
import math
import os
import platform
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from chordlearn.backends.base.outcome import SilentObserver
from chordlearn.cli import options
from chordlearn.cli.clusters import cluster_notes, open_cluster
from chordlearn.cli.consoles import Console
from chordlearn.cli.options import split_names
from chordlearn.cli.outputs import check_outputs
from chordlearn.errors import BackendError, InputError, StoppedError
from chordlearn.parallel import UntilStopped, Workers
from chordlearn.report.table1 import ROWS, Record, Setting, cell, markdown, read_records, table_rows
from chordlearn.system.json import read_text
from chordlearn.system.text import json_text, plain

DEFAULTS: dict[str, Any] = {
    "data": ["heart", "econ"],
    "encodings": ["paper"],
    "reduce": [False],
    "solvers": [row.backend for row in ROWS],
    "time_limit": 60.0,
}
EXAMPLES = "Example: chordlearn table1 --time-limit 60 --records table1.jsonl"


def table1_command(
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE.toml", help="What to run; see experiments/.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="SECONDS", help="For each run.  [default: 60]")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="A,B", help="Data sets.  [default: heart,econ]")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="A,B", help="Encodings.  [default: paper]")
    ] = None,
    reduced: Annotated[
        bool | None,
        typer.Option("--reduce/--no-reduce", help="The reduced candidates, or all as in the paper."),
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--solver", metavar="A,B", help="Only these backends.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option("--records", metavar="FILE.jsonl", help="Append a line of JSON per run.")
    ] = None,
    cluster: options.ClusterOption = None,
    show: Annotated[
        Path | None, typer.Option("--show", metavar="FILE.jsonl", help="Run nothing; show these records.")
    ] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print the table in Markdown.")] = False,
) -> None:
    """Run the solvers of the paper's table, and today's, and print both side by side."""
    if show is not None:
        _print(read_records(show), as_markdown)
        return
    plan = read_plan(config)
    for key, value in (("data", data), ("encodings", encoding), ("solvers", solver)):
        if value is not None:
            plan[key] = list(split_names(value, f"--{key}"))
    if reduced is not None:
        plan["reduce"] = [reduced]
    check_outputs([(records, "records")], [config, *plan["data"]])
    limit = time_limit if time_limit is not None else float(plan["time_limit"])
    with ExitStack() as stack:
        workers = stack.enter_context(open_cluster(cluster, SilentObserver())) if cluster else None
        found = _run(plan, limit, records, workers)
    for note in cluster_notes(workers):
        print(f"chordlearn: {note}", file=sys.stderr)
    _print(found, as_markdown)


def read_plan(path: Path | None) -> dict[str, Any]:
    """What to run: the defaults, or what a configuration says instead.

    >>> read_plan(None)["time_limit"]
    60.0
    """
    if path is None:
        return dict(DEFAULTS)
    try:
        config = tomllib.loads(read_text(path))
    except OSError as error:
        raise InputError(f"The configuration {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"The configuration {path} is not TOML: {error}.") from None
    unknown = set(config) - set(DEFAULTS)
    if unknown:
        raise InputError(
            f"{path} has the unknown key {min(unknown)!r}; those known are {', '.join(DEFAULTS)}."
        )
    for key, value in config.items():
        if not _is_like(value, DEFAULTS[key]):
            raise InputError(f"{path} must give {key} as in {key} = {json.dumps(DEFAULTS[key])}.")
    return DEFAULTS | config


def _is_like(value: object, example: Any) -> bool:
    """Whether it is a positive number, or a list that holds something, as the example is."""
    if not isinstance(example, list):
        return type(value) in (int, float) and 0 < value < float("inf")  # type: ignore[operator]
    return isinstance(value, list) and bool(value) and all(type(item) is type(example[0]) for item in value)


def _run(plan: dict[str, Any], limit: float, path: Path | None, cluster: Workers | None) -> list[Record]:
    found: list[Record] = []
    settings = [
        Setting(data, encoding, reduce)
        for encoding in plan["encodings"]
        for reduce in plan["reduce"]
        for data in plan["data"]
    ]
    progress = Console(stderr=True, highlight=False)
    rows = [
        (backend, setting.data, setting.encoding, setting.reduce, limit)
        for setting in settings
        for backend in plan["solvers"]
    ]
    # Without a cluster one after the other in the main thread, where Ctrl-C arrives.
    records = (run_one(*row) for row in rows) if cluster is None else _on(cluster, rows)
    for record in records:
        found.append(record)
        title = Setting(record["data"], record["encoding"], record["reduce"]).title
        progress.print(plain(f"{title}: {record['backend']}: {cell(record)}"), soft_wrap=True)
        if path is not None:
            with path.open("a", encoding="utf-8") as file:
                file.write(json_text(record) + "\n")
    return found


def _on(cluster: Workers, rows: list[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Records as they are finished."""
    for _, record in cluster.run(run_one, rows):
        yield record


def run_one(backend: str, data: str, encoding: str, reduce: bool, limit: float) -> dict[str, Any]:
    """Learn once and write down what matters."""
    setting = Setting(data, encoding, reduce)
    from chordlearn.backends.base.registry import load_backend
    from chordlearn.pipeline.learning import learn

    availability = load_backend(backend).probe()
    record: dict[str, Any] = {
        "backend": backend,
        "version": availability.version,
        "data": setting.data,
        "encoding": setting.encoding,
        "reduce": setting.reduce,
        "limit": limit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one used",
        "date": time.strftime("%Y-%m-%d"),
    }
    if not availability.available:
        return record | {"status": "not installed", "reason": availability.reason}
    start = time.monotonic()
    try:
        result = learn(
            setting.data,
            backend=backend,
            encoding=setting.encoding,
            reduce=setting.reduce,
            time_limit=limit,
            threads=1,
            observer=UntilStopped(),
        )
    except StoppedError as stop:
        return record | {"status": "none", "seconds": time.monotonic() - start, "reason": str(stop)}
    except BackendError as failure:
        return record | {"status": "failed", "seconds": time.monotonic() - start, "reason": str(failure)}
    return record | {
        "status": result.status,
        "seconds": round(time.monotonic() - start, 3),
        "score": _finite(result.score),
        "bound": _finite(result.bound),
        "stopped_by": result.stopped_by,
        "input_bytes": result.details.get("input_bytes"),
        "candidates": result.candidates,
        "scaling": result.scaling,
    }


def _finite(value: float) -> float | None:
    """As JSON can hold it."""
    return value if math.isfinite(value) else None


def _print(records: list[Any], as_markdown: bool) -> None:
    if not records:
        raise InputError("There are no records to show.")
    if as_markdown:
        typer.echo(markdown(records), nl=False)
        return
    head, *lines = table_rows(records)
    table = Table(box=None, pad_edge=False)
    table.add_column(head[0], style="bold", no_wrap=True)
    for title in head[1:]:
        table.add_column(plain(title), justify="right")
    for line in lines:
        table.add_row(*map(plain, line))
    Console(highlight=False).print(table)
