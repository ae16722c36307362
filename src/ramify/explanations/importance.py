# SPDX-License-Identifier: BSD-3-Clause
"""How much worse a model is without a column: permutation importance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.explanations.scores import Scores
from ramify.survival import concordance_index_censored, read_survival_target
from ramify.table import n_threads

__all__ = ["PermutationImportance", "permutation_importance"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """What shuffling each column costs.

    Attributes
    ----------
    feature_names : list of str
        Names of the columns.
    importances : ndarray of shape (n_columns, n_repeats)
        By how much the score fell.
    importances_mean, importances_std : ndarray of shape (n_columns,)
        Over the repeats.
    score : float
        The score with all columns as they are.
    """

    feature_names: list[str]
    importances: Floats
    score: float

    @property
    def importances_mean(self) -> Floats:
        """The mean over the repeats."""
        return np.asarray(self.importances.mean(axis=1))

    @property
    def importances_std(self) -> Floats:
        """The standard deviation over the repeats."""
        return np.asarray(self.importances.std(axis=1))


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    scoring: Callable[[Any, Any], float] | None = None,
    n_repeats: int = 5,
    sample_weight: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> PermutationImportance:
    """Return how much worse a model answers if the values of a column are shuffled.

    Rows that training has not seen say most. The table is read once, and columns that
    no tree looks at cost nothing and get exactly 0.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of Ramify.
    X : array, data frame or Table of shape (n_rows, n_columns)
        Rows.
    y : array of shape (n_rows,) or (n_rows, n_outputs)
        Their labels or numbers.
    scoring : callable, optional
        ``f(y, predicted)``, the larger the better; with `sample_weight` it is called
        as ``f(y, predicted, sample_weight=...)``. By default the share of right
        answers, R squared of numbers, or Harrell's C of times to an event.
    n_repeats : int, default=5
        How often each column is shuffled.
    sample_weight : array of shape (n_rows,), optional
        Weights of rows.
    random_state : int, default=0
        Seed of the shuffling.
    n_jobs : int, optional
        Threads; -1 for all processors.

    Returns
    -------
    PermutationImportance

    Examples
    --------
    >>> import numpy as np, ramify
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> tree = ramify.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 1])
    >>> found = ramify.permutation_importance(tree, X, X[:, 1])
    >>> found.importances_mean.round(1)
    array([0. , 1.9, 0. ])
    """
    is_whole = isinstance(n_repeats, (int, np.integer))
    if not is_whole or isinstance(n_repeats, bool) or n_repeats < 1:
        raise ValueError(
            f"n_repeats={n_repeats!r} is not allowed; use a whole number of at least 1"
        )
    scores = Scores.from_model(model, "permutation_importance", smooth=False)
    matrix = scores.matrix(X)
    is_survival = hasattr(model, "predict_survival_function")
    true = read_survival_target(y).to_structured() if is_survival else np.asarray(y)
    if is_survival and sample_weight is not None:
        raise ValueError(
            "sample_weight cannot be used with times to an event: concordance counts "
            "pairs of rows; leave it out"
        )
    if len(true) != len(matrix):
        raise ValueError(f"y has {len(true)} rows, X has {len(matrix)}")
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weight is not None and weight.shape != (len(matrix),):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; give one weight for each of the "
            f"{len(matrix)} rows of X"
        )
    threads = n_threads(n_jobs)
    usual = _accuracy if scores.has_classes else _r_squared
    judge = scoring or (_concordance if is_survival else usual)

    def score(rows: Floats) -> float:
        predicted = scores.decide(scores.scores(rows, threads))
        if weight is None:
            return float(judge(true, predicted))
        return float(judge(true, predicted, sample_weight=weight))  # type: ignore[call-arg]

    rng = np.random.default_rng(random_state)
    first = score(matrix)
    used = np.zeros(matrix.shape[1], dtype=bool)
    for tree in scores.trees:
        used[tree.feature[tree.feature >= 0]] = True
        used[tree.term_column] = True
    found = np.zeros((matrix.shape[1], n_repeats))
    shuffled = matrix.copy()
    for j in np.flatnonzero(used):
        for repeat in range(n_repeats):
            shuffled[:, j] = matrix[rng.permutation(len(matrix)), j]
            found[j, repeat] = first - score(shuffled)
        shuffled[:, j] = matrix[:, j]
    return PermutationImportance(scores.schema.names, found, first)


def _concordance(y: Any, predicted: Any) -> float:
    event, time = (y[name] for name in y.dtype.names)
    return concordance_index_censored(event, time, np.ravel(predicted))[0]


def _accuracy(y: Any, predicted: Any, sample_weight: Any = None) -> float:
    right = np.asarray(y).reshape(predicted.shape) == predicted
    right = right if right.ndim == 1 else right.all(axis=1)
    return float(np.average(right, weights=sample_weight))


def _r_squared(y: Any, predicted: Any, sample_weight: Any = None) -> float:
    y = np.asarray(y, dtype=float).reshape(predicted.shape)
    mean = np.average(y, axis=0, weights=sample_weight)
    lost = np.average((y - predicted) ** 2, axis=0, weights=sample_weight)
    there = np.average((y - mean) ** 2, axis=0, weights=sample_weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.mean(np.where(there > 0, 1 - lost / there, 0.0)))
