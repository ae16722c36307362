# SPDX-License-Identifier: BSD-3-Clause
"""Columns as fit knows them, and rows to predict, read as these."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.table import Table, decoded
from ramify.table.schema import Schema, chosen_columns

__all__ = [
    "check_categorical",
    "forget_calibration",
    "forget_fit",
    "is_ready",
    "matrix_of",
    "read_rows",
    "remember_columns",
    "seen_columns",
]


def check_categorical(chosen: Any, schema: Schema) -> None:
    """Refuse a wish for other categorical columns than a Table has."""
    if isinstance(chosen, str) and chosen == "from_dtype":
        return
    names = schema.names if schema.has_names else None
    wanted = chosen_columns(chosen, names, schema.n_columns)
    for j, column in enumerate(schema.columns):
        if column.is_categorical is not wanted[j]:
            raise ValueError(
                f"categorical_features={chosen!r}, but X is a Table in which "
                f"{schema.label(j)} is {column.kind}; give the Table the same "
                "categorical_features"
            )


def seen_columns(
    table: Table, rows: NDArray[np.uint32] | None
) -> tuple[Schema, dict[int, NDArray[np.int64]]]:
    """Return the schema of the rows used, and new codes for their categories.

    A view of a table may lack some categories of the whole: those are unseen.
    """
    categorical = [j for j, c in enumerate(table.schema.columns) if c.categories]
    if rows is None or not categorical:
        return table.schema, {}
    return table.schema.restricted(
        {j: np.unique(table.core.codes(j)[rows]) for j in categorical}
    )


def matrix_of(
    table: Table,
    rows: NDArray[np.uint32] | None,
    renumber: dict[int, NDArray[np.int64]],
) -> NDArray[np.float64]:
    """Return rows of a table as numbers, categories by the codes of `seen_columns`.

    Of a bin, the lowest value.
    """
    return decoded(table.core, rows, renumber)


def forget_calibration(model: Any) -> None:
    """Remove what rows that were not fitted have taught of an earlier fit."""
    for fact in ("calibration_", "_calibrated", "_calibration_rows", "leaf_rows_"):
        model.__dict__.pop(fact, None)


def forget_fit(model: Any) -> None:
    """Remove what only some fits leave, such as one that pruned or read a stream."""
    pruned = ("_pruning", "n_rows_grown_", "n_rows_held_", "shrunk_")
    for fact in (*pruned, "bins_", "fit_info_", "edits_"):
        model.__dict__.pop(fact, None)
    forget_calibration(model)


def remember_columns(model: Any, names: list[str] | None, n_columns: int) -> None:
    """Set the attributes that say which columns a model knows."""
    model.n_features_in_ = n_columns
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_


def is_ready(X: Any, schema: Schema) -> bool:
    """Return whether X is a matrix of floats that can be used as it is."""
    return (
        isinstance(X, np.ndarray)
        and X.ndim == 2
        and X.shape[1] == schema.n_columns
        and X.dtype in (np.float64, np.float32)
    )


def read_rows(
    X: Any, schema: Schema, *, unseen: str, missing_error: bool, owner: str
) -> tuple[NDArray[Any], bool]:
    """Check X against what was learnt; return floats, and if some miss."""
    matrix = schema.matrix(X, unseen=unseen, missing_error=missing_error, owner=owner)
    has_missing, row, column = _core.inspect(matrix)
    if row >= 0:
        raise ValueError(
            f"Input X contains infinity: {schema.label(column)} is "
            f"{matrix[row, column]} in row {row}; use NaN for a missing value, or "
            "a large finite number"
        )
    return matrix, has_missing
