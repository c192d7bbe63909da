"""The command as a user starts it, looked at from outside: how it ends, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sysconfig
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from endings import tells_progress, without_progress

COMMAND = str(Path(sysconfig.get_path("scripts")) / "chordlearn")
PATIENCE_SECONDS = 300.0
"""After so long it hangs; the machine may be busy with other tests."""
SOON_SECONDS = 60.0
"""So soon Ctrl-C is answered: a quiet machine needs a second; what is interrupted would take longer."""


@dataclass(frozen=True)
class Ended:
    """How the command ended."""

    code: int
    out: str
    err: str
    seconds: float
    """Since it was asked to stop, or since it was started."""

    def assert_in_peace(self) -> None:
        """Nothing but sentences on stderr."""
        assert "Traceback" not in self.err, self.err
        for line in self.err.splitlines():
            assert line.startswith("chordlearn: ") or tells_progress(line), self.err


@dataclass
class Running:
    """A run in a folder of its own, with a folder of its own for temporary files."""

    folder: Path
    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    """What is put before the command, such as a program that sets limits."""

    def __post_init__(self) -> None:
        """Start it."""
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [*self.before, COMMAND, *map(str, self.arguments)],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.temporary), "COLUMNS": "100"} | self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait_until_loaded(self) -> None:
        """Wait until Python has begun to run the command, which a signal would before simply end."""
        maps = Path(f"/proc/{self.process.pid}/maps")
        give_up = time.monotonic() + PATIENCE_SECONDS
        while b"numpy" not in maps.read_bytes():
            assert self.process.poll() is None and time.monotonic() < give_up, "it does not start"
            time.sleep(0.01)

    def tell(self, number: signal.Signals) -> None:
        """Send a signal to the command alone."""
        self.started = time.monotonic()
        self.process.send_signal(number)

    def end(self, timeout: float = PATIENCE_SECONDS) -> Ended:
        """Wait for its end; if it does not come, everything of it is killed and the test fails."""
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGABRT)
            out, err = self.process.communicate()
            raise AssertionError(f"the command did not end within {timeout} s: {out}{err}") from None
        return Ended(self.process.returncode, out, err, time.monotonic() - self.started)

    def children(self) -> list[int]:
        """The processes that work in its folder for temporary files."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != self.process.pid:
                try:
                    within = str((entry / "cwd").readlink()).startswith(str(self.temporary))
                except OSError:
                    continue
                if within:
                    found.append(int(entry.name))
        return found

    def kill_children(self) -> list[int]:
        """Kill those that are there; some may go by themselves at the same moment."""
        found = self.children()
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return found

    def assert_nothing_left(self) -> None:
        """No process and no temporary file of the run is left."""
        give_up = time.monotonic() + PATIENCE_SECONDS / 5
        while self.children() and time.monotonic() < give_up:
            time.sleep(0.02)
        left = self.kill_children()
        assert not left, "processes are left"
        assert not list(self.temporary.iterdir()), "temporary files are left"

    def files(self) -> set[str]:
        """The names of what it wrote, hidden or not."""
        return {path.name for path in self.folder.iterdir()} - {"temporary"}


def run(folder: Path, *arguments: object, timeout: float = PATIENCE_SECONDS, **how: object) -> Ended:
    """Run the command to its end."""
    return Running(folder, [str(argument) for argument in arguments], **how).end(timeout)  # type: ignore[arg-type]


def has_sentence(ended: Ended) -> bool:
    """Whether stderr is one sentence."""
    lines = without_progress(ended.err).splitlines()
    return len(lines) == 1 and lines[0].startswith("chordlearn: ") and lines[0].endswith(".")
