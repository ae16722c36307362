# SPDX-License-Identifier: BSD-3-Clause
"""Requests besides sums: a work for each block, and answers that join."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.blocks import Block
from ramify.distributed.core.codebook import Codebook, Extent

__all__ = ["Reader", "Work"]

_ROWS_AT_ONCE = 2**13  # numbers take eight times the space of codes


class Work(Protocol):
    """Something to be done with each block; plain values, so that it travels.

    Attributes
    ----------
    changes : bool
        Whether it changes the weights of the rows, and what hangs on them.
    """

    changes: ClassVar[bool]

    def __call__(self, block: Block) -> Any:
        """Do it; give an answer."""

    def join(self, answers: list[Any]) -> Any:
        """Put the answers of blocks together, in any order."""


@dataclass(frozen=True)
class Reader:
    """Turns codes into the numbers that trees read; one of each bin is as good as all.

    Attributes
    ----------
    values : list of ndarray
        What the codes of each column stand for, and NaN.
    places : list of tuple
        Whether the codes of a column are byte_codes, and where they lie.
    has_missing : bool
        Whether there are missing values.
    """

    values: list[NDArray[np.float64]]
    places: list[tuple[bool, int]]
    has_missing: bool

    @classmethod
    def from_codebook(
        cls, book: Codebook, extent: Extent, renumber: dict[int, NDArray[np.int64]]
    ) -> Reader:
        """Read the columns of a model whose categories have new numbers."""
        layout = book.layout()
        values = []
        for j, bins in enumerate(book.bins):
            if bins is None:
                n = len(book.schema.columns[j].categories)
                own = np.asarray(renumber.get(j, np.arange(n)), np.float64)
            else:
                own = np.where(np.isfinite(extent.low[j]), extent.low[j], bins)
            values.append(np.append(own, np.nan))
        places = [
            (n < 256, place)
            for n, place in zip(layout.n_codes, layout.place, strict=True)
        ]
        return cls(values, places, bool(extent.has_missing.any()))

    def pieces(self, block: Block) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield the rows of a block, some at a time: which, and what they hold."""
        for first in range(0, len(block), _ROWS_AT_ONCE):
            some = slice(first, min(first + _ROWS_AT_ONCE, len(block)))
            rows = np.empty((some.stop - first, len(self.values)))
            for j, (sums_are_small, place) in enumerate(self.places):
                codes = (block.byte_codes if sums_are_small else block.int_codes)[
                    some, place
                ]
                np.take(self.values[j], codes, out=rows[:, j], mode="clip")
            yield some, rows
