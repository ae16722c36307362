# SPDX-License-Identifier: BSD-3-Clause
"""What people hold, frames, arrays and tables with labels or numbers → a data set."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.datasets.dataset import Dataset
from ramify.datasets.names import listed
from ramify.messages import ask_or_stop
from ramify.survival.target import is_survival_target, read_survival_target
from ramify.table import Table

__all__ = ["from_objects"]


def from_objects(
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    name: str = "data",
    numeric_target: bool | None = None,
) -> Dataset:
    """Make a data set of a frame and its target, or of columns and labels.

    Parameters
    ----------
    data : data frame, array or Table
        The columns; of a frame, the target may be among them.
    y : array of shape (n_rows,), optional
        Labels or numbers, if they are not a column of the frame; or times to an event,
        as `ramify.survival.read_survival_target` reads them.
    target : str, optional
        The column of the frame that holds them.
    name : str
        What to call the data set.
    numeric_target : bool, optional
        Whether the target is numbers to learn. By default floats that are not all
        whole are, and all else are labels.

    Examples
    --------
    >>> import numpy as np
    >>> data = from_objects(np.array([[1.0], [2.0]]), ["a", "b"], name="mine")
    >>> data, data.target_names
    (Dataset('mine', n_rows=2, n_columns=1), ('a', 'b'))
    """
    if isinstance(y, str):
        y, target = None, y
    if y is None:
        data, y = _with_target(data, target, name)
    elif target is not None:
        raise ValueError(f"{name}: give y, or target={target!r}, not both.")
    table = data if isinstance(data, Table) else Table(data)
    if is_survival_target(y):
        return _of_times(table, y, name)
    labels = _labels(y, table.shape[0], name)
    if numeric_target is None:
        numeric_target = labels.dtype.kind == "f" and not _is_whole(labels)
    made = Dataset(
        name,
        columns_of(table),
        np.asarray(labels, dtype=np.float64) if numeric_target else _as_classes(labels),
        table.columns or [f"x{j}" for j in range(table.shape[1])],
        [] if numeric_target else list(map(str, np.unique(labels))),
        "Columns and labels given in Python.",
    )
    made.has_names = table.columns is not None
    return made


def _of_times(table: Table, y: Any, name: str) -> Dataset:
    target = read_survival_target(y, table.shape[0])
    made = Dataset(
        name,
        columns_of(table),
        target.to_structured(),
        table.columns or [f"x{j}" for j in range(table.shape[1])],
        [],
        "Columns and times given in Python.",
    )
    made.has_names = table.columns is not None
    return made


def columns_of(table: Table) -> list[NDArray[Any]]:
    """Return the columns of a table: numbers, or categories with None where missing."""
    columns = []
    for info, values in zip(table.schema.columns, table.to_numpy().T, strict=True):
        if not info.is_categorical:
            columns.append(values)
            continue
        known = np.empty(len(info.categories) + 1, dtype=object)
        known[:-1] = info.categories
        columns.append(known[np.where(np.isnan(values), -1, values).astype(np.intp)])
    return columns


def _with_target(data: Any, target: str | None, name: str) -> tuple[Any, Any]:
    """Take the target out of a frame."""
    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise ValueError(
            f"the labels of {name}, a {type(data).__name__}, are missing; give (X, y), "
            "or a data frame and target=, the name of its column of labels."
        )
    if target is None:
        raise ValueError(
            f"which column of {name} is the target? Name it by target=, such as "
            f"target={frame.columns[-1]!r}."
        )
    if target not in frame.columns:
        raise ValueError(
            f"{name} has no column {target!r} for the target"
            f"{ask_or_stop(target, frame.columns)} It has {listed(frame.columns)}."
        )
    return frame.drop(target).to_native(), frame[target].to_numpy()


def _labels(y: Any, n_rows: int, name: str) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"{name}: y has shape {labels.shape}; give one label or number per row, "
            "and ask for each column alone."
        )
    if len(labels) != n_rows:
        raise ValueError(f"{name}: X has {n_rows} rows and y has {len(labels)}.")
    for row, value in enumerate(labels.tolist()):
        if value is None or value != value:
            raise ValueError(
                f"{name}: the label of row {row} is missing; drop rows without one."
            )
    return labels


def _is_whole(values: NDArray[Any]) -> bool:
    return bool((values == np.round(values)).all())


def _as_classes(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels that sort: text, or whole numbers."""
    if labels.dtype.kind == "f":
        if not _is_whole(labels):
            raise ValueError(
                "the target holds numbers with fractions; task='regression' learns "
                "numbers."
            )
        return labels.astype(np.int64)
    if labels.dtype == object:
        kinds = {type(value) for value in labels.tolist()}
        return labels.astype(str) if str in kinds else np.array(labels.tolist())
    return labels
