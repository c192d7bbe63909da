"""Tasks on workers: the same answers as here, whatever happens to the workers."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.analysis.resampling import learn_replicate
from chordlearn.errors import BackendError, InputError
from chordlearn.parallel import Workers, executors
from chordlearn.parallel.executors import MOST_AHEAD
from chordlearn.scores import BDeu
from chordlearn.scores.compute import ScoredData, score_some
from killing import PID_OF_TESTS, kill_own_process

pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")

SPAWN = multiprocessing.get_context("spawn")
OPTIONS = {"backend": "native", "max_clique": 3}


def replicates(count: int) -> list[tuple[Any, ...]]:
    return [(1, number, BDeu(), OPTIONS) for number in range(count)]


def pids_of(workers: Workers) -> list[int]:
    """The processes of a dask cluster's workers."""
    assert workers._cluster is not None
    return list(workers._cluster.client.run(os.getpid).values())


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def expected() -> dict[int, Any]:
    with Workers(2) as threads:
        return dict(threads.run(learn_replicate, replicates(8), cl.read("econ")))


def test_workers_answer_as_threads_do(cluster: Workers, expected: dict[int, Any]) -> None:
    assert dict(cluster.run(learn_replicate, replicates(8), cl.read("econ"))) == expected
    assert cluster.slots == 2
    assert not cluster.lost


def test_executors_of_the_user(cluster: Workers, expected: dict[int, Any]) -> None:
    assert cluster._cluster is not None
    of_dask = cluster._cluster.client.get_executor()
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, SPAWN) as processes:
        for executor in (threads, processes, of_dask):
            with Workers(executor) as workers:
                for _ in range(2):
                    assert dict(workers.run(learn_replicate, replicates(8), cl.read("econ"))) == expected
                assert workers.slots == 2
        # They stay open for their owner.
        assert threads.submit(int).result(timeout=300) == processes.submit(int).result(timeout=300) == 0
    assert of_dask.submit(int).result(timeout=300) == 0


def test_the_error_of_a_task_is_raised_here(cluster: Workers) -> None:
    bad = [(0, 0, BDeu(), {"require": [("Age", "Nobody")]})]
    with pytest.raises(InputError, match="no variable 'Nobody'"):
        list(cluster.run(learn_replicate, bad, cl.read("econ")))


def test_a_defect_in_a_task_is_not_disguised(cluster: Workers) -> None:
    with pytest.raises(ZeroDivisionError):
        list(cluster.run(divmod, [(1, 0)]))


def test_iteration_may_be_left(cluster: Workers, expected: dict[int, Any]) -> None:
    data = cl.read("econ")
    row = cluster.run(learn_replicate, replicates(50), data)
    number, found = next(row)
    row.close()
    assert found.number == number
    assert list(cluster.run(learn_replicate, replicates(50), data, lambda: True)) == []
    assert dict(cluster.run(learn_replicate, replicates(2), data)) == {n: expected[n] for n in (0, 1)}


class Counting(ThreadPoolExecutor):
    """Threads that count what they are handed."""

    handed = 0

    def submit(self, *task: Any, **more: Any) -> Any:
        self.handed += 1
        return super().submit(*task, **more)


def test_a_long_row_is_handed_out_bit_by_bit() -> None:
    """All of it at once would take minutes on a cluster, in which nobody asks whether to stop."""
    rows = [(-number,) for number in range(20_000)]
    with Counting(1) as executor, Workers(executor) as workers:
        row = workers.run(abs, rows)
        next(row)
        assert executor.handed == MOST_AHEAD
        row.close()
        asked = iter([False] * 10)
        assert list(workers.run(abs, rows, stop=lambda: next(asked, True))) == []
        assert executor.handed < MOST_AHEAD + 10
        assert dict(workers.run(abs, rows)) == {number: number for number in range(20_000)}


def test_killed_workers_are_replaced_and_their_tasks_run_again(expected: dict[int, Any]) -> None:
    data = cl.read("econ")
    with Workers("local:2") as cluster:
        first = pids_of(cluster)
        found: dict[int, Any] = {}
        for number, value in cluster.run(learn_replicate, replicates(8), data):
            found[number] = value
            if len(found) == 2:
                for victim in first:
                    os.kill(victim, signal.SIGKILL)
        assert found == expected
        # What is shared was lost with them, and is made anew.
        assert dict(cluster.run(learn_replicate, replicates(8), data)) == expected
        assert not cluster.lost
        assert not set(pids_of(cluster)) & set(first)


@pytest.fixture(autouse=True)
def _this_process_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PID_OF_TESTS, str(os.getpid()))


def test_a_task_that_kills_its_workers_ends_the_run_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    # A new worker lives too short a time to be seen, and on a busy machine takes long to come.
    monkeypatch.setattr(executors, "LOST_SECONDS", 600.0)
    with (
        Workers("local:1") as cluster,
        pytest.raises(BackendError, match=r"^The same task ended several workers.*leave out cluster\.$"),
    ):
        list(cluster.run(kill_own_process, [()]))


def test_what_a_broken_pool_leaves_is_done_here(expected: dict[int, Any]) -> None:
    with ProcessPoolExecutor(1, SPAWN) as processes, Workers(processes) as workers:
        processes.submit(kill_own_process)
        assert dict(workers.run(learn_replicate, replicates(8), cl.read("econ"))) == expected
        assert workers.lost


def test_processes_that_would_be_forked_are_refused() -> None:
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as processes,
        pytest.raises(InputError, match=r"forks may hang; give it mp_context=.*spawn"),
    ):
        Workers(processes)


def test_an_executor_that_is_closed() -> None:
    with ThreadPoolExecutor(1) as threads:
        pass
    with pytest.raises(
        InputError, match=r"^The ThreadPoolExecutor takes no tasks .* give one that is open\.$"
    ):
        cl.bootstrap("heart", samples=2, cluster=threads)


SCRIPT = """
import time
from chordlearn.parallel import Workers
if __name__ == "__main__":
    workers = Workers("local:2")
    print(*workers._cluster.client.run(__import__("os").getpid).values(), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_process_that_started_them(end: int, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    run = subprocess.Popen([sys.executable, str(tmp_path / "script.py")], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    with run.stdout:
        pids = [int(pid) for pid in run.stdout.readline().split()]
    assert len(pids) == 2
    run.send_signal(end)
    run.wait(120)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and any(map(is_running, pids)):
        time.sleep(0.05)
    assert not any(map(is_running, pids))


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_script_without_a_guard_gets_one_sentence(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import chordlearn as cl, chordlearn.errors\n"
        "try:\n    cl.learn('heart', cluster='local:2')\n"
        "except cl.errors.ChordlearnError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    sentence = r'Line 3 of .*script\.py starts processes, .* under if __name__ == "__main__":\.\n'
    assert re.fullmatch(sentence, done.stdout)
    assert done.stderr == ""


def test_workers_that_do_not_start_get_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    with pytest.raises(
        BackendError, match=r"^The workers could not be started here; .* leave out cluster\.$"
    ):
        Workers("local:1")


def test_strangers_are_kept_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with Workers("local:1") as workers:
        assert workers._cluster is not None
        (folder,) = (path for path in tmp_path.iterdir() if path.name.startswith("chordlearn-"))
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        address = workers._cluster.client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as plain:
            plain.settimeout(60)
            plain.sendall(b"let me in" * 100)
            try:
                answer = plain.recv(1 << 16)
            except ConnectionResetError:
                answer = b""
        # At most an alert of TLS, whose first byte is 21.
        assert answer[:1] in (b"", b"\x15")
        with pytest.raises((OSError, TypeError)):
            Client(address, timeout=3)
        assert dict(workers.run(divmod, [(7, 2)])) == {0: (3, 1)}
    assert not any(path.name.startswith("chordlearn-") for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("local:0", "must have 1 to 256 workers"),
        ("local:9999", "must have 1 to 256 workers"),
        ("local:two", "neither local:N nor an address"),
        ("host", "neither local:N nor an address"),
        ("http://host:80", "neither local:N nor an address"),
        (2.5, "A float is no cluster"),
    ],
)
def test_addresses_that_are_none(address: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Workers(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:99999"])
def test_nobody_listens(address: str) -> None:
    with pytest.raises(BackendError, match=f"^No scheduler answers at {address} .*dask scheduler"):
        Workers(address)


def test_a_scorer_is_made_once_in_each_process_and_does_not_travel() -> None:
    data = ScoredData(cl.read("heart"), BDeu())
    assert data.scorer is data.scorer
    with ProcessPoolExecutor(1, SPAWN) as processes, Workers(processes) as workers:
        ((_, (sets, scores)),) = workers.run(score_some, [(6, 0, 1)], data)
    here = score_some(data, 6, 0, 1)
    assert (sets.tolist(), scores.tolist()) == (here[0].tolist(), here[1].tolist())


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
def started(
    arguments: list[str], sign: str, folder: Path, path: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A program of dask's, with the line in which it says that it is ready; ended afterwards."""
    run = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
        env={**os.environ, **({} if path is None else {"PYTHONPATH": str(path)})},
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    try:
        yield next(line for line in run.stderr if sign in line), run
    finally:
        run.terminate()
        run.stderr.read()
        run.stderr.close()
        run.wait()


SCHEDULER = ["scheduler", "--host", "127.0.0.1", "--port", "0"]


def test_a_scheduler_and_a_worker_that_others_started(
    expected: dict[int, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on two machines, each a command of its own; then the worker goes, and what is left is done here."""
    monkeypatch.setattr("chordlearn.parallel.executors.LOST_SECONDS", 1.0)
    with started(SCHEDULER, "Scheduler at:", tmp_path) as (said, _):
        address = said.split()[-1]
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path)]
        with (
            started(["worker", address, *options], "Registered to:", tmp_path) as (_, process),
            Workers(address) as workers,
        ):
            found: dict[int, Any] = {}
            for number, value in workers.run(learn_replicate, replicates(8), cl.read("econ")):
                found[number] = value
                if len(found) == 1:
                    assert (workers.slots, workers.lost) == (1, False)
                    process.kill()
            assert found == expected
            # All may have been answered before it was gone; the next ones cannot be.
            assert dict(workers.run(learn_replicate, replicates(8), cl.read("econ"))) == expected
            assert workers.lost


def test_a_scheduler_that_goes_is_survived(
    expected: dict[int, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chordlearn.parallel.executors.LOST_SECONDS", 1.0)
    with started(SCHEDULER, "Scheduler at:", tmp_path) as (said, scheduler):
        address = said.split()[-1]
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path)]
        with (
            started(["worker", address, *options], "Registered to:", tmp_path),
            Workers(address) as workers,
        ):
            row = workers.run(learn_replicate, replicates(8), cl.read("econ"))
            found = dict([next(row)])
            scheduler.kill()
            found |= dict(row)
            assert found == expected
            assert dict(workers.run(learn_replicate, replicates(8), cl.read("econ"))) == expected
            assert workers.lost


def test_other_versions_are_refused(tmp_path: Path) -> None:
    about = tmp_path / "chordlearn-99.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: chordlearn\nVersion: 99\n")
    with started(SCHEDULER, "Scheduler at:", tmp_path, tmp_path) as (said, _):
        sentence = r"^The scheduler has chordlearn 99, but this is chordlearn \d.*; install the same version"
        with pytest.raises(BackendError, match=sentence):
            Workers(said.split()[-1])
