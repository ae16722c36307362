# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values of any model, exact wherever they can be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.explanations.explanation import Explanation, has_shap
from ramify.explanations.scores import Scores
from ramify.table import Schema, n_threads

__all__ = ["explain", "explained"]

Floats = NDArray[np.float64]


def explain(
    model: Any,
    X: Any,
    background: Any = None,
    *,
    output: str = "raw",
    interactions: bool = False,
    max_pieces: int = 65536,
    n_samples: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Any:
    """Return how much each column adds to what a model says of each row.

    Shapley values: what a column adds, averaged over all orders in which columns can
    come to be known. They are exact for thresholds, subsets, several branches, missing
    values and shares of rows, in trees, forests and boosted models; with hyperplanes as
    long as that is not too much work.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of Ramify.
    X : array, data frame or Table of shape (n_rows, n_columns)
        The rows to explain.
    background : array, data frame or Table, optional
        Rows to compare with: a column that is not known takes their values, and the
        result is the mean over them. Without them, a column that is not known goes
        down every branch by its share of the training weight. Trees with hyperplanes
        or with lines in their leaves need them.
    output : {"raw", "probability"}, default="raw"
        What is explained. "raw": the scores that trees add up, which are class shares
        of trees and forests, shares of votes if these vote, log odds of gradient
        boosting, the logarithm of the number if its loss is Poisson's. Of model trees
        the sum of a leaf's line, before it is clipped to the range of y.
        "probability": class shares, of models that add these up.
    interactions : bool, default=False
        Also separate pairs of columns: ``values[i, j, k]`` is half of what columns j
        and k add only together, and ``values[i, j, j]`` what j adds by itself.
    max_pieces : int, default=65536
        Of trees with hyperplanes: the coalitions of columns fall into pieces that reach
        the same leaves. A row that has more of them against some row of the background
        is sampled.
    n_samples : int, optional
        How many pairs of orders, one the reverse of the other, to draw for such a row;
        by default until the largest standard error is 1 % of the largest value, at most
        8192.
    random_state : int, default=0
        Seed of what is sampled.
    n_jobs : int, optional
        Threads; -1 for all processors. The values do not depend on it.

    Returns
    -------
    shap.Explanation or ramify.Explanation
        The former if shap is installed, so that all its plots work; the latter has the
        same names, and both have ``method``, ``exact`` and ``standard_error``.

    Examples
    --------
    >>> import numpy as np, ramify
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> y = 3 * X[:, 0] + X[:, 1]
    >>> tree = ramify.DecisionTreeRegressor().fit(X, y)
    >>> found = ramify.explain(tree, X)
    >>> float(found.base_values[0]), found.values[3]
    (2.0, array([1.5, 0.5]))
    """
    found = explained(
        model,
        X,
        background,
        output=output,
        interactions=interactions,
        max_pieces=max_pieces,
        n_samples=n_samples,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return found.to_shap() if has_shap() else found


def explained(
    model: Any,
    X: Any,
    background: Any = None,
    *,
    output: str = "raw",
    interactions: bool = False,
    max_pieces: int = 65536,
    n_samples: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    """Do what `explain` does, and give an `Explanation` of Ramify."""
    _check_counts(max_pieces, n_samples, random_state)
    scores = Scores.from_model(model, "explain")
    _check_output(output, scores)
    if scores.has_planes and background is None:
        raise ValueError(
            "the model has hyperplanes, and a sum of which only a part is known says "
            "nothing without other rows; pass background=, such as 100 training rows"
        )
    if scores.has_lines and background is None:
        raise ValueError(
            "the model has lines in its leaves, and a line of a column that is not "
            "known says nothing without other rows; pass background=, such as 100 "
            "training rows"
        )
    matrix = scores.matrix(X)
    others = None if background is None else scores.matrix(background)
    if others is not None and len(others) == 0:
        raise ValueError("background has no rows; pass at least one")
    explainer, threads = scores.explainer(), n_threads(n_jobs)
    error, exact = None, True
    if others is not None and scores.has_planes:
        values, both, is_exact, error = explainer.planes(
            *(matrix, others, interactions),
            *(max_pieces, n_samples or 0, random_state, threads),
        )
        exact = bool(is_exact.all())
        method = "pieces" if exact else "drawn"
    elif others is not None and scores.has_lines:
        lines = [tree.lines.arrays() for tree in scores.trees if tree.lines is not None]
        values, both = explainer.lines(matrix, others, lines, interactions, threads)
        method = "pairs"
    else:
        values, both = explainer.explain(matrix, others, interactions, threads)
        method = "paths" if others is None else "pairs"
    if others is None:
        base = scores.start + scores.completed(explainer.expectation(), scores.total)
    else:
        base = scores.scores(others, threads, clipped=False).mean(axis=0)
    values = scores.completed(values)
    if both is not None:
        values = _with_main_effects(values, scores.completed(both))
    error = None if exact or error is None else error / scores.divide
    base_values = np.tile(base, (len(matrix), 1))
    if scores.names is None:
        values, base_values = values[..., 0], base_values[:, 0]
        error = None if error is None else error[..., 0]
    return Explanation(
        values=values,
        base_values=base_values,
        data=matrix,
        display_data=_with_categories(matrix, scores.schema),
        feature_names=scores.schema.names,
        output_names=None if scores.names is None else list(scores.names),
        method=method,
        exact=exact,
        standard_error=error,
    )


def _check_counts(max_pieces: Any, n_samples: Any, random_state: Any) -> None:
    for name, value, least in (
        ("max_pieces", max_pieces, 1),
        ("n_samples", 2 if n_samples is None else n_samples, 2),
        ("random_state", random_state, 0),
    ):
        is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not is_whole or value < least:
            raise ValueError(
                f"{name}={value!r} is not allowed; use a whole number of at least "
                f"{least}"
            )


def _check_output(output: str, scores: Scores) -> None:
    if output not in ("raw", "probability"):
        raise ValueError(
            f"output={output!r} is unknown; use 'raw' or, for class shares, "
            "'probability'"
        )
    if output == "raw":
        return
    if scores.link != "none":
        raise ValueError(
            "output='probability' needs a model that adds up class shares; this one "
            f"adds up scores and turns them into probabilities by {scores.link!r}: "
            "use output='raw'"
        )
    if not scores.has_classes:
        raise ValueError(
            "output='probability' needs a model of classes; this one predicts numbers: "
            "use output='raw'"
        )


def _with_main_effects(values: Floats, both: Floats) -> Floats:
    """Put what a column adds by itself on the diagonal."""
    rest = values - both.sum(axis=2)
    at = np.arange(values.shape[1])
    both[:, at, at] += rest
    return both


def _with_categories(matrix: Floats, schema: Schema) -> NDArray[np.object_] | None:
    """Return the rows as people write them; None if they are all numbers."""
    if not schema.is_categorical:
        return None
    shown = matrix.astype(object)
    for j, column in enumerate(schema.columns):
        if not column.is_categorical:
            continue
        names = np.empty(len(column.categories) + 2, dtype=object)
        names[:-2] = column.categories
        names[-2:] = ["(unseen)", None]
        codes = np.where(np.isnan(matrix[:, j]), len(names) - 1, matrix[:, j])
        codes = np.where(codes < 0, len(names) - 2, codes)
        shown[:, j] = names[codes.astype(np.intp)]
    return shown
