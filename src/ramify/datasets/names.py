# SPDX-License-Identifier: BSD-3-Clause
"""Names of columns and data sets in messages, and what to say of unknown ones."""

import difflib
from collections.abc import Sequence

__all__ = ["did_you_mean", "joined", "listed"]


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """End a sentence on an unknown name: with the nearest known ones, if any."""
    folded = {other.casefold(): other for other in known}
    near = [
        folded[match]
        for match in difflib.get_close_matches(name.strip().casefold(), folded, n=3)
    ]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else "."


def joined(words: Sequence[str]) -> str:
    """Put commas between words, and quotes around a word that has one itself.

    >>> joined(["age", "income, gross"])
    'age,"income, gross"'
    """
    return ",".join(
        '"{}"'.format(word.replace('"', '""')) if {",", '"'} & set(word) else word
        for word in words
    )


def listed(words: Sequence[str], most: int = 8) -> str:
    """Show the first of many words, and how many more there are."""
    shown = ", ".join(map(repr, words[:most]))
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"
