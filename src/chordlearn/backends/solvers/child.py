"""Running a solver's program: no shell, a directory of its own, limits, and nothing left behind.

>>> from chordlearn.backends.solvers.child import own_directory, run_program
>>> lines = []
>>> with own_directory() as folder:
...     run_program(["echo", "s OPTIMUM FOUND"], on_line=lines.append, directory=folder).returncode, lines
(0, ['s OPTIMUM FOUND'])
"""

from __future__ import annotations

import math
import os
import queue
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

from chordlearn.backends.base.registry import Availability
from chordlearn.errors import BackendError
from chordlearn.system.processes import bare_environment
from chordlearn.system.running import StopReason
from chordlearn.system.signals import Held

GRACE_SECONDS = 3.0
"""How long a program may go on after it was asked to stop, to print its best answer."""
LATE_SECONDS = 0.5
"""How long of that after a time limit."""
LAST_LINES_SHARE = 0.05
"""Of the time that it has: so long before a time limit it is asked to stop."""
INTERRUPTED_GRACE_SECONDS = 1.5
"""The same after Ctrl-C, when somebody is waiting."""
LONGEST_LINE = 1 << 26
_POLL_SECONDS = 0.05
_WITHOUT_MEMORY = (
    "MemoryError",
    "bad_alloc",
    "OutOfMemory",
    "Cannot allocate memory",
    "cannot allocate memory",
    "failed to map segment",
    "lost sys.stderr",
)
"""The last words of programs in several languages that could not get what they asked for.

The last ones are those of a Python that has too little even for saying so.
"""


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    returncode: int
    """Negative: the signal that ended it."""
    stopped_by: StopReason | None
    """"time limit" or "interrupted" when we ended it; None when it ended by itself."""
    stderr_tail: str
    """The first and the last line of its error output: what went wrong, and what came of it."""

    @property
    def wanted_memory(self) -> bool:
        """Whether it says that it ended for want of memory."""
        return any(words in self.stderr_tail for words in _WITHOUT_MEMORY)

    def failure(self, name: str) -> str | None:
        """A sentence about a program that was killed or crashed; None if it ended properly or we ended it."""
        if self.stopped_by is not None or self.returncode >= 0:
            return None
        signal_name = signal.Signals(-self.returncode).name
        return f"{name} was ended by {signal_name}{_hint(-self.returncode)}."


def _hint(number: int) -> str:
    return ", perhaps for want of memory" if number in (signal.SIGKILL, signal.SIGABRT) else ""


@contextmanager
def own_directory() -> Iterator[Path]:
    """A temporary directory that is removed with everything in it."""
    with Held():
        folder = tempfile.TemporaryDirectory(prefix="chordlearn-", ignore_cleanup_errors=True)
    try:
        yield Path(folder.name)
    finally:
        with Held():
            folder.cleanup()


def find_program(names: Sequence[str], variable: str) -> str | None:
    """The program that the environment variable names, else the first of the names on PATH."""
    named = os.environ.get(variable)
    if named:
        return shutil.which(named)
    return next((path for name in names if (path := shutil.which(name))), None)


def need_program(names: Sequence[str], variable: str) -> str:
    """The same; an error if there is none."""
    program = find_program(names, variable)
    if program is None:
        raise BackendError(
            f"The program {names[0]} was not found; put it on PATH, or set {variable} to its path."
        )
    return program


def probe_package(package: str, how_to_get: str) -> Availability:
    """Whether a Python package is installed."""
    try:
        return Availability(True, version(package))
    except PackageNotFoundError:
        return Availability(False, reason=f"The Python package {package} is missing.", how_to_get=how_to_get)


def probe_program(names: Sequence[str], variable: str, how_to_get: str) -> Availability:
    """Whether a program can be found, and if not why and what to do."""
    path = find_program(names, variable)
    if path is not None:
        return Availability(True, version=Path(path).name)
    named = os.environ.get(variable)
    reason = (
        f"{variable} names {named!r}, which is no program that can be run."
        if named
        else f"There is no program {' or '.join(names)} on PATH, and {variable} is not set."
    )
    return Availability(False, reason=reason, how_to_get=how_to_get)


def python_command(*arguments: str) -> list[str]:
    """A command that runs this Python without taking modules from the current directory."""
    return [sys.executable, "-P", *arguments]


def run_program(
    command: Sequence[str],
    *,
    on_line: Callable[[str], None],
    directory: Path,
    deadline: float | None = None,
    memory_bytes: int | None = None,
    output: Path | None = None,
) -> Ended:
    """Run a program in a process group of its own and pass on each line that it prints.

    With ``output``, what it prints goes to that file instead.

    Shortly before the deadline (of time.monotonic) and on Ctrl-C the group gets SIGTERM, its last
    lines are still read, and what is left of it is killed, at the latest shortly after the deadline.
    ``on_line`` is called from the calling thread; an exception in it kills the group as well.
    """
    with Held() as interrupts:
        try:
            with Path(output or os.devnull).open("wb") as file:
                process = subprocess.Popen(
                    [*_dies_with_us(), *command],
                    stdin=subprocess.DEVNULL,
                    stdout=file if output else subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=directory,
                    env=bare_environment(directory),
                    start_new_session=True,
                )
        except OSError as error:
            raise BackendError(f"{command[0]} cannot be started: {error.strerror}.") from error
        try:
            _limit(process.pid, memory_bytes)
            running = _Running(process, interrupts)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, RuntimeError):
                raise BackendError(f"{command[0]} cannot be followed: {error}; free some memory.") from error
            raise
        return running.follow(on_line, deadline)


def _dies_with_us() -> list[str]:
    """Where the system can, let the program die with this process and gain no rights that it has not."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--no-new-privs", "--"] if setpriv else []


def _limit(pid: int, memory_bytes: int | None) -> None:
    """Let a process take no more memory than this, and leave no picture of its memory when it crashes."""
    limits = {resource.RLIMIT_CORE: 0} | ({} if memory_bytes is None else {resource.RLIMIT_AS: memory_bytes})
    for kind, most in limits.items():
        # A limit of our own that is lower holds for it too, and cannot be raised.
        with suppress(ProcessLookupError, PermissionError, ValueError):
            resource.prlimit(pid, kind, (most, most))


class _Running:
    """A started program, the threads that read it, and its end."""

    def __init__(self, process: subprocess.Popen[bytes], interrupts: Held) -> None:
        self.process = process
        self.interrupts = interrupts
        self.lines: queue.Queue[str | None] = queue.Queue(maxsize=10_000)
        self.stderr_head = self.stderr_tail = ""
        self.abandoned = threading.Event()
        self.readers = [
            (threading.Thread(target=self._read_lines, args=(process.stdout,), daemon=True), process.stdout),
            (threading.Thread(target=self._read_stderr, args=(process.stderr,), daemon=True), process.stderr),
        ]
        for reader, _ in self.readers:
            reader.start()

    def follow(self, on_line: Callable[[str], None], deadline: float | None) -> Ended:
        """Pass on lines until the program has ended, and stop it when it is time."""
        stopped_by: StopReason | None = None
        stop_at = latest = kill_at = math.inf
        if deadline is not None:
            own = max(0.0, deadline - time.monotonic())
            stop_at = deadline - min(GRACE_SECONDS - LATE_SECONDS, LAST_LINES_SHARE * own)
            latest = deadline + LATE_SECONDS
        try:
            while True:
                try:
                    line = self._next_line()
                    if line is None:
                        break
                    if line:
                        on_line(line)
                    if self.interrupts.answer():
                        raise KeyboardInterrupt
                    now = time.monotonic()
                    if stopped_by is None and now >= stop_at:
                        stopped_by = StopReason.TIME_LIMIT
                        self._signal(signal.SIGTERM)
                        kill_at = min(now + GRACE_SECONDS, latest)
                    if now >= kill_at or (stopped_by is None and self._leader_gone_long()):
                        break
                except KeyboardInterrupt:
                    again = stopped_by == StopReason.INTERRUPTED
                    stopped_by = StopReason.INTERRUPTED
                    self._signal(signal.SIGTERM)
                    soon = time.monotonic() + INTERRUPTED_GRACE_SECONDS
                    kill_at = 0.0 if again else min(kill_at, soon)
        finally:
            returncode = self._end(wait=stopped_by is None)
        words = dict.fromkeys(words for words in (self.stderr_head, self.stderr_tail) if words)
        return Ended(returncode, stopped_by, " … ".join(words))

    def _next_line(self) -> str | None:
        """The next line, "" when there is none yet, None after the last."""
        try:
            return self.lines.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            return ""

    def _leader_gone_long(self) -> bool:
        """Whether the program has ended although something it started still holds its output open."""
        return self._has_ended() and self.lines.empty() and not self._ends_soon()

    def _ends_soon(self) -> bool:
        reader, _ = self.readers[0]
        reader.join(timeout=1.0)
        return not reader.is_alive() or not self.lines.empty()

    def _has_ended(self) -> bool:
        # Without reaping it, so that its number is given to no other process before the group is killed.
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, flags) is not None

    def _end(self, *, wait: bool) -> int:
        """Kill what is left of the group and collect the program's return code."""
        give_up = time.monotonic() + (1.0 if wait else 0.0)
        while not self._has_ended() and time.monotonic() < give_up:
            time.sleep(0.005)
        self.abandoned.set()
        self._signal(signal.SIGKILL)
        returncode = self.process.wait()
        for reader, stream in self.readers:
            reader.join(timeout=1.0)
            # A process that left the group may hold the other end open; closing would then wait for it.
            if stream is not None and not reader.is_alive():
                stream.close()
        return returncode

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def _read_lines(self, stream: IO[bytes] | None) -> None:
        while stream is not None and (raw := stream.readline(LONGEST_LINE)):
            text = raw.decode(errors="replace").rstrip()
            if text:
                self._put(text)
        while stream is None and not self.abandoned.is_set() and not self._has_ended():
            time.sleep(_POLL_SECONDS)
        self._put(None)

    def _put(self, text: str | None) -> None:
        while not self.abandoned.is_set():
            try:
                self.lines.put(text, timeout=_POLL_SECONDS)
                return
            except queue.Full:
                continue

    def _read_stderr(self, stream: IO[bytes] | None) -> None:
        while stream is not None and (raw := stream.readline(4096)):
            text = raw.decode(errors="replace").strip()
            if text and not self.stderr_tail and not text.startswith("Traceback"):
                self.stderr_head = text
            self.stderr_tail = text or self.stderr_tail
