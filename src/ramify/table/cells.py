# SPDX-License-Identifier: BSD-3-Clause
"""A few rows, read cell by cell: faster than by columns if there are few.

Only cells of plain types are read here. Whoever meets another one gives None, and the
columns are read as ever, which says what is wrong if anything is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["FEW", "Cells", "few_rows"]

FEW = 16  # rows; one of 30 mixed columns in pandas: 0.1 ms, and 3 ms by columns

_NUMBERS = frozenset(
    (
        *(float, int, bool, np.float64, np.float32, np.bool_),
        *(np.int64, np.int32, np.int16, np.int8),
        *(np.uint64, np.uint32, np.uint16, np.uint8),
    )
)
_EXACT = 2.0**53  # whole numbers beyond it are not distinguished by floats


class Cells:
    """Reads rows as the columns of a schema.

    Parameters
    ----------
    codes : sequence of dict or None
        The code of each category of each column; None for a column of numbers.
    is_odd : sequence of bool
        Columns whose cells always need a closer look, such as times.

    Attributes
    ----------
    is_plain : bool
        Whether all columns hold numbers that are taken as they are.
    """

    def __init__(
        self, codes: Sequence[dict[Any, int] | None], is_odd: Sequence[bool]
    ) -> None:
        self._codes = [
            None if known is None else (known, all(isinstance(k, str) for k in known))
            for known in codes
        ]
        self._is_odd = any(is_odd)
        self.is_plain = not self._is_odd and all(known is None for known in codes)

    def row(self, cells: Iterable[Any], unseen: str) -> list[float] | None:
        """Return the numbers and codes of one row, NaN where missing.

        `unseen` as in `Schema.matrix`. None if a cell needs a closer look.
        """
        if self._is_odd:
            return None
        try:
            return self._read(cells, unseen)
        except OverflowError:  # a whole number that no float holds
            return None

    def _read(self, cells: Iterable[Any], unseen: str) -> list[float] | None:
        found: list[float] = []
        for cell, known in zip(cells, self._codes, strict=True):
            kind = type(cell)
            if cell is None or (kind is float and cell != cell):
                found.append(math.nan)
            elif known is None:
                if kind not in _NUMBERS:
                    return None
                found.append(float(cell))
            else:
                codes, is_text = known
                if is_text is not (kind is str):
                    return None
                if not is_text and (kind not in _NUMBERS or not abs(cell) < _EXACT):
                    return None
                code = codes.get(cell, -1)
                if code < 0 and unseen != "heavier":
                    return None
                found.append(float(code))
        return found


def few_rows(X: Any, names: list[str]) -> list[list[Any]] | None:
    """Get a small data frame or list of dicts as rows with their cells in this order.

    None if it is anything else, or has other columns.
    """
    found = _records(X) if type(X) is list else _frame(X)
    if found is None:
        return None
    own, rows = found
    if own == names:
        return rows
    if len(own) != len(names) or set(own) != set(names):
        return None
    place = {name: j for j, name in enumerate(own)}
    order = [place[name] for name in names]
    return [[row[j] for j in order] for row in rows]


def _frame(X: Any) -> tuple[list[Any], list[Any]] | None:
    """Return names and rows of a data frame of few rows."""
    kind = type(X)
    library = kind.__module__.partition(".")[0]
    is_frame = kind.__name__ == "DataFrame" and library in ("pandas", "polars")
    if not is_frame or not 0 < len(X) <= FEW:
        return None
    if library == "polars":
        return X.columns, X.rows()
    if len(X) == 1:
        return X.columns.tolist(), [X.iloc[0].tolist()]
    array = X.to_numpy()
    if array.dtype.kind not in "fiubO":  # dates would become numbers
        return None
    return X.columns.tolist(), array.tolist()


def _records(X: list[Any]) -> tuple[list[Any], list[Any]] | None:
    """Keys and values of a few dicts that have the same keys in the same order."""
    if not 0 < len(X) <= FEW or not all(type(row) is dict for row in X):
        return None
    own = list(X[0])
    if any(list(row) != own for row in X[1:]):
        return None
    return own, [list(row.values()) for row in X]
