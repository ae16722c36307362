# SPDX-License-Identifier: BSD-3-Clause
"""Estimators whose `score` is another one, for scikit-learn's searches."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ramify.survival.concordance import concordance_index_ipcw
from ramify.survival.scores import cumulative_dynamic_auc, integrated_brier_score
from ramify.survival.target import read_survival_target

__all__ = [
    "as_concordance_index_ipcw_scorer",
    "as_cumulative_dynamic_auc_scorer",
    "as_integrated_brier_score_scorer",
]


class _OtherScore(BaseEstimator):
    """Fits an estimator, keeps the target it has seen, and scores by another number."""

    estimator: Any
    _needs = "predict"

    def _check(self) -> None:
        if not hasattr(self.estimator, self._needs):
            raise AttributeError(
                f"{self.estimator!r} object has no attribute {self._needs!r}"
            )

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit the estimator and keep y, which says how rows are censored."""
        self._train_y = read_survival_target(y).to_structured()
        self.estimator_ = self.estimator.fit(X, y, **fit_params)
        return self

    def score(self, X: Any, y: Any) -> float:
        """Return the score of the predictions on X; higher is better."""
        check_is_fitted(self, "estimator_")
        return self._score(X, y)

    def _score(self, X: Any, y: Any) -> float:
        raise NotImplementedError

    # Properties, so that there are those methods only that the estimator has.

    @property
    def predict(self) -> Callable[..., Any]:
        """The method of the fitted estimator that predicts risks."""
        return self._method("predict")

    @property
    def predict_cumulative_hazard_function(self) -> Callable[..., Any]:
        """The method of the fitted estimator that predicts cumulative hazards."""
        return self._method("predict_cumulative_hazard_function")

    @property
    def predict_survival_function(self) -> Callable[..., Any]:
        """The method of the fitted estimator that predicts survival curves."""
        return self._method("predict_survival_function")

    def _method(self, name: str) -> Callable[..., Any]:
        check_is_fitted(self, "estimator_")
        method: Callable[..., Any] = getattr(self.estimator_, name)
        return method


class as_concordance_index_ipcw_scorer(_OtherScore):  # noqa: N801  # scikit-survival's
    """Score an estimator by `concordance_index_ipcw`.

    Parameters
    ----------
    estimator : estimator
        One that predicts risks.
    tau : float, optional
        Leave out pairs whose event is at this time or later.
    tied_tol : float
        Risks that differ by no more are tied.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.

    Examples
    --------
    >>> from ramify.survival import Surv, as_concordance_index_ipcw_scorer
    >>> y = Surv.from_arrays([True, False, True, True], [1, 2, 3, 4])
    >>> class Length:
    ...     def fit(self, X, y):
    ...         return self
    ...
    ...     def predict(self, X):
    ...         return [len(row) for row in X]
    >>> scored = as_concordance_index_ipcw_scorer(Length())
    >>> scored.fit(["aaa", "b", "bb", "c"], y).score(["aaa", "b", "bb", "c"], y)
    1.0
    """

    def __init__(
        self, estimator: Any, tau: float | None = None, tied_tol: float = 1e-8
    ) -> None:
        self.estimator = estimator
        self.tau = tau
        self.tied_tol = tied_tol
        self._check()

    def _score(self, X: Any, y: Any) -> float:
        risk = self.estimator_.predict(X)
        return concordance_index_ipcw(self._train_y, y, risk, self.tau, self.tied_tol)[
            0
        ]


class as_cumulative_dynamic_auc_scorer(_OtherScore):  # noqa: N801  # scikit-survival's
    """Score an estimator by the mean of `cumulative_dynamic_auc`.

    Parameters
    ----------
    estimator : estimator
        One that predicts risks.
    times : array-like
        The times; within those of the test rows.
    tied_tol : float
        Risks that differ by no more are tied.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.
    """

    def __init__(self, estimator: Any, times: Any, tied_tol: float = 1e-8) -> None:
        self.estimator = estimator
        self.times = times
        self.tied_tol = tied_tol
        self._check()

    def _score(self, X: Any, y: Any) -> float:
        risk = self.estimator_.predict(X)
        return cumulative_dynamic_auc(
            self._train_y, y, risk, self.times, self.tied_tol
        )[1]


class as_integrated_brier_score_scorer(_OtherScore):  # noqa: N801  # scikit-survival's
    """Score an estimator by `integrated_brier_score`, negative: higher is better.

    Parameters
    ----------
    estimator : estimator
        One that predicts survival curves.
    times : array-like
        The times; within those of the test rows.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.
    """

    _needs = "predict_survival_function"

    def __init__(self, estimator: Any, times: Any) -> None:
        self.estimator = estimator
        self.times = times
        self._check()

    def _score(self, X: Any, y: Any) -> float:
        survival = survival_at(self.estimator_, X, self.times)
        return -integrated_brier_score(self._train_y, y, survival, self.times)


def survival_at(estimator: Any, X: Any, times: Any) -> NDArray[np.float64]:
    """Return the survival of each row at some times, of any library's estimator."""
    predict = estimator.predict_survival_function
    if "times" in inspect.signature(predict).parameters:
        return np.asarray(predict(X, times=times))
    return np.asarray([curve(times) for curve in predict(X)]).reshape(-1, len(times))
