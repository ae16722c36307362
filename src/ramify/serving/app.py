# SPDX-License-Identifier: BSD-3-Clause
"""The routes of the server: the page, its code, and one session behind it."""

from __future__ import annotations

import asyncio
import json
import queue
from collections.abc import AsyncIterator, Callable
from html import escape
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from ramify.serving.session import Cancelled, Session, StaleVersion, as_json
from ramify.viewer.page import PAIR_SCRIPTS, SCRIPTS, file_text

__all__ = ["make_app"]

OWN_SCRIPTS = ("parts.js", "splits.js", "cutting.js", "drawer.js", "studio.js")
_MOST_BYTES = 1_000_000  # of an edit
_VIEWER = (*SCRIPTS, *PAIR_SCRIPTS, "page.css")
_TYPES = {"js": "text/javascript", "css": "text/css"}


def make_app(session: Session) -> Starlette:
    """Return the application; `Guard` stands before it."""

    async def page(request: Request) -> Response:
        return Response(_page(session.title), media_type="text/html")

    async def code(request: Request) -> Response:
        name = request.path_params["name"]
        if name in _VIEWER:
            text = file_text(name)
        elif name in (*OWN_SCRIPTS, "studio.css"):
            text = _own(name)
        else:
            return PlainTextResponse("no such file", 404)
        return Response(text, media_type=_TYPES[name.rsplit(".", 1)[1]])

    async def state(request: Request) -> Response:
        return await _answer(session.state)

    async def edit(request: Request) -> Response:
        body = await _body(request)
        if isinstance(body, Response):
            return body
        unknown = set(body) - {"version", "operation", "arguments"}
        if unknown:
            return _refused(f"unknown field {sorted(unknown)[0]!r} in an edit", 400)
        return await _answer(
            lambda: session.edit(
                body.get("version"), body.get("operation"), body.get("arguments", {})
            ),
            session,
        )

    async def candidates(request: Request) -> Response:
        asked = request.query_params
        wrong = _unknown(asked, {"node", "criteria", "k", "kind"})
        if wrong is not None:
            return wrong
        return await _answer(
            lambda: session.candidates(
                _node(asked.get("node", "")),
                asked.getlist("criteria"),
                _whole(asked.get("k", "10"), "k"),
                asked.get("kind", "axis"),
            )
        )

    async def cut(request: Request) -> Response:
        asked = request.query_params
        wrong = _unknown(asked, {"node", "criterion", "threshold", "categories"})
        if wrong is not None:
            return wrong

        def look() -> Any:
            given: dict[str, Any] = {}
            if "threshold" in asked:
                given["threshold"] = _number(asked["threshold"], "threshold")
            if "categories" in asked:
                given["categories"] = json.loads(asked["categories"])
            return session.preview(
                _node(asked.get("node", "")), asked.get("criterion") or None, given
            )

        return await _answer(look)

    async def machines(request: Request) -> Response:
        names = request.query_params.getlist("criteria")
        return await _answer(lambda: {"points": session.machines(names or ["gini"])})

    async def face(request: Request) -> Response:
        asked = request.query_params
        try:
            html = await run_in_threadpool(
                session.face_to_face,
                asked.get("criterion", ""),
                _number(asked.get("alpha", ""), "alpha"),
            )
        except (ValueError, TypeError) as error:
            return _refused(str(error), 400)
        return Response(html, media_type="text/html")

    async def export(request: Request) -> Response:
        asked = request.query_params
        wrong = _unknown(asked, {"format", "dialect", "what"})
        if wrong is not None:
            return wrong
        try:
            made = await run_in_threadpool(
                session.export, asked.get("format", ""), asked.get("dialect")
            )
        except (ValueError, TypeError, ImportError) as error:
            return _refused(str(error), 400)
        return _download(session.title, made, asked.get("what", "file"))

    async def script(request: Request) -> Response:
        return PlainTextResponse(await run_in_threadpool(session.script))

    async def save(request: Request) -> Response:
        return await _answer(session.save)

    async def cancel(request: Request) -> Response:
        return await _answer(lambda: {"cancelled": session.cancel()})

    async def events(request: Request) -> Response:
        return StreamingResponse(
            _events(session, request), media_type="text/event-stream"
        )

    routes: list[tuple[str, Callable[..., Any], str]] = [
        ("/", page, "GET"),
        ("/static/{name}", code, "GET"),
        ("/api/state", state, "GET"),
        ("/api/candidates", candidates, "GET"),
        ("/api/cut", cut, "GET"),
        ("/api/machines", machines, "GET"),
        ("/face", face, "GET"),
        ("/api/export", export, "GET"),
        ("/api/script", script, "GET"),
        ("/api/events", events, "GET"),
        ("/api/edit", edit, "POST"),
        ("/api/save", save, "POST"),
        ("/api/cancel", cancel, "POST"),
    ]
    return Starlette(
        routes=[Route(path, end, methods=[method]) for path, end, method in routes]
    )


async def _answer(work: Callable[[], Any], session: Session | None = None) -> Response:
    """Do work aside and answer with JSON; say in its own sentence what was wrong."""
    try:
        found = await run_in_threadpool(work)
    except StaleVersion as error:
        assert session is not None
        return _refused(str(error), 409, version=session.version)
    except Cancelled:
        return Response(as_json({"cancelled": True}), media_type="application/json")
    except (ValueError, TypeError, KeyError, ImportError) as error:
        return _refused(str(error), 400)
    return Response(as_json(found), media_type="application/json")


def _refused(words: str, status: int, **more: Any) -> Response:
    return Response(as_json({"error": words, **more}), status, None, "application/json")


async def _body(request: Request) -> Any:
    """Return the object that was sent, or the answer that refuses it."""
    kind = request.headers.get("content-type", "").split(";")[0].strip()
    if kind != "application/json":
        return _refused(f"an edit is application/json, not {kind!r}", 415)
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _MOST_BYTES:
            return _refused(f"an edit has at most {_MOST_BYTES} bytes", 413)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        return _refused(f"an edit must be JSON: {error}", 400)
    if not isinstance(found, dict):
        return _refused("an edit must be an object of JSON", 400)
    return found


def _unknown(asked: Any, known: set[str]) -> Response | None:
    extra = sorted(set(asked) - known)
    return _refused(f"unknown field {extra[0]!r}", 400) if extra else None


def _node(text: str) -> int | str:
    """Return a number as a number, and a path as a path."""
    return int(text) if text.isascii() and text.isdigit() else text


def _whole(text: str, name: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{name}={text!r} is not a whole number") from None


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name}={text!r} is not a number") from None


def _download(title: str, made: Any, what: str) -> Response:
    """Answer with a file to keep: the model in another form, or its certificate."""
    stem = "".join(c if c.isascii() and c.isalnum() else "_" for c in title)[:60]
    stem = stem.strip("_") or "tree"
    suffix = {form.name: form.suffix for form in _formats()}[made.format]
    name = f"{stem}{suffix}"
    data = made.artefact
    headers = {}
    if made.certificate is not None:
        replayed = made.certificate
        headers["x-ramify-certificate"] = (
            f"{replayed.n_replayed} rows replayed, {replayed.n_different} differ"
        )
    if what == "certificate":
        if made.certificate is None:
            return _refused(f"a {made.format} file is a picture and has none", 400)
        data = json.dumps(made.certificate.to_dict(), indent=1) + "\n"
        name += ".certificate.json"
    elif what != "file":
        return _refused(f"what={what!r} is unknown; use file or certificate", 400)
    headers["content-disposition"] = f'attachment; filename="{name}"'
    content = data.encode() if isinstance(data, str) else data
    return Response(content, headers=headers, media_type="application/octet-stream")


def _formats() -> Any:
    from ramify.exports.registry import FORMATS

    return FORMATS.values()


async def _events(session: Session, request: Request) -> AsyncIterator[bytes]:
    """Yield what happens, as server-sent events."""
    listener = session.listen()
    try:
        yield _event({"kind": "hello", "version": session.version})
        quiet = 0.0
        while not await request.is_disconnected():
            try:
                event = listener.get_nowait()
            except queue.Empty:
                await asyncio.sleep(0.05)
                quiet += 0.05
                if quiet > 10:
                    quiet = 0.0
                    yield b": here\n\n"
                continue
            yield _event(event)
    finally:
        session.leave(listener)


def _event(what: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(what)}\n\n".encode()


def _own(name: str) -> str:
    place = resources.files("ramify.serving").joinpath("page").joinpath(name)
    return place.read_text("utf-8")


def _page(title: str) -> str:

    scripts = (*(name for name in SCRIPTS), *OWN_SCRIPTS)
    tags = "\n".join(f'<script src="static/{name}"></script>' for name in scripts)
    return (
        _own("studio.html").replace("$title", escape(title)).replace("$scripts", tags)
    )
