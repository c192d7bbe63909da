"""The paper's table of runtimes and input sizes, beside what is measured here and today."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import statistics
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chordlearn.backends.base.registry import load_backend
from chordlearn.errors import BackendError, InputError, StoppedError
from chordlearn.parallel import UntilStopped, Workers
from chordlearn.pipeline.learning import learn
from chordlearn.system.json import parse_json, read_text
from chordlearn.system.running import StopReason
from chordlearn.system.text import shown

Record = Mapping[str, Any]
NOT_INSTALLED = "not installed"
NO_ENCODING = ""
"""The encoding of our own methods."""


@dataclass(frozen=True)
class Row:
    """A solver of the table; the paper's figures are None for those that it does not have."""

    label: str
    backend: str
    paper_seconds: Mapping[str, float | None] | None = None
    paper_size: Mapping[str, str] | None = None


def _paper(heart: float, econ: float | None = None) -> dict[str, float | None]:
    return {"heart": heart, "econ": econ}


_MAXSAT_SIZE = {"heart": "3120 kB", "econ": "130 MB"}
PAPER_ROWS = (
    Row("OptiMathSAT", "smt:optimathsat", _paper(74), {"heart": "3930 kB", "econ": "139 MB"}),
    Row("PWBO (default)", "maxsat:pwbo", _paper(158), _MAXSAT_SIZE),
    Row("PWBO (UB)", "maxsat:pwbo-ub", _paper(63), _MAXSAT_SIZE),
    Row("SAT4J", "maxsat:sat4j", _paper(28), _MAXSAT_SIZE),
    Row("LP2NORMAL+Clasp", "asp:lp2normal", _paper(111), {"heart": "8120 kB", "econ": "1060 MB"}),
    Row("Clasp", "asp:clasp", _paper(5.6), {"heart": "197 kB", "econ": "4.2 MB"}),
    Row("HClasp", "asp:hclasp", _paper(1.6, 310e3), {"heart": "203 kB", "econ": "4.2 MB"}),
)
TODAYS_ROWS = (
    Row("clingo", "asp:clingo"),
    Row("RC2", "maxsat:rc2"),
    Row("UWrMaxSat", "maxsat:uwrmaxsat"),
    Row("EvalMaxSAT", "maxsat:evalmaxsat"),
    Row("Open-WBO", "maxsat:open-wbo"),
    Row("WMaxCDCL", "maxsat:wmaxcdcl"),
    Row("CASHWMaxSAT", "maxsat:cashwmaxsat"),
    Row("z3", "smt:z3"),
    Row("CP-SAT", "cp:cp-sat"),
    Row("HiGHS", "ilp:highs"),
    Row("SAT, asked again and again", "sat"),
)
OWN_ROWS = (Row("our engine", "native"), Row("cuts", "ilp:cuts"), Row("local search", "search"))
"""They take no encoding."""
ROWS = PAPER_ROWS + TODAYS_ROWS + OWN_ROWS
_WITHOUT_ENCODING = {row.backend for row in OWN_ROWS}


def title(record: Record) -> str:
    """What a solver was given, as the head of a column.

    >>> title({"data": "heart", "encoding": "paper", "reduce": False})
    'heart, paper, all candidates'
    """
    if record["encoding"] == NO_ENCODING:
        return f"{record['data']}, no encoding"
    return f"{record['data']}, {record['encoding']}, {'reduced' if record['reduce'] else 'all candidates'}"


def cell(record: Record | None) -> str:
    """What the table shows of a run: processor seconds where they were recorded, and how large the input was.

    >>> cell({"status": "optimal", "seconds": 1.25, "input_bytes": 4096, "limit": 60})
    '1.2 s, 4.1 kB'
    >>> cell({"status": "feasible", "seconds": 60.1, "input_bytes": 4096, "limit": 60})
    '– 60 s, 4.1 kB'
    >>> cell({"status": "none", "seconds": 60.1, "processor_seconds": 15.2, "limit": 60})
    '– 15 s'
    >>> cell({"status": "not installed"})
    'not run here'
    """
    if record is None:
        return ""
    if record["status"] == NOT_INSTALLED:
        return "not run here"
    if record["status"] == "failed":
        return "failed"
    size = f", {_size(record['input_bytes'])}" if record.get("input_bytes") else ""
    if record["status"] == "optimal":
        return f"{_seconds(seconds_of(record))}{size}"
    if record.get("stopped_by") == StopReason.SEARCH_ENDED:
        return f"{_seconds(seconds_of(record))}, no proof"
    return f"– {record.get('processor_seconds', record['limit']):.0f} s{size}"


def seconds_of(record: Record) -> float:
    """Processor seconds where they were recorded, else those of the clock."""
    return float(record.get("processor_seconds", record["seconds"]))


def paper_cell(row: Row, data: str) -> str:
    """What the paper's table shows: seconds and input size."""
    if row.paper_seconds is None or row.paper_size is None:
        return ""
    seconds = row.paper_seconds.get(data)
    return f"{'–' if seconds is None else f'{seconds:,g} s'}, {row.paper_size.get(data, '')}"


def latest(records: Sequence[Record]) -> list[Record]:
    """Of runs of one solver in the same setting the last one."""
    return list({(record["backend"], title(record)): record for record in records}.values())


def table_rows(records: Sequence[Record]) -> Iterator[list[str]]:
    """Head and lines of the table: label, the paper's figures per data set, ours per setting."""
    datasets = list(dict.fromkeys(record["data"] for record in records))
    places = {
        title(record): (datasets.index(record["data"]), record["encoding"] == NO_ENCODING)
        for record in records
    }
    settings = sorted(places, key=lambda setting: places[setting])
    yield ["solver", *(f"the paper: {data}" for data in datasets), *settings]
    for row in ROWS:
        own = {title(record): record for record in latest(records) if record["backend"] == row.backend}
        if own:
            yield [
                label(row, list(own.values())),
                *(paper_cell(row, data) for data in datasets),
                *(cell(own.get(setting)) for setting in settings),
            ]


def label(row: Row, records: Sequence[Record]) -> str:
    """The name of a row, and which programs really ran.

    >>> label(PAPER_ROWS[5], [{"solver": "clasp 2.1.3"}, {}])
    'Clasp: clasp 2.1.3'
    """
    ran = dict.fromkeys(record["solver"] for record in records if record.get("solver"))
    return ": ".join([row.label, " or ".join(ran)] if ran else [row.label])


def markdown(records: Sequence[Record]) -> str:
    """The table in Markdown."""
    head, *lines = table_rows(records)
    rule = ["---", *("--:" for _ in head[1:])]
    return "".join(f"| {' | '.join(map(_in_markdown, line))} |\n" for line in [head, rule, *lines])


def _in_markdown(text: str) -> str:
    """A text that is no markup, and ends neither its cell nor its line."""
    return re.sub(r"([\\`*_\[\]<>|&])", r"\\\1", shown(text))


def read_records(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The records of a file with one JSON object per line."""
    try:
        # The score of a run without a network was written as −∞ once; now it is null.
        records = [parse_json(line, infinite=True) for line in read_text(path).splitlines() if line.strip()]
    except OSError as error:
        raise InputError(f"The records {os.fspath(path)} cannot be read: {error.strerror}.") from None
    except ValueError:
        records = [None]
    if not all(map(_is_record, records)):
        raise InputError(
            f"{os.fspath(path)} is not a file of records; give the records of chordlearn table1."
        )
    return records


def _is_record(record: Any) -> bool:
    """Whether it has what the table shows."""
    if not isinstance(record, dict) or not all(
        isinstance(record.get(name), str) for name in ("backend", "data", "encoding", "status")
    ):
        return False
    figures = {"optimal": ["seconds"], NOT_INSTALLED: [], "failed": []}.get(
        record["status"], ["limit", "seconds"]
    )
    figures += [name for name in ("input_bytes", "processor_seconds") if record.get(name) is not None]
    return (
        isinstance(record.get("reduce"), bool)
        and isinstance(record.get("solver", ""), str)
        and all(type(record.get(name)) in (int, float) for name in figures)
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 100 else f"{seconds:.0f} s"


def _size(count: int) -> str:
    return f"{count / 1e3:.1f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"


DEFAULTS: dict[str, Any] = {
    "data": ["heart", "econ"],
    "encodings": ["paper"],
    "reduce": [False],
    "solvers": [row.backend for row in ROWS],
    "time_limit": 60.0,
    "repeat_below": 0.001,
}
"""Runs of fewer seconds than the last of these are made three times."""


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


Task = tuple[str, str, str, bool, float, float]
"""The arguments of ``run_one``."""


def tasks_of(plan: Mapping[str, Any], limit: float) -> list[Task]:
    """The runs of a plan; our own methods run once for each data set.

    >>> plan = DEFAULTS | {"data": ["heart"], "encodings": ["paper", "edges"], "solvers": ["sat", "native"]}
    >>> [task[:4] for task in tasks_of(plan, 60.0)]
    [('sat', 'heart', 'paper', False), ('native', 'heart', '', True), ('sat', 'heart', 'edges', False)]
    """
    settings = [(encoding, reduce) for reduce in plan["reduce"] for encoding in plan["encodings"]]
    runs = [
        (backend, data, encoding, reduce, limit, plan["repeat_below"])
        if backend not in _WITHOUT_ENCODING
        else (backend, data, NO_ENCODING, True, limit, plan["repeat_below"])
        for data in plan["data"]
        for encoding, reduce in settings
        for backend in plan["solvers"]
    ]
    return list(dict.fromkeys(runs))


def run_plan(plan: Mapping[str, Any], limit: float, cluster: Workers | None) -> Iterator[dict[str, Any]]:
    """The records of a plan as they are made; by workers in whatever order they are finished."""
    if cluster is None:
        # One after the other in the main thread, where Ctrl-C arrives.
        yield from (run_one(*task) for task in tasks_of(plan, limit))
    else:
        yield from (record for _, record in cluster.run(run_one, tasks_of(plan, limit)))


def run_one(
    backend: str, data: str, encoding: str, reduce: bool, limit: float, repeat_below: float
) -> dict[str, Any]:
    """Learn with one thread, and note what matters; of three short runs, the one of median time."""
    solver = load_backend(backend).probe()
    record: dict[str, Any] = {
        "backend": backend,
        "version": solver.version,
        "data": data,
        "encoding": encoding,
        "reduce": reduce,
        "limit": limit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one used",
        "date": time.strftime("%Y-%m-%d"),
    }
    if not solver.available:
        return record | {"status": NOT_INSTALLED, "reason": solver.reason}
    runs = [_measured(backend, data, encoding, reduce, limit)]
    if runs[0]["status"] == "optimal" and runs[0]["seconds"] < repeat_below:
        runs += [_measured(backend, data, encoding, reduce, limit) for _ in range(2)]
        runs = [run for run in runs if run["status"] == "optimal"]
    middle = statistics.median_low([run["processor_seconds"] for run in runs])
    chosen = next(run for run in runs if run["processor_seconds"] == middle)
    return record | chosen | {"runs": len(runs)}


def _measured(backend: str, data: str, encoding: str, reduce: bool, limit: float) -> dict[str, Any]:
    """One run, with seconds of the clock and of the processors; those of the programs that it starts too."""
    clock, processor = time.monotonic(), sum(os.times()[:4])
    found: dict[str, Any]
    try:
        result = learn(
            data,
            backend=backend,
            encoding=encoding or None,
            reduce=reduce,
            time_limit=limit,
            threads=1,
            observer=UntilStopped(),
        )
        found = {
            "status": result.status,
            "score": _finite(result.score),
            "bound": _finite(result.bound),
            "stopped_by": result.stopped_by,
            "solver": result.details.get("solver"),
            "input_bytes": result.details.get("input_bytes"),
            "candidates": result.candidates,
            "scaling": result.scaling,
        }
    except StoppedError as stop:
        found = {"status": "none", "reason": str(stop)}
    except BackendError as failure:
        found = {"status": "failed", "reason": str(failure)}
    return {
        **{key: value for key, value in found.items() if value is not None},
        "seconds": round(time.monotonic() - clock, 3),
        "processor_seconds": round(sum(os.times()[:4]) - processor, 3),
    }


def _finite(value: float) -> float | None:
    """As JSON can hold it."""
    return value if math.isfinite(value) else None
