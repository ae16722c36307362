# SPDX-License-Identifier: BSD-3-Clause
"""Names of columns and data sets in messages, and what to say of unknown ones."""

from collections.abc import Sequence

__all__ = ["joined", "listed"]


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
