# SPDX-License-Identifier: BSD-3-Clause
"""The table of formats."""

from __future__ import annotations

from ramify.exports.base import Format
from ramify.exports.formats import (
    c,
    dot,
    javascript,
    json,
    mermaid,
    onnx,
    pmml,
    python,
    skops,
    sql,
    text,
    treelite,
)
from ramify.messages import did_you_mean

__all__ = ["FORMATS", "format_named", "format_of_file"]

FORMATS: dict[str, Format] = {
    each.FORMAT.name: each.FORMAT
    for each in (
        *(json, python, c, javascript, sql, onnx, treelite, pmml, skops),
        *(text, dot, mermaid),
    )
}


def format_named(name: str) -> Format:
    """Return a format; refuse unknown names."""
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise ValueError(
            f"format={name!r} is not known{did_you_mean(name, FORMATS, cutoff=0.5)} "
            f"(there are {known})"
        )
    return FORMATS[name]


def format_of_file(path: str) -> Format:
    """Return the format of a file by the end of its name."""
    for form in FORMATS.values():
        if path.endswith(form.suffix):
            return form
    raise ValueError(f"{path}: which format is that? Name it: format='sql'")
