# SPDX-License-Identifier: BSD-3-Clause
"""Rows to predict, read as the columns of fit."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ramify import _core
from ramify.schema import Schema

__all__ = ["read_rows"]


def read_rows(
    X: Any, schema: Schema, *, unseen: str, missing_error: bool, owner: str
) -> tuple[NDArray[Any], bool]:
    """Check X against what was learnt; give a float matrix, and if it has gaps."""
    matrix = schema.matrix(X, unseen=unseen, missing_error=missing_error, owner=owner)
    has_missing, row, column = _core.inspect(matrix)
    if row >= 0:
        raise ValueError(
            f"Input X contains infinity: {schema.label(column)} is "
            f"{matrix[row, column]} in row {row}; use NaN for a missing value, or "
            "a large finite number"
        )
    return matrix, has_missing
