"""Everything that reads what others wrote, each with documents that it reads without complaint."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import chordlearn as cl
from chordlearn.analysis.resampling import Journal
from chordlearn.certificate.proofs import claim as claims
from chordlearn.data.ordered_rows import read_rows
from chordlearn.encodings.mapping import read_map
from chordlearn.pipeline.checkpoints import read_checkpoint
from chordlearn.report.pictures import read_trace
from chordlearn.report.pictures.plotting import read_edge_numbers
from chordlearn.report.table1 import markdown, read_records
from chordlearn.scores import read_scores
from chordlearn.system.files import read_whole
from fuzz import documents


@dataclass(frozen=True)
class Reader:
    """A function of a path, the suffix of its files, and valid documents for it."""

    name: str
    suffix: str
    read: Callable[[Path], Any]
    documents: Callable[[], Sequence[bytes]]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class JsonReader:
    """The same for JSON documents, whose structure is changed before they are written."""

    name: str
    suffix: str
    read: Callable[[Path], Any]
    documents: Callable[[], Sequence[Any]]
    write: Callable[[Any], bytes]

    def __str__(self) -> str:
        return self.name


def _read_table(path: Path) -> None:
    cl.read(path, missing="category", discretize="quantile:3")


def _read_strictly(path: Path) -> None:
    cl.read(path, counts="count" if b"count" in path.read_bytes()[:200] else None)


def _read_rows(path: Path) -> None:
    rows = read_rows(path)
    rows.codes(["a"], [["x", "y", "1"]], unseen="missing")


def _read_twice(path: Path) -> None:
    other = path.with_name("other" + path.suffix)
    other.write_bytes(documents.csv_tables()[0])
    cl.read([other, path], missing="category")


def _read_result(path: Path) -> None:
    result = cl.Result.load(path)
    assert cl.Result.from_json(result.to_json()) == result
    repr(result), str(result)
    if result.status != "none":
        result._repr_html_()


def _verify(path: Path) -> None:
    str(cl.verify(path, documents.TABLE))


def _proof_reader(kind: str, name: str) -> Reader:
    """Checks a proof of which one file is another, with its hash stated anew."""

    def read_proof(path: Path) -> None:
        folder = path.with_name("proof")
        folder.mkdir(exist_ok=True)
        for file in folder.iterdir():
            file.unlink()
        files = documents.proofs()[kind] | {name: path.read_bytes()}
        if name != claims.CLAIM:
            claim = json.loads(files[claims.CLAIM])
            claim["files"][name] = sha256(files[name]).hexdigest()
            files[claims.CLAIM] = json_text(claim)
        for file_name, content in files.items():
            (folder / file_name).write_bytes(content)
        report = cl.verify(folder, documents.TABLE)
        if report.ok:
            stated = json.loads(read_whole(folder / claims.RESULT))
            assert stated["score"] >= documents.result().score - stated["tolerance"]

    return Reader(
        f"{name} of a proof with {kind}", ".txt", read_proof, lambda: [documents.proofs()[kind][name]]
    )


def _read_network(path: Path) -> None:
    net = cl.load_network(path, documents.TABLE)
    net.marginals()
    net.mpe({})
    net.sample(3, seed=1)


def _read_records(path: Path) -> None:
    markdown(read_records(path))


def _read_journal(path: Path) -> None:
    Journal(path, documents.JOURNAL_HEADER).close()


def _read_plan(path: Path) -> None:
    from chordlearn.report.table1 import read_plan

    read_plan(path)


def json_text(document: Any) -> bytes:
    """Plain JSON, also of what is not allowed in it."""
    return json.dumps(document).encode("utf-8", "surrogatepass")


def json_lines(document: Any) -> bytes:
    """Each item of a list on a line of its own."""
    items = document if isinstance(document, list) else [document]
    return b"".join(json_text(item) + b"\n" for item in items)


def _lines_of(text: Callable[[], bytes]) -> Callable[[], list[Any]]:
    return lambda: [[json.loads(line) for line in text().splitlines()]]


def _of_suffix(suffix: str) -> Callable[[], list[bytes]]:
    return lambda: [documents.score_files()[suffix]]


READERS = [
    Reader("table", ".csv", _read_table, documents.csv_tables),
    Reader("table of strict kind", ".tsv", _read_strictly, documents.csv_tables),
    Reader("rows", ".txt", _read_rows, documents.csv_tables),
    Reader("several tables", ".csv", _read_twice, documents.csv_tables),
    Reader("parquet", ".parquet", _read_table, documents.binary_tables),
    Reader("rows of parquet", ".pq", _read_rows, documents.binary_tables),
    Reader("arrow", ".arrow", _read_table, documents.binary_tables),
    *(Reader(f"scores {suffix}", suffix, read_scores, _of_suffix(suffix)) for suffix in
      (".score", ".dmst", ".jkl", ".scores")),
    Reader("trace", ".jsonl", read_trace, lambda: [documents.trace()]),
    Reader("records", ".jsonl", _read_records, lambda: [documents.records()]),
    Reader("journal", ".jsonl", _read_journal, lambda: [documents.journal()]),
    *(_proof_reader("clauses", name) for name in (claims.CLAIM, claims.RESULT, claims.SCORES, claims.BOUNDS)),
    *(_proof_reader("clauses", name) for name in claims.WITH_INSTANCE),
    *(_proof_reader("cuts", name) for name in (claims.CLAIM, claims.RESULT, claims.CUTS)),
    Reader("plan", ".toml", _read_plan, lambda: [documents.CONFIGURATION]),
]  # fmt: skip

JSON_READERS = [
    JsonReader("result", ".json", _read_result, lambda: [documents.result().to_dict()], json_text),
    JsonReader("verify", ".json", _verify, lambda: [documents.result().to_dict()], json_text),
    JsonReader(
        "network",
        ".chord.json",
        _read_network,
        lambda: [json.loads(documents.network().to_json())],
        json_text,
    ),
    JsonReader(
        "network or result", ".json", _read_network, lambda: [documents.result().to_dict()], json_text
    ),
    JsonReader("map", ".json", read_map, lambda: [documents.model_map()], json_text),
    JsonReader("checkpoint", ".json", read_checkpoint, lambda: [documents.checkpoint()], documents.sealed),
    JsonReader(
        "frequencies",
        ".json",
        partial(read_edge_numbers, kind="bootstrap"),
        lambda: [documents.FREQUENCIES],
        json_text,
    ),
    JsonReader("lines of a trace", ".jsonl", read_trace, _lines_of(documents.trace), json_lines),
    JsonReader("lines of records", ".jsonl", _read_records, _lines_of(documents.records), json_lines),
    JsonReader("lines of a journal", ".jsonl", _read_journal, _lines_of(documents.journal), json_lines),
]
