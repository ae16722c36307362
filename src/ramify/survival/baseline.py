# SPDX-License-Identifier: BSD-3-Clause
"""What one knows without any column: the curve of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ramify.survival.curves import LifeTable
from ramify.survival.functions import StepFunction
from ramify.survival.target import read_survival_target

__all__ = ["KaplanMeier"]


class KaplanMeier(BaseEstimator):
    """Predicts the same Kaplan-Meier curve for every row; the baseline of comparisons.

    Attributes
    ----------
    unique_times_ : ndarray
        The distinct times of the training rows.
    survival_ : ndarray
        The probability to get beyond each.

    Examples
    --------
    >>> from ramify.survival import KaplanMeier, Surv
    >>> y = Surv.from_arrays([True, False, True, True], [1, 2, 3, 4])
    >>> model = KaplanMeier().fit([[0]] * 4, y)
    >>> model.predict_survival_function([[0], [1]], times=[2, 3])
    array([[0.75 , 0.375],
           [0.75 , 0.375]])
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KaplanMeier:
        """Learn the curve of y; X only says how many rows there are."""
        target = read_survival_target(y, _n_rows(X))
        weight = None
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=np.float64)
        table = LifeTable.of(target.event, target.time, weight)
        self.unique_times_ = table.times
        self.survival_ = table.survival
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the risk, 0 for all rows: nobody is told apart."""
        check_is_fitted(self, "survival_")
        return np.zeros(_n_rows(X))

    def predict_survival_function(self, X: Any, times: Any = None) -> Any:
        """Return the curve once for each row; with times, an array of its values."""
        check_is_fitted(self, "survival_")
        curve = StepFunction(self.unique_times_, self.survival_)
        if times is None:
            return np.array([curve] * _n_rows(X), dtype=object)
        asked = np.asarray(times, dtype=np.float64)
        at = np.searchsorted(self.unique_times_, asked, side="right")
        values = np.concatenate([[1.0], self.survival_])[at]
        return np.tile(values, (_n_rows(X), 1))


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
