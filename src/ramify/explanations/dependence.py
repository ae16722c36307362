# SPDX-License-Identifier: BSD-3-Clause
"""What a model says on average if one column, or two, have given values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.explanations.scores import Scores
from ramify.table import Schema, n_threads
from ramify.table.schema import chosen_columns

__all__ = ["PartialDependence", "partial_dependence"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """The mean score at each point of a grid.

    Attributes
    ----------
    feature_names : list of str
        The columns that are given.
    grid : list of ndarray
        The values of each: numbers, or categories.
    average : ndarray of shape (n_scores, n_points) or (n_scores, n_points, n_points)
        The mean score, with an axis for each column.
    output_names : list of str or None
        Names of the scores; None if there is one.
    method : str
        "recursion" or "brute".
    """

    feature_names: list[str]
    grid: list[NDArray[Any]]
    average: Floats
    output_names: list[str] | None
    method: str


def partial_dependence(
    model: Any,
    X: Any,
    columns: Any,
    *,
    method: str = "auto",
    n_points: int = 50,
    percentiles: tuple[float, float] = (0.05, 0.95),
    n_jobs: int | None = None,
) -> PartialDependence:
    """Average what a model says over everything but one column, or two.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of Ramify.
    X : array, data frame or Table of shape (n_rows, n_columns)
        Rows; the grid covers their values.
    columns : str, int, or a list of up to two of these
        The columns that are given, by name or place.
    method : {"auto", "recursion", "brute"}, default="auto"
        "recursion": other columns go down every branch by its share of the training
        weight, in one walk through the tree per point. "brute": they have the values
        of the rows of X, one after the other. "auto" chooses as scikit-learn does:
        "recursion" for regression trees, random forests of these, and gradient
        boosting, "brute" for all others and for trees with hyperplanes, which
        recursion cannot pass.
    n_points : int, default=50
        Most points of a numeric column: all its values if they are not more, else
        evenly between the percentiles.
    percentiles : tuple of float, default=(0.05, 0.95)
        Between which shares of the values the points lie.
    n_jobs : int, optional
        Threads; -1 for all processors.

    Returns
    -------
    PartialDependence

    Examples
    --------
    >>> import numpy as np, ramify
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> tree = ramify.DecisionTreeRegressor().fit(X, 3 * X[:, 0] + X[:, 1])
    >>> found = ramify.partial_dependence(tree, X, 0)
    >>> found.grid[0], found.average
    (array([0., 1.]), array([[0.5, 3.5]]))
    """
    scores = Scores.from_model(model, "partial_dependence")
    if method not in ("auto", "recursion", "brute"):
        raise ValueError(
            f"method={method!r} is unknown; use 'auto', 'recursion' or 'brute'"
        )
    if method == "recursion" and scores.has_planes:
        raise ValueError(
            "method='recursion' cannot pass a hyperplane, whose columns come in one "
            "sum; use method='brute'"
        )
    if method == "recursion" and scores.has_lines:
        raise ValueError(
            "method='recursion' cannot pass lines in leaves, which need the other "
            "columns of rows; use method='brute'"
        )
    if n_points < 2 or not 0 <= percentiles[0] < percentiles[1] <= 1:
        raise ValueError(
            f"n_points={n_points!r}, percentiles={percentiles!r} are not allowed; use "
            "at least 2 points, and two ascending shares between 0 and 1"
        )
    chosen = _places(columns, scores.schema)
    matrix = scores.matrix(X)
    axes = [
        _grid(matrix[:, j], scores.schema, j, n_points, percentiles) for j in chosen
    ]
    points = np.array(list(itertools.product(*axes)))
    if method == "auto":
        method = _usual_method(model, scores)
    if method == "brute":
        average = _brute(scores, matrix, chosen, points, n_threads(n_jobs))
    else:
        rows = np.zeros((len(points), matrix.shape[1]))
        rows[:, chosen] = points
        marginal = scores.explainer().marginal(rows, chosen)
        average = scores.start + scores.completed(marginal, scores.total)
    return PartialDependence(
        feature_names=[scores.schema.names[j] for j in chosen],
        grid=[
            _shown(axis, scores.schema, j) for axis, j in zip(axes, chosen, strict=True)
        ],
        average=np.moveaxis(average, 1, 0).reshape(-1, *map(len, axes)),
        output_names=None if scores.names is None else list(scores.names),
        method=method,
    )


def _usual_method(model: Any, scores: Scores) -> str:
    """Return the method that scikit-learn would choose for such a model."""
    found = getattr(model, "best_estimator_", model)
    is_boosted = "sum_" in vars(found)
    kinds = {kind.__name__ for kind in type(found).__mro__}
    is_plain = hasattr(found, "tree_") or "RandomForestRegressor" in kinds
    whole_rows = scores.has_planes or scores.has_lines
    may_recurse = is_boosted or (is_plain and not scores.has_classes)
    return "recursion" if may_recurse and not whole_rows else "brute"


def _brute(
    scores: Scores, matrix: Floats, chosen: list[int], points: Floats, threads: int
) -> Floats:
    rows = matrix.copy()
    found = np.empty((len(points), scores.n_scores))
    for i, point in enumerate(points):
        rows[:, chosen] = point
        found[i] = scores.scores(rows, threads).mean(axis=0)
    return found


def _places(columns: Any, schema: Schema) -> list[int]:
    """Find one or two columns by name or place."""
    is_list = isinstance(columns, Sequence) and not isinstance(columns, str)
    wanted = list(columns) if is_list else [columns]
    if len(wanted) not in (1, 2):
        raise ValueError(
            f"columns={columns!r} are {len(wanted)} columns; name one, or two"
        )
    return [
        chosen_columns([one], schema.names, schema.n_columns, "columns").index(True)
        for one in wanted
    ]


def _grid(
    values: Floats,
    schema: Schema,
    j: int,
    n_points: int,
    percentiles: tuple[float, float],
) -> Floats:
    known = values[~np.isnan(values)]
    if schema.columns[j].is_categorical:
        return np.arange(len(schema.columns[j].categories), dtype=np.float64)
    distinct = np.unique(known)
    if len(distinct) == 0:
        raise ValueError(f"{schema.label(j)} has no values in X; give rows that do")
    if len(distinct) <= n_points:
        return distinct
    low, high = np.quantile(known, percentiles)
    return np.linspace(low, high, n_points) if low < high else distinct[:n_points]


def _shown(axis: Floats, schema: Schema, j: int) -> NDArray[Any]:
    if not schema.columns[j].is_categorical:
        return axis
    return np.array(schema.columns[j].categories, dtype=object)
