"""`chordlearn table1`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from chordlearn.cli.console import Console, note, stdout
from chordlearn.cli.options import ClusterOption, split_names
from chordlearn.cli.progress import ProgressLine, cluster_notes, open_cluster
from chordlearn.errors import InputError
from chordlearn.report.outputs import check_outputs
from chordlearn.report.table1 import (
    Record,
    cell,
    markdown,
    read_plan,
    read_records,
    run_plan,
    table_rows,
    title,
)
from chordlearn.system.text import json_text, plain


def table1_command(
    config: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="What to run; see experiments/.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="For each run.  [default: 60]")
    ] = None,
    data: Annotated[str | None, typer.Option(metavar="A,B", help="Data sets.  [default: heart,econ]")] = None,
    encoding: Annotated[str | None, typer.Option(metavar="A,B", help="Encodings.  [default: paper]")] = None,
    reduced: Annotated[
        bool | None,
        typer.Option("--reduce/--no-reduce", help="The reduced candidates, or all as in the paper."),
    ] = None,
    solver: Annotated[str | None, typer.Option(metavar="A,B", help="Only these backends.")] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Append a line of JSON per run.")
    ] = None,
    cluster: ClusterOption = None,
    show: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Run nothing; show these records.")
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
    progress = Console(stderr=True, highlight=False)
    found = []
    with ExitStack() as stack:
        workers = stack.enter_context(open_cluster(cluster, ProgressLine())) if cluster else None
        for record in run_plan(
            plan, float(plan["time_limit"] if time_limit is None else time_limit), workers
        ):
            found.append(record)
            done = f"{title(record)}: {record['backend']}: {cell(record)}"
            progress.print(plain(done), soft_wrap=True)
            if records is not None:
                with records.open("a", encoding="utf-8") as file:
                    file.write(json_text(record) + "\n")
    for sentence in cluster_notes(workers):
        note(sentence)
    _print(found, as_markdown)


def _print(records: Sequence[Record], as_markdown: bool) -> None:
    if not records:
        raise InputError("There are no records to show.")
    if as_markdown:
        typer.echo(markdown(records), nl=False)
        return
    (first, *others), *lines = table_rows(records)
    stdout().table([first, *(f">{head}" for head in others)], lines, fixed=1)
