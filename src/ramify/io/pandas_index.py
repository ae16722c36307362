# SPDX-License-Identifier: BSD-3-Clause
"""The index of pandas in files: row labels, which are no columns to learn from."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["index_columns", "is_unnamed", "say_left_out"]

_UNNAMED = re.compile(r"Unnamed: \d+|__index_level_\d+__|")


def index_columns(metadata: Mapping[bytes, bytes] | None) -> list[str]:
    """Name the columns that were the index of a pandas frame, as Arrow's schema says.

    A range of numbers is described there and is no column.

    >>> index_columns({b"pandas": b'{"index_columns": ["__index_level_0__"]}'})
    ['__index_level_0__']
    >>> index_columns({b"pandas": b'{"index_columns": [{"kind": "range"}]}'})
    []
    """
    try:
        named: Any = json.loads((metadata or {}).get(b"pandas", b"{}"))
        listed = named["index_columns"]
    except (ValueError, KeyError, TypeError):  # whatever somebody wrote into it
        return []
    if not isinstance(listed, list):
        return []
    return [name for name in listed if isinstance(name, str)]


def say_left_out(names: Collection[str], where: str, stacklevel: int = 3) -> None:
    """Warn that the index of a frame is not learnt from."""
    if names:
        shown = ", ".join(map(repr, names))
        warnings.warn(
            f"{shown} of {where} was the index of a pandas frame and is left out; "
            "write it with reset_index() if it is a column to learn from",
            UserWarning,
            stacklevel=stacklevel,
        )


def is_unnamed(name: Any) -> bool:
    """Return whether a column has a name that pandas gives to an index without one."""
    return isinstance(name, str) and _UNNAMED.fullmatch(name) is not None
