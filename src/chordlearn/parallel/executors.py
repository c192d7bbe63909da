"""Who does the work: threads of this process, an executor of the user's, or a dask cluster."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import ExitStack
from functools import cache, partial, wraps
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from chordlearn.errors import BackendError, InputError
from chordlearn.parallel.tasks import TaskStopped, call, wanted
from chordlearn.system.processes import usable_processors

if TYPE_CHECKING:
    from chordlearn.parallel.clusters import DaskCluster

Function = TypeVar("Function", bound=Callable[..., Any])

WAIT_SECONDS = 0.1
LOOK_SECONDS = 1.0
LOST_SECONDS = 30.0
"""So long there may be nobody to work before this process does the work itself."""
MOST_AHEAD = 1000
"""So many tasks are handed over before the first has ended."""


class Workers:
    """An executor that rows of tasks are handed to, as a context.

    A task is a function of a module whose arguments and answer can be pickled. Whoever runs it, the answer is
    the same; what workers that were lost have not done is done by threads of this process.

    >>> with Workers(2) as workers:
    ...     sorted(workers.run(divmod, [(7, 2), (9, 4)]))
    [(0, (3, 1)), (1, (2, 1))]
    """

    def __init__(self, given: str | int | Executor) -> None:
        """Use so many threads, an executor, `"local:N"`, or the dask scheduler at an address."""
        self.lost = False
        """Whether nobody is left to work, so that this process does it."""
        self._cluster: DaskCluster | None = None
        self._idle_since: float | None = None
        with ExitStack() as opened:
            if isinstance(given, str):
                from chordlearn.parallel.clusters import opened_cluster

                self.name = given
                self._cluster = opened.enter_context(opened_cluster(given))
                self.executor: Executor = self._cluster.client.get_executor(pure=False)
            elif isinstance(given, Executor):
                _refuse_forks(given)
                self.name = type(given).__name__
                self.executor = given
                if type(given).__module__.partition(".")[0] == "distributed":
                    from chordlearn.parallel.clusters import DaskCluster, same_versions

                    self._cluster = DaskCluster(given._client)  # type: ignore[attr-defined]
                    same_versions(self._cluster.client)
            elif isinstance(given, int):
                self.name = "threads"
                self.executor = opened.enter_context(ThreadPoolExecutor(given))
            else:
                raise InputError(
                    f"A {type(given).__name__} is no cluster; give an address, 'local:N' "
                    "or an executor of concurrent.futures."
                )
            self._opened = opened.pop_all()

    def close(self) -> None:
        """End what was opened here; an executor that was given stays open."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    @property
    def slots(self) -> int:
        """How many tasks run at a time, as far as one can know."""
        if self._cluster is not None:
            return max(1, self._cluster.threads)
        return int(getattr(self.executor, "_max_workers", usable_processors()))

    def run(
        self,
        function: Callable[..., Any],
        rows: Sequence[tuple[Any, ...]],
        shared: Any = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Generator[tuple[int, Any], None, None]:
        """Call a task with each row of arguments, after what is ``shared``, if anything is.

        Answers come as they are finished, each with the number of its row. When the iteration is left, or
        Ctrl-C or ``stop`` ends it, tasks that watch for it stop, and the others are not begun.
        """
        left = dict(enumerate(rows))
        if not self.lost:
            for number, answer in self._answers(function, rows, shared, stop):
                del left[number]
                yield number, answer
        if left and not stop():
            numbers = list(left)
            with Workers(usable_processors()) as here:
                for place, answer in here.run(function, list(left.values()), shared, stop):
                    yield numbers[place], answer

    def _answers(
        self,
        function: Callable[..., Any],
        rows: Sequence[tuple[Any, ...]],
        shared: Any,
        stop: Callable[[], bool],
    ) -> Iterator[tuple[int, Any]]:
        """What the executor answers, until it has answered all or cannot any more."""
        ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        futures: dict[int, Future[Any]] = {}
        with wanted() as name:
            try:
                first = self._first(shared)
                waiting = iter(enumerate(rows))
                looked = time.monotonic()
                while not stop():
                    for number, row in islice(waiting, MOST_AHEAD - len(futures)):
                        if stop():
                            return
                        futures[number] = self._submitted(name, function, *first, *row)
                        futures[number].add_done_callback(partial(_note, ended, number))
                    if not futures:
                        return
                    try:
                        number = ended.get(timeout=WAIT_SECONDS)
                        yield number, self._answer(futures.pop(number))
                    except queue.Empty:
                        if time.monotonic() - looked >= LOOK_SECONDS:
                            looked = time.monotonic()
                            self._refuse_idleness()
            except (BrokenExecutor, CancelledError):
                self.lost = True
            finally:
                # Dask cannot cancel what it has lost.
                for future in () if self.lost else futures.values():
                    future.cancel()

    def _first(self, shared: Any) -> tuple[Any, ...]:
        """What is shared as the first argument; it travels to a dask cluster once."""
        if self._cluster is None:
            return () if shared is None else (shared,)
        if self._cluster.is_closed:
            raise CancelledError
        return () if shared is None else (self._cluster.held(shared),)

    def _submitted(self, name: str, *task: Any) -> Future[Any]:
        try:
            return self.executor.submit(call, _version(), name, *task)
        except BrokenExecutor:
            raise
        except RuntimeError as error:
            raise InputError(f"The {self.name} takes no tasks ({error}); give one that is open.") from None

    def _answer(self, future: Future[Any]) -> Any:
        try:
            return future.result()
        except TaskStopped:
            raise KeyboardInterrupt from None
        except Exception as error:
            sentence = None if self._cluster is None else self._cluster.sentence(error)
            if sentence is None:
                raise
            raise BackendError(sentence) from None

    def _refuse_idleness(self) -> None:
        """Raise CancelledError if there has been nobody to work for too long."""
        if self._cluster is None or self._cluster.threads:
            self._idle_since = None
            return
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        if self._cluster.is_closed or now - self._idle_since > LOST_SECONDS:
            raise CancelledError


def _refuse_forks(given: Executor) -> None:
    """A process with threads, such as those of polars, must not be forked: what they lock stays locked."""
    context = getattr(given, "_mp_context", None) if isinstance(given, ProcessPoolExecutor) else None
    if context is not None and context.get_start_method() == "fork":
        raise InputError(
            "A ProcessPoolExecutor that forks may hang; "
            'give it mp_context=multiprocessing.get_context("spawn").'
        )


def with_workers(function: Function) -> Function:
    """Let a function take an address or an executor as ``cluster`` too; it gets workers, or None."""

    @wraps(function)
    def opened(*arguments: Any, cluster: str | Executor | Workers | None = None, **options: Any) -> Any:
        if cluster is None or isinstance(cluster, Workers):
            return function(*arguments, cluster=cluster, **options)
        with Workers(cluster) as workers:
            return function(*arguments, cluster=workers, **options)

    return cast(Function, opened)


@cache
def _version() -> str:
    return version("chordlearn")


def _note(ended: queue.SimpleQueue[int], number: int, _future: Future[Any]) -> None:
    ended.put(number)
