"""Tables, and the jobs that learn from them one after the other."""

from __future__ import annotations

import asyncio
import re
import signal
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from chordlearn.errors import InputError
from chordlearn.web.spawning import Message, Processes, send
from chordlearn.web.worker import CHECKPOINT, DOCUMENT, NETWORK, RESULT

MOST_UNFINISHED = 10
MOST_JOBS = 100
MOST_TABLES = 30
MOST_TASKS = 4
"""Tables described and files made at one time."""
TASK_SECONDS = 300.0
"""For what somebody waits for."""
STOP_SECONDS = 30.0
"""How long a job that was asked to stop may take to give back what it has."""

State = Literal["waiting", "running", "stopping", "done", "failed", "cancelled"]


@dataclass
class Table:
    """A table that one may learn from: an uploaded file, a file of the machine's, or a bundled set."""

    number: int
    name: str
    source: str
    """As the processes read it, from within the directory."""
    directory: Path

    def as_json(self) -> Message:
        """For the page."""
        return {"table": self.number, "name": self.name, "source": self.source}


@dataclass
class Job:
    """A network that is learned, or was."""

    number: int
    table: Table
    reading: Message
    learning: Message
    folder: Path
    state: State = "waiting"
    news: list[Message] = field(default_factory=list)
    """All that its process said, in order."""
    result: Message | None = None
    process: Process | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing is to be expected of it."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def can_go_on(self) -> bool:
        """Whether it was stopped with a network but without a proof."""
        proved = self.result is not None and self.result["status"] == "optimal"
        return self.is_over and not proved and (self.folder / CHECKPOINT).exists()

    def as_json(self) -> Message:
        """For the list of jobs."""
        return {
            "job": self.number,
            "table": self.table.number,
            "name": self.table.name,
            "reading": self.reading,
            "learning": self.learning,
            "state": self.state,
            "result": self.result,
            "can_go_on": self.can_go_on,
        }

    def hear(self, message: Message) -> None:
        """Take in what its process says."""
        self.result = message.get("result", self.result)
        self.news.append(message)


class Jobs:
    """Everything that the page knows, until the server ends."""

    def __init__(self, folder: Path) -> None:
        """Files go into the folder, which is somebody else's to remove."""
        self.folder = folder
        self.tables: dict[int, Table] = {}
        self.jobs: dict[int, Job] = {}
        self._changed = asyncio.Event()
        self._processes = Processes()
        self._making: dict[Path, asyncio.Lock] = {}
        self._free = asyncio.Semaphore(MOST_TASKS)
        self._running: asyncio.Task[None] | None = None
        self.is_closing = False

    # Tables

    def new_folder(self) -> Path:
        """A folder for one table or one job."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def add_table(self, name: str, source: str, directory: Path) -> Table:
        """Take in a table; its file is there already."""
        if len(self.tables) >= MOST_TABLES:
            raise InputError(
                f"This page holds {MOST_TABLES} tables already; end the server and start it anew for more."
            )
        number = len(self.tables) + 1
        table = self.tables[number] = Table(number, name, source, directory)
        self._wake()
        return table

    # Tasks that somebody waits for

    async def ask(self, task: Message, directory: Path) -> Message:
        """The only message of a short task; its failure is an ``InputError``."""
        answer: Message = {}
        if self._free.locked():
            raise InputError("Too much is asked at one time; wait a moment and try again.")
        async with self._free:
            try:
                async with asyncio.timeout(TASK_SECONDS):
                    await self._processes.run(task, directory, answer.update)
            except TimeoutError:
                raise InputError(
                    f"This took longer than {TASK_SECONDS:.0f} seconds and was ended; use the command line, "
                    "which has no such limit."
                ) from None
        if "failure" in answer:
            raise InputError(answer["failure"])
        return answer

    async def file(self, job: Job, name: str) -> Path:
        """A file that can be taken away, made when it is first asked for."""
        target = job.folder / name
        async with self._making.setdefault(target, asyncio.Lock()):
            if not target.exists():
                task = {"task": "save", "folder": str(job.folder), "target": str(target)}
                await self.ask(task, job.table.directory)
        return target

    # Jobs

    def submit(self, table: Table, reading: Message, learning: Message) -> Job:
        """Queue a new job."""
        if sum(not job.is_over for job in self.jobs.values()) >= MOST_UNFINISHED:
            raise InputError(
                f"{MOST_UNFINISHED} jobs are waiting or running already; wait for one of them, or stop one."
            )
        if len(self.jobs) >= MOST_JOBS:
            raise InputError(
                f"This page holds {MOST_JOBS} jobs already; end the server and start it anew for more."
            )
        job = Job(len(self.jobs) + 1, table, reading, learning, self.new_folder())
        self.jobs[job.number] = job
        self._begin_next()
        return job

    def resume(self, job: Job) -> None:
        """Let a job go on from where it was stopped."""
        if not job.can_go_on:
            raise InputError("This job is proved, or has nothing to go on from; learn again instead.")
        # Files are made anew of the next result; until there is one, this one stays.
        for path in job.folder.iterdir():
            if path.name not in (CHECKPOINT, RESULT, NETWORK, DOCUMENT):
                path.unlink()
        job.state = "waiting"
        self._begin_next()

    def stop(self, job: Job) -> None:
        """End a job with the best network so far; asked a second time, at once."""
        if job.state == "waiting":
            job.state = "cancelled"
        elif not job.is_over:
            first = job.state == "running"
            job.state = "stopping"
            # One that is just being made is ended when it is there.
            if job.process is not None:
                send(job.process, signal.SIGINT if first else signal.SIGKILL)
                later = asyncio.get_running_loop().call_later
                later(STOP_SECONDS, send, job.process, signal.SIGKILL)
        self._wake()

    def _begin_next(self) -> None:
        self._wake()
        waiting = next((job for job in self.jobs.values() if job.state == "waiting"), None)
        if waiting is not None and self._running is None and not self.is_closing:
            waiting.state = "running"
            self._running = asyncio.create_task(self._learn(waiting))

    async def _learn(self, job: Job) -> None:
        def hear(message: Message) -> None:
            job.hear(message)
            self._wake()

        def started(process: Process) -> None:
            job.process = process
            if job.state == "stopping":
                send(process, signal.SIGKILL)

        task = {
            "task": "learn",
            "source": job.table.source,
            "reading": job.reading,
            "learning": job.learning,
            "folder": str(job.folder),
        }
        hear({"run": sum("run" in message for message in job.news) + 1})
        try:
            await self._processes.run(task, job.table.directory, hear, started)
        finally:
            without: State = "cancelled" if job.state == "stopping" else "failed"
            job.process, self._running = None, None
            job.state = without if job.result is None else "done"
            self._begin_next()

    async def close(self) -> None:
        """End all that is under way."""
        self.is_closing = True
        self._wake()
        await self._processes.close()

    # What the page follows

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def state(self) -> Message:
        """Tables and jobs, without what each job has said."""
        return {
            "tables": [table.as_json() for table in self.tables.values()],
            "jobs": [job.as_json() for job in self.jobs.values()],
        }

    async def follow(
        self, job: Job | None, seen: int, seconds: float
    ) -> AsyncIterator[tuple[str, int, Message | None]]:
        """The state when it changes, and each message of a job from ``seen`` on.

        After so many seconds without news there is a "beat".
        """
        known: Message | None = None
        while not self.is_closing:
            changed = self._changed
            state = self.state()
            if state != known:
                known = state
                yield "state", seen, state
            while job is not None and seen < len(job.news):
                seen += 1
                yield "news", seen, job.news[seen - 1]
            try:
                async with asyncio.timeout(seconds):
                    await changed.wait()
            except TimeoutError:
                yield "beat", seen, None


def safe_name(name: str) -> str:
    """A file name without folders and without what means something to readers, from any text.

    >>> safe_name("../my table?.csv"), safe_name(""), safe_name("heart")
    ('my table_.csv', 'table.csv', 'heart.csv')
    """
    base = re.split(r"[/\\\\]", name)[-1]
    cleaned = re.sub(r"[^\w .()+,=@-]", "_", base).strip(" .").lstrip("-")[-120:]
    if not cleaned:
        return "table.csv"
    return cleaned if "." in cleaned else f"{cleaned}.csv"
