# SPDX-License-Identifier: BSD-3-Clause
"""Texts that differ only by case and blanks, taken as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ramify.io.base import FileColumn

__all__ = ["MergedColumn", "Spellings", "spelling_key", "usual_spellings"]

# The spelling of each text, by the text without case and blanks, by column.
Spellings = Mapping[str, Mapping[str, str]]


def spelling_key(text: str) -> str:
    """Return a text without case, and with single blanks.

    >>> from ramify.io.merged import spelling_key
    >>> spelling_key("New  YORK ")
    'new york'
    """
    return " ".join(text.split()).casefold()


def usual_spellings(texts: Sequence[str], counts: Sequence[int]) -> dict[str, str]:
    """Return the most frequent spelling of each text, by its key.

    >>> from ramify.io.merged import usual_spellings
    >>> usual_spellings(["LIVE", "live", "die"], [3, 2, 4])
    {'die': 'die', 'live': 'LIVE'}
    """
    order = sorted(range(len(texts)), key=lambda i: (-counts[i], texts[i]))
    found: dict[str, str] = {}
    for i in order:
        found.setdefault(spelling_key(texts[i]), " ".join(texts[i].split()))
    return found


class MergedColumn(FileColumn):
    """A column with one spelling of each text: one that is known, or the usual one."""

    def __init__(self, column: FileColumn, known: Mapping[str, str]) -> None:
        self._column = column
        self.declared, self.missing_words = column.declared, column.missing_words
        codes, fields = column.fields()
        counts = np.bincount(codes, minlength=len(fields)).tolist()
        self.spellings = {**usual_spellings(fields, counts), **known}

    def numbers(
        self, missing: frozenset[str], decimal: str
    ) -> NDArray[np.float64] | None:
        """Return the numbers, NaN where missing; None if a field is no number."""
        return self._column.numbers(missing, decimal)

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields that the codes stand for."""
        codes, fields = self._column.fields()
        index: dict[str, int] = {}
        merged = [
            index.setdefault(self.spellings[spelling_key(field)], len(index))
            for field in fields
        ]
        return np.array(merged, dtype=np.intp)[codes], list(index)
