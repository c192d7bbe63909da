"""A thousand runs in one process leave nothing behind."""

from __future__ import annotations

import gzip
import itertools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.backends.base.registry import backend_names, load_backend
from chordlearn.errors import InputError
from load.held import Growth, growth, held, settle

pytestmark = pytest.mark.slow

THOROUGH = os.environ.get("CHORDLEARN_THOROUGH") == "1"
RUNS = 1000
WARM = 300
RESIDENT_PER_RUN = 3_000
"""Bytes; allocators keep pages for a while, so that this cannot be small."""
HEAP_PER_RUN = 200
"""Bytes that nobody gave back, which is exact."""
HEAP_OF_FEW_RUNS = 500_000
"""Two runs of a program of others tell about files, threads and children, hardly about memory."""
HEAP_AT_FIRST = 10_000
"""The same where there are only a few runs, and some of the first load and keep what they need."""
BUFFER_OF_PYSAT = 4_200
"""PySAT does not close the stream of a proof: its buffer is left, the file is not."""
OPTIMA = {"heart": -6732.459258, "econ": -2695.956501}
IN_THIS_PROCESS = ("search", "exhaustive", "ilp:cuts")
"""The other backends start programs, which takes a second each time."""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def assert_nothing_grew(seen: Growth, heap: float = HEAP_AT_FIRST) -> None:
    assert seen.heap < heap, f"{seen.heap:.0f} bytes of heap per run"
    assert seen.after.files == seen.before.files
    assert seen.after.children == seen.before.children
    assert seen.after.threads <= seen.before.threads
    assert seen.after.system_threads <= seen.before.system_threads + 4


def test_a_thousand_runs(temporary: Path) -> None:
    data = {name: cl.read(name) for name in OPTIMA}
    heart, econ = ("heart", data["heart"]), ("econ", data["econ"])
    turns = itertools.cycle([("heart", "heart"), heart, econ, heart])

    def run() -> None:
        name, given = next(turns)
        result = cl.learn(given)
        assert result.status == "optimal" and abs(result.score - OPTIMA[name]) < 1e-6

    seen = growth(run, warm=WARM, times=RUNS - WARM, every=50)
    assert seen.resident < RESIDENT_PER_RUN, f"{seen.resident:.0f} bytes per run"
    assert_nothing_grew(seen, HEAP_PER_RUN)
    assert list(temporary.iterdir()) == []


def test_a_leak_would_be_seen() -> None:
    """Half a kilobyte per run, by the C library and by Python."""
    kept: list[object] = []
    data = cl.read("heart")

    def run() -> None:
        cl.learn(data)
        kept.append((np.zeros(64), [bytes(500)]))

    seen = growth(run, warm=50, times=100, every=10)
    with pytest.raises(AssertionError, match="bytes of heap per run"):
        assert_nothing_grew(seen, HEAP_PER_RUN)


@pytest.mark.parametrize("backend", [name for name in backend_names() if name not in ("auto", "native")])
def test_every_backend(backend: str, temporary: Path) -> None:
    found = load_backend(backend).probe()
    if not found.available:
        pytest.skip(found.reason)
    data = cl.read("heart")

    def run() -> None:
        assert abs(cl.learn(data, backend=backend, threads=2).score - OPTIMA["heart"]) < 1e-6

    if backend in IN_THIS_PROCESS or THOROUGH:
        assert_nothing_grew(growth(run, warm=1, times=20))
    else:
        assert_nothing_grew(growth(run, warm=1, times=2), HEAP_OF_FEW_RUNS)
    assert list(temporary.iterdir()) == []


def wide_table(columns: int = 40, rows: int = 300) -> dict[str, list[int]]:
    rng = np.random.default_rng(4)
    table = rng.integers(0, 2, size=(rows, columns))
    for column in range(1, columns):
        table[:, column] = table[:, column - 1] ^ (rng.random(rows) < 0.2)
    return {f"v{i}": table[:, i].tolist() for i in range(columns)}


def test_wide_searches_with_bounds(temporary: Path) -> None:
    data = cl.read(wide_table())
    assert_nothing_grew(
        growth(lambda: cl.learn(data, max_clique=3, time_limit=0.15, threads=2), warm=3, times=12)
    )
    assert list(temporary.iterdir()) == []


def test_runs_that_write(tmp_path: Path, temporary: Path) -> None:
    from chordlearn.report.html import write_report

    data = cl.read("heart")
    numbers = itertools.count()

    def run() -> None:
        result = cl.learn(data, checkpoint=tmp_path / "c.json")
        result.save(tmp_path / "r.json")
        write_report(result, tmp_path / "r.html", data)
        cl.fit(result, data).save(tmp_path / "n.chord.json")

    def prove() -> None:
        folder = tmp_path / f"proof-{next(numbers)}"
        cl.learn(data, proof=folder)
        assert cl.verify(folder).ok

    assert_nothing_grew(growth(run, warm=8, times=12))
    assert_nothing_grew(growth(prove, warm=8, times=12), HEAP_AT_FIRST + BUFFER_OF_PYSAT)
    assert list(temporary.iterdir()) == []
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def readers(folder: Path) -> dict[str, Callable[[], object]]:
    import polars as pl

    table = pl.DataFrame({"a": ["x", "y"] * 50, "b": [1, 2, 2, 1] * 25})
    table.write_csv(folder / "t.csv")
    (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes()))
    table.write_parquet(folder / "t.parquet")
    (folder / "bad.csv").write_text('a,b\n1,"2\n3,4,5\n')
    (folder / "bad.parquet").write_bytes(b"PAR1 and no more")

    def refused(name: str) -> None:
        with pytest.raises(InputError):
            cl.read(folder / name)

    return {
        "csv": lambda: cl.read(folder / "t.csv"),
        "gzip": lambda: cl.read(folder / "t.csv.gz"),
        "parquet": lambda: cl.read(folder / "t.parquet"),
        "pattern": lambda: cl.read(str(folder / "t.*csv*")),
        "polars": lambda: cl.read(table),
        "pandas": lambda: cl.read(table.to_pandas()),
        "numpy": lambda: cl.read(table["b"].to_numpy().reshape(-1, 4)),
        "broken text": lambda: refused("bad.csv"),
        "broken parquet": lambda: refused("bad.parquet"),
        "missing": lambda: refused("none.csv"),
    }


def test_readers(tmp_path: Path, temporary: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    every = readers(folder)

    def run() -> None:
        for read in every.values():
            read()

    assert_nothing_grew(growth(run, warm=10, times=40, every=4))
    assert list(temporary.iterdir()) == []


def test_a_cluster_leaves_nothing(temporary: Path) -> None:
    pytest.importorskip("distributed", reason="dask is not installed (the extra dask)")

    def run() -> None:
        result = cl.learn("heart", cluster="local:1")
        assert abs(result.score - OPTIMA["heart"]) < 1e-6

    run()
    before = held()
    run()
    settle(before)
    after = held()
    assert after.children == before.children
    # Dask keeps an event loop for the process; a second run must not add to it.
    assert len(after.files) <= len(before.files)
    assert list(temporary.iterdir()) == []
