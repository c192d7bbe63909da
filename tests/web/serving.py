"""A server as a user starts it, questions to it, and what it leaves behind."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

LIMIT = 120.0
"""Seconds for what hangs."""


@dataclass
class Served:
    """A server that runs."""

    process: subprocess.Popen[str]
    address: str
    """As it was printed."""
    temporary: Path
    """Where its temporary folder lies."""

    @property
    def port(self) -> int:
        return int(urlsplit(self.address).port or 0)

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any, dict[str, str]]:
        """The status, the JSON or the bytes, and the headers; the path stands below the token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        try:
            data = json.dumps(body).encode() if isinstance(body, dict) else body
            path = path if path.startswith("/") else f"/{self.token}/{path}"
            connection.request(method, path, data, dict(headers or {}))
            answer = connection.getresponse()
            content = answer.read()
            kind = answer.headers.get("content-type", "")
            found = json.loads(content) if kind.startswith("application/json") else content
            return answer.status, found, {name.lower(): value for name, value in answer.headers.items()}
        finally:
            connection.close()

    def give(self, name: str, content: bytes) -> int:
        """The number of a table that was uploaded."""
        status, table, _ = self.ask("POST", f"tables?name={name}", content)
        assert status == 200, table
        return int(table["table"])

    def state(self) -> dict[str, Any]:
        """What the page is told first."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        try:
            connection.request("GET", f"/{self.token}/events")
            answer = connection.getresponse()
            while True:
                if answer.fp.readline() == b"event: state\n":
                    found: dict[str, Any] = json.loads(answer.fp.readline().removeprefix(b"data: "))
                    return found
        finally:
            connection.close()

    def job(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = next(one for one in self.state()["jobs"] if one["job"] == number)
        return found

    def learn(self, table: int, **more: Any) -> int:
        asked = {"table": table, "reading": {}, "learning": {}, **more}
        status, job, _ = self.ask("POST", "jobs", asked)
        assert status == 200, job
        return int(job["job"])

    def wait_for(self, job: int, *states: str) -> dict[str, Any]:
        """The job once it is in one of these states."""
        until(lambda: self.job(job)["state"] in states)
        return self.job(job)

    def workers(self) -> list[int]:
        """The processes of its tasks that are alive."""
        return [
            int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and self._owns(path)
        ]

    def _owns(self, path: Path) -> bool:
        try:
            command = (path / "cmdline").read_bytes()
            is_worker = b"chordlearn.web.worker" in command
            environment = (path / "environ").read_bytes() if is_worker else b""
        except OSError:
            return False
        return f"TMPDIR={self.temporary}".encode() in environment.split(b"\0")


def until(true: Callable[[], object]) -> None:
    """Wait for something."""
    deadline = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)


@contextmanager
def served(command: str, folder: Path, *arguments: object) -> Iterator[Served]:
    """A server with a temporary folder of its own, ended with the block."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [command, "serve", "--no-browser", "--port", "0", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    try:
        # A server that prints nothing ends, or is ended by the limit of the whole test.
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, process.communicate(timeout=LIMIT)
        yield Served(process, found[0], temporary)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
