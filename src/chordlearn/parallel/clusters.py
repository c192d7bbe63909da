"""Dask clusters: workers that are started on this machine, or those of a scheduler that runs already."""

from __future__ import annotations

import ast
import inspect
import logging
import re
import signal
import socket
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from chordlearn.errors import BackendError, InputError, option
from chordlearn.system.memory import available_bytes

HOST = "127.0.0.1"
MOST_LOCAL = 256
CONNECT_SECONDS = 20.0
WORKERS_SECONDS = 60.0
START_SECONDS = 300.0
"""Workers of our own are coming, however busy the machine is."""
CLOSE_SECONDS = 5.0
WAIT_SECONDS = 0.05
KEPT = 4
"""So many shared values stay with the workers."""
HOW_TO_INSTALL = "pip install 'chordlearn[dask]'"
CONFIGURATION = {
    # Tables travel as part of a task, so that a worker's death does not lose them.
    "distributed.admin.large-graph-warning-threshold": "1TB",
    "distributed.scheduler.active-memory-manager.start": False,
    # Dask starts a web server in any case; without routes it has nothing to show.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # Tasks are few and large, and nobody looks at profiles of them.
    "distributed.worker.profile.enabled": False,
    # A worker that is near its limit goes on; one beyond it ends, and its task is run again.
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.pause": False,
}


class DaskCluster:
    """What must be known of a dask cluster beside the executor that it gives."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._held: dict[int, tuple[Any, Any]] = {}

    @property
    def threads(self) -> int:
        """How many tasks can run at a time; 0 if there is nobody."""
        try:
            return 0 if self.client.status != "running" else sum(self.client.nthreads().values())
        except Exception:
            # Whatever dask has to say of a scheduler that is gone.
            return 0

    @property
    def is_closed(self) -> bool:
        """Whether the scheduler is gone for good."""
        return bool(self.client.status == "closed")

    def held(self, shared: Any) -> Any:
        """The future of a value that travels once; as a task's answer any worker can make it anew."""
        if id(shared) not in self._held:
            self._held[id(shared)] = (shared, self.client.submit(_hold, shared, pure=False))
            while len(self._held) > KEPT:
                # Dask keeps it as long as tasks need it.
                del self._held[next(iter(self._held))]
        return self._held[id(shared)][1]

    def sentence(self, error: Exception) -> str | None:
        """What went wrong with a task, if the cluster is to blame for it."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return (
                "The same task ended several workers, one after the other; give them more memory, "
                f"or leave out {option('cluster')}."
            )
        if isinstance(error, ImportError | AttributeError):
            return (
                f"The workers cannot run tasks of chordlearn ({type(error).__name__}: {_first_line(error)}); "
                f"install chordlearn {version('chordlearn')} there."
            )
        return None


@contextmanager
def opened_cluster(address: str) -> Iterator[DaskCluster]:
    """Connect to the scheduler at an address, or start the workers of `local:N`, which then end.

    >>> with opened_cluster("local:none"):
    ...     pass
    Traceback (most recent call last):
    ...
    chordlearn.errors.InputError: The cluster 'local:none' is neither local:N nor an address like tcp://host:8786.
    """
    count = local_workers(address)
    if find_spec("distributed") is None or (count and find_spec("cryptography") is None):
        raise BackendError(f"A cluster needs dask, which is not installed: {HOW_TO_INSTALL}.")
    with ExitStack() as opened:
        opened.enter_context(_quiet_dask())
        if count:
            client = opened.enter_context(_local_client(count))
        else:
            with _ctrl_c_blocked():
                client = _connected(address)
                opened.callback(client.close, CLOSE_SECONDS)
            same_versions(client)
            if not _wait_for_workers(client, 1, WORKERS_SECONDS):
                raise BackendError(
                    f"The scheduler at {address} has no workers; start some with: dask worker {address}."
                )
            same_versions(client)
        yield DaskCluster(client)


def local_workers(address: str) -> int:
    """How many workers to start here; 0 for the address of a scheduler.

    >>> local_workers("local:2"), local_workers("tcp://10.0.0.1:8786")
    (2, 0)
    """
    local = re.fullmatch(r"local:(\d{1,4})", address)
    if local and 1 <= int(local[1]) <= MOST_LOCAL:
        return int(local[1])
    if local:
        raise InputError(f"The cluster {address!r} must have 1 to {MOST_LOCAL} workers.")
    if not re.fullmatch(r"(tcp|tls)://[^\s/]+:\d{1,5}", address):
        raise InputError(f"The cluster {address!r} is neither local:N nor an address like tcp://host:8786.")
    return 0


def same_versions(client: Any) -> None:
    """Refuse a scheduler or workers with another version of chordlearn or dask."""
    found = client.get_versions(packages=["chordlearn"])
    others = {"The scheduler": found["scheduler"]}
    others |= {f"The worker {address}": known for address, known in found["workers"].items()}
    for package in ("chordlearn", "distributed"):
        own = version(package)
        for place, known in others.items():
            there = known["packages"].get(package)
            if there != own:
                raise BackendError(
                    f"{place} has {f'{package} {there}' if there else f'no {package}'}, "
                    f"but this is {package} {own}; install the same version on all machines."
                )


@contextmanager
def _local_client(count: int) -> Iterator[Any]:
    """A client of workers on this machine, for this run and for nobody else.

    Connections are encrypted with keys that exist in memory only: other users of the machine can reach the
    ports, but not the cluster.
    """
    import dask
    from distributed import LocalCluster, Security

    refuse_without_guard()
    with ExitStack() as opened:
        folder = opened.enter_context(
            tempfile.TemporaryDirectory(prefix="chordlearn-", ignore_cleanup_errors=True)
        )
        opened.enter_context(dask.config.set({"temporary-directory": folder}))
        # Its start would unblock the signal.
        resource_tracker.ensure_running()
        with _ctrl_c_blocked():
            cluster = LocalCluster(
                n_workers=0,
                threads_per_worker=1,
                memory_limit=int(available_bytes() / count),
                host=HOST,
                security=Security.temporary(),
                dashboard_address=f"{HOST}:0",
                scheduler_kwargs={"dashboard": False},
                local_directory=folder,
                silence_logs=_SILENT,
            )
            opened.callback(_closed_in_time, cluster)
            client = _client(cluster, START_SECONDS)
            opened.callback(client.close, CLOSE_SECONDS)
        cluster.scale(count)
        if not _wait_for_workers(client, count, START_SECONDS, partial(_has_failed, cluster)):
            raise BackendError(
                f"The workers could not be started here; ask for fewer, or leave out {option('cluster')}."
            )
        yield client


def refuse_without_guard() -> None:
    """Refuse to start processes from a script that would do so again in each, since each imports it."""
    frame = inspect.currentframe()
    while frame is not None and (frame.f_code.co_name, frame.f_globals.get("__name__")) != (
        "<module>",
        "__main__",
    ):
        frame = frame.f_back
    if frame is None:
        return
    try:
        tree = ast.parse(Path(frame.f_code.co_filename).read_bytes())
    except (OSError, SyntaxError, ValueError):
        # No script: a prompt or a notebook.
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            assert node.end_lineno is not None
            if node.lineno <= frame.f_lineno <= node.end_lineno:
                return
    raise InputError(
        f"Line {frame.f_lineno} of {frame.f_code.co_filename} starts processes, and each of them imports the "
        'script; put it under if __name__ == "__main__":.'
    )


def _has_failed(cluster: Any) -> bool:
    return any(nanny.status.name == "failed" for nanny in cluster.workers.values())


def _closed_in_time(cluster: Any) -> None:
    # Dask raises an AssertionError where a worker has died and the next one has not quite been started.
    give_up = time.monotonic() + CLOSE_SECONDS
    while any(map(_is_restarting, list(cluster.workers.values()))) and time.monotonic() < give_up:
        time.sleep(0.01)
    with suppress(TimeoutError, AssertionError):
        cluster.close(CLOSE_SECONDS)


def _is_restarting(nanny: Any) -> bool:
    worker = nanny.process
    is_up = worker is not None and worker.status.name == "running" and worker.is_alive()
    return nanny.status.name == "running" and not is_up


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Threads and processes started in here, or by such threads, never get Ctrl-C; we do, afterwards.

    A terminal sends it to all of them, and workers would end before their tasks are cancelled. A client of
    dask that is half made when it comes would hang at the end of the program.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _connected(address: str) -> Any:
    try:
        # Dask would try for long where nobody listens.
        host, _, port = address.partition("://")[2].rpartition(":")
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
        return _client(address, CONNECT_SECONDS)
    except (OSError, TimeoutError, ValueError, OverflowError, RuntimeError, TypeError) as error:
        raise BackendError(
            f"No scheduler answers at {address} ({_first_line(error)}); start one there with: dask scheduler."
        ) from None


def _client(where: Any, seconds: float) -> Any:
    from distributed import Client

    with warnings.catch_warnings():
        # Versions that differ are refused in a sentence.
        warnings.simplefilter("ignore")
        return Client(where, timeout=seconds, set_as_default=False, name="chordlearn")


def _wait_for_workers(
    client: Any, count: int, seconds: float, has_failed: Callable[[], bool] = lambda: False
) -> bool:
    """Whether so many workers have come in time."""
    deadline = time.monotonic() + seconds
    while len(client.nthreads()) < count:
        if has_failed() or time.monotonic() > deadline:
            return False
        time.sleep(WAIT_SECONDS)
    return True


_SILENT = logging.CRITICAL + 1


@contextmanager
def _quiet_dask() -> Iterator[None]:
    """Configure dask, and silence its loggers: whatever matters of its news, we say in one sentence."""
    import dask
    import distributed  # noqa: F401  (its import sets levels of its loggers)

    loggers = logging.root.manager.loggerDict
    known = [name for name in loggers if name.partition(".")[0] in ("distributed", "tornado")]
    levels = {name: logging.getLogger(name).level for name in known}
    with dask.config.set(CONFIGURATION):
        for name in known:
            logging.getLogger(name).setLevel(_SILENT)
        try:
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


def _hold(value: Any) -> Any:
    return value


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
