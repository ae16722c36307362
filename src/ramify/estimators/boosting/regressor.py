# SPDX-License-Identifier: BSD-3-Clause
"""Boosted regression trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.boosting.base import BoostedTrees
from ramify.estimators.boosting.by_passes import BoostTarget
from ramify.estimators.boosting.checks import check_positive, check_target
from ramify.estimators.boosting.parameters import check_boosted
from ramify.estimators.boosting.text import OF_BOOSTED
from ramify.estimators.conformal import PredictsIntervals
from ramify.estimators.validation.choices import BoostedUnseen
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.rows import check_fitted
from ramify.estimators.validation.target import check_weights
from ramify.estimators.validation.text import (
    OF_REGRESSION,
    ONE_TARGET_VALUE,
    documented,
)

__all__ = ["BoostedTreesRegressor"]

Floats = NDArray[np.float64]

_OWN = {
    "loss": """str
"squared_error", "absolute_error", "quantile", "poisson" or "gamma". The last two
predict positive numbers, by a logarithmic link.""",
    "quantile": """float
What loss="quantile" predicts.""",
}


@documented(OF_REGRESSION, OF_BOOSTED, _OWN)
class BoostedTreesRegressor(PredictsIntervals, RegressorMixin, BoostedTrees):
    """Gradient boosting of regression trees on binned columns.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    n_iter_ : int
        Rounds that were done.
    train_score_, validation_score_ : ndarray
        Mean loss after each round.
    trees_ : list of list of Tree
        The tree of each round.
    feature_importances_ : ndarray
        Share of each column in the gain of all splits.
    n_features_in_, feature_names_in_ : int, ndarray of str
        The columns.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify import BoostedTreesRegressor
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = BoostedTreesRegressor(n_estimators=50).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.05)
    True
    """

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        quantile: float = 0.5,
        n_estimators: int = 100,
        learning_rate: float | None = None,
        max_depth: int | None = 6,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_child_weight: float = 1.0,
        min_gain: float = 0.0,
        l2_regularization: float = 1.0,
        subsample: float = 1.0,
        max_features: int | float | str | None = None,
        max_bins: int = 255,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        categorical_features: Any = "from_dtype",
        unseen: BoostedUnseen = "heavier",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.min_gain = min_gain
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(ONE_TARGET_VALUE)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on the rows of X and their numbers y.

        Parameters
        ----------
        {parameters}
        """
        check_boosted(self)
        table = self._table(X)
        target = check_target(y, len(table), self.loss, type(self).__name__)
        check_positive(target.max(), self.loss)
        weight = check_weights(sample_weight, len(table))
        self._fit_gradient(X, table, target, weight, self.loss, 1)
        return self

    def _learnt(self) -> Any:
        return self.sum_

    def _regression_by_sums(self) -> BoostTarget:
        return BoostTarget(self.loss, type(self).__name__)

    def _answer(self, score: Floats) -> Floats:
        return _positive(score) if self.loss in _POSITIVE else score.copy()

    def _finish(self, proba: bool) -> Callable[[list[float]], Any]:
        has_link = self.loss in _POSITIVE
        return lambda scores: _positive(scores[0]).item() if has_link else scores[0]

    def predict(self, X: Any) -> Floats:
        """Predict the number of each row."""
        check_fitted(self)
        scores = self._scores(X, self.sum_)
        return self._answer(scores[:, 0])

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Predict the number of each row after each round."""
        check_is_fitted(self)
        return (self._answer(scores[:, 0]) for scores in self._staged_scores(X))


_POSITIVE = ("poisson", "gamma")  # losses with a logarithmic link
_STEEPEST = 700.0  # beyond it an exponential is no number; the core's losses agree


def _positive(score: Any) -> Any:
    return np.exp(np.clip(score, -_STEEPEST, _STEEPEST))
