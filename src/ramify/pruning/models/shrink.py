# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees and forests whose nodes lean on those above them."""

from __future__ import annotations

import copy
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.forest.base import BaseForest
from ramify.estimators.tree.pruned_fit import seed_of
from ramify.estimators.validation.rules import is_real
from ramify.estimators.validation.target import check_weights
from ramify.pruning.folds import deal
from ramify.pruning.models.model import (
    check_single,
    is_numeric,
    refuse_survival,
    with_tree,
)
from ramify.pruning.nodes import Floats
from ramify.pruning.shrink import shrunk

__all__ = ["shrink"]

_REG_PARAMS = (0, 0.1, 1, 10, 50, 100, 500)


def shrink(
    model: Any,
    reg_param: float | str = 1.0,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    reg_params: Any = _REG_PARAMS,
    cv: Any = 5,
) -> Any:
    """Return a model whose leaves lean on the nodes above them; the tests stay.

    Hierarchical shrinkage (Agarwal et al. 2022): the difference of a node to its parent
    is divided by 1 + `reg_param` / (weight of the parent). The model itself stays as it
    is.

    Parameters
    ----------
    model : tree or forest
        A fitted tree, or a forest, whose trees are shrunk one by one.
    reg_param : float or "cv", default=1.0
        0 changes nothing, infinity makes every leaf say what the root says. "cv"
        chooses the value with the least Brier score (squared error for numbers) by
        cross-validation on X and y; of several the largest.
    X, y, sample_weight : table, target and weights, optional
        The training rows; for "cv" only.
    reg_params : list of float
        What "cv" tries.
    cv : int, splitter or array, default=5
        Folds, as in ``prune="ccp_cv"``.

    Returns
    -------
    estimator
        Fitted; `shrunk_` is the `reg_param` used, and with "cv" `shrink_path_` the
        mean loss of every value that was tried.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ramify.DecisionTreeClassifier().fit(X, y)
    >>> ramify.shrink(tree, 10.0).predict_proba(X[:1]).round(3)
    array([[0.958, 0.021, 0.021]])
    """
    is_forest = isinstance(model, BaseForest)
    refuse_survival(model, "shrink")
    if is_forest:
        check_is_fitted(model)
    else:
        check_single(model, "shrink")
    _refuse_unshrinkable(model)
    path = None
    if isinstance(reg_param, str):
        if reg_param != "cv":
            raise ValueError(
                f"reg_param={reg_param!r} is not allowed; use a number of at least 0, "
                "or 'cv'"
            )
        if X is None or y is None:
            raise ValueError("reg_param='cv' grows trees on folds: give X and y")
        tried = [_checked(each, "reg_params") for each in reg_params]
        path = _losses(model, X, y, sample_weight, tried, cv)
        best = np.flatnonzero(path <= path.min() + 1e-12 * path.max())
        amount = max(tried[i] for i in best)
    else:
        amount = _checked(reg_param, "reg_param")
    found = _shrunk_model(model, amount)
    if path is not None:
        found.shrink_path_ = dict(zip(tried, path.tolist(), strict=True))
    return found


def _refuse_unshrinkable(model: Any) -> None:
    if getattr(model, "laplace", False):
        raise ValueError(
            "a model with laplace=True cannot be shrunk: its leaves are smoothed "
            "already; use laplace=False"
        )
    if is_numeric(model) and _predicts_quantiles(model):
        raise ValueError(
            f"criterion={model.criterion!r} makes leaves predict quantiles, which do "
            "not shrink to those of their parents; use a criterion that predicts means"
        )


def _predicts_quantiles(model: Any) -> bool:
    return str(getattr(model, "criterion", "")) in ("absolute_error", "quantile")


def _checked(value: Any, name: str) -> float:
    if not is_real(value, 0):
        raise ValueError(f"{name}={value!r} is not allowed; use a number of at least 0")
    return float(value)


def _shrunk_model(model: Any, amount: float) -> Any:
    if not isinstance(model, BaseForest):
        path = {"_pruning": model._pruning} if "_pruning" in model.__dict__ else {}
        return with_tree(model, shrunk(model.tree_, amount), shrunk_=amount, **path)
    forest = copy.copy(model)
    forest.estimators_ = [
        with_tree(each, shrunk(each.tree_, amount).packed(), shrunk_=amount)
        for each in model.estimators_
    ]
    forest.shrunk_ = amount
    for name in forest._OUT_OF_BAG:  # they were of the other leaves
        forest.__dict__.pop(name, None)
    forest._set_trees()
    return forest


def _losses(
    model: Any, X: Any, y: Any, sample_weight: Any, tried: list[float], cv: Any
) -> Floats:
    """Return the mean loss of every amount; one growth per fold serves them all."""
    tree = model.estimators_[0] if isinstance(model, BaseForest) else model
    table = tree._table(X)
    target = np.asarray(y)
    weight = check_weights(sample_weight, table.shape[0])
    fold = _fold_numbers(model, target, cv, table.shape[0])
    total = np.zeros(len(tried))
    everything = 0.0
    for each in np.unique(fold):
        train, test = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
        own = None if weight is None else weight[train]
        grown = clone(model).fit(table[train], target[train], sample_weight=own)
        of_test = np.ones(len(test)) if weight is None else weight[test]
        everything += of_test.sum()
        rows = table[test]
        for i, amount in enumerate(tried):
            lost = _loss(_shrunk_model(grown, amount), rows, target[test])
            total[i] += (of_test * lost).sum()
    return total / everything


def _fold_numbers(model: Any, target: Any, cv: Any, n_rows: int) -> NDArray[np.int64]:
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        if not 2 <= int(cv) <= n_rows:
            raise ValueError(f"cv={cv!r} is not allowed; use 2 folds or more")
        strata = np.zeros(n_rows, dtype=np.int64)
        if not is_numeric(model) and target.ndim == 1:
            strata = np.unique(target, return_inverse=True)[1].astype(np.int64)
        seed = seed_of(model, {"random_state": None})
        return deal(strata, np.arange(n_rows), int(cv), seed)
    fold = np.full(n_rows, -1, dtype=np.int64)
    if hasattr(cv, "split") and not isinstance(cv, str):
        for number, (_, test) in enumerate(cv.split(np.zeros((n_rows, 1)), target)):
            fold[test] = number
        return fold
    given = np.asarray(cv)
    if given.shape != (n_rows,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"cv={cv!r} is not allowed; use a number of folds, a splitter, or an "
            "array with the number of each row's fold"
        )
    return given.astype(np.int64)


def _loss(model: Any, rows: Any, target: NDArray[Any]) -> Floats:
    """Return the squared error of numbers, or the Brier score of classes, per row."""
    if is_numeric(model):
        error = np.asarray(model.predict(rows)) - target
        return np.asarray((error**2).reshape(len(target), -1).mean(axis=1))
    shares = model.predict_proba(rows)
    if isinstance(shares, list):
        raise ValueError("reg_param='cv' needs one output; choose a number")
    hit = np.asarray(model.classes_)[None, :] == target[:, None]
    missing = 1.0 - hit.any(axis=1)  # a class that the fold has not seen
    return np.asarray(((shares - hit) ** 2).sum(axis=1) + missing)
