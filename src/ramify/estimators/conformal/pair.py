# SPDX-License-Identifier: BSD-3-Clause
"""Two models of quantiles that make intervals together."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.conformal.calibration import Calibration
from ramify.estimators.conformal.intervals import PredictsIntervals
from ramify.estimators.conformal.ranks import Scores, check_level, warn_of_too_few
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.reading import forget_calibration
from ramify.estimators.validation.regression_target import check_target_values
from ramify.estimators.validation.target import check_weights

__all__ = ["Pair", "moved", "shortfall"]

Floats = NDArray[np.float64]


class Pair(PredictsIntervals, MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """A model of a low quantile and one of a high quantile: conformalised intervals.

    Where both quantiles are far apart, intervals are wide. How far the ends must be
    moved, so that intervals hold the truth as often as asked, is learnt from rows that
    were not fitted (Romano, Patterson, Candes 2019).

    Parameters
    ----------
    lower, upper : regressors
        Of the quantiles, such as `BoostedTreesRegressor` with ``loss="quantile"``. They
        may be of any library. If they are fitted, `calibrate` can be called at once;
        `fit` fits copies of them.

    Attributes
    ----------
    lower_, upper_ : regressors
        As `fit` has fitted them.
    calibration_ : Calibration
        How far the numbers of rows were outside of both quantiles.

    Examples
    --------
    >>> import numpy as np, ramify
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(3000, 1))
    >>> y = X[:, 0] + X[:, 0] * rng.normal(size=3000)
    >>> model = ramify.BoostedTreesRegressor("quantile", n_estimators=30, max_depth=3)
    >>> low, high = (
    ...     ramify.BoostedTreesRegressor(**{**model.get_params(), "quantile": level})
    ...     for level in (0.05, 0.95)
    ... )
    >>> pair = ramify.conformal.Pair(low, high).fit(X[:1000], y[:1000])
    >>> pair = pair.calibrate(X[1000:2000], y[1000:2000])
    >>> ends = pair.predict_interval(X[2000:], 0.9)
    >>> inside = (ends[:, 0] <= y[2000:]) & (y[2000:] <= ends[:, 1])
    >>> bool(0.87 < inside.mean() < 0.93)
    True
    """

    def __init__(self, lower: Any, upper: Any) -> None:
        self.lower = lower
        self.upper = upper

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit both models on the same rows.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        y : array of shape (n_rows,)
            Their numbers.
        sample_weight : array of shape (n_rows,), optional
            Weights.
        """
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.lower_ = clone(self.lower).fit(X, y, **more)
        self.upper_ = clone(self.upper).fit(X, y, **more)
        forget_calibration(self)
        return self

    def _models(self) -> tuple[Any, Any]:
        """Return both fitted models: those of `fit`, or those that were given."""
        if hasattr(self, "lower_"):
            return self.lower_, self.upper_
        try:
            for model in (self.lower, self.upper):
                check_is_fitted(model)
        except NotFittedError:
            raise NotFittedError(
                "this Pair is not fitted: call fit(X, y), or give it fitted models"
            ) from None
        return self.lower, self.upper

    def _learnt(self) -> Any:
        # What was given may be fitted again; what `fit` makes is another object then.
        return self._models()[0]

    def _why_not_method(self, method: str) -> str:
        return "" if method == "quantile" else "it predicts two quantiles and no mean"

    def _usual_method(self) -> str:
        return "quantile"

    def _ends(self, X: Any) -> Floats:
        """Return what both models say: (n_rows, 2)."""
        low, high = (np.asarray(model.predict(X)) for model in self._models())
        if low.ndim > 1 or high.ndim > 1:
            raise ValueError("a Pair takes models of one output")
        return np.column_stack([low, high]).astype(np.float64)

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows that were not fitted how far the ends must be moved.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; other rows.
        """
        ends = self._ends(X)
        true = check_target_values(y, len(ends), "Pair")[:, 0]
        weight = check_weights(sample_weight, len(ends))
        if len(true) == 0:
            raise ValueError("X has no rows; calibration needs at least one")
        scores = Scores.sorted_from(shortfall(ends, true), weight)
        self._keep(Calibration("calibrate", {"quantile": [scores]}))
        return self

    def _intervals_by(self, method: str, X: Any, level: float) -> Floats:
        scores = self._scores_of(method)[0]
        found = moved(self._ends(X), scores.critical(check_level(level)))
        if np.isinf(scores.critical(level)):
            warn_of_too_few(level, scores.n, "its intervals are infinite", stacklevel=4)
        return found[:, :, None]

    def predict(self, X: Any) -> Floats:
        """Predict the middle between both quantiles."""
        return np.asarray(self._ends(X).mean(axis=1))

    def __sklearn_is_fitted__(self) -> bool:
        try:
            self._models()
        except NotFittedError:
            return False
        return True


def shortfall(ends: Floats, true: Floats) -> Floats:
    """Return how far numbers are outside of two ends; below 0 where they are inside.

    >>> shortfall(np.array([[1.0, 3.0], [1.0, 3.0]]), np.array([2.5, 4.0]))
    array([-0.5,  1. ])
    """
    return np.maximum(ends[:, 0] - true, true - ends[:, 1])


def moved(ends: Floats, q: float) -> Floats:
    """Move both ends by q; where they would pass each other, both are in the middle."""
    found = np.column_stack([ends[:, 0] - q, ends[:, 1] + q])
    is_crossed = found[:, 0] > found[:, 1]
    found[is_crossed] = found[is_crossed].mean(axis=1, keepdims=True)
    return found
