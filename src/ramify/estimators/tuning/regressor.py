# SPDX-License-Identifier: BSD-3-Clause
"""A regression tree whose parameters are chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

from ramify import criteria
from ramify.estimators.tree.regressor import DecisionTreeRegressor
from ramify.estimators.tuning.base import OF_TUNED, TunedTree
from ramify.estimators.tuning.losses import loss_of
from ramify.estimators.tuning.results import Evaluation
from ramify.estimators.tuning.search import Floats, Rows, Score, Search
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.regression_target import check_target_values
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.text import ONE_TARGET_VALUE, documented

__all__ = ["NumberSearch", "TunedTreeRegressor"]

_OWN = OF_TUNED | {
    "estimator": """estimator
What to tune: a regression tree; by default a `DecisionTreeRegressor`.""",
    "param_grid": """dict or list
Values to try, by parameter: of the estimator, or of its criterion, such as the power of
"tweedie". All combinations are tried, the last parameter changing fastest. Or a list of
such dicts; it may also hold estimators, that are tried as they are. By default
``{"min_samples_leaf": [1, 2, 5, 10, 20]}``.""",
    "cv": """int, splitter or list of (train, test)
Number of folds, of rows that follow each other unless `random_state` shuffles them; or
one of scikit-learn's splitters; or the rows of each fold themselves.""",
    "scoring": """str or callable
What is best: a name that scikit-learn knows, such as "r2", or a function ``f(model, X,
y) -> float``, where X is a `ramify.Table`. By default minus the mean loss that the
criterion of `estimator` makes small: the squared error, the distance from the median,
the pinball loss of a quantile, or the deviance; the same for all entries, whatever
their criterion. Weights of rows count in the score, unless the function does not take
any.""",
}


class NumberSearch(Search):
    """A search whose trees predict numbers, measured by R squared."""

    TREE = DecisionTreeRegressor
    usual = "r2"
    _SPLITTER = "KFold"

    @classmethod
    def _usual_score(cls, settings: Any) -> Score:
        tree = cls.TREE() if settings.estimator is None else settings.estimator
        params = getattr(tree, "criterion_params", None)
        criterion = getattr(tree, "criterion", "squared_error")
        loss = loss_of(criteria.resolve_numeric(criterion, params))

        def score(model: Any, X: Any, y: Any, weight: Floats | None) -> float:
            lost = loss(np.asarray(y, dtype=np.float64), model.predict(X))
            return -float(np.average(lost, weights=weight))

        return score

    @staticmethod
    def measured(model: Any, X: Any, y: NDArray[Any], weight: Floats | None) -> float:
        """Return R squared; NaN of a single row, which has no variance."""
        if len(y) < 2:
            return float("nan")
        return float(r2_score(y, model.predict(X), sample_weight=weight))

    def _read(self, y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
        numbers = check_target_values(y, n_rows, "TunedTreeRegressor")
        return numbers[:, 0], np.empty(0)

    def _chosen(self, tree: Any) -> Any:
        return criteria.resolve_numeric(tree.criterion, tree.criterion_params)

    def _takers(self, takes: Callable[[Any], bool], chosen: list[Any]) -> list[bool]:
        return [False] * len(chosen)  # criteria for numbers see sums alone

    def _dealt(self, n_folds: int, rows: Rows, name: str, where: str) -> Any:
        return KFold(n_folds, shuffle=self._seed is not None, random_state=self._seed)


@documented(_OWN)
class TunedTreeRegressor(RegressorMixin, TunedTree):
    """A regression tree whose parameters are chosen by cross-validation.

    Every entry of a grid is tried on the same folds of the training rows, and the one
    with the best mean score is fitted again on all rows. The columns are encoded once:
    folds are views of one table (so with ``max_bins`` they share the bins of all rows,
    which are made without the target). `evaluate` measures how good such a choice is.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    best_params_ : dict
        The entry with the best mean score; the first of those if there are several.
    best_score_ : float
        Its mean score over the folds. It is the best of many, and so too good a guess
        of the score on new rows: see `evaluate`.
    best_index_ : int
        Its place in the grid.
    best_estimator_ : estimator
        That estimator fitted on all rows, if `refit`.
    results_ : Results
        Arrays by name, one value per entry: ``params``, ``param_<name>``,
        ``split<i>_test_score``, ``mean_test_score``, ``std_test_score``,
        ``rank_test_score``, ``mean_leaves``, ``mean_depth``. ``results_.to_frame()``
        is a data frame.
    n_splits_ : int
        Number of folds.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import ramify
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ramify.TunedTreeRegressor(None, {"max_leaf_nodes": [5, 10, 20, 50]})
    >>> model.fit(X, y).best_params_
    {'max_leaf_nodes': 5}
    """

    _SEARCH = NumberSearch

    @all_or_nothing
    @documented(ONE_TARGET_VALUE, _OWN)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the parameters, and grow the tree on all rows with them.

        Parameters
        ----------
        {parameters}
        """
        self._tune(X, y, Extra(sample_weight))
        return self

    def evaluate(
        self,
        X: Any,
        y: Any,
        outer_cv: Any = 5,
        *,
        protocol: str = "nested",
        sample_weight: Any = None,
    ) -> Evaluation:
        """Measure by cross-validation how good trees tuned in this way are.

        As `TunedTreeClassifier.evaluate`: "nested" chooses the parameters anew in the
        training rows of each outer fold, "paper" by the test folds themselves.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        outer_cv : int, splitter or list of (train, test), default=5
            The folds that measure.
        protocol : {"nested", "paper", "both"}, default="nested"
            How parameters are chosen; "both" lets the two share their fits.

        Returns
        -------
        Evaluation
            Arrays by name, one value per protocol and outer fold: ``protocol``,
            ``fold``, ``r2``, ``score`` (under `scoring`), ``leaves``, ``depth``,
            ``params`` and ``param_<name>``. ``summary()`` gives means.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> import ramify
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = ramify.TunedTreeRegressor(None, {"max_depth": [2, 3]}, cv=3)
        >>> sorted(model.evaluate(X, y).summary()["nested"])
        ['depth', 'leaves', 'r2', 'score']
        """
        return self._evaluate(X, y, Extra(sample_weight), outer_cv, protocol)

    def predict(self, X: Any, *, return_support: bool = False) -> Any:
        """Predict the number of each row by the best estimator.

        `return_support` is that of `DecisionTreeRegressor`.
        """
        more: dict[str, Any] = {"return_support": True} if return_support else {}
        return self._fitted().predict(X, **more)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score the best estimator by `scoring`; by R squared if that is not given."""
        if self.scoring is None:
            return float(self._fitted().score(X, y, sample_weight))
        return self._score_by(X, y, sample_weight)

    def predict_interval(
        self, X: Any, level: float = 0.9, method: str | None = None
    ) -> NDArray[np.float64]:
        """Predict an interval for the number of each row, by the best estimator.

        Parameters
        ----------
        X, level, method
            As of `DecisionTreeRegressor.predict_interval`; `calibrate` comes before.
        """
        found: NDArray[np.float64] = self._fitted().predict_interval(X, level, method)
        return found
