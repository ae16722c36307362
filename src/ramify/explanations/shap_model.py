# SPDX-License-Identifier: BSD-3-Clause
"""Models as `shap.TreeExplainer` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.explanations.scores import Scores
from ramify.tree import Tree

__all__ = ["to_shap"]

_WHAT = {
    Tree.CATEGORIES: "lists categories",
    Tree.INTERVALS: "has intervals",
    Tree.HYPERPLANE: "is a hyperplane",
}


def to_shap(model: Any) -> dict[str, Any]:
    """Return a model whose nodes are thresholds in the form `shap.TreeExplainer` takes.

    Its values are those of ``ramify.explain(model, X)``, which takes every model and is
    faster. Where a path tests whether a value is missing, the threshold becomes the
    largest finite number.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of Ramify without categories, intervals,
        hyperplanes and ``missing="fractional"``.

    Returns
    -------
    dict

    Examples
    --------
    >>> import ramify
    >>> X, y = [[1.0], [2.0], [4.0]], [5.0, 5.0, 8.0]
    >>> tree = ramify.DecisionTreeRegressor().fit(X, y)
    >>> given = ramify.to_shap(tree)
    >>> given["trees"][0]["thresholds"]
    array([ 3., -2., -2.])
    """
    scores = Scores.from_model(model, "to_shap")
    for number, tree in enumerate(scores.trees):
        _refuse(tree, number, len(scores.trees))
    trees = []
    for tree, table, first in zip(
        scores.trees, scores.tables, scores.first, strict=True
    ):
        values = np.zeros((tree.node_count, scores.n_scores))
        values[:, first : first + table.shape[1]] = table / scores.divide
        trees.append(
            {
                "children_left": tree.children_left.copy(),
                "children_right": tree.children_right.copy(),
                "children_default": _default_children(tree),
                "features": tree.feature.copy(),
                "thresholds": np.minimum(tree.threshold, np.finfo(np.float64).max),
                "values": values,
                "node_sample_weight": tree.weighted_n_node_samples.copy(),
            }
        )
    start = scores.start
    return {
        "trees": trees,
        "base_offset": float(start[0]) if scores.n_scores == 1 else start.copy(),
        "tree_output": "raw_value",
        "objective": None,
        "internal_dtype": np.float64,
        "input_dtype": np.float64,
    }


def _default_children(tree: Tree) -> NDArray[np.int64]:
    """Return the child of rows without a value."""
    goes_left = tree.missing_branch == 0
    return np.where(goes_left, tree.children_left, tree.children_right)


def _refuse(tree: Tree, number: int, n_trees: int) -> None:
    """Say which node shap cannot hold."""
    if tree.lines is not None:
        raise ValueError(
            "shap has a value in each leaf, but the leaves of a model tree have lines; "
            "use ramify.explain(model, X, background), which takes them"
        )
    where = "" if n_trees == 1 else f" of tree {number}"
    odd = np.flatnonzero(tree.kind != Tree.THRESHOLD)
    if len(odd):
        what = _WHAT[int(tree.kind[odd[0]])]
    elif tree.is_fractional:
        odd = np.flatnonzero(tree.missing_branch < 0)
        what = "sends missing values down every branch"
    else:
        return
    raise ValueError(
        f"shap has thresholds only, but node {odd[0]}{where} {what}; use "
        "ramify.explain(model, X), which takes it"
    )
