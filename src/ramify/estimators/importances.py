# SPDX-License-Identifier: BSD-3-Clause
"""How much columns matter to a forest: on training rows, and on rows not seen."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.honest import class_weights_by_node
from ramify.estimators.target import check_weights
from ramify.table import n_threads
from ramify.tree import Tree

__all__ = ["impurity", "out_of_bag"]

Floats = NDArray[np.float64]


def impurity(models: Sequence[Any]) -> Floats:
    """Average the importances of trees; those that are one leaf have none."""
    every = [model.feature_importances_ for model in models]
    total = np.sum(every, axis=0)
    return np.asarray(total / total.sum() if total.sum() > 0 else total)


def out_of_bag(
    forest: Any, kind: str, X: Any, y: Any, *, sample_weight: Any, n_repeats: Any
) -> Floats:
    """Average over the trees what the rows tell that each has not seen.

    Trees weigh as the rows they have not seen. "permutation" and "oob" as in
    `BaseForest.importances`.
    """
    if X is None or y is None:
        raise ValueError(
            f"kind={kind!r} needs rows that trees have not seen: pass the X and y of "
            "fit, as importances(kind, X, y)"
        )
    is_whole = isinstance(n_repeats, numbers.Integral) and not isinstance(
        n_repeats, bool
    )
    if not (is_whole and n_repeats >= 1):
        raise ValueError(
            f"n_repeats={n_repeats!r} is not allowed; use a whole number of at least 1"
        )
    matrix, _ = forest._prepare(X)
    seen = forest._seen_rows()
    n_rows = seen.shape[1]
    codes = _codes(forest, y)
    if len(matrix) != n_rows or len(codes) != n_rows:
        raise ValueError(
            f"X has {len(matrix)} rows and y {len(codes)}, but the forest was grown on "
            f"{n_rows}; pass the same rows, in the same order"
        )
    weight = check_weights(sample_weight, n_rows)
    weight = np.ones(n_rows) if weight is None else weight

    def of_tree(t: int) -> Floats:
        rows = np.flatnonzero(~seen[t] & (weight > 0))
        own = matrix[rows], codes[rows], weight[rows]
        tree = forest.estimators_[t].tree_
        if kind == "oob":
            return _raised_probability(tree, *own)
        rng = np.random.default_rng([forest._seed_of_fit, t, 2])
        best = forest.estimators_[t]._leaf_classes()
        return _lost_accuracy(tree, best, *own, rng=rng, n_repeats=n_repeats)

    with ThreadPoolExecutor(n_threads(forest.n_jobs)) as pool:
        sums = sum(pool.map(of_tree, range(len(seen))))
    total = ((~seen) * weight).sum()
    if total <= 0:
        raise ValueError("all trees have seen all rows; grow more trees")
    return np.asarray(sums / total)


def _codes(forest: Any, y: Any) -> NDArray[np.uint32]:
    """Give the codes of labels, one column per output."""
    labels = np.asarray(y)
    labels = labels.reshape(len(labels), -1)
    classes = forest.classes_ if forest.n_outputs_ > 1 else [forest.classes_]
    if labels.shape[1] != len(classes):
        raise ValueError(f"y has {labels.shape[1]} outputs, the forest {len(classes)}")
    columns = []
    for j, known in enumerate(classes):
        place = np.searchsorted(known, labels[:, j]).clip(max=len(known) - 1)
        wrong = known[place] != labels[:, j]
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"y has the label {labels[row, j]!r} in row {row}, which did not occur "
                "in fit"
            )
        columns.append(place.astype(np.uint32))
    return np.column_stack(columns)


def _raised_probability(
    tree: Tree, matrix: NDArray[Any], codes: NDArray[np.uint32], weight: Floats
) -> Floats:
    """Sum, per column, what its splits add to the probability of the true class.

    Li, Wang, Basu, Kumbier, Yu (2019), A Debiased MDI Feature Importance Measure for
    Random Forests, equation 10: a node changes the prediction by its shares minus those
    of its parent, and the column that the parent tests takes the credit.
    """
    worth = np.zeros(tree.n_features)
    if tree.node_count == 1 or len(matrix) == 0:
        return worth
    sums = class_weights_by_node(tree, tree.apply(matrix), codes, weight)
    parent = tree.parents()[1:]
    change = tree.value[1:] - tree.value[parent]
    gained = (sums[1:] * change).sum(axis=(1, 2)) / tree.n_outputs
    return np.bincount(
        tree.feature[parent], weights=gained, minlength=tree.n_features
    ).astype(np.float64)


def _lost_accuracy(
    tree: Tree,
    best: NDArray[np.intp],
    matrix: NDArray[Any],
    codes: NDArray[np.uint32],
    weight: Floats,
    *,
    rng: np.random.Generator,
    n_repeats: int,
) -> Floats:
    """Sum, per column, the weight of rows that are right only while it is in order."""
    worth = np.zeros(tree.n_features)
    if tree.node_count == 1 or len(matrix) == 0:
        return worth

    def weight_right() -> float:
        right = (best[tree.apply(matrix)] == codes).mean(axis=1)
        return float((right * weight).sum())

    before = weight_right()
    for column in np.unique(tree.feature[tree.feature >= 0]):
        values = matrix[:, column].copy()
        for _ in range(n_repeats):
            matrix[:, column] = rng.permutation(values)
            worth[column] += (before - weight_right()) / n_repeats
        matrix[:, column] = values
    return worth
