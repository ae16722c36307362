# SPDX-License-Identifier: BSD-3-Clause
"""Rows that an artefact predicts, as the core and as a user sees them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.exports.walk import Walk
from ramify.table.sources import RawColumns

__all__ = ["Rows", "as_float32", "columns_for", "source_for", "spoiled", "unseen_value"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as the core sees them: numbers and codes, NaN missing, -1 unseen.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
        The rows.
    purpose : ndarray of str
        What each is for: "leaf", "boundary", "category", "missing", ...
    """

    matrix: Floats
    purpose: NDArray[Any]

    def __len__(self) -> int:
        return len(self.matrix)

    def first(self, n: int) -> Rows:
        """Return the first rows."""
        return Rows(self.matrix[:n], self.purpose[:n])

    def some(self, chosen: NDArray[Any]) -> Rows:
        """Return some rows."""
        return Rows(self.matrix[chosen], self.purpose[chosen])

    def and_(self, matrix: Floats, purpose: str) -> Rows:
        """Add rows behind these."""
        return Rows(
            np.concatenate([self.matrix, matrix]),
            np.append(self.purpose, [purpose] * len(matrix)),
        )

    def by_purpose(self) -> dict[str, int]:
        """Count the rows of each purpose."""
        return dict(sorted(Counter(self.purpose.tolist()).items()))


def unseen_value(categories: tuple[Any, ...]) -> Any:
    """Make up a category that a column does not have; None if that cannot be."""
    if not categories or isinstance(categories[0], str):
        value = "not seen in training"
        while value in categories:
            value += "!"
        return value
    if isinstance(categories[0], bool):
        return next((v for v in (False, True) if v not in categories), None)
    return type(categories[0])(math.floor(max(categories)) + 1)


def columns_for(walk: Walk, matrix: Floats) -> list[list[Any]]:
    """Return the values of each column as a user has them: None where missing."""
    columns: list[list[Any]] = []
    for j, info in enumerate(walk.columns):
        cells = matrix[:, j].tolist()
        if not info.is_categorical:
            columns.append([None if x != x else x for x in cells])
            continue
        values = [*info.categories, unseen_value(info.categories)]
        columns.append([None if x != x else values[int(x)] for x in cells])
    return columns


def source_for(walk: Walk, matrix: Floats) -> RawColumns:
    """Return rows as something that `predict` takes, with categories by value."""
    arrays: list[NDArray[Any]] = []
    for info, cells in zip(walk.columns, columns_for(walk, matrix), strict=True):
        if info.is_categorical:
            array: NDArray[Any] = np.empty(len(cells), dtype=object)
            array[:] = cells
        else:
            array = np.array([math.nan if x is None else x for x in cells])
        arrays.append(array)
    names = [info.name for info in walk.columns] if walk.has_names else None
    return RawColumns(arrays, names, (len(matrix), len(arrays)))


def spoiled(walk: Walk, matrix: Floats, seed: int = 0) -> Floats:
    """Take 15 % of the values away, and make 8 % of the categories new."""
    rng = np.random.default_rng(seed)
    matrix = matrix.copy()
    if walk.unseen != "error":
        for j, info in enumerate(walk.columns):
            if info.is_categorical:
                matrix[rng.random(len(matrix)) < 0.08, j] = -1
    if walk.missing != "error":
        matrix[rng.random(matrix.shape) < 0.15] = math.nan
    return matrix


def as_float32(rows: Rows) -> Rows:
    """Round numbers to float32, for runtimes that know no others."""
    with np.errstate(over="ignore"):
        matrix = rows.matrix.astype(np.float32).astype(np.float64)
    keep = np.isinf(matrix)
    return replace(rows, matrix=np.where(keep, rows.matrix, matrix))
