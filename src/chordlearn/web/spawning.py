"""A process of its own for each task, whose messages are heard as they come, and which never outlives us."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from pathlib import Path
from typing import Any

END_SECONDS = 2.0
"""How long processes may take to end with the server."""
LONGEST_MESSAGE = 1 << 28

Message = dict[str, Any]


class Processes:
    """Those that run."""

    def __init__(self) -> None:
        self._running: set[Process] = set()
        self._under_way: set[asyncio.Future[None]] = set()
        """Tasks, also those whose process is just being made."""
        self._is_closing = False

    async def run(
        self,
        task: Message,
        directory: Path,
        hear: Callable[[Message], None],
        started: Callable[[Process], None] = lambda _: None,
    ) -> None:
        """Do one task to its end; whatever ends it is heard of."""
        if self._is_closing:
            return
        ended = asyncio.get_running_loop().create_future()
        self._under_way.add(ended)
        try:
            await self._run(task, directory, hear, started)
        finally:
            self._under_way.discard(ended)
            ended.set_result(None)

    async def _run(
        self,
        task: Message,
        directory: Path,
        hear: Callable[[Message], None],
        started: Callable[[Process], None],
    ) -> None:
        # Without -P Python would look for modules beside the table.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "chordlearn.web.worker"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=directory,
            start_new_session=True,
            limit=LONGEST_MESSAGE,
        )
        self._running.add(process)
        if self._is_closing:
            send(process, signal.SIGKILL)
        assert process.stdin is not None and process.stdout is not None
        try:
            started(process)
            explained = False
            process.stdin.write(json.dumps(task).encode() + b"\n")
            async for line in process.stdout:
                message = json.loads(line)
                explained |= "failure" in message
                hear(message)
            code = await process.wait()
            if code and not explained:
                hear({"failure": _ending(code)})
        finally:
            send(process, signal.SIGKILL)
            self._running.discard(process)

    async def close(self) -> None:
        """End them all and wait for them."""
        self._is_closing = True
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in self._running:
                send(process, number)
            if self._under_way:
                await asyncio.wait(self._under_way, timeout=END_SECONDS)


def send(process: Process, number: signal.Signals) -> None:
    """Ctrl-C is for the process alone, which ends what it started; all else is for its whole group."""
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            (os.kill if number == signal.SIGINT else os.killpg)(process.pid, number)


def _ending(code: int) -> str:
    if code < 0:
        name = signal.Signals(-code).name
        return f"The process that did this was ended by {name}, perhaps for want of memory."
    return f"The process that did this ended with status {code} and said nothing; please report it."
