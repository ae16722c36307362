# SPDX-License-Identifier: BSD-3-Clause
"""Rows that a tree learns from: which, what of them, and how heavy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.table import Table

__all__ = ["Extra", "Sample"]


@dataclass(frozen=True)
class Extra:
    """What `fit` gets for each row besides X and y."""

    sample_weight: Any = None
    criterion_data: Any = None
    sensitive: Any = None
    treatment: Any = None


@dataclass(frozen=True)
class Sample:
    """Some rows of a table, and what is to be learnt from them.

    Attributes
    ----------
    table : Table
        The columns, encoded.
    rows : ndarray of uint32 or None
        Which rows of the encoded table; None for all.
    target : Labels or Numbers
        What is to be predicted of these rows.
    weight : ndarray or None
        Of each row; None if all weigh 1.
    extra : ndarray or None
        Numbers that are summed beside the classes, a line per row.
    """

    table: Table
    rows: NDArray[np.uint32] | None
    target: Any
    weight: NDArray[np.float64] | None = None
    extra: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.target)

    @property
    def places(self) -> NDArray[np.uint32]:
        """Which rows of the encoded table, also if these are all."""
        if self.rows is None:
            return np.arange(len(self.table), dtype=np.uint32)
        return self.rows

    def content_order(self) -> NDArray[np.uint32]:
        """Return the places of the rows, sorted by all that they hold.

        Rows of equal columns and target are sorted by weight and extra numbers. Rows
        that are still tied are the same, so the order of the table plays no part.
        """
        core, codes = self.table.core, np.ascontiguousarray(self.target.codes)
        ties = [] if self.extra is None else [*self.extra.T]
        ties += [] if self.weight is None else [self.weight]
        if not ties:
            return _core.content_order(core, self.rows, codes.ravel())
        first = np.lexsort(ties).astype(np.uint32)
        rows = first if self.rows is None else self.rows[first]
        return first[_core.content_order(core, rows, codes[first].ravel())]

    def weighted(self, weight: NDArray[np.float64] | None) -> Sample:
        """Return each row a weight; a row without weight is no row."""
        has_weight = None if weight is None else weight > 0
        if weight is None or has_weight is None or has_weight.all():
            return replace(self, weight=weight)
        used = np.flatnonzero(has_weight)
        return replace(self.some(used), weight=weight[used])

    def some(self, places: NDArray[np.intp]) -> Sample:
        """Return the rows at some places, ascending."""
        rows = self.rows
        weight, extra = self.weight, self.extra
        return Sample(
            self.table,
            places.astype(np.uint32) if rows is None else rows[places],
            self.target.some(places),
            None if weight is None else weight[places],
            None if extra is None else extra[places],
        )
