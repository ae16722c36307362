# SPDX-License-Identifier: BSD-3-Clause
"""Many trees that predict together, by blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.tree.tree import Tree

__all__ = ["Trees"]

Floats = NDArray[np.float64]


_MAX_KEPT = 4  # tables: shares, votes, weights ...


class Trees:
    """The trees of a model, laid out when they first predict.

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
    >>> trees = Trees([tree, tree])
    >>> trees.apply(X).tolist()
    [[1, 1], [2, 2], [2, 2]]
    >>> shares = trees.answers("shares", lambda: [tree.value] * 2)
    >>> trees.sum(X, shares)
    array([[2., 0.],
           [0., 2.],
           [0., 2.]])
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = list(trees)
        self._predictor: _core.Predictor | None = None
        self._answers: dict[Hashable, _core.Answers] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_predictor": None, "_answers": {}}

    def __len__(self) -> int:
        return len(self.trees)

    def predictor(self) -> _core.Predictor:
        """Return the trees laid out for prediction; made once."""
        if self._predictor is None:
            self._predictor = _core.Predictor([tree.walked() for tree in self.trees])
        return self._predictor

    def apply(
        self, X: NDArray[Any], n_threads: int = 1, has_missing: bool = True
    ) -> NDArray[np.int64]:
        """Return the leaf of each row in each tree: (n_rows, n_trees)."""
        self._check(X)
        return self.predictor().apply(X, has_missing, n_threads)

    def answers(
        self,
        key: Hashable,
        tables: Callable[[], Sequence[Floats]],
        *,
        n_votes: int = 0,
        n_parts: int = 1,
    ) -> _core.Answers:
        """Return what leaves are worth, laid out to be added up; made once per key.

        Parameters
        ----------
        key : hashable
            Stands for the tables and the numbers below. "numbers" are those that the
            trees predict: to these the lines of model trees are added.
        tables : callable
            Gives, for each tree, a line of numbers per node: of any shape whose first
            axis is that of nodes.
        n_votes : int, default=0
            If not 0, every tree adds no values but votes of 1: one for the largest
            value in each of so many equal parts of a line; the first of several.
        n_parts : int, default=1
            Tree i adds to part ``i % n_parts`` of the sums.
        """
        found = self._answers.get(key)
        if found is None:
            lines = [
                np.ascontiguousarray(table, dtype=np.float64).reshape(len(table), -1)
                for table in tables()
            ]
            found = _core.Answers(
                self.predictor(), lines, n_votes, n_parts, self._lines(key)
            )
            if len(self._answers) >= _MAX_KEPT:
                self._answers.clear()
            self._answers[key] = found
        return found

    def _lines(self, key: Hashable) -> list[dict[str, Any]] | None:
        """Return the lines of model trees, where the numbers they predict are added."""
        if key != "numbers" or self.trees[0].lines is None:
            return None
        return [tree.lines.arrays() for tree in self.trees if tree.lines is not None]

    def sum(
        self,
        X: NDArray[Any],
        answers: _core.Answers,
        *,
        skip: NDArray[np.bool_] | None = None,
        n_threads: int = 1,
        has_missing: bool = True,
    ) -> Floats:
        """Add what the leaves of each row are worth, over the trees.

        Parameters
        ----------
        X : ndarray of float32 or float64, of shape (n_rows, n_columns)
            Rows, as `Schema.matrix` gives them.
        answers : Answers
            Of these trees.
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
        self._check(X)
        mask = None if skip is None else np.ascontiguousarray(skip).view(np.uint8)
        sums = np.zeros((len(X), answers.width))
        answers.add(X, has_missing, sums, 0, len(self.trees), mask, n_threads)
        return sums

    def _check(self, X: NDArray[Any]) -> None:
        n_features = self.trees[0].n_features
        if X.ndim != 2 or X.shape[1] != n_features:
            raise ValueError(
                f"X has shape {X.shape}; the trees were grown on {n_features} columns"
            )
