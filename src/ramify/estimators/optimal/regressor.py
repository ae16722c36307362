# SPDX-License-Identifier: BSD-3-Clause
"""The best small tree of numbers."""

from __future__ import annotations

from typing import Any, Self

from ramify.distributed.core.routing import OnePlace
from ramify.estimators.optimal.base import OptimalTree
from ramify.estimators.optimal.starts import USUAL_NUMBERS
from ramify.estimators.optimal.text import ATTRIBUTES, OF_OPTIMAL, check_optimal
from ramify.estimators.tree.regressor import DecisionTreeRegressor
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.regression_target import (
    Numbers,
    check_range,
    check_target_values,
)
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.target import check_weights, flat_target
from ramify.estimators.validation.text import (
    OF_REGRESSION,
    ONE_TARGET_VALUE,
    documented,
)

__all__ = ["OptimalTreeRegressor"]

_OWN = {
    "objective": """{"squared_error"}
What is minimised, besides the penalty: the sum of squared errors, by weight. The
penalty is then in squared units of y.""",
    "penalty": """float
Price of a leaf, times the weight of all rows: in squared units of y.""",
}


@documented(
    OF_REGRESSION,
    OF_OPTIMAL,
    _OWN,
    attributes=ATTRIBUTES,
    usual=", ".join(USUAL_NUMBERS),
)
class OptimalTreeRegressor(OptimalTree, DecisionTreeRegressor):
    """The tree of limited depth with the least squared error, and the proof of it.

    It is what `OptimalTreeClassifier` is, for numbers. Sums are rounded to some
    fifteen digits; trees whose squared errors agree in nine count as equal.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
    n_outputs_, n_features_in_, feature_names_in_
        As in `DecisionTreeRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import ramify
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = ramify.OptimalTreeRegressor(max_depth=2).fit(X, y)
    >>> round(tree.loss_), round(tree.start_objectives_["squared_error"])
    (1477077, 1485142)
    """

    _one_place = OnePlace.NEVER
    criterion = "squared_error"

    def __init__(
        self,
        *,
        max_depth: int = 3,
        penalty: float = 0.0,
        objective: str = "squared_error",
        search: str = "exact",
        horizon: int | None = None,
        start: Any = "usual",
        min_samples_leaf: int | float = 1,
        max_gap: float = 0.0,
        time_limit: float | None = None,
        max_subproblems: int | None = None,
        max_memory: int = 2**30,
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        all_roots: bool = False,
        n_jobs: int | None = 1,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.penalty = penalty
        self.objective = objective
        self.search = search
        self.horizon = horizon
        self.start = start
        self.min_samples_leaf = min_samples_leaf
        self.max_gap = max_gap
        self.time_limit = time_limit
        self.max_subproblems = max_subproblems
        self.max_memory = max_memory
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.all_roots = all_roots
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(OF_REGRESSION, ONE_TARGET_VALUE, OF_OPTIMAL)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]  # encoding is never skipped
        """Search the best tree on the rows of X and their numbers y.

        Parameters
        ----------
        {parameters}
        """
        check_optimal(self, ("squared_error",))
        table = self._table(X)
        y = flat_target(y)
        numbers = Numbers(check_target_values(y, table.shape[0], type(self).__name__))
        if numbers.values.shape[1] > 1:
            raise ValueError(
                f"y has {numbers.values.shape[1]} outputs; an optimal tree takes one"
            )
        weight = check_weights(sample_weight, table.shape[0])
        sample = Sample(table, table.rows, numbers).weighted(weight)
        check_range(sample.target.values, None)
        tree = self._fit_search(sample, y, weight, None)
        self.n_outputs_ = tree.n_outputs
        self.tree_ = tree
        return self
