# SPDX-License-Identifier: BSD-3-Clause
"""Single regression trees whose nodes may be parted by hyperplanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.routing import OnePlace
from ramify.estimators.tree.oblique import _OWN as OF_CLASSES
from ramify.estimators.tree.oblique import MixesColumns
from ramify.estimators.tree.oblique_parameters import check_oblique
from ramify.estimators.tree.regressor import DecisionTreeRegressor
from ramify.estimators.validation.choices import (
    Categories,
    LeafRule,
    Missing,
    Threshold,
    Unseen,
    ZeroGain,
)
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.rules import is_share
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.text import (
    OF_REGRESSION,
    ONE_TARGET_VALUE,
    documented,
)
from ramify.table import Table
from ramify.tree import Tree

__all__ = ["ObliqueTreeRegressor"]

_SHARED = (
    *("scale", "combine", "max_terms", "threshold", "missing", "sample_weight"),
    *("max_features", "random_state", "method_params"),
)
_OWN = {
    **{name: OF_CLASSES[name] for name in _SHARED},
    "method": """str
Who proposes directions: "ridge" (least squares of y with a penalty), "cca" (least
squares without a penalty; of a bootstrap sample with ``{"bootstrap": True}``),
"random_sparse" (the best of sparse random directions), "rotation" (columns are turned
in small groups before the tree grows), "logistic", "svm", "mpsvm", "fisher", "pptree",
"hhcart", "dgmml_mdt" (methods of classes, which see two groups of rows: y up to, and
above, the cut of y that lowers its variance most), or "heterogeneous" (several of these
propose, the best wins).""",
    "criterion": """str
How splits are judged: "squared_error", "poisson", "gamma", "tweedie" or
"negative_binomial", by the sums on either side.""",
    "compare_axis": """bool
Take a hyperplane only if it is better than the best split of one column. Columns of
categories always compete.""",
    "categorical_features": """"from_dtype", list of names, indices or a mask, or None
Columns whose values have no order. By default those that hold text or have a
categorical dtype. In a direction a category stands for the mean of y of its rows in the
node.""",
}


@documented(OF_REGRESSION, ONE_TARGET_VALUE, _OWN)
class ObliqueTreeRegressor(MixesColumns, DecisionTreeRegressor):
    """A regression tree whose nodes may test a weighted sum of columns.

    A method proposes a direction, the criterion judges what it parts, in the units of
    the data. Single oblique trees are no more accurate than others in the mean;
    forests of them (``RandomForestRegressor(method="ridge")``) often are, most where
    columns are measured alike, as in spectra. The tree is the same for any number of
    threads and any order of rows. Parameters that `DecisionTreeRegressor` has mean the
    same here.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays; `Tree.terms` gives the terms of a hyperplane.
    n_outputs_, n_features_in_, max_features_, feature_names_in_
        As in `DecisionTreeRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ramify import ObliqueTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = ObliqueTreeRegressor(max_depth=2, min_samples_leaf=5).fit(X, y)
    >>> tree.score(X, y) > 0.4
    True
    """

    _one_place = OnePlace.NEVER

    def __init__(
        self,
        method: str = "ridge",
        criterion: Any = "squared_error",
        *,
        method_params: dict[str, Any] | None = None,
        scale: str | None = "global",
        combine: Any = None,
        max_terms: int | None = None,
        compare_axis: bool | None = True,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        prune: str | None = None,
        prune_params: dict[str, Any] | None = None,
        criterion_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        categories: Categories = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: Missing = "both",
        unseen: Unseen = "heavier",
        leaf_rule: LeafRule = "restrict",
        zero_gain: ZeroGain = "stop",
        threshold: Threshold = "midpoint",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.method_params = method_params
        self.scale = scale
        self.combine = combine
        self.max_terms = max_terms
        self.compare_axis = compare_axis
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.prune = prune
        self.prune_params = prune_params
        self.criterion_params = criterion_params
        self.categorical_features = categorical_features
        self.categories = categories
        self.max_exhaustive_categories = max_exhaustive_categories
        self.max_subset_size = max_subset_size
        self.missing = missing
        self.unseen = unseen
        self.leaf_rule = leaf_rule
        self.zero_gain = zero_gain
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(OF_REGRESSION, ONE_TARGET_VALUE, _OWN)
    def fit(  # type: ignore[override]  # nobody needs check_input
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Self:
        """Grow the tree on the rows of X and their numbers y.

        Parameters
        ----------
        {parameters}
        """
        super().fit(X, y, sample_weight)
        return self

    def _check_parameters(self, chosen: Any) -> None:
        check_oblique(self, chosen)
        super()._check_parameters(chosen)

    def _limit(self, plan: _core.Plan, table: Table, n_rows: int, target: Any) -> None:
        super()._limit(plan, table, n_rows, target)
        if plan.max_columns == 1 and is_share(self.max_features):
            # A share of few columns: one alone has no direction.
            self.max_features_ = min(2, table.shape[1])
            plan.max_columns = self.max_features_ % table.shape[1]

    # Sums of products depend on the order in which rows are added: that of contents.

    def _arrays(
        self, make_plan: Callable[[], _core.Plan], sample: Sample, progress: Any
    ) -> dict[str, NDArray[Any]]:
        if not self._turns_columns():
            sample = sample.some(sample.content_order().astype(np.intp))
        return super()._arrays(make_plan, sample, progress)

    def _grow_many(
        self,
        plan: _core.Plan,
        sample: Sample,
        weights: NDArray[np.float64] | None,
        random_states: list[int],
        progress: Any,
    ) -> list[Tree]:
        order = sample.content_order().astype(np.intp)
        own = None if weights is None else np.ascontiguousarray(weights[:, order])
        ordered = sample.some(order)
        return super()._grow_many(plan, ordered, own, random_states, progress)
