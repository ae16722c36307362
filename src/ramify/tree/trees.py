# SPDX-License-Identifier: BSD-3-Clause
"""Many trees that are asked together, by blocks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.tree.tree import Tree

__all__ = ["Trees"]

Floats = NDArray[np.float64]


class Trees:
    """The trees of a forest, laid out for prediction when they are first asked.

    Parameters
    ----------
    trees : sequence of Tree
        Grown on the same columns and classes.

    Examples
    --------
    >>> import numpy as np, ramify
    >>> from ramify.tree.trees import Trees
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), [0, 1, 1]
    >>> tree = ramify.DecisionTreeClassifier().fit(X, y).tree_
    >>> Trees([tree, tree]).apply(X).tolist()
    [[1, 1], [2, 2], [2, 2]]
    >>> Trees([tree, tree]).sum(X, [tree.value[:, 0]] * 2)
    array([[2., 0.],
           [0., 2.],
           [0., 2.]])
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = tuple(trees)
        self._forest: _core.Forest | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_forest": None}

    def __len__(self) -> int:
        return len(self.trees)

    def _core(self, X: NDArray[Any]) -> _core.Forest:
        n_features = self.trees[0].n_features
        if X.ndim != 2 or X.shape[1] != n_features:
            raise ValueError(
                f"X has shape {X.shape}; the trees were grown on {n_features} columns"
            )
        if self._forest is None:
            self._forest = _core.Forest(tuple(tree.walker() for tree in self.trees))
        return self._forest

    def apply(
        self, X: NDArray[Any], n_threads: int = 1, has_missing: bool = True
    ) -> NDArray[np.int64]:
        """Give the leaf of each row in each tree: (n_rows, n_trees)."""
        return self._core(X).apply(X, has_missing, n_threads)

    def sum(
        self,
        X: NDArray[Any],
        values: Sequence[Floats],
        *,
        n_votes: int = 0,
        skip: NDArray[np.bool_] | None = None,
        n_threads: int = 1,
        has_missing: bool = True,
    ) -> Floats:
        """Add what the leaves of each row are worth, over the trees.

        Parameters
        ----------
        X : ndarray of float32 or float64, of shape (n_rows, n_columns)
            Rows, as `Schema.matrix` gives them.
        values : sequence of ndarray
            For each tree, a line of numbers per node.
        n_votes : int, default=0
            If not 0, every tree adds no values but votes of 1: one for the largest
            value in each of so many equal parts of a line; the first of several.
        skip : ndarray of bool, of shape (n_trees, n_rows), optional
            Rows that a tree must not answer for, such as those it was grown on.
        n_threads : int, default=1
            Threads; the sums do not depend on them.
        has_missing : bool, default=True
            May be False, which is faster, if no value is NaN.

        Returns
        -------
        ndarray of shape (n_rows, n_values)
        """
        tables = [np.ascontiguousarray(table, dtype=np.float64) for table in values]
        mask = None if skip is None else np.ascontiguousarray(skip).view(np.uint8)
        return self._core(X).sum(X, has_missing, tables, n_votes, mask, n_threads)
