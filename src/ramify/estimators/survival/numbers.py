# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees and forests as regressors: one number, or a few, for each leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.forest import RandomForestRegressor
from ramify.estimators.tree import DecisionTreeRegressor
from ramify.tree import Tree
from ramify.tree.outlook import leaf_outlooks

__all__ = ["as_regressor"]

Floats = NDArray[np.float64]
_SORTS = ("survival", "hazard", "rmst")
# Parameters that say how rows are read, which a regressor has, too.
_OF_ROWS = ("missing", "unseen", "n_jobs", "categorical_features")


def as_regressor(model: Any, output: Any = "risk") -> Any:
    """Return a regressor that predicts a number of a survival tree or forest.

    Parameters
    ----------
    model : estimator
        A fitted survival tree, or a forest of them.
    output : str or tuple
        As of ``SurvivalTree.as_regressor``.

    Returns
    -------
    DecisionTreeRegressor or RandomForestRegressor
    """
    sort, times = _checked(output)
    if hasattr(model, "tree_"):
        return _of_tree(model, model.tree_, sort, times)
    made = RandomForestRegressor(n_estimators=len(model.estimators_))
    _take_over(made, model)
    made.estimators_ = [
        _of_tree(member, member.tree_, sort, times) for member in model.estimators_
    ]
    made.max_features_ = made.estimators_[0].max_features_
    made.n_outputs_ = made.estimators_[0].n_outputs_
    made._set_trees()
    return made


def _of_tree(model: Any, tree: Tree, sort: str, times: Floats) -> Any:
    made = DecisionTreeRegressor()
    _take_over(made, model)
    numbers = _with_inner_nodes(tree, _of_leaves(tree, sort, times))
    arrays = {**tree.arrays(), "value": numbers[:, :, None]}
    made.tree_ = Tree(arrays, tree.n_features, [1] * numbers.shape[1])
    made.n_outputs_ = numbers.shape[1]
    made.max_features_ = getattr(model, "max_features_", tree.n_features)
    return made


def _take_over(made: Any, model: Any) -> None:
    """Let a regressor read rows as the model does."""
    known = made.get_params(deep=False)
    given = model.get_params(deep=False)
    made.set_params(**{k: given[k] for k in _OF_ROWS if k in known and k in given})
    for name in ("schema_", "n_features_in_", "feature_names_in_", "file_"):
        if hasattr(model, name):
            setattr(made, name, getattr(model, name))


def _of_leaves(tree: Tree, sort: str, times: Floats) -> Floats:
    """Return the numbers of each leaf, in the order of the nodes."""
    is_leaf = tree.children_left < 0
    if sort == "risk":
        return np.asarray(tree.values()[is_leaf, :1, 0])
    assert tree.curves is not None
    if sort == "rmst":
        outlooks = leaf_outlooks(tree)
        return np.array([[one.rmst(tau) for tau in times] for one in outlooks])
    return tree.curves.values(sort, times)


def _with_inner_nodes(tree: Tree, of_leaves: Floats) -> Floats:
    """Add the means of the leaves below each inner node, by their weight."""
    is_leaf = tree.children_left < 0
    weight = np.where(is_leaf, tree.weighted_n_node_samples, 0.0)
    sums = np.zeros((tree.node_count, of_leaves.shape[1]))
    sums[is_leaf] = of_leaves * weight[is_leaf, None]
    parent = tree.parents()
    for node in range(tree.node_count - 1, 0, -1):  # in preorder
        sums[parent[node]] += sums[node]
        weight[parent[node]] += weight[node]
    found: Floats = sums / weight[:, None]
    found[is_leaf] = of_leaves  # no rounding
    return found


def _checked(output: Any) -> tuple[str, Floats]:
    """Read what is asked for; refuse what is none."""
    if output == "risk" or output is None:
        return "risk", np.zeros(0)
    is_pair = isinstance(output, (tuple, list)) and len(output) == 2
    if not is_pair or output[0] not in _SORTS:
        raise ValueError(
            f"output={output!r} is not allowed; use 'risk', ('survival', t), "
            "('hazard', t) or ('rmst', tau), with one time or several"
        )
    sort, given = output
    try:
        times = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        times = np.zeros(0)
    is_flat = times.ndim == 1 and len(times) > 0 and bool(np.isfinite(times).all())
    if not is_flat or (times < 0).any() or (np.diff(times) <= 0).any():
        raise ValueError(
            f"output={output!r} has no times; give one of at least 0, or several, "
            "ascending"
        )
    return sort, times
