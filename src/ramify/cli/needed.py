# SPDX-License-Identifier: BSD-3-Clause
"""Which columns a model looks at, and what stands for one that it does not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.exports.origins import used_columns
from ramify.exports.reading import walk_of
from ramify.table.schema import ColumnInfo

__all__ = ["constant", "used_by"]


def used_by(tree: Any) -> set[str]:
    """Name the columns that some split looks at; all, if that cannot be told."""
    try:
        walk = walk_of(tree)
    except TypeError:  # one tree per class, or weighted votes
        return set(tree.schema_.names)
    return {walk.columns[j].name for j in used_columns(walk)}


def constant(info: ColumnInfo, n_rows: int) -> NDArray[Any]:
    """Return a column that stands for one that nobody looks at."""
    if not info.is_categorical:
        return np.zeros(n_rows)
    column = np.empty(n_rows, dtype=object)
    column[:] = info.categories[0] if info.categories else None
    return column
