# SPDX-License-Identifier: BSD-3-Clause
"""Greedy trees that a search must beat."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ramify import criteria
from ramify.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from ramify.pruning.models.refine import refine
from ramify.table import Table

__all__ = ["USUAL", "USUAL_NUMBERS", "Start", "criteria_of", "greedy_trees"]

USUAL = ("gini", "entropy", "misclassification", "twoing")
USUAL_NUMBERS = ("squared_error",)

Start = tuple[str, Any]  # the name of a criterion, and a fitted tree


def criteria_of(start: Any, numeric: bool) -> tuple[Any, ...]:
    """Return the criteria that a parameter names."""
    if start is None:
        return ()
    if isinstance(start, str) and start == "usual":
        return USUAL_NUMBERS if numeric else USUAL
    if isinstance(start, str) and start == "all":
        return tuple(criteria.names("regression") if numeric else criteria.names())
    return tuple(start) if isinstance(start, (list, tuple)) else (start,)


def greedy_trees(
    model: Any,
    table: Table,
    y: Any,
    weight: NDArray[np.float64] | None,
    *,
    refined: bool,
) -> Iterator[Start]:
    """Grow the trees that `model.start` asks for, on the rows of its fit.

    Criteria that need what these data do not have (two classes, a treatment, ...) are
    left out of "all".
    """
    if hasattr(model.start, "tree_"):
        yield type(model.start).__name__, _of_same_columns(model, table)
        return
    numeric = is_regressor(model)
    kind: Any = DecisionTreeRegressor if numeric else DecisionTreeClassifier
    more = {} if numeric else {"cost_matrix": model.cost_matrix}
    for criterion in criteria_of(model.start, numeric):
        tree = kind(criterion, max_depth=model.max_depth, max_bins=table.max_bins)
        tree.set_params(min_samples_leaf=model.min_samples_leaf, **more)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree.fit(table, y, sample_weight=weight)
        except ValueError:
            if isinstance(model.start, str) and model.start == "all":
                continue
            raise
        yield str(criterion), tree
        if refined:
            price = model.penalty * (len(table) if weight is None else weight.sum())
            yield (
                f"refine({criterion})",
                refine(tree, table, y, weight, penalty=float(price), keep_limits=True),
            )


def _of_same_columns(model: Any, table: Table) -> Any:
    """Return the tree that was given, if it knows these columns."""
    known = model.start.schema_
    if known != table.schema:
        raise ValueError(
            "start is a tree of other columns, or of other categories; fit it on the "
            "same table"
        )
    if model.start.tree_.max_depth > model.max_depth:
        raise ValueError(
            f"start is a tree of depth {model.start.tree_.max_depth}, and "
            f"max_depth={model.max_depth}; fit it with the same max_depth"
        )
    return model.start
