"""Tasks on workers: the same answers as here, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.cluster import Cluster, Threads
from chordlearn.confidence.resampling import learn_replicate
from chordlearn.errors import BackendError, InputError
from chordlearn.remote.counting import count_part
from chordlearn.remote.datasets import open_constraints, open_dataset, share_dataset

pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")

FUNCTION = {"name": "bdeu", "parameters": {"ess": 1.0}}
OPTIONS = {"backend": "native", "max_clique": 3}


def replicates(count: int) -> list[tuple[Any, ...]]:
    return [(1, number, FUNCTION, OPTIONS) for number in range(count)]


def workers_of(pid: int) -> list[int]:
    """The worker processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"chordlearn.cluster.worker" in path.with_name("cmdline").read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def expected() -> dict[int, Any]:
    return dict(Threads(2).run(learn_replicate, replicates(8), share_dataset(cl.read("econ"))))


def test_workers_answer_as_threads_do(cluster: Cluster, expected: dict[int, Any]) -> None:
    shared = share_dataset(cl.read("econ"))
    assert dict(cluster.run(learn_replicate, replicates(8), shared)) == expected
    assert cluster.slots == 2
    assert not cluster.lost


def test_the_error_of_a_task_is_raised_here(cluster: Cluster) -> None:
    bad = [(0, 0, FUNCTION, {"require": [["Age", "Nobody"]]})]
    with pytest.raises(InputError, match="no variable 'Nobody'"):
        list(cluster.run(learn_replicate, bad, share_dataset(cl.read("econ"))))


def test_a_defect_in_a_task_is_one_sentence(cluster: Cluster) -> None:
    with pytest.raises(BackendError, match=r"^A worker failed with KeyError: 'variables'$"):
        list(cluster.run(open_dataset, [({},)]))


def test_only_tasks_are_run(cluster: Cluster) -> None:
    with pytest.raises(BackendError, match="There is no task"):
        list(cluster.run(open_constraints, [({},)]))


def test_iteration_may_be_left(cluster: Cluster, expected: dict[int, Any]) -> None:
    shared = share_dataset(cl.read("econ"))
    row = cluster.run(learn_replicate, replicates(50), shared)
    number, value = next(row)
    row.close()
    assert value["sample"] == number
    assert list(cluster.run(learn_replicate, replicates(50), shared, lambda: True)) == []
    assert dict(cluster.run(learn_replicate, replicates(2), shared)) == {n: expected[n] for n in (0, 1)}


def test_one_worker_dies_and_then_the_other(expected: dict[int, Any]) -> None:
    shared = share_dataset(cl.read("econ"))
    others = set(workers_of(os.getpid()))
    with Cluster("local:2") as cluster:
        first, second = set(workers_of(os.getpid())) - others
        for victim, lost in ((first, False), (second, True)):
            found: dict[int, Any] = {}
            for number, value in cluster.run(learn_replicate, replicates(8), shared):
                found[number] = value
                if len(found) == 2:
                    os.kill(victim, signal.SIGKILL)
            assert found == expected
            # All may have been answered before the end of the worker was noticed; the next ones cannot be.
            again = dict(cluster.run(learn_replicate, replicates(2), shared))
            assert again == {n: expected[n] for n in (0, 1)}
            assert cluster.lost == lost


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_process_that_started_them(end: int, tmp_path: Path) -> None:
    code = "import chordlearn.cluster, time; chordlearn.cluster.Cluster('local:2'); print('open', flush=True)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.Popen(
        [sys.executable, "-c", f"{code}; time.sleep(600)"], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert run.stdout is not None
    with run.stdout:
        assert run.stdout.readline() == "open\n"
    workers = workers_of(run.pid)
    assert len(workers) == 2
    run.send_signal(end)
    run.wait(120)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (any(map(is_running, workers)) or any(tmp_path.iterdir())):
        time.sleep(0.05)
    assert not any(map(is_running, workers))
    assert list(tmp_path.iterdir()) == []


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("local:0", "must have 1 to 256 workers"),
        ("local:9999", "must have 1 to 256 workers"),
        ("local:two", "neither local:N nor an address"),
        ("host", "neither local:N nor an address"),
        ("http://host:80", "neither local:N nor an address"),
    ],
)
def test_addresses_that_are_none(address: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Cluster(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:99999"])
def test_nobody_listens(address: str) -> None:
    with pytest.raises(BackendError, match=f"^No scheduler answers at {address} .*dask scheduler"):
        Cluster(address)


def test_a_file_that_is_not_here_is_not_counted() -> None:
    assert count_part("/nowhere/table.csv", "", "whole", 0, 1, ["a"]) is None


def test_without_the_extra_there_is_one_sentence() -> None:
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from chordlearn.cli.app import run\n"
        "sys.exit(run(['learn', 'heart', '--cluster', 'local:2']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr == (
        "chordlearn: A cluster needs dask, which is not installed: pip install 'chordlearn[dask]'.\n"
    )


@contextmanager
def started(arguments: list[str], sign: str, folder: Path, path: Path | None = None) -> Iterator[str]:
    """A program of dask's, up to the line with which it says that it is ready; ended afterwards."""
    run = subprocess.Popen(
        [str(Path(sys.executable).with_name("dask")), *arguments, "--no-dashboard"],
        env={**os.environ, **({} if path is None else {"PYTHONPATH": str(path)})},
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    try:
        yield next(line for line in run.stderr if sign in line)
    finally:
        run.terminate()
        run.stderr.read()
        run.stderr.close()
        run.wait()


def test_a_scheduler_and_a_worker_that_others_started(expected: dict[int, Any], tmp_path: Path) -> None:
    """As on two machines: each is a command of its own."""
    with started(["scheduler", "--host", "127.0.0.1", "--port", "0"], "Scheduler at:", tmp_path) as said:
        address = said.split()[-1]
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path)]
        with started(["worker", address, *options], "Registered to:", tmp_path), Cluster(address) as cluster:
            shared = share_dataset(cl.read("econ"))
            assert dict(cluster.run(learn_replicate, replicates(8), shared)) == expected
            assert (cluster.slots, cluster.lost) == (1, False)


def test_other_versions_are_refused(tmp_path: Path) -> None:
    about = tmp_path / "chordlearn-99.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: chordlearn\nVersion: 99\n")
    command = ["scheduler", "--host", "127.0.0.1", "--port", "0"]
    with started(command, "Scheduler at:", tmp_path, tmp_path) as said:
        sentence = r"^The scheduler has chordlearn 99, but this is chordlearn \d.*; install the same version"
        with pytest.raises(BackendError, match=sentence):
            Cluster(said.split()[-1])
