# SPDX-License-Identifier: BSD-3-Clause
"""A tree for Graphviz: ``dot -Tsvg tree.dot``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ramify.exports.base import Artefact, Format
from ramify.exports.formats.drawing import OPTIONS, boxes
from ramify.exports.formats.literals import comment
from ramify.exports.walk import Walk

__all__ = ["FORMAT"]


def _text(lines: list[str]) -> str:
    """Quote lines: nothing in them ends the label or is a command of Graphviz."""
    text = "\\n".join("".join(map(_sign, line)) for line in lines)
    return f'"{text}"'


def _sign(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign == "&":  # Graphviz reads the names of HTML
        return "&amp;"
    if sign == "\n":
        return "\\n"
    return sign if sign.isprintable() or sign == " " else f"U+{ord(sign):04X}"


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a tree as DOT."""
    lines = [
        f"// {comment(walk.described)}; made by ramify, model {walk.hash()}",
        "digraph tree {",
        '  node [shape=box, style="rounded", fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    for box in boxes(walk, options):
        look = ', style="rounded,filled", fillcolor="#eef3fa"' if box.is_leaf else ""
        lines.append(f"  n{box.node} [label={_text(box.lines)}{look}];")
        if box.parent >= 0:
            edge = _text([box.edge])
            lines.append(f"  n{box.parent} -> n{box.node} [label={edge}];")
    return Artefact("\n".join([*lines, "}", ""]))


FORMAT = Format(
    name="dot",
    suffix=".dot",
    write=write,
    about="a picture, for Graphviz",
    lines=True,
    exact_on="picture",
    options=OPTIONS,
)
