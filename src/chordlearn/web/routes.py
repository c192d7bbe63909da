"""What the page asks the server, each a few lines: tables, jobs, news, files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from chordlearn.data.origins import BUNDLED, bundled
from chordlearn.errors import ChordlearnError, InputError
from chordlearn.report.outputs import PICTURES, SAVED
from chordlearn.web.jobs import Job, Jobs, Table, safe_name
from chordlearn.web.worker import DOCUMENT

MEGABYTE = 1_000_000
LARGEST_UPLOAD = 100 * MEGABYTE
LARGEST_QUESTION = MEGABYTE
MOST_THROWN_AWAY = 10 * LARGEST_UPLOAD
"""A browser shows the answer only once it has sent the whole; so much is taken to that end."""
BEAT_SECONDS = 15.0
PAGE, EXPLORER = files("chordlearn.web") / "assets", files("chordlearn.report.html") / "assets"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
NAMES = {
    **{suffix: f"network{suffix}" for suffix in (*SAVED, *PICTURES)},
    ".json": "result.json",
    ".html": "report.html",
}
"""Of the files that can be taken away."""

Answer = Callable[[Request], Awaitable[Response]]
Edge = tuple[str, str]


class Reading(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How to read a table, as :func:`chordlearn.read` takes it."""

    columns: list[str] | None = None
    drop: list[str] | None = None
    counts: str | None = None
    weights: str | None = None
    states: dict[str, list[str]] | None = None
    missing: str = "error"
    discretize: list[str] | None = None


class Learning(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How to learn, as :func:`chordlearn.learn` takes it."""

    score: str = "bdeu"
    ess: float | None = None
    alpha: float | None = None
    edge_prior: float | None = None
    max_clique: int | None = None
    require: list[Edge] | None = None
    forbid: list[Edge] | None = None
    time_limit: float | None = None
    seed: int = 0


class NewJob(msgspec.Struct, forbid_unknown_fields=True):
    """A job as the page asks for it."""

    table: int
    reading: Reading
    learning: Learning


class Pair(msgspec.Struct, forbid_unknown_fields=True):
    """Two variables."""

    pair: Edge


class Refusal(Exception):  # noqa: N818
    """A sentence with its status."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def application(jobs: Jobs) -> Starlette:
    """The app below the token."""
    pages = Pages(jobs)
    routes: list[tuple[str, str, Answer]] = [
        ("GET", "/", pages.page),
        ("GET", "/assets/{name}", pages.asset),
        ("GET", "/events", pages.events),
        ("POST", "/tables", pages.new_table),
        ("POST", "/tables/{table:int}/survey", pages.survey),
        ("POST", "/jobs", pages.new_job),
        ("POST", "/jobs/{job:int}/stop", pages.stop),
        ("POST", "/jobs/{job:int}/resume", pages.resume),
        ("POST", "/jobs/{job:int}/why", pages.why),
        ("POST", "/jobs/{job:int}/posterior", pages.posterior),
        ("GET", "/jobs/{job:int}/document", pages.document),
        ("GET", "/jobs/{job:int}/files/{name}", pages.file),
    ]
    return Starlette(
        routes=[Route(path, answer, methods=[method]) for method, path, answer in routes],
        exception_handlers={
            Refusal: lambda request, error: _sentence(str(error), error.status),
            ChordlearnError: lambda request, error: _sentence(str(error), 400),
            ClientDisconnect: lambda request, error: Response(status_code=400),
            404: lambda request, error: _sentence("There is nothing at this address.", 404),
            405: lambda request, error: _sentence("This address does not answer that.", 405),
            500: lambda request, error: _sentence(
                "The server failed, which is a defect; please report it.", 500
            ),
        },
    )


class Pages:
    """The answers, for one set of jobs."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    async def page(self, request: Request) -> Response:
        """The page itself; the same for everybody."""
        return Response((PAGE / "app.html").read_bytes(), media_type="text/html")

    async def asset(self, request: Request) -> Response:
        """A script or a style of the page, or of the explorer that it shares with reports."""
        name = request.path_params["name"]
        kind = TYPES.get(Path(name).suffix)
        for folder in (PAGE, EXPLORER):
            if kind is not None and Path(name).name == name and (folder / name).is_file():
                return Response((folder / name).read_bytes(), media_type=kind)
        raise Refusal(404, "There is nothing at this address.")

    async def events(self, request: Request) -> Response:
        """What happens, as server-sent events: the list of jobs, and what one of them says."""
        asked, last = request.query_params.get("job"), request.headers.get("last-event-id", "")
        job = None if asked is None else self._job(int(asked) if asked.isdecimal() else 0)
        seen = int(last) if last.isdecimal() else 0

        async def stream() -> AsyncIterator[str]:
            yield f"event: about\ndata: {json.dumps(_about())}\n\n"
            async for kind, number, message in self._jobs.follow(job, seen, BEAT_SECONDS):
                mark = f"id: {number}\n" if kind == "news" else ""
                yield (
                    ": still here\n\n"
                    if kind == "beat"
                    else f"{mark}event: {kind}\ndata: {json.dumps(message)}\n\n"
                )

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def new_table(self, request: Request) -> Response:
        """Take a bundled set by its name, or the body as a file."""
        name = request.query_params.get("bundled")
        if name is not None:
            if name not in BUNDLED:
                raise Refusal(404, f"There is no bundled set {name!r}.")
            known = next((one for one in self._jobs.tables.values() if one.source == name), None)
            table = known or self._jobs.add_table(name, name, self._jobs.folder)
            return JSONResponse(table.as_json())
        name = safe_name(request.query_params.get("name", ""))
        if int(request.headers.get("content-length", "0")) <= LARGEST_UPLOAD:
            folder = self._jobs.new_folder()
            if await _received(request, folder / name):
                return JSONResponse(self._jobs.add_table(name, name, folder).as_json())
            (folder / name).unlink()
        else:
            await _thrown_away(request)
        raise Refusal(
            413,
            f"The page takes tables of up to {LARGEST_UPLOAD // MEGABYTE} MB; give a larger one to the "
            "command, which reads it where it lies: chordlearn serve FILE.",
        )

    async def survey(self, request: Request) -> Response:
        """Describe a table, read in this way."""
        table = self._table(request.path_params["table"])
        reading = msgspec.to_builtins(await _asked(request, Reading))
        return JSONResponse(await self._task("survey", table, table.directory, reading=reading))

    async def new_job(self, request: Request) -> Response:
        """Queue a job."""
        asked = await _asked(request, NewJob)
        reading, learning = msgspec.to_builtins(asked.reading), msgspec.to_builtins(asked.learning)
        try:
            job = self._jobs.submit(self._table(asked.table), reading, learning)
        except InputError as error:
            raise Refusal(429, str(error)) from None
        return JSONResponse(job.as_json())

    async def stop(self, request: Request) -> Response:
        """End a job with what it has."""
        job = self._job(request.path_params["job"])
        self._jobs.stop(job)
        return JSONResponse(job.as_json())

    async def resume(self, request: Request) -> Response:
        """Let a job go on."""
        job = self._job(request.path_params["job"])
        self._jobs.resume(job)
        return JSONResponse(job.as_json())

    async def why(self, request: Request) -> Response:
        """What the score says of a pair of variables."""
        job = self._finished(request)
        asked = await _asked(request, Pair)
        return JSONResponse(await self._task("why", job.table, job.folder, job, pair=asked.pair))

    async def posterior(self, request: Request) -> Response:
        """How probable each edge is."""
        job = self._finished(request)
        return JSONResponse(await self._task("posterior", job.table, job.folder, job))

    async def document(self, request: Request) -> Response:
        """What the explorer shows of a result."""
        return FileResponse(self._finished(request).folder / DOCUMENT, media_type="application/json")

    async def file(self, request: Request) -> Response:
        """A file to take away."""
        job, name = self._finished(request), request.path_params["name"]
        if name not in NAMES.values():
            raise Refusal(404, f"There is no file {name!r}; there are {', '.join(sorted(NAMES.values()))}.")
        path = await self._jobs.file(job, name)
        stem = Path(job.table.name).name.split(".")[0]
        return FileResponse(path, filename=f"{stem}.{name.partition('.')[2]}")

    async def _task(
        self, kind: str, table: Table, folder: Path, job: Job | None = None, **more: Any
    ) -> dict[str, Any]:
        task = {"task": kind, "source": table.source, "folder": str(folder), **more}
        if job is not None:
            task |= {"reading": job.reading, "learning": job.learning}
        return await self._jobs.ask(task, table.directory)

    def _table(self, number: int) -> Table:
        if number not in self._jobs.tables:
            raise Refusal(404, "There is no such table here any more; give it again.")
        return self._jobs.tables[number]

    def _job(self, number: int) -> Job:
        if number not in self._jobs.jobs:
            raise Refusal(404, "There is no such job here any more; learn again.")
        return self._jobs.jobs[number]

    def _finished(self, request: Request) -> Job:
        job = self._job(request.path_params["job"])
        if job.result is None or not job.is_over:
            raise Refusal(409, "This job has no result yet; wait for its end, or stop it.")
        return job


def _about() -> dict[str, Any]:
    """What the page should know of the server."""
    return {
        "version": version("chordlearn"),
        "largest_upload": LARGEST_UPLOAD,
        "files": list(NAMES.values()),
        "bundled": [
            {"name": one.name, "title": one.title, "variables": len(one.variables), "rows": one.rows}
            for one in bundled()
        ],
    }


def _sentence(sentence: str, status: int) -> Response:
    return JSONResponse({"error": sentence}, status)


async def _asked(request: Request, kind: type[Any]) -> Any:
    """The question in the body of a request, or a refusal that says what is wrong with it."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_QUESTION:
            raise Refusal(413, f"A question has at most {LARGEST_QUESTION // MEGABYTE} MB.")
    try:
        return msgspec.json.decode(bytes(body) or b"{}", type=kind)
    except msgspec.MsgspecError as error:
        raise Refusal(400, f"This question cannot be understood: {error}.") from None


async def _received(request: Request, path: Path) -> bool:
    """Write the body to a file; False if it is too large."""
    size = 0
    try:
        with path.open("xb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size <= LARGEST_UPLOAD:
                    file.write(chunk)
                elif size > MOST_THROWN_AWAY:
                    return False
    except ClientDisconnect:
        return False
    except OSError as error:
        raise Refusal(507, f"The table cannot be kept: {error.strerror}; free some space.") from None
    return size <= LARGEST_UPLOAD


async def _thrown_away(request: Request) -> None:
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MOST_THROWN_AWAY:
            return
