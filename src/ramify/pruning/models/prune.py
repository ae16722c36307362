# SPDX-License-Identifier: BSD-3-Clause
"""Pruning of trees that are fitted."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import clone

from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.tree.pruned_fit import stored_impurity
from ramify.pruning.models.model import (
    check_single,
    costs_of,
    is_numeric,
    refuse_survival,
    rows_of,
    with_tree,
)
from ramify.pruning.pruned import check_defined, nodes_of, prune_tree
from ramify.pruning.settings import settings_of

__all__ = ["prune"]


def prune(
    model: Any,
    method: str,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    **params: Any,
) -> Any:
    """Return a smaller tree; the model stays as it is.

    Parameters
    ----------
    model : DecisionTreeClassifier, DecisionTreeRegressor or ObliqueTreeClassifier
        A fitted tree. Of `OneVsRestTreeClassifier` every tree is pruned.
    method : str
        "ccp" (a price for each leaf: one of `alpha`, `cp`, `n_leaves`), "ccp_cv" (the
        price chosen by cross-validation; grows anew), "rep" (by held-out rows),
        "pep", "ebp", "mep" (pessimistic, error-based and minimum expected errors),
        "cvp" (critical values of the tests), "mdl" (description length) or "km"
        (experimental). With its default m=2 "mep" hardly prunes, "mdl" prunes small
        tables hard. For AUC rather do not prune: use ``laplace=True`` or `shrink`.
    X, y : table and target, optional
        Rows. "rep" prunes by them: give rows that the tree has not seen. "ccp_cv",
        "mdl", "km" and "ebp" (unless ``raising=False``) need the training rows; the
        others look at counts only.
    sample_weight : array, optional
        Weights of the rows; for all but "rep" those of the fit.
    **params
        Parameters of the method, as in `prune_params`.

    Returns
    -------
    estimator
        Fitted, with `prune` and `prune_params` set, its `tree_` pruned.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ramify.DecisionTreeClassifier().fit(X, y)
    >>> small = ramify.prune(tree, "ccp", n_leaves=3)
    >>> tree.get_n_leaves(), small.get_n_leaves()
    (9, 3)
    >>> ramify.prune(tree, "ebp", X, y, cf=0.1).get_n_leaves()
    7
    """
    if isinstance(model, OneVsRestTreeClassifier) and hasattr(model, "estimators_"):
        return _each_pruned(model, method, X, y, sample_weight, params)
    check_single(model, "prune")
    if method != "ccp":
        refuse_survival(model, f"prune(method={method!r})")
    settings = settings_of(method, params)
    if model.ccp_alpha > 0:
        raise ValueError(
            f"the model has ccp_alpha={model.ccp_alpha!r}, which cannot be used with "
            f"method={method!r}; fit it with ccp_alpha=0.0"
        )
    tree = model.tree_
    is_cv = method == "ccp_cv" or settings.get("critical") == "cv"
    check_defined(
        method,
        settings,
        is_numeric=is_numeric(model),
        n_outputs=tree.n_outputs,
        has_costs=costs_of(model) is not None,
    )
    if is_cv:
        if X is None:
            raise ValueError(
                f"method={method!r} grows trees on folds of the training rows: give X "
                "and y"
            )
        other = clone(model).set_params(prune=method, prune_params=params or None)
        return other.fit(X, y, sample_weight=sample_weight)
    if settings.get("refit") == "grow":
        raise ValueError(
            "refit='grow' needs the rows that the tree was grown on; fit with "
            "prune='rep', or use refit='values' or 'none'"
        )
    rows = None if X is None else rows_of(model, X, y, sample_weight).sorted()
    is_training = method != "rep"
    nodes = nodes_of(
        tree,
        settings,
        is_numeric=is_numeric(model),
        costs=costs_of(model),
        rows=rows if is_training else None,
        is_multiway=model.categories.startswith("multiway"),
    )
    outcome = prune_tree(nodes, method, settings, rows, stored_impurity(model))
    attributes = {} if rows is None or is_training else {"n_rows_held_": len(rows)}
    return with_tree(
        model,
        outcome.tree,
        prune=method,
        prune_params=params or None,
        _pruning=outcome.path,
        **attributes,
    )


def _each_pruned(
    model: Any, method: str, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]
) -> Any:
    """Prune the tree of every class alone."""
    trees = model.estimators_
    targets = [y] * len(trees)
    if y is not None and len(trees) > 1:
        labels = np.asarray(y)
        targets = [labels == label for label in model.classes_]
    other = copy.copy(model)
    other.estimators_ = [
        prune(tree, method, X, target, sample_weight, **params)
        for tree, target in zip(trees, targets, strict=True)
    ]
    return other
