"""Tasks on a dask cluster: `tcp://host:port` of a scheduler, or `local:N` for workers of one's own."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import re
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Self, TypeVar, cast

from chordlearn.cluster.entry import KEPT, hold, raise_error, run_parcel, seal
from chordlearn.cluster.local import LocalWorkers
from chordlearn.cluster.plain import pack, unpack
from chordlearn.cluster.quiet import no_warnings, quiet_dask
from chordlearn.cluster.tasks import name_of
from chordlearn.cluster.workforce import WAIT_SECONDS, Shared, Threads
from chordlearn.errors import BackendError, InputError, option

Function = TypeVar("Function", bound=Callable[..., Any])

CONNECT_SECONDS = 20.0
WORKERS_SECONDS = 60.0
LOCAL_SECONDS = 300.0
"""Workers of our own that are alive are coming, however busy the machine is."""
LOST_SECONDS = 30.0
"""So long nobody may be there to work before this process does the work itself."""
LOOK_SECONDS = 1.0
FETCH_SECONDS = 5.0
CLOSE_SECONDS = 5.0
MOST_LOCAL = 256
HOW_TO_INSTALL = "pip install 'chordlearn[dask]'"
PLAIN_ONLY = ["msgpack", "error"]
"""Results are bytes, and nothing else is taken from a worker for one."""


class Cluster:
    """The workers of a dask cluster, as a context.

    >>> Cluster("local:none")
    Traceback (most recent call last):
    ...
    chordlearn.errors.InputError: The cluster 'local:none' is neither local:N nor an address like tcp://host:8786.
    """

    def __init__(self, address: str) -> None:
        """Connect to a scheduler, or start workers here."""
        count = local_workers(address)
        if find_spec("distributed") is None or (count and find_spec("cryptography") is None):
            raise BackendError(f"A cluster needs dask, which is not installed: {HOW_TO_INSTALL}.")
        self.address = address
        self.lost = False
        """Whether all workers are gone, so that this process does the work."""
        self._workers: LocalWorkers | None = None
        self._held: dict[int, tuple[Shared, Any]] = {}
        self._run_id = uuid.uuid4().hex
        self._numbers = itertools.count()
        self._idle_since: float | None = None
        with contextlib.ExitStack() as opened:
            opened.enter_context(quiet_dask())
            if count:
                self._workers = LocalWorkers(count)
                opened.callback(self._workers.close)
            self._client = self._connect()
            opened.callback(self._client.close, CLOSE_SECONDS)
            self._refuse_other_versions()
            self._wait_for_workers(count or 1)
            self._refuse_other_versions()
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Leave the cluster; workers that were started here end."""
        self._held.clear()
        self._opened.close()

    def __enter__(self) -> Self:
        """The cluster itself."""
        return self

    def __exit__(self, *_failure: object) -> None:
        """Leave it."""
        self.close()

    @property
    def slots(self) -> int:
        """How many tasks run at a time."""
        return max(1, sum(self._threads().values()))

    def run(
        self,
        function: Callable[..., Any],
        rows: Sequence[tuple[Any, ...]],
        shared: Shared | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, Any]]:
        """Call a task with each row of arguments; see :class:`chordlearn.cluster.workforce.Workforce`.

        A task whose worker dies is run by another one; if none is left, by this process.
        """
        left = dict(enumerate(rows))
        if not self.lost:
            for number, value in self._answers(function, rows, shared, stop):
                del left[number]
                yield number, value
        if left and not stop():
            here = Threads(usable_processors())
            numbers = list(left)
            for place, value in here.run(function, list(left.values()), shared, stop):
                yield numbers[place], unpack(pack(value))

    def _answers(
        self,
        function: Callable[..., Any],
        rows: Sequence[tuple[Any, ...]],
        shared: Shared | None,
        stop: Callable[[], bool],
    ) -> Iterator[tuple[int, Any]]:
        """What the workers answer, until all have or nobody is left to."""
        ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        futures: dict[int, Any] = {}
        patience = FETCH_SECONDS
        try:
            for number, row in enumerate(rows):
                futures[number] = self._submit(function, row, shared)
                futures[number].add_done_callback(partial(_note, ended, number))
            looked = time.monotonic()
            while futures and not stop():
                numbers = _waiting(ended)
                if numbers:
                    answers = self._fetch([futures[number] for number in numbers], patience)
                    for number, answer in zip(numbers, answers, strict=False):
                        del futures[number]
                        yield number, _value_of(answer)
                    if answers:
                        continue
                    for number in numbers:
                        ended.put(number)
                    patience *= 2
                if time.monotonic() - looked >= LOOK_SECONDS:
                    looked = time.monotonic()
                    if not self._someone_works():
                        return
        finally:
            if futures and not self.lost:
                with contextlib.suppress(Exception):
                    self._client.cancel(list(futures.values()), force=True)

    def _submit(self, function: Callable[..., Any], row: tuple[Any, ...], shared: Shared | None) -> Any:
        parcel = pack({"version": version("chordlearn"), "task": name_of(function), "row": list(row)})
        arguments = (parcel,) if shared is None else (parcel, self._hold(shared))
        return self._client.submit(run_parcel, *arguments, key=self._key("task"), pure=False)

    def _hold(self, shared: Shared) -> Any:
        """The future of what is shared; it is a task too, so that any worker can make it anew."""
        if id(shared) not in self._held:
            sealed = seal(name_of(shared.opener), shared.plain())
            future = self._client.submit(hold, sealed, key=self._key("shared"), pure=False)
            self._held[id(shared)] = (shared, future)
            while len(self._held) > KEPT:
                # Dask keeps it as long as tasks need it.
                del self._held[next(iter(self._held))]
        return self._held[id(shared)][1]

    def _key(self, kind: str) -> str:
        return f"chordlearn-{kind}-{self._run_id}-{next(self._numbers)}"

    def _fetch(self, futures: list[Any], seconds: float) -> list[bytes]:
        """The bytes of some answers; none if they were lost with their worker and are made anew."""
        for future in futures:
            if future.status == "error":
                raise self._failure(future.exception())
        gather = partial(self._client.gather, futures, asynchronous=True)
        try:
            return [bytes(answer) for answer in self._client.sync(gather, callback_timeout=seconds)]
        except Exception:
            # Whatever dask has to say of a lost worker: whether there are others is looked at next.
            return []

    def _failure(self, error: BaseException) -> BackendError:
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return BackendError(
                "The same task ended several workers, one after the other; give them more memory, "
                f"or run without {option('cluster')}."
            )
        why = f"{type(error).__name__}: {_first_line(error)}"
        return BackendError(
            f"The workers of {self.address} cannot run tasks of chordlearn ({why}); "
            f"install chordlearn {version('chordlearn')} there."
        )

    def _someone_works(self) -> bool:
        """Whether there are workers, or were a moment ago."""
        there = self._client.status == "running" and bool(self._threads())
        if there:
            self._idle_since = None
            return True
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        nobody_returns = self._client.status == "closed" or (self._workers and not self._workers.alive)
        self.lost = bool(nobody_returns) or now - self._idle_since > LOST_SECONDS
        return not self.lost

    def _threads(self) -> dict[str, int]:
        """The threads of each worker that is there."""
        if self._workers is not None and not self._workers.alive:
            return {}
        try:
            return dict(self._client.nthreads())
        except Exception:
            return {}

    def _connect(self) -> Any:
        from distributed import Client

        local = self._workers
        try:
            if local is None:
                # Dask would try for long where nobody listens.
                host, _, port = self.address.partition("://")[2].rpartition(":")
                socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
            with no_warnings():
                return Client(
                    local.address if local else self.address,
                    security=local.security if local else None,
                    timeout=CONNECT_SECONDS if local is None else LOCAL_SECONDS,
                    set_as_default=False,
                    name="chordlearn",
                    serializers=PLAIN_ONLY,
                    deserializers=PLAIN_ONLY,
                )
        except (OSError, TimeoutError, ValueError, OverflowError, RuntimeError, TypeError) as error:
            raise BackendError(
                f"No scheduler answers at {self.address} ({_first_line(error)}); "
                "start one there with: dask scheduler."
            ) from None

    def _wait_for_workers(self, count: int) -> None:
        deadline = time.monotonic() + (WORKERS_SECONDS if self._workers is None else LOCAL_SECONDS)
        while len(self._threads()) < count:
            if self._workers is not None and self._workers.alive < count:
                raise BackendError(
                    "The workers could not be started here; CHORDLEARN_DEBUG=1 shows what they say."
                )
            if time.monotonic() > deadline:
                if self._threads():
                    return
                raise BackendError(
                    f"The scheduler at {self.address} has no workers; start some with: "
                    f"dask worker {self.address}."
                )
            time.sleep(WAIT_SECONDS)

    def _refuse_other_versions(self) -> None:
        found = self._client.get_versions(packages=["chordlearn"])
        others = {"the scheduler": found["scheduler"], **found["workers"]}
        for package in ("chordlearn", "distributed"):
            own = version(package)
            for place, known in others.items():
                there = known["packages"].get(package)
                if there != own:
                    raise BackendError(
                        f"{_capital(place)} has {f'{package} {there}' if there else f'no {package}'}, "
                        f"but this is {package} {own}; install the same version on all machines."
                    )


def opening_cluster(function: Function) -> Function:
    """Let a function take the address of a cluster as ``cluster``: it gets the open cluster, or None."""

    @wraps(function)
    def opened(*arguments: Any, cluster: str | Cluster | None = None, **options: Any) -> Any:
        if not isinstance(cluster, str):
            return function(*arguments, cluster=cluster, **options)
        with Cluster(cluster) as workers:
            return function(*arguments, cluster=workers, **options)

    return cast(Function, opened)


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


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _note(ended: queue.SimpleQueue[int], number: int, _future: Any) -> None:
    ended.put(number)


def _waiting(ended: queue.SimpleQueue[int]) -> list[int]:
    """The numbers of all tasks that have ended; waits a moment for the first."""
    numbers: list[int] = []
    with contextlib.suppress(queue.Empty):
        numbers.append(ended.get(timeout=WAIT_SECONDS))
        while True:
            numbers.append(ended.get_nowait())
    return numbers


def _value_of(answer: bytes) -> Any:
    content = unpack(answer)
    if "version" in content:
        raise BackendError(
            f"A worker has chordlearn {content['version']}, but this is {version('chordlearn')}; "
            "install the same version on all machines."
        )
    if "error" in content:
        raise_error(*content["error"])
    return content["value"]


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith("the") else f"The worker {text}"
