# SPDX-License-Identifier: BSD-3-Clause
"""A few model trees, each of which corrects the one before."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from ramify.distributed.core.routing import OnePlace
from ramify.estimators.conformal.spread import known_deviations
from ramify.estimators.forest.regressor import ForestRegressor
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.model_tree import _OWN as OF_MODEL_TREES
from ramify.estimators.tree.model_tree import ModelTreeRegressor
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.reading import forget_calibration
from ramify.estimators.validation.regression_target import check_target_values
from ramify.estimators.validation.rules import check_rules, whole
from ramify.estimators.validation.target import check_weights, flat_target
from ramify.estimators.validation.text import (
    OF_REGRESSION,
    ONE_TARGET_VALUE,
    documented,
)

__all__ = ["CommitteeRegressor"]

_OWN = {
    "n_estimators": """int
Number of trees.""",
    "verbose": """int
Show progress on stderr.""",
}


@documented(OF_REGRESSION, ONE_TARGET_VALUE, OF_MODEL_TREES, _OWN)
class CommitteeRegressor(ForestRegressor):
    """A few model trees, each of which corrects the one before (Quinlan's Cubist).

    The first tree learns y. Each other one learns what would make up for the errors of
    the tree before it, ``2 y - p``. The answer is the mean of the trees: a few, each
    readable. Nothing is drawn, unless `max_features` says so.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimators_ : list of ModelTreeRegressor
        The trees.
    n_outputs_, n_features_in_, max_features_ : int
        Sizes.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> committee = ramify.CommitteeRegressor(5, "pilot").fit(X, y)
    >>> committee.votes(X[:2]).shape
    (2, 5)
    """

    _one_place = OnePlace.NEVER

    # What is drawn in other forests.
    criterion = "squared_error"
    criterion_params = None
    splitter: Any = "best"
    bootstrap: Any = False
    max_samples = None
    oob_score: Any = False
    honest = None
    warm_start = False
    monotonic_cst = None

    _OF_TREES: ClassVar[tuple[str, ...]] = (
        *("method", "method_params", "max_depth", "min_samples_split"),
        *("min_samples_leaf", "max_features", "ccp_alpha", "categorical_features"),
        *("categories", "missing", "unseen"),
    )

    # None: what the method says.
    min_samples_split: Any
    min_samples_leaf: Any

    def __init__(
        self,
        n_estimators: int = 10,
        method: Literal["m5", "pilot"] = "m5",
        *,
        method_params: dict[str, Any] | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float | None = None,
        min_samples_leaf: int | float | None = None,
        max_features: int | float | str | None = None,
        ccp_alpha: float = 0.0,
        categorical_features: Any = "from_dtype",
        categories: Literal["subset", "one_vs_rest"] = "subset",
        missing: Literal["both", "left", "right", "error"] = "both",
        unseen: Literal["heavier", "error", "missing"] = "heavier",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.method = method
        self.method_params = method_params
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _template(self) -> BaseTree:
        given = {name: getattr(self, name) for name in self._OF_TREES}
        return ModelTreeRegressor(**given)

    @all_or_nothing
    @documented(OF_REGRESSION, ONE_TARGET_VALUE, OF_MODEL_TREES, _OWN)
    def fit(  # type: ignore[override]  # no rows are out of bag
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Self:
        """Grow the trees on the rows of X and their numbers y.

        Parameters
        ----------
        {parameters}
        """
        check_rules(self, {"n_estimators": whole(1)})
        template: Any = self._template()
        template._check_parameters(None)
        table = template._table(X)
        n_rows = table.shape[0]
        y = flat_target(y)
        known = check_target_values(y, n_rows, type(self).__name__)
        if known.shape[1] > 1:  # which the tree explains
            template.fit(table, known, sample_weight)
        weight = check_weights(sample_weight, n_rows)
        numbers = known[:, 0]
        used = numbers if weight is None else numbers[weight > 0]
        low, high = float(used.min()), float(used.max())
        reach = high - low
        rng = check_random_state(self.random_state)
        own, members = numbers, []
        for _ in range(self.n_estimators):
            member: Any = self._template()
            member.set_params(
                random_state=int(rng.randint(2**31 - 1)), verbose=self.verbose
            )
            member._fit_clipped(table, own, weight, (low, high))
            member.tree_ = member.tree_.packed()
            members.append(member)
            answer = member.predict(table)
            own = np.clip(2 * numbers - answer, low - reach, high + reach)
        first = members[0]
        for name in ("schema_", "n_features_in_", "max_features_", "n_outputs_"):
            setattr(self, name, getattr(first, name))
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(first, "feature_names_in_"):
            self.feature_names_in_ = first.feature_names_in_
        self._deviation = known_deviations(first, [first.tree_], 1)
        forget_calibration(self)
        self.estimators_ = members
        self._set_trees()
        return self

    def _why_not_by_sums(self) -> str:
        return (
            f"{type(self).__name__} needs the residuals of all rows, which partitions "
            "do not have; use RandomForestRegressor, or fit in memory"
        )
