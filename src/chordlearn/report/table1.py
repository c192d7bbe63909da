"""The paper's table of runtimes and input sizes, beside what is measured here and today."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chordlearn.errors import InputError
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


@dataclass(frozen=True)
class Setting:
    """What the solvers are given: a data set, an encoding, and all candidates or the reduced ones."""

    data: str
    encoding: str
    reduce: bool

    @property
    def title(self) -> str:
        """As the head of a column."""
        return f"{self.data}, {self.encoding}, {'reduced' if self.reduce else 'all candidates'}"

    def matches(self, record: Record) -> bool:
        """Whether a record was made in this setting."""
        return (record["data"], record["encoding"], record["reduce"]) == (
            self.data,
            self.encoding,
            self.reduce,
        )


def settings_of(records: Iterable[Record]) -> list[Setting]:
    """The settings that occur, in the order of their first record."""
    found = {Setting(record["data"], record["encoding"], record["reduce"]): None for record in records}
    return list(found)


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
    settings = settings_of(records)
    datasets = list(dict.fromkeys(setting.data for setting in settings))
    yield ["solver", *(f"the paper: {data}" for data in datasets), *(setting.title for setting in settings)]
    for row in ROWS:
        own = [record for record in records if record["backend"] == row.backend]
        if own:
            latest = [
                next((record for record in reversed(own) if setting.matches(record)), None)
                for setting in settings
            ]
            yield [row.label, *(paper_cell(row, data) for data in datasets), *map(cell, latest)]


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
