"""Serving the page: on this machine only unless asked, until Ctrl-C, and leaving nothing behind."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from chordlearn.backends.solvers.child import own_directory
from chordlearn.data.origins import BUNDLED, find_files
from chordlearn.errors import BackendError, InputError, option

if TYPE_CHECKING:
    from chordlearn.web.jobs import Jobs

HOST = "127.0.0.1"
PORT = 8642
LAST_SECONDS = 1
"""For answers that are under way when the server ends."""


def serve(
    source: str | os.PathLike[str] | None = None,
    *,
    port: int | None = None,
    host: str = HOST,
    browser: bool = True,
    announce: Callable[[str], object] = print,
    warn: Callable[[str], object] = print,
) -> None:
    """Serve the live page until Ctrl-C or SIGTERM.

    ``source`` is a table to begin with. Without a port the usual one is taken, or a free one if that is in
    use. The address, with a token without which nobody gets anything, is announced once it can be opened.
    """
    try:
        import uvicorn

        from chordlearn.web.guard import Guard
        from chordlearn.web.jobs import Jobs
        from chordlearn.web.routes import application
    except ImportError as error:
        raise BackendError(
            f"The page needs the package {error.name}; install it with pip install 'chordlearn[web]'."
        ) from None

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            # Otherwise the page, which listens for news, would keep the server from ending.
            jobs.is_closing = True
            super().handle_exit(sig, frame)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            announce(f"chordlearn serves {address} (Ctrl-C ends it)")
            if browser:
                threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await jobs.close()
            await super().shutdown(sockets)

    with _listening(host, port) as listening, own_directory() as folder:
        jobs = Jobs(folder)
        if source is not None:
            _add(jobs, os.fspath(source))
        found = listening.getsockname()[1]
        token = secrets.token_urlsafe(24)
        is_local = ipaddress.ip_address(host).is_loopback
        shown = f"[{host}]" if ":" in host else HOST if host == "0.0.0.0" else host
        address = f"http://{shown}:{found}/?token={token}"
        if not is_local:
            warn(
                f"The page can be reached from other machines at {host}, unencrypted: whoever learns the "
                "address with its token can read your tables and use this machine."
            )
        names = {shown, "localhost"} if is_local else None
        hosts = None if names is None else {f"{name}:{found}" for name in names}
        config = uvicorn.Config(
            Guard(application(jobs), token, hosts),
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=LAST_SECONDS,
        )
        asyncio.run(Server(config).serve([listening]))


def _listening(host: str, port: int | None) -> socket.socket:
    """A socket at the port; at any that is free if none was asked for and the usual one is taken."""
    try:
        family = socket.AF_INET6 if ipaddress.ip_address(host).version == 6 else socket.AF_INET
    except ValueError:
        raise InputError(f"{option('host', host)} is no address; give one such as {HOST}.") from None
    if port is not None and not 0 <= port < 1 << 16:
        raise InputError(f"{option('port', port)} is no port; give one from 1 to {(1 << 16) - 1}.")
    for tried in (PORT, 0) if port is None else (port,):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, tried))
        except OSError as error:
            listening.close()
            reason = error.strerror
            continue
        return listening
    raise InputError(
        f"The page cannot be served at {host}, port {port}: {reason}; choose another {option('port')}."
    )


def _add(jobs: Jobs, source: str) -> None:
    if source not in BUNDLED and not find_files(source):
        raise InputError(f"There is no file and no bundled data set {source!r}; check the path.")
    jobs.add_table(Path(source).name, source, Path.cwd())
