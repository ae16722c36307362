# SPDX-License-Identifier: BSD-3-Clause
"""Edits as Python that does them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ramify import criteria
from ramify.criteria.functions import name_of
from ramify.criteria.score import Expression
from ramify.editing.versions import Version

__all__ = ["call_of", "script_of", "spoken"]


def spoken(value: Any) -> Any:
    """Return an argument as JSON can hold it, and as a script can write it.

    A function is noted by its name; whoever runs the script must have it.
    """
    if isinstance(value, dict):
        return {str(key): spoken(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [spoken(item) for item in value]
    if hasattr(value, "tolist"):  # of NumPy: a number, or several
        return spoken(value.tolist())
    if value is None or isinstance(value, bool | int | float | str):
        return value
    named = (criteria.Criterion, criteria.NumberCriterion, criteria.RegisteredCriterion)
    if isinstance(value, named) and not getattr(value, "params", None):
        return value.name
    if isinstance(value, (Expression, *named)):
        return repr(value)
    if callable(value):
        return f"function {name_of(value)}"
    return repr(value)


def call_of(version: Version, editor: str = "editor") -> str:
    """Return one edit as a call.

    >>> call_of(Version(1, 0, "prune", {"node": 4}, 3, 2, None, None))
    'editor.prune(4)'
    """
    words = []
    by_place = list(_BY_PLACE.get(version.operation, ("node",)))
    for name, value in version.arguments.items():
        if by_place and name == by_place[0]:
            words.append(repr(value))
            by_place.pop(0)
        else:
            by_place = []
            words.append(f"{name}={value!r}")
    return f"{editor}.{version.operation}({', '.join(words)})"


# Arguments of operations that are written without their names.
_BY_PLACE = {
    "split": ("node", "column"),
    "raise_child": ("node", "which"),
    "copy": ("source", "to"),
    "note": ("node", "text"),
    "forbid": ("columns",),
    "allow": ("columns",),
    "round_thresholds": (),
}


def script_of(
    versions: Sequence[Version], start: str, asked: dict[str, Any], model: str
) -> str:
    """Return the edits of a version as a script."""
    lines = [
        '"""A tree that was grown and edited by hand; X and y are its rows."""',
        "import ramify",
        "",
        *([model] if model else []),
    ]
    words = ", ".join(f"{name}={value!r}" for name, value in asked.items())
    lines.append(f"editor = ramify.edit({start}, X, y{', ' if words else ''}{words})")
    for version in versions:
        if version.parent >= 0:
            call = call_of(version)
            if "'function " in call:
                call += "  # put your function there"
            lines.append(call)
        if version.name:
            lines.append(f"editor.branch({version.name!r})")
    lines.append("model = editor.model")
    return "\n".join(lines) + "\n"
