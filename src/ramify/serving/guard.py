# SPDX-License-Identifier: BSD-3-Clause
"""Who may talk to the server: the page that it opened itself, and nobody else.

A page of another site can send requests to this machine, and can give its own name the
address of this machine (DNS rebinding). So each request must name a host that is ours,
each edit must come from our own page, and all but the page's code needs the token.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

__all__ = ["Guard"]

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

COOKIE = "ramify_studio"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors {frames}"
)


_KEPT = "Path=/; HttpOnly; SameSite=Strict"


@dataclass
class Guard:
    """Checks each request before the application sees it.

    Attributes
    ----------
    app : ASGI application
    hosts : set of str
        The names and the port under which this server may be asked.
    token : str
        What the address that was opened has; a cookie keeps it.
    frames : str
        Which pages may show this one in a frame, as in a Content-Security-Policy.
    """

    app: Any
    hosts: set[str]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    frames: str = "'none'"

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        status, words = self._verdict(scope, headers)
        is_first = self._is_first(scope)

        async def answered(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [
                    (b"content-security-policy", self.policy),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                    (b"cache-control", b"no-store"),
                ]
                if is_first and status == 200:
                    value = f"{self._cookie(scope)}={self.token}; {_KEPT}"
                    own.append((b"set-cookie", value.encode()))
                message = {**message, "headers": [*message.get("headers", []), *own]}
            await send(message)

        if status != 200:
            await _refuse(answered, status, words)
            return
        await self.app(scope, receive, answered)

    @property
    def policy(self) -> bytes:
        """The Content-Security-Policy of every answer."""
        return _POLICY.format(frames=self.frames).encode()

    def _cookie(self, scope: Any) -> str:
        # Cookies of one machine are shared by all ports: two studios need two names.
        server = scope.get("server") or ("", 0)
        return f"{COOKIE}_{server[1]}"

    def _is_first(self, scope: Any) -> bool:
        """Return whether the address has the token, as the one that was opened."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        given = query.get("token", [""])[0]
        return scope["path"] in ("/", "/api/events") and self._is_token(given)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _verdict(self, scope: Any, headers: dict[str, str]) -> tuple[int, str]:
        """Return 200, or why a request is refused."""
        host = headers.get("host", "")
        if host.lower() not in self.hosts:
            return 403, (
                f"this server answers as {sorted(self.hosts)[0]}, not as {host!r}"
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return 403, f"a page of {origin!r} may not talk to this server"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and (
            scope["method"] != "GET" or scope["path"] != "/"
        ):
            return 403, "a page of another site may not talk to this server"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, f"{scope['method']} is not allowed"
        if scope["path"].startswith("/static/"):
            return 200, ""
        if self._is_first(scope):
            return 200, ""
        if self._is_token(headers.get("x-ramify-token", "")):
            return 200, ""
        if self._has_cookie(scope, headers):
            if scope["method"] == "POST" and origin is None:
                return 403, "an edit must come from the page of this server"
            return 200, ""
        return 401, (
            "open the address that ramify studio has printed: it has the token that "
            "this page needs"
        )

    def _has_cookie(self, scope: Any, headers: dict[str, str]) -> bool:
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = jar.get(self._cookie(scope))
        return found is not None and self._is_token(found.value)


async def _refuse(send: Send, status: int, words: str) -> None:
    body = words.encode()
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})
