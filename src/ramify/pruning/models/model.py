# SPDX-License-Identifier: BSD-3-Clause
"""A fitted model as those see it who make its tree smaller."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.validation.regression_target import (
    check_range,
    check_target_values,
)
from ramify.estimators.validation.target import check_weights, class_weights, codes_of
from ramify.pruning.nodes import Floats, Rows
from ramify.tree import Tree

__all__ = ["check_single", "costs_of", "is_numeric", "rows_of", "with_tree"]


def check_single(model: Any, what: str) -> None:
    """Refuse all but a fitted single tree."""
    if not hasattr(model, "_grow_pruned") or not hasattr(model, "prune"):
        name = type(model).__name__
        hint = "" if what == "shrink" else "; ramify.shrink takes forests, too"
        raise TypeError(
            f"ramify.{what} takes a fitted DecisionTreeClassifier, "
            f"DecisionTreeRegressor or ObliqueTreeClassifier, not {name}{hint}"
        )
    check_is_fitted(model)
    if model.tree_.lines is not None:
        raise TypeError(
            f"ramify.{what} takes trees with a value in each leaf, and "
            f"{type(model).__name__} has lines; "
            + (
                "fit it with ccp_alpha"
                if what == "prune"
                else "method='m5' prunes and smooths itself"
            )
        )


def is_numeric(model: Any) -> bool:
    """Return whether a model predicts numbers."""
    return isinstance(model, RegressorMixin)


def costs_of(model: Any) -> Floats | None:
    """Return the costs of errors, if they differ."""
    if model.cost_matrix is None or model.n_classes_ == 1:
        return None
    return np.asarray(model.cost_matrix, dtype=np.float64)


def rows_of(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Rows:
    """Read rows as the model's tree knows them; those without weight are no rows."""
    matrix, _ = model._prepare(X)
    X = np.ascontiguousarray(matrix, dtype=np.float64)
    if y is None:
        raise ValueError("X is given without y; give the target of every row")
    weight = check_weights(sample_weight, len(X))
    target: Any
    if is_numeric(model):
        target = check_target_values(y, len(X), type(model).__name__)
        check_range(target, None)
        if target.shape[1] != model.n_outputs_:
            raise ValueError(
                f"y has {target.shape[1]} outputs, the model {model.n_outputs_}"
            )
    else:
        target = codes_of(model, y)
        weight = class_weights(model.class_weight, y, weight)
    if len(target) != len(X):
        raise ValueError(f"X has {len(X)} rows and y has {len(target)}")
    rows = Rows(X, target, np.ones(len(X)) if weight is None else weight)
    return rows if weight is None else rows.some(weight > 0)


def with_tree(model: Any, tree: Tree, **changes: Any) -> Any:
    """Return a copy of a fitted model that has another tree; the model stays as it is.

    `changes` are parameters and attributes of the copy.
    """
    other = copy.copy(model)
    of_search = getattr(model, "_of_search", ())
    gone = ("_pruning", "n_rows_grown_", "n_rows_held_", "uplift_", "edits_")
    for name in (*gone, *of_search):
        other.__dict__.pop(name, None)
    other.tree_ = tree
    for name, value in changes.items():
        setattr(other, name, value)
    return other
