# SPDX-License-Identifier: BSD-3-Clause
"""One HTML page that needs no other file: data in, text out."""

from __future__ import annotations

import json
import os
import re
import tempfile
import webbrowser
from collections.abc import Mapping
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from ramify.io.writing import write_text

__all__ = [
    "PAIR_SCRIPTS",
    "SCRIPTS",
    "SCRIPT_FILE",
    "Page",
    "build",
    "file_text",
    "script_beside",
]

SCRIPT_FILE = "tree.js"

SCRIPTS = (
    *("model.js", "explain.js", "dom.js", "layout.js", "glyphs.js"),
    "curves.js",
    *("places.js", "drawing.js", "stage.js", "panel.js", "tracer.js", "page.js"),
)
PAIR_SCRIPTS = ("pair.js", "pair_why.js", "pair_rows.js")
_FRAME_HEIGHT = 420


class Page:
    """A page of one tree, or of two side by side; `ramify.view` makes it.

    Attributes
    ----------
    html : str
        The page: it needs no other file and no network.
    path : Path or None
        Where it was written.
    """

    def __init__(self, html: str, title: str) -> None:
        self.html = html
        self.title = title
        self.path: Path | None = None

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file."""
        self.path = Path(path)
        # Half a character, which UTF-8 lacks, becomes its escape in JavaScript.
        write_text(self.path, self.html, errors="backslashreplace")
        return self.path

    def show(self) -> Path:
        """Open the page in the browser; from a temporary file unless it was saved."""
        if self.path is None:
            handle, name = tempfile.mkstemp(prefix="ramify-", suffix=".html")
            os.close(handle)
            self.save(name)
        assert self.path is not None
        webbrowser.open(self.path.absolute().as_uri())
        return self.path

    def __repr__(self) -> str:
        where = f", path={str(self.path)!r}" if self.path else ""
        return f"Page({self.title!r}, {len(self.html) / 1000:.0f} kB{where})"

    def _repr_html_(self) -> str:
        return frame(self.html, self.title)


def frame(html: str, title: str, height: int = _FRAME_HEIGHT) -> str:
    """Put a page into a sandboxed frame: its scripts cannot touch the notebook."""
    # Between single quotes, since scripts are full of double ones.
    inside = html.replace("&", "&amp;").replace("'", "&#39;")
    return (
        f'<iframe title="{escape(title)}" sandbox="allow-scripts allow-downloads" '
        f'style="width:100%;height:{height}px;border:1px solid #8884;'
        f"border-radius:6px\" srcdoc='{inside}'></iframe>"
    )


def build(
    fields: Mapping[str, Any],
    title: str,
    *,
    is_small: bool = False,
    has_script_beside: bool = False,
    scripts_at: str | None = None,
) -> str:
    """Put data into the page.

    Parameters
    ----------
    fields : mapping
        Plain values that JSON can hold.
    title : str
        Title of the page, in plain text.
    is_small : bool
        Leave out the comments and what a small frame has no room for.
    has_script_beside : bool
        Take the script from the file `SCRIPT_FILE` beside the page: so many pages share
        one. `script_beside` is what belongs into it.
    scripts_at : str, optional
        Take each script from this folder of the server that shows the page, whose rules
        may forbid scripts within a page.
    """
    # In JSON a less-than sign occurs in strings only; as an escape it ends no script.
    text = json.dumps(
        fields, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    needed = (*PAIR_SCRIPTS, *SCRIPTS) if "pair" in fields else SCRIPTS
    style = file_text("page.css")
    if scripts_at is not None:
        script = "\n".join(f'<script src="{scripts_at}{n}"></script>' for n in needed)
        source = "'self'"
    elif has_script_beside:
        script, source = f'<script src="{SCRIPT_FILE}"></script>', "'self' file:"
    else:
        inside = "\n".join(map(file_text, needed))
        inside = _short(inside) if is_small else inside
        script, source = f"<script>\n{inside}\n</script>", "'unsafe-inline'"
    is_short = is_small or has_script_beside
    return Template(file_text("page.html")).substitute(
        title=escape(title),
        css_class="small" if is_small else "whole",
        style=f"<style>\n{_short(style) if is_short else style}\n</style>",
        script=script,
        script_source=source,
        data=text,
    )


def script_beside() -> str:
    """Return the script of pages of one tree, for the file that they share."""
    return "\n".join(map(file_text, SCRIPTS)) + "\n"


def file_text(name: str) -> str:
    """Return a file of the page: a script, the style or the frame."""
    return resources.files("ramify.viewer").joinpath(name).read_text("utf-8").strip()


def _short(text: str) -> str:
    """Drop comments that stand alone, and the room at the beginning of lines."""
    kept = re.sub(r"(?ms)^\s*/\*\*.*?\*/\s*?\n", "", text)
    kept = re.sub(r"(?m)^\s*//.*\n|^\s+", "", kept)
    return re.sub(r"(?m)\n+", "\n", kept)
