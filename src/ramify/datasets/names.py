# SPDX-License-Identifier: BSD-3-Clause
"""What to say of a name that is not known."""

import difflib
from collections.abc import Sequence

__all__ = ["listed", "nearest"]


def nearest(name: str, known: Sequence[str]) -> str:
    """End a sentence on an unknown name: with the nearest known ones, if any."""
    folded = {other.casefold(): other for other in known}
    near = [
        folded[match]
        for match in difflib.get_close_matches(name.strip().casefold(), folded, n=3)
    ]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else "."


def listed(words: Sequence[str], most: int = 8) -> str:
    """Show the first of many words, and how many more there are."""
    shown = ", ".join(map(repr, words[:most]))
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"
