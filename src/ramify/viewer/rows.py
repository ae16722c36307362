# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a table as a fitted model sees them, and which nodes they pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.tree import Tree

__all__ = ["Passage", "labels_of", "matrix_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Passage:
    """Rows of a prediction matrix on their way through a tree.

    Where missing values go down every branch, the heaviest is followed.
    """

    tree: Tree
    matrix: Floats
    categorical: frozenset[int] = frozenset()  # columns that hold codes

    @cached_property
    def leaves(self) -> Ints:
        """The leaf of each row."""
        return self.tree.apply(self.matrix)

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.leaves, kind="stable")

    @cached_property
    def ends(self) -> Ints:
        """Where the branch of each node ends in the preorder."""
        end = np.arange(1, self.tree.node_count + 1)
        parent = self.tree.parents()
        for i in range(len(end) - 1, 0, -1):
            end[parent[i]] = max(end[parent[i]], end[i])
        return end

    @cached_property
    def _bounds(self) -> tuple[Ints, Ints]:
        ordered = self.leaves[self._order]
        first = np.searchsorted(ordered, np.arange(self.tree.node_count))
        return first, np.searchsorted(ordered, self.ends)

    def at(self, node: int) -> Ints:
        """Return the rows that pass a node: those of the leaves of its branch."""
        first, end = self._bounds
        return self._order[first[node] : end[node]]

    @cached_property
    def n_rows(self) -> Ints:
        """How many rows pass each node."""
        first, end = self._bounds
        return end - first


def matrix_of(model: Any, X: Any) -> Floats:
    """Read X as the model does: numbers, codes of categories, -1 for unseen ones."""
    unseen = getattr(model, "unseen", "heavier")
    matrix = model.schema_.matrix(
        X, unseen="heavier" if unseen == "error" else unseen, owner=_name(model)
    )
    if len(matrix) == 0:
        raise ValueError("X has no rows; give at least one, or leave X and y out")
    return np.asarray(matrix, dtype=np.float64)


def labels_of(model: Any, y: Any, n_rows: int, output: int) -> Floats | Ints:
    """Return the place of each label among the classes, or the numbers to predict."""
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] > output:
        values = values[:, output]
    if values.shape != (n_rows,):
        raise ValueError(
            f"y has shape {values.shape}; give one label for each of the {n_rows} rows "
            "of X"
        )
    classes = getattr(model, "classes_", None)
    if classes is None:
        numbers = np.asarray(values, dtype=np.float64)
        if not np.isfinite(numbers).all():
            row = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise ValueError(
                f"y is {numbers[row]} in row {row}; give finite numbers, and leave out "
                "rows without one"
            )
        return numbers
    own = classes[output] if model.tree_.n_outputs > 1 else classes
    place = {label: k for k, label in enumerate(np.asarray(own).tolist())}
    plain = values.tolist()
    codes = [place.get(label, -1) for label in plain]
    if -1 in codes:
        raise ValueError(
            f"y has the label {plain[codes.index(-1)]!r}, which fit has not seen; the "
            f"model knows {', '.join(map(repr, list(place)[:10]))}"
            f"{', ...' if len(place) > 10 else ''}"
        )
    return np.array(codes, dtype=np.int64)


def _name(model: Any) -> str:
    return type(model).__name__
