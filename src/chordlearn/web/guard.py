"""Who may ask the server for anything: the page that was opened with its token, and nobody else.

A page of another origin can send requests to this machine. It gets nothing, because it does not know the
token, which is part of every address; because its requests say where they come from; and because a name that
was made to point to this machine is not the one that we serve under.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets requests through whose Host, origin and token are ours; the app sees the paths below the token."""

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str] | None) -> None:
        """``hosts`` are the values of the header that are ours; None for any, where all the world may ask."""
        self._app = app
        self._token = token
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse in a sentence."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        answer = self._refusal(headers) or self._entrance(scope)
        if answer is not None:
            await answer(scope, receive, send_guarded)
            return
        inner = "/" + scope["path"].split("/", 2)[2]
        await self._app({**scope, "path": inner, "raw_path": inner.encode()}, receive, send_guarded)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if self._hosts is not None and host not in self._hosts:
            return _refused(f"This server is not {host!r}; open the address that it printed.")
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return _refused("Other pages get nothing from here; open the address that the server printed.")
        # A link that somebody follows comes from anywhere; what a page fetches must be our own page's.
        if headers.get("sec-fetch-site", "none") in ("cross-site", "same-site") and (
            headers.get("sec-fetch-mode") != "navigate"
        ):
            return _refused("Other pages get nothing from here; open the address that the server printed.")
        return None

    def _entrance(self, scope: Scope) -> Response | None:
        """None if the path begins with the token, a way there if the query has it, else a refusal."""
        _, first, *rest = scope["path"].split("/", 2)
        if secrets.compare_digest(first.encode(), self._token.encode()):
            return None if rest else RedirectResponse(f"/{first}/", 303)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and secrets.compare_digest(given.encode(), self._token.encode()):
            return RedirectResponse(f"/{self._token}/", 303)
        return _refused("The address lacks the token, or has another one; open the address that was printed.")


def _refused(sentence: str) -> Response:
    return JSONResponse({"error": sentence}, 403)
