# SPDX-License-Identifier: BSD-3-Clause
"""Start a studio: an editor, its page, and the server between them."""

from __future__ import annotations

import importlib.util
import os
import socket
import threading
import webbrowser
from html import escape
from typing import Any

from ramify.editing import TreeEditor, edit

__all__ = ["Studio", "check_installed", "studio"]


def check_installed() -> None:
    """Refuse to start without the packages of the extra, and name it."""
    missing = [
        name
        for name in ("starlette", "uvicorn")
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise ImportError(
            f"the studio needs {' and '.join(missing)}: pip install 'ramify[studio]'"
        )


class Studio:
    """A running studio; `ramify.studio` makes it.

    Attributes
    ----------
    editor : TreeEditor
        What the page edits; edits made here appear on the page.
    url : str
        The address to open; it has the token that the page needs.
    """

    def __init__(
        self,
        editor: TreeEditor,
        *,
        title: str = "Studio",
        host: str = "127.0.0.1",
        port: int = 0,
        autosave: str | os.PathLike[str] | None = None,
        output: str | os.PathLike[str] | None = None,
        frames: str = "'none'",
    ) -> None:
        check_installed()
        import uvicorn

        from ramify.serving.app import make_app
        from ramify.serving.guard import Guard
        from ramify.serving.session import Session

        self.editor = editor
        self.session = Session(editor, title, autosave, output)
        self._socket = _listening(host, port)
        self.port = int(self._socket.getsockname()[1])
        names = (
            {host, "127.0.0.1", "localhost", "[::1]"} if _is_loopback(host) else {host}
        )
        self.guard = Guard(
            make_app(self.session),
            {f"{name}:{self.port}" for name in names},
            frames=frames,
        )
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.port}/?token={self.guard.token}"
        config = uvicorn.Config(
            self.guard,
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until it is interrupted."""
        self._server.run(sockets=[self._socket])

    def start(self) -> Studio:
        """Serve in a thread of its own."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._server.run,
                kwargs={"sockets": [self._socket]},
                daemon=True,
                name="ramify-studio",
            )
            self._thread.start()
        return self

    def open(self) -> None:
        """Open the page in the browser."""
        webbrowser.open(self.url)

    def stop(self) -> None:
        """End the server; the editor stays."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(5)
        self._socket.close()

    def __repr__(self) -> str:
        return f"Studio({self.url!r}, {self.editor!r})"

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="Studio" src="{escape(self.url)}" style="width:100%;'
            'height:640px;border:1px solid #8884;border-radius:6px"></iframe>'
        )


def studio(
    X: Any = None,
    y: Any = None,
    *,
    model: Any = None,
    title: str = "Studio",
    port: int = 0,
    open_browser: bool = True,
    autosave: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Studio:
    """Open a page on which a tree is grown and edited by hand.

    The server listens on this machine only, and ends with the process. The page edits
    `Studio.editor`, an ordinary `TreeEditor`: what is done here appears there, and the
    other way round. Needs ``pip install 'ramify[studio]'``.

    Parameters
    ----------
    X : table, or TreeEditor
        The rows; or an editor that exists.
    y : target
        The labels or numbers.
    model : None, estimator or fitted tree
        As in `ramify.edit`.
    title : str
        What the page is called.
    port : int, default=0
        Where to listen; 0 takes a free port.
    open_browser : bool, default=True
        Whether to open the page.
    autosave : path, optional
        A model file that is written after every edit.
    **options
        As in `ramify.edit`: `validation`, `test`, `metric` and so on.

    Returns
    -------
    Studio
        Shows the page in a notebook; ``stop`` ends it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> page = ramify.studio(X, y, validation=0.3, open_browser=False)
    >>> page.editor.split(0, "petal width (cm)", threshold=0.8)
    >>> page.editor
    TreeEditor(2 leaves, depth 1, 1 edit, training accuracy 0.6667)
    >>> page.stop()
    """
    check_installed()
    if isinstance(X, TreeEditor):
        if y is not None or model is not None or options:
            raise TypeError("an editor has its rows and options; give it alone")
        editor = X
    else:
        editor = edit(model, X, y, **options)
    # A notebook is a page of another origin, on this machine or behind a hub.
    made = Studio(
        editor,
        title=title,
        port=port,
        autosave=autosave,
        frames="'self' http://localhost:* http://127.0.0.1:* vscode-webview:",
    ).start()
    if open_browser:
        made.open()
    return made


def _is_loopback(host: str) -> bool:
    return host in ("127.0.0.1", "localhost", "::1")


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why none can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise ValueError(
            f"cannot listen on {host}:{port} ({error.strerror}); use another --port, "
            "or 0 for any"
        ) from None
    found.listen(100)
    return found
