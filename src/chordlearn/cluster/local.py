"""A cluster on this machine alone: a scheduler in this process, and workers in processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from chordlearn.environment import bare_environment

HOST = "127.0.0.1"
PATIENCE_SECONDS = 300
GRACE_SECONDS = 5.0
TLS_FIELDS = ("tls_ca_file", "tls_worker_key", "tls_worker_cert")


class LocalWorkers:
    """So many workers on this machine, for this run and for nobody else.

    They talk over encrypted connections with keys that exist in memory only: other users of the machine can
    reach the port, but not the cluster.
    """

    def __init__(self, count: int) -> None:
        """Start them; :meth:`close` ends them, and so does the end of this process."""
        import dask
        from distributed import LocalCluster, Security

        self.security = Security.temporary()
        self._folder = tempfile.TemporaryDirectory(prefix="chordlearn-", ignore_cleanup_errors=True)
        self._cluster: Any = None
        self.processes: list[subprocess.Popen[str]] = []
        try:
            with dask.config.set({"temporary-directory": self._folder.name}):
                self._cluster = LocalCluster(
                    n_workers=0,
                    threads_per_worker=1,
                    processes=False,
                    host=HOST,
                    protocol="tls://",
                    scheduler_port=0,
                    # Dask insists on a web server; without routes it has nothing to show.
                    dashboard_address=f"{HOST}:0",
                    scheduler_kwargs={"dashboard": False},
                    security=self.security,
                )
            for number in range(count):
                self.processes.append(self._start(number))
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        return str(self._cluster.scheduler_address)

    @property
    def alive(self) -> int:
        """How many workers still run."""
        return sum(process.poll() is None for process in self.processes)

    def close(self) -> None:
        """End all workers and remove what they wrote."""
        for process in self.processes:
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
        for process in self.processes:
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._cluster is not None:
            self._cluster.close()
        self._folder.cleanup()

    def _start(self, number: int) -> subprocess.Popen[str]:
        # A session of its own: Ctrl-C at the terminal is for this process, which then ends its workers.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "chordlearn.cluster.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("CHORDLEARN_DEBUG") == "1" else subprocess.DEVNULL,
            cwd=self._folder.name,
            env=bare_environment(Path(self._folder.name)),
            start_new_session=True,
            text=True,
        )
        order = {
            "address": self.address,
            "host": HOST,
            "name": f"{number}",
            "directory": self._folder.name,
            "patience": PATIENCE_SECONDS,
            "security": {field: getattr(self.security, field) for field in TLS_FIELDS},
        }
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        return process
