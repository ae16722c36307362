# SPDX-License-Identifier: BSD-3-Clause
"""One tree and one row: what `explain_path` and `counterfactual` look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.table import ColumnInfo, RawColumns
from ramify.tree import Tree
from ramify.tree.conditions import columns_of
from ramify.tree.inspect import is_regressor, number_text, predicted_classes

__all__ = ["OneTree"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OneTree:
    """A fitted tree that predicts one thing, and its columns."""

    model: Any
    tree: Tree
    columns: Sequence[ColumnInfo]

    @classmethod
    def from_model(
        cls, model: Any, who: str, feature_names: Sequence[str] | None
    ) -> OneTree:
        """Check that the model is one tree; `who` is the caller, for errors."""
        found = getattr(model, "best_estimator_", model)
        if not (hasattr(found, "tree_") and hasattr(found, "schema_")):
            several = getattr(found, "estimators_", None)
            if several is not None or hasattr(found, "sum_"):
                raise TypeError(
                    f"{who}() takes one tree, and {type(model).__name__} has several; "
                    "pass one of its estimators_, or use ramify.explanations"
                )
            raise TypeError(f"{who}() takes a fitted tree of Ramify, not {model!r}")
        if found.tree_.n_outputs > 1:
            raise ValueError(
                f"{who}() takes a tree that predicts one thing, and this one predicts "
                f"{found.tree_.n_outputs}; fit one tree for the output to explain"
            )
        return cls(found, found.tree_, columns_of(found, feature_names))

    # --- rows --------------------------------------------------------------------

    def read(self, row: Any) -> Floats:
        """Read one row: a dict or Series, a list, or a table of one row."""
        if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a Series
            row = dict(row.to_dict())
        if isinstance(row, Mapping):
            return self._read_values(self._in_order(row))
        is_flat = isinstance(row, (list, tuple)) and not (
            len(row) == 1 and isinstance(row[0], (list, tuple))
        )
        if is_flat or (isinstance(row, np.ndarray) and row.ndim == 1):
            values = list(row)
            if len(values) != len(self.columns):
                raise ValueError(
                    f"row has {len(values)} values; the tree was fitted on "
                    f"{len(self.columns)} columns"
                )
            return self._read_values(values)
        matrix = np.asarray(self.model._prepare(row)[0], dtype=np.float64)
        if len(matrix) != 1:
            raise ValueError(f"row has {len(matrix)} rows; pass one")
        return np.asarray(matrix[0])

    def _in_order(self, row: Mapping[Any, Any]) -> list[Any]:
        names = self.model.schema_.names
        lacking = [name for name in names if name not in row]
        extra = [name for name in row if name not in names]
        if lacking or extra:
            problems = [f"it lacks {lacking[0]!r}"] if lacking else []
            problems += [f"it has {extra[0]!r} besides"] if extra else []
            raise ValueError(
                f"row does not have the columns of the tree: {' and '.join(problems)}; "
                f"the columns are {', '.join(map(repr, names[:8]))}"
                f"{', ...' if len(names) > 8 else ''}"
            )
        return [row[name] for name in names]

    def _read_values(self, values: Sequence[Any]) -> Floats:
        schema = self.model.schema_
        columns = []
        for value, info in zip(values, schema.columns, strict=True):
            if info.is_categorical:
                one = np.empty(1, dtype=object)
                one[0] = None if _is_missing(value) else value
            else:
                one = np.array([_number(value, info.name)])
            columns.append(one)
        names = schema.names if schema.has_names else None
        X = RawColumns(columns, names, (1, len(columns)))
        return np.asarray(self.model._prepare(X)[0][0], dtype=np.float64)

    def value(self, j: int, x: float) -> Any:
        """Return a value of a column as people write it; None if it is missing."""
        if np.isnan(x):
            return None
        info = self.columns[j]
        if not info.is_categorical:
            return float(x)
        return info.categories[int(x)] if x >= 0 else "(unseen)"

    # --- answers -----------------------------------------------------------------

    @property
    def has_classes(self) -> bool:
        """Whether classes are predicted, and not numbers."""
        return not is_regressor(self.model)

    def answers(self) -> NDArray[Any]:
        """Return what each node predicts: the place of its class, or its number."""
        if self.has_classes:
            return predicted_classes(self.model)[:, 0]
        return np.asarray(self.tree.value[:, 0, 0])

    def label(self, answer: Any) -> Any:
        """Return the class of a place; a number stays as it is."""
        if not self.has_classes:
            return float(answer)
        return self.model.classes_[int(answer)].item()

    def predict(self, matrix: Floats) -> NDArray[Any]:
        """Return what the model predicts for rows as they are read."""
        tree = self.tree
        if tree.lines is not None:
            return tree.on_lines(matrix)[:, 0]
        if not tree.is_fractional:
            return self.answers()[tree.apply(matrix)]
        mean = tree.average(matrix, tree.value).reshape(len(matrix), 1, -1)
        if self.has_classes:
            return np.asarray(self.model._best_classes(mean))[:, 0]
        return np.asarray(mean[:, 0, 0])

    def text(self, answer: Any) -> str:
        """Write an answer."""
        label = self.label(answer)
        return str(label) if self.has_classes else number_text(label)


def _is_missing(value: Any) -> bool:
    """Return whether a single value stands for none."""
    return value is None or bool(np.ndim(value) == 0 and value != value)


def _number(value: Any, name: str) -> float:
    try:
        number = np.nan if value is None else float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"column {name!r} of the row is {value!r}, not a number; pass a number, "
            "or None where it is missing"
        ) from None
    if np.isinf(number):
        raise ValueError(
            f"column {name!r} of the row is {number}; pass a finite number, or None "
            "where it is missing"
        )
    return number
