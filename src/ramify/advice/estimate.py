# SPDX-License-Identifier: BSD-3-Clause
"""How well a model does on rows that it was not fitted on."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from ramify.datasets import Dataset
from ramify.datasets.copies import leak_of
from ramify.survival import read_survival_target

__all__ = ["Estimate", "estimate", "unfitted"]

_FOLDS = 5
_MAX_CELLS = 4_000_000  # rows x columns that are fitted five times; else once
_FEWEST_ROWS = 20


class Estimate(NamedTuple):
    """A score on rows that were not fitted.

    Attributes
    ----------
    score : float
        Mean accuracy, R squared or concordance over the folds.
    error : float
        Standard error of a share of so many rows; NaN for numbers.
    n_folds : int
        Folds of cross-validation; 1 if a third of the rows was held out once.
    leaves : float
        Mean number of leaves.
    leak : str
        What copies of rows in different folds do to the score; nothing without any.
    """

    score: float
    error: float
    n_folds: int
    leaves: float
    leak: str = ""

    @property
    def how(self) -> str:
        """Where the score comes from."""
        return "held-out" if self.n_folds == 1 else "cross-validated"


def estimate(model: Any, data: Dataset, random_state: int = 0) -> Estimate | None:
    """Cross-validate a model, or hold out a third of many rows.

    Parameters
    ----------
    model : estimator
        Is cloned and fitted on part of the rows.
    data : Dataset
        The rows; labels if the model is a classifier, else numbers.
    random_state : int, default=0
        Which rows lie in which fold.

    Returns
    -------
    Estimate or None
        None if there are too few rows for an estimate.

    Examples
    --------
    >>> import ramify, ramify.datasets
    >>> data = ramify.datasets.load("iris")
    >>> found = estimate(ramify.DecisionTreeClassifier(random_state=0), data)
    >>> found.how, found.n_folds, 0.9 < found.score < 1
    ('cross-validated', 5, True)
    """
    n_rows, n_columns = data.shape
    if n_rows < _FEWEST_ROWS:
        return None
    table, y = data.table(), data.y
    scores, leaves, n_tested = [], [], 0
    folds = _folds(data, n_rows * n_columns > _MAX_CELLS, random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in folds:
            try:
                fitted = unfitted(model).fit(table[train], y[train])
            except ValueError:  # such as too few rows of a class to prune by
                return None
            scores.append(float(fitted.score(table[test], y[test])) * len(test))
            n_tested += len(test)
            leaves.append(_leaves(fitted))
    score = sum(scores) / n_tested
    has_classes = data.task == "classification"
    error = (score * (1 - score) / n_tested) ** 0.5 if has_classes else np.nan
    return Estimate(
        score, float(error), len(folds), float(np.mean(leaves)), leak_of(data, folds)
    )


def unfitted(model: Any) -> Any:
    """Return an estimator with the same parameters."""
    return clone(model)


def _leaves(model: Any) -> float:
    return float(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else np.nan


def _folds(
    data: Dataset, is_large: bool, random_state: int
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    y = read_survival_target(data.y).event if data.is_survival else data.y
    rarest = 0 if data.is_regression else int(np.unique(y, return_counts=True)[1].min())
    shuffled: dict[str, Any] = {"random_state": random_state}
    if is_large:
        kind = StratifiedShuffleSplit if rarest >= 2 else ShuffleSplit
        splitter: Any = kind(1, test_size=1 / 3, **shuffled)
    elif rarest >= 2:
        n_folds = min(_FOLDS, rarest)
        splitter = StratifiedKFold(n_folds, shuffle=True, **shuffled)
    else:
        splitter = KFold(_FOLDS, shuffle=True, **shuffled)
    return list(splitter.split(np.zeros(len(y)), y))
