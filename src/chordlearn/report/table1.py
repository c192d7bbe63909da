"""The paper's table of runtimes and input sizes, beside what is measured here and today."""

from __future__ import annotations

import json
import math
import os
import platform
import re
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
from chordlearn.system.text import shown

Record = Mapping[str, Any]


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
    Row("CaDiCaL, bisection", "sat"),
)
ROWS = PAPER_ROWS + TODAYS_ROWS


def title(record: Record) -> str:
    """What a solver was given, as the head of a column.

    >>> title({"data": "heart", "encoding": "paper", "reduce": False})
    'heart, paper, all candidates'
    """
    return f"{record['data']}, {record['encoding']}, {'reduced' if record['reduce'] else 'all candidates'}"


def cell(record: Record | None) -> str:
    """What the table shows of a run.

    >>> cell({"status": "optimal", "seconds": 1.25, "input_bytes": 4096, "limit": 60})
    '1.2 s, 4.1 kB'
    >>> cell({"status": "feasible", "seconds": 60.1, "input_bytes": 4096, "limit": 60})
    '– 60 s, 4.1 kB'
    >>> cell({"status": "not installed"})
    'not installed'
    """
    if record is None:
        return ""
    if record["status"] == "not installed":
        return "not installed"
    if record["status"] == "failed":
        return "failed"
    size = f", {_size(record['input_bytes'])}" if record.get("input_bytes") else ""
    if record["status"] == "optimal":
        return f"{_seconds(record['seconds'])}{size}"
    return f"– {record['limit']:.0f} s{size}"


def paper_cell(row: Row, data: str) -> str:
    """What the paper's table shows: seconds and input size."""
    if row.paper_seconds is None or row.paper_size is None:
        return ""
    seconds = row.paper_seconds.get(data)
    return f"{'–' if seconds is None else f'{seconds:,g} s'}, {row.paper_size.get(data, '')}"


def table_rows(records: Sequence[Record]) -> Iterator[list[str]]:
    """Head and lines of the table: label, the paper's figures per data set, ours per setting."""
    settings = list(dict.fromkeys(map(title, records)))
    datasets = list(dict.fromkeys(record["data"] for record in records))
    yield ["solver", *(f"the paper: {data}" for data in datasets), *settings]
    for row in ROWS:
        # Of runs in the same setting the last one counts.
        own = {title(record): record for record in records if record["backend"] == row.backend}
        if own:
            yield [
                row.label,
                *(paper_cell(row, data) for data in datasets),
                *(cell(own.get(setting)) for setting in settings),
            ]


def markdown(records: Sequence[Record]) -> str:
    """The table in Markdown."""
    head, *lines = table_rows(records)
    rule = ["---", *("--:" for _ in head[1:])]
    return "".join(f"| {' | '.join(map(_in_markdown, line))} |\n" for line in [head, rule, *lines])


def _in_markdown(text: str) -> str:
    """A text that is no markup, and ends neither its cell nor its line."""
    return re.sub(r"([\\`*_\[\]<>|&])", r"\\\1", shown(text))


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file with one JSON object per line."""
    try:
        # The score of a run without a network was written as −∞ once; now it is null.
        records = [parse_json(line, infinite=True) for line in read_text(path).splitlines() if line.strip()]
    except OSError as error:
        raise InputError(f"The records {path} cannot be read: {error.strerror}.") from None
    except ValueError:
        records = [None]
    if not all(map(_is_record, records)):
        raise InputError(f"{path} is not a file of records; give the records of chordlearn table1.")
    return records


def _is_record(record: Any) -> bool:
    """Whether it has what the table shows."""
    if not isinstance(record, dict) or not all(
        isinstance(record.get(name), str) for name in ("backend", "data", "encoding", "status")
    ):
        return False
    figures = {"optimal": ["seconds"], "not installed": [], "failed": []}.get(record["status"], ["limit"])
    if record.get("input_bytes") is not None:
        figures.append("input_bytes")
    return isinstance(record.get("reduce"), bool) and all(
        type(record.get(name)) in (int, float) for name in figures
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
}


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


def run_plan(plan: Mapping[str, Any], limit: float, cluster: Workers | None) -> Iterator[dict[str, Any]]:
    """The records of a plan as they are made; by workers in whatever order they are finished."""
    rows = [
        (backend, data, encoding, reduce, limit)
        for encoding in plan["encodings"]
        for reduce in plan["reduce"]
        for data in plan["data"]
        for backend in plan["solvers"]
    ]
    if cluster is None:
        # One after the other in the main thread, where Ctrl-C arrives.
        yield from (run_one(*row) for row in rows)
    else:
        yield from (record for _, record in cluster.run(run_one, rows))


def run_one(backend: str, data: str, encoding: str, reduce: bool, limit: float) -> dict[str, Any]:
    """Learn once, with one thread, and note what matters."""
    availability = load_backend(backend).probe()
    record: dict[str, Any] = {
        "backend": backend,
        "version": availability.version,
        "data": data,
        "encoding": encoding,
        "reduce": reduce,
        "limit": limit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one used",
        "date": time.strftime("%Y-%m-%d"),
    }
    if not availability.available:
        return record | {"status": "not installed", "reason": availability.reason}
    start = time.monotonic()
    try:
        result = learn(
            data,
            backend=backend,
            encoding=encoding,
            reduce=reduce,
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
