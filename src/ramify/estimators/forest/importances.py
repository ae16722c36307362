# SPDX-License-Identifier: BSD-3-Clause
"""How much columns matter to a forest: on training rows, and on rows not seen."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.forest.honest import class_weights_by_node, number_sums_by_node
from ramify.estimators.validation.target import check_weights
from ramify.table import n_threads
from ramify.tree import Tree

__all__ = ["impurity", "out_of_bag", "raised_probability", "raised_product"]

Floats = NDArray[np.float64]


def impurity(models: Sequence[Any]) -> Floats:
    """Average the importances of trees; those that are one leaf have none."""
    every = [model.feature_importances_ for model in models]
    total = np.sum(every, axis=0)
    return np.asarray(total / total.sum() if total.sum() > 0 else total)


def out_of_bag(
    forest: Any, kind: str, X: Any, y: Any, *, sample_weight: Any, n_repeats: Any
) -> Floats:
    """Average over the trees what the rows show that each has not seen.

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
    if len(matrix) != n_rows or np.shape(y)[:1] != (n_rows,):
        raise ValueError(
            f"X has {len(matrix)} rows and y the shape {np.shape(y)}, but the forest "
            f"was grown on {n_rows} rows; pass the same rows, in the same order"
        )
    known = forest._known(y)
    weight = check_weights(sample_weight, n_rows)
    weight = np.ones(n_rows) if weight is None else weight

    def of_tree(t: int) -> Floats:
        rows = np.flatnonzero(~seen[t] & (weight > 0))
        model, own, heavy = forest.estimators_[t], known[rows], weight[rows]
        tree = model.tree_
        if tree.node_count == 1 or len(rows) == 0:
            return np.zeros(tree.n_features)
        if kind == "oob":
            leaves = tree.apply(matrix[rows])
            return by_column(tree, forest._raised(tree, leaves, own, heavy))
        rng = np.random.default_rng([forest._seed_of_fit, t, 2])

        def merit(leaves: NDArray[np.int64]) -> float:
            return float((forest._merit(model, leaves, own) * heavy).sum())

        return _lost_merit(tree, merit, matrix[rows], rng, n_repeats)

    with ThreadPoolExecutor(n_threads(forest.n_jobs)) as pool:
        sums = sum(pool.map(of_tree, range(len(seen))))
    total = ((~seen) * weight).sum()
    if total <= 0:
        raise ValueError("all trees have seen all rows; grow more trees")
    return np.asarray(sums / total)


def by_column(tree: Tree, raised: Floats) -> Floats:
    """Return the credit of nodes to the columns that their parents test."""
    parent = tree.parents()[1:]
    credit = np.bincount(
        tree.feature[parent], weights=raised, minlength=tree.n_features
    )
    return credit.astype(np.float64)


def raised_probability(
    tree: Tree, leaves: NDArray[np.int64], codes: NDArray[np.uint32], weight: Floats
) -> Floats:
    """Sum, per node but the root, what it adds to the probability of the true class.

    Li, Wang, Basu, Kumbier, Yu (2019), A Debiased MDI Feature Importance Measure for
    Random Forests, equation 10: a node changes the prediction by its shares minus those
    of its parent.
    """
    sums = class_weights_by_node(tree, leaves, codes, weight)
    change = tree.value[1:] - tree.value[tree.parents()[1:]]
    return np.asarray((sums[1:] * change).sum(axis=(1, 2)) / tree.n_outputs)


def raised_product(
    tree: Tree, leaves: NDArray[np.int64], numbers: Floats, weight: Floats
) -> Floats:
    """Sum, per node but the root, its change of the prediction times the true number.

    Li et al. (2019), equation 10. The change is from the mean of the parent's children,
    which is the parent's value unless leaves predict quantiles: so a split by noise is
    worth nothing in the mean. Numbers are taken from the value of the parent, so that
    what is added to all of them makes no difference.
    """
    total, sums = number_sums_by_node(tree, leaves, numbers, weight)
    parent, value = tree.parents()[1:], tree.value[:, :, 0]
    own = tree.weighted_n_node_samples[1:]
    children = np.zeros_like(value)
    np.add.at(children, parent, own[:, None] * value[1:])
    heavy = np.bincount(parent, weights=own, minlength=tree.node_count)
    change = value[1:] - children[parent] / heavy[parent, None]
    distance = sums[1:] - value[parent] * total[1:, None]
    return np.asarray((change * distance).mean(axis=1))


def _lost_merit(
    tree: Tree,
    merit: Callable[[NDArray[np.int64]], float],
    matrix: NDArray[Any],
    rng: np.random.Generator,
    n_repeats: int,
) -> Floats:
    """Give, per column, the merit that rows have only while it is in order."""
    worth = np.zeros(tree.n_features)
    before = merit(tree.apply(matrix))
    for column in np.unique(tree.feature[tree.feature >= 0]):
        values = matrix[:, column].copy()
        for _ in range(n_repeats):
            matrix[:, column] = rng.permutation(values)
            worth[column] += (before - merit(tree.apply(matrix))) / n_repeats
        matrix[:, column] = values
    return worth
