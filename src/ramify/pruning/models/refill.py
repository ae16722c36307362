# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees and forests whose leaves are filled by rows that chose no split."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.forest.base import BaseForest
from ramify.estimators.forest.honest import class_weights_by_node, refilled
from ramify.estimators.validation.target import check_weights
from ramify.pruning.impurities import impurity_of
from ramify.pruning.models.model import check_single, rows_of, with_tree
from ramify.pruning.nodes import Rows
from ramify.tree import Tree
from ramify.tree.inspect import is_regressor

__all__ = ["refill"]


def refill(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    out_of_bag: bool = False,
) -> Any:
    """Return a model whose leaves say what other rows say; the tests stay.

    The rows that choose a tree's splits look purer in its leaves than new ones will.
    Rows that had no say give honest shares, and with them honest intervals:
    ``refill(tree, X, y).predict(rows, return_interval=0.95)``, and `Rule.interval`. A
    leaf that none of the rows reaches takes what the node above says, and its interval
    is 0 to 1. The model itself stays as it is.

    Parameters
    ----------
    model : tree or forest
        A fitted tree of classes, or a forest, whose trees are filled one by one.
    X, y, sample_weight : table, labels and weights
        Rows that were not in `fit`; with `out_of_bag` those of `fit`, in their order.
    out_of_bag : bool, default=False
        Fill each tree of a forest by the rows that its bootstrap left out.

    Returns
    -------
    estimator
        Fitted; in its trees ``n_node_samples`` and ``weighted_n_node_samples`` count
        the rows given here, too.

    Examples
    --------
    >>> import numpy as np, ramify
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 3)), rng.integers(2, size=400)  # nothing to learn
    >>> tree = ramify.DecisionTreeClassifier(max_leaf_nodes=8).fit(X[:200], y[:200])
    >>> honest = ramify.refill(tree, X[200:], y[200:])
    >>> tree.predict_proba(X).max(axis=1).mean() > 0.6
    np.True_
    >>> honest.predict_proba(X).max(axis=1).mean() < 0.58
    np.True_
    """
    is_forest = isinstance(model, BaseForest)
    if is_forest:
        check_is_fitted(model)
    else:
        check_single(model, "refill")
    if is_regressor(model):
        raise TypeError(
            f"ramify.refill takes trees of classes, not {type(model).__name__}; "
            "regression forests have honest="
        )
    if out_of_bag and not is_forest:
        raise ValueError(
            "out_of_bag=True is for forests: a single tree has seen all rows of fit; "
            "give rows that it has not seen"
        )
    given = _read(model, X, y, sample_weight)
    order = given.order()
    rows = given.some(order)
    if not is_forest:
        leaves = model.tree_.apply(rows.X)
        return with_tree(model, _filled(model, model.tree_, leaves, rows))
    every_leaf = model.apply(X)
    used = _used(len(every_leaf), sample_weight)[order]
    seen = _seen(model, len(every_leaf))[:, used] if out_of_bag else None
    every_leaf = every_leaf[used]
    forest = copy.copy(model)
    forest.estimators_ = []
    for t, member in enumerate(model.estimators_):
        own = np.ones(len(rows.X), bool) if seen is None else ~seen[t]
        tree = _filled(member, member.tree_, every_leaf[own, t], rows.some(own))
        forest.estimators_.append(with_tree(member, tree.packed()))
    for name in forest._OUT_OF_BAG:  # they were of the other leaves
        forest.__dict__.pop(name, None)
    forest._set_trees()
    return forest


def _read(model: Any, X: Any, y: Any, sample_weight: Any) -> Rows:
    """Read the rows with their classes, weighed as in fit."""
    if model.class_weight == "balanced_subsample":
        model = copy.copy(model)
        model.class_weight = "balanced"
    return rows_of(model, X, y, sample_weight)


def _used(n_rows: int, sample_weight: Any) -> NDArray[np.intp]:
    """Return the places of the rows that have weight."""
    weight = check_weights(sample_weight, n_rows)
    return np.arange(n_rows) if weight is None else np.flatnonzero(weight > 0)


def _seen(forest: Any, n_rows: int) -> NDArray[np.bool_]:
    """Mark the rows that each tree of a forest was grown on."""
    seen: NDArray[np.bool_] = forest._seen_rows()
    if n_rows != seen.shape[1]:
        raise ValueError(
            f"out_of_bag=True needs the {seen.shape[1]} rows of fit; X has {n_rows}"
        )
    return seen


def _filled(model: Any, tree: Tree, leaves: NDArray[np.int64], rows: Rows) -> Tree:
    """Return the tree with the shares and the sizes of other rows."""
    if tree.is_fractional:
        raise ValueError(
            "a tree with missing='fractional' sends rows down several branches and "
            "cannot be refilled; grow it with missing='both'"
        )
    if len(leaves) == 0:
        raise ValueError("there are no rows to fill the leaves with")
    sums = class_weights_by_node(tree, leaves, rows.target, rows.weight)
    total = sums.sum(axis=2, keepdims=True)
    shares = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
    filled = refilled(tree, shares, total[:, 0, 0])
    n_rows = class_weights_by_node(
        tree, leaves, np.zeros_like(rows.target), np.ones(len(leaves))
    )[:, 0, 0]
    impurity = impurity_of(str(model.criterion))
    arrays = {
        **filled.arrays(),
        "weighted_n_node_samples": total[:, 0, 0],
        "n_node_samples": n_rows.astype(np.int64),
        "impurity": np.array(
            [np.mean([impurity(each) for each in node]) for node in filled.value]
        ),
    }
    return Tree(arrays, tree.n_features, tree.n_classes.tolist())
