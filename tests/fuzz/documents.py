"""Valid documents of every kind that is read, small enough for any damage to reach what matters."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import redirect_stdout
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chordlearn as cl
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.proof import write_proof_by_cuts
from chordlearn.scores import BDeu, write_scores
from chordlearn.scores.compute import ScoredData

TABLE = {
    "a": ["x", "y", "x", "y", "x", "x", "y", "y"] * 3,
    "b": ["0", "1", "1", "1", "0", "0", "1", "0"] * 3,
    "c, d": ["u", "v", "u", "u", "u", "v", "v", "v"] * 3,
}


@cache
def result() -> cl.Result:
    """What was learned from the table."""
    return cl.learn(TABLE, threads=1, top=2)


@cache
def proofs() -> dict[str, dict[str, bytes]]:
    """The files of a proof with clauses, and of one by cuts, of networks of the table."""
    data = cl.read(TABLE)
    best = cl.learn(data, threads=1)
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        cl.learn(data, threads=1, proof=folder / "clauses")
        write_proof_by_cuts(folder / "cuts", best, make_problem(ScoredData(data, BDeu(1.0)), Constraints()))
        return {
            kind: {path.name: path.read_bytes() for path in (folder / kind).iterdir()}
            for kind in ("clauses", "cuts")
        }


@cache
def network() -> cl.FittedNetwork:
    """The network of the table."""
    return cl.fit(result(), TABLE)


def csv_tables() -> list[bytes]:
    """Text tables: plain, quoted, with other delimiters, with counts, with missing values, gzipped."""
    plain = b"a,b,c\n" + b"x,0,u\ny,1,v\nx,1,u\ny,0,w\n" * 3
    quoted = b'a,"b, c",d\n"x, y",0,"say ""hi"""\nz,1,"two\nlines"\nz,0,w\n' * 1
    return [
        plain,
        quoted,
        plain.replace(b",", b"\t"),
        plain.replace(b",", b";").replace(b"\n", b"\r\n"),
        plain.replace(b",", b" "),
        b"\xef\xbb\xbf" + plain,
        b"a,b,count\nx,0,7\ny,1,2\nx,1,1\n",
        b"a,b\n1.5,?\n2.25,NA\n-3,\n1e3,x\n",
        gzip.compress(plain, mtime=0),
        "größe,名前\nä,ö\nü,ö\nä,ß\n".encode(),
    ]


@cache
def binary_tables() -> list[bytes]:
    """Parquet files of several types of columns, and an Arrow file."""
    import polars as pl

    frames = [
        pl.DataFrame(TABLE),
        pl.DataFrame(
            {"a": [1, 2, 2, None], "b": [0.5, 1.0, 0.5, float("nan")], "c": [True, False, True, None]}
        ),
        pl.DataFrame({"a": ["x", "y"] * 4, "when": ["2020-01-01", "2021-02-03"] * 4}).with_columns(
            pl.col("a").cast(pl.Enum(["x", "y", "z"])), pl.col("when").str.to_date()
        ),
    ]
    found = []
    for frame in frames:
        for compression in ("zstd", "uncompressed"):
            stream = io.BytesIO()
            frame.write_parquet(stream, compression=compression)
            found.append(stream.getvalue())
    stream = io.BytesIO()
    frames[0].write_ipc(stream)
    return [*found, stream.getvalue()]


@cache
def score_files() -> dict[str, bytes]:
    """The scores of a small table in every format, by suffix."""
    from chordlearn.pipeline.inputs import score_sets

    table = score_sets({"a": TABLE["a"], "b": TABLE["b"], "c d": TABLE["c, d"]})
    found = {}
    with TemporaryDirectory() as folder:
        for suffix in (".score", ".dmst", ".jkl", ".scores"):
            path = Path(folder, f"it{suffix}")
            write_scores(table, path)
            found[suffix] = path.read_bytes()
    return found


def trace() -> bytes:
    """A trace as `learn --trace` writes it."""
    events = [
        {"t": 0.02, "stage": "reading", "score": None, "bound": None},
        {"t": 0.27, "stage": "searching", "score": -12.5, "bound": None},
        {"t": 0.31, "stage": "solving", "score": -12.0, "bound": -11.5},
        {"t": 0.4, "stage": "solving", "score": -12.0, "bound": -12.0},
    ]
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def records() -> bytes:
    """Records as `table1 --records` writes them."""
    common = {"data": "heart", "encoding": "paper", "reduce": False, "limit": 30.0, "version": "1"}
    lines: list[dict[str, Any]] = [
        {"backend": "asp:clasp", **common, "status": "not installed", "reason": "There is none."},
        {"backend": "asp:clingo", **common, "status": "optimal", "seconds": 1.25, "input_bytes": 4096},
        {"backend": "maxsat:rc2", **common, "status": "feasible", "seconds": 30.0, "input_bytes": 4096},
        {"backend": "smt:z3", **common, "status": "failed", "seconds": 0.5, "reason": "It crashed."},
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@cache
def model_map() -> dict[str, Any]:
    """The map that `encode` writes beside a model."""
    from chordlearn.cli.app import run

    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        table = Path(folder, "table.csv")
        table.write_bytes(csv_tables()[0])
        assert (
            run(["encode", str(table), "--encoding", "edges", "-o", f"{folder}/m.wcnf", "--threads", "1"])
            == 0
        )
        found: dict[str, Any] = json.loads(Path(folder, "m.wcnf.map.json").read_text())
    return found


def as_csv(table: dict[str, list[str]]) -> bytes:
    """A table as text."""
    import polars as pl

    return pl.DataFrame(table).write_csv().encode()


def wide_table() -> dict[str, list[str]]:
    """More variables than all sets are scored of."""
    return {f"v{i}": [str((row >> (i % 5) ^ row * i) & 1) for row in range(40)] for i in range(27)}


@cache
def wide_checkpoint() -> dict[str, Any]:
    """The checkpoint of a search among the sets of many variables, without its checksum."""
    # A busy machine may need longer to come to a state.
    for seconds in (2, 20, 200):
        found = _checkpoint_of(as_csv(wide_table()), time_limit=seconds, checkpoint_every=0.001)
        if found["search"]:
            break
    return found


@cache
def checkpoint() -> dict[str, Any]:
    """The checkpoint of a run on the plain table, without its checksum."""
    return _checkpoint_of(csv_tables()[0], backend="search")


def _checkpoint_of(content: bytes, **options: Any) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        table, path = Path(folder, "table.csv"), Path(folder, "checkpoint.json")
        table.write_bytes(content)
        cl.learn(table, threads=1, checkpoint=path, **options)
        found: dict[str, Any] = json.loads(path.read_text())
    del found["sha256"]
    return found


def sealed(document: Any) -> bytes:
    """A checkpoint with the checksum of what it says, whatever that is."""
    if not isinstance(document, dict):
        return json.dumps(document).encode()
    plain = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
    return json.dumps({**document, "sha256": digest}).encode("utf-8", "surrogatepass")


def with_search(search: Any) -> bytes:
    """A checkpoint of many variables that differs in the state of its search alone."""
    return sealed({**wide_checkpoint(), "search": search})


CONFIGURATION = b"""# What to run.
data = ["heart"]
encodings = ["edges"]
reduce = [true]
solvers = ["asp:clasp-of-nowhere"]
time_limit = 0.5
"""

JOURNAL_HEADER = {"variables": ["a", "b"], "data_sha256": "00", "seed": 1}


def journal() -> bytes:
    """A journal of a bootstrap with two networks."""
    lines: list[dict[str, Any]] = [
        {"schema": "chordlearn/bootstrap@1", **JOURNAL_HEADER},
        {"sample": 0, "score": -1.5, "status": "optimal", "cliques": [["a", "b"]]},
        {"sample": 1, "score": -2.5, "status": "optimal", "cliques": [["a"], ["b"]]},
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


FREQUENCIES: dict[str, Any] = {
    "schema": "chordlearn/bootstrap@1",
    "variables": ["a", "b", "c"],
    "edges": [{"edge": ["a", "b"], "frequency": 0.75}, {"edge": ["b", "c"], "frequency": 1}],
}
