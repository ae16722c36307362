# SPDX-License-Identifier: BSD-3-Clause
"""A tree as a Mermaid flowchart, for Markdown pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ramify.exports.base import Artefact, Format
from ramify.exports.formats.drawing import OPTIONS, Box, boxes, fitting_depth
from ramify.exports.walk import Walk

__all__ = ["FORMAT"]

# Mermaid refuses larger diagrams, and a diagram cannot raise these limits.
_MAX_EDGES = 500
_MAX_CHARACTERS = 50_000
_PLAIN = frozenset(" .,+-_=")


def _text(text: str) -> str:
    """Quote text: every sign that could mean something, by its number."""
    signs = [
        sign if (sign.isascii() and sign.isalnum()) or sign in _PLAIN else _code(sign)
        for sign in text
    ]
    plain = "".join(signs) or " "
    return f'"{plain}"'


def _code(sign: str) -> str:
    return f"#{ord(sign)};" if sign.isprintable() else f"U+{ord(sign):04X}"


def _text_of(found: list[Box]) -> str:
    lines = ["flowchart TD"]
    for box in found:
        label = "<br/>".join(_text(line)[1:-1] for line in box.lines)
        left, right = ("([", "])") if box.is_leaf else ("[", "]")
        lines.append(f'  n{box.node}{left}"{label or " "}"{right}')
        if box.parent >= 0:
            lines.append(f"  n{box.parent} -- {_text(box.edge)} --> n{box.node}")
    return "\n".join([*lines, ""])


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a tree as a flowchart, as deep as Mermaid will draw it."""

    def fits(found: list[Box]) -> bool:
        n_characters = len(_text_of(found))
        return len(found) <= _MAX_EDGES and n_characters <= _MAX_CHARACTERS - 100

    depth = fitting_depth(walk, options, fits)
    notes: tuple[str, ...] = ()
    if depth is not None:
        notes = (f"cut at depth {depth}: Mermaid draws {_MAX_EDGES} edges",)
    found = list(boxes(walk, options, depth))
    said = "".join(f"%% {_text(line)[1:-1]}\n" for line in walk.by_hand)
    return Artefact(said + _text_of(found), notes=notes)


FORMAT = Format(
    name="mermaid",
    suffix=".mmd",
    write=write,
    about="a picture, for Markdown",
    lines=True,
    exact_on="picture",
    options=OPTIONS,
)
