# SPDX-License-Identifier: BSD-3-Clause
"""Which columns a model looks at, and what stands for one that it does not."""

from datetime import datetime
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.exports.origins import used_columns
from ramify.exports.reading import walk_of
from ramify.table.schema import ColumnInfo

__all__ = ["constant", "fill_unused", "used_by"]


def fill_unused(model: Any, X: Any) -> Any:
    """Return a data frame with the columns that `predict` of a model needs.

    Columns that no split looks at may be absent from `X`: they are filled with a
    constant, which changes no prediction. Columns that the model does not know, such as
    the target, are left out.

    Parameters
    ----------
    model : estimator
        Fitted on a data frame, or on rows with names.
    X : data frame of pandas, polars or Arrow
        With all columns that the model uses.

    Returns
    -------
    data frame
        Of the same kind.

    Examples
    --------
    >>> import pandas as pd
    >>> import ramify
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "id": [7, 5, 8, 6]})
    >>> tree = ramify.DecisionTreeClassifier().fit(X, ["no", "no", "yes", "yes"])
    >>> tree.predict(ramify.fill_unused(tree, X[["age"]])).tolist()
    ['no', 'no', 'yes', 'yes']
    """
    schema = model.schema_
    frame = nw.from_native(X, eager_only=True)
    missing = [name for name in schema.names if name not in frame.columns]
    lacking = sorted(used_by(model).intersection(missing)) if missing else []
    if lacking:
        raise ValueError(
            f"X lacks {', '.join(map(repr, lacking))}, which the model uses; it can do "
            "without columns that no split looks at only"
        )
    added = [
        nw.lit(_stand_in(info)).alias(info.name)
        for info in schema.columns
        if info.name in missing
    ]
    return nw.to_native(frame.with_columns(*added).select(*schema.names))


def _stand_in(info: ColumnInfo) -> Any:
    """Return a value that a column had in fit, or could have had."""
    if info.times:
        return datetime(1970, 1, 1)
    if info.is_categorical:
        return info.categories[0] if info.categories else None
    return 0.0


def used_by(tree: Any) -> set[str]:
    """Name the columns that some split looks at; all, if that is unknown."""
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
