# SPDX-License-Identifier: BSD-3-Clause
"""Single trees that predict numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from ramify import _core, criteria
from ramify.estimators.inputs.numbers import Numbers, check_numbers, check_range
from ramify.estimators.inputs.parameters import signs_of
from ramify.estimators.inputs.sample import Sample
from ramify.estimators.inputs.target import check_weights
from ramify.estimators.single.base import BaseTree
from ramify.table import Table, n_threads
from ramify.tree import Tree

__all__ = ["DecisionTreeRegressor"]


class DecisionTreeRegressor(RegressorMixin, BaseTree):
    """A decision tree that predicts numbers.

    The tree is exact, deterministic (the same for any number of threads and any order
    of rows) and takes categories and missing values as they are. Parameters that
    scikit-learn's tree has mean the same here.

    Parameters
    ----------
    criterion : str, callable or criterion of `ramify.criteria`
        How cuts are judged: a name of ``ramify.criteria.names("regression")``, that is
        "squared_error" (the default), "absolute_error", "poisson", "gamma" or
        "quantile"; a NumPy function ``f(parent, left, right) -> scores`` of the sums
        (weight, sum, sum of squares); or a compiled function pointer. Leaves predict
        the mean, or with "absolute_error" the median and with "quantile" that quantile.
    splitter : {"best", "random"}, default="best"
        Try all splits of a column, or one drawn at random (extremely randomised
        trees).
    max_depth : int, optional
        Most tests on the way to a leaf.
    min_samples_split, min_samples_leaf : int or float
        Fewest rows of a node that is split, and of a leaf; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight in a leaf.
    max_features : int, float, "sqrt", "log2" or None
        Number of columns drawn at each node; None for all.
    random_state : int, RandomState or None
        Seed; only used where something is drawn.
    max_leaf_nodes : int, optional
        Grow the best node first, up to this many leaves.
    min_impurity_decrease : float, default=0.0
        Least drop of the impurity by a split times the share of the weight in its node.
    ccp_alpha : float, default=0.0
        Complexity that a subtree must be worth not to be pruned.
    monotonic_cst : array of -1, 0, 1, optional
        One output only: columns in which the prediction must not rise (-1) or not fall
        (1).
    criterion_params : dict, optional
        Parameters of the criterion: ``{"level": 0.9}`` for "quantile".
    categorical_features : "from_dtype", list of names, indices or a mask, or None
        Columns whose values have no order. By default those that hold text or have a
        categorical dtype.
    categories : {"subset", "one_vs_rest"}, default="subset"
        How a column of categories is split: a subset of them against the rest, or one
        against the rest. Subsets are cut from the categories in the order of their
        means. The best of all subsets is among these for "squared_error", "poisson"
        and "gamma".
    max_exhaustive_categories : int, default=8
        All subsets of up to this many categories are tried where the order of the
        means may miss the best one (1 to 20).
    max_subset_size : int, optional
        Most categories on the smaller side of a split.
    missing : {"both", "left", "right", "fractional", "error"}, default="both"
        Where rows without a value go: to the side that is better at each split, always
        to one side, or down every branch with a share of their weight (C4.5; shares
        below a hundredth of an average row are dropped). In a column of categories
        "both" makes missing one more category.
    unseen : {"heavier", "error", "missing"}, default="heavier"
        What to do with a category at prediction that was not seen in fit: follow the
        child with more training weight, refuse, or treat it as missing.
    leaf_rule : {"restrict", "give_up"}, default="restrict"
        What `min_samples_leaf` and `min_weight_fraction_leaf` mean: splits with a
        smaller child are not tried; or the best of all splits is chosen, and if it has
        a smaller child the node becomes a leaf.
    max_bins : int, optional
        At most that many codes per column (2 to 255), cut at quantiles: faster on
        big data. By default all distinct values.
    threshold : {"midpoint", "value"}, default="midpoint"
        Where between two neighbouring values the threshold lies: in the middle, or at
        the lower one.
    n_jobs : int, optional
        Threads; -1 for all processors. The tree does not depend on it.
    verbose : int, default=0
        Show progress on stderr.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays under scikit-learn's names; ``value`` has the shape
        (node_count, n_outputs, 1).
    n_outputs_, n_features_in_, max_features_ : int
        Sizes.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ramify import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = DecisionTreeRegressor(max_depth=2).fit(X, y)
    >>> tree.predict(X[:2]).round(2)
    array([225.88,  96.31])
    >>> tree.get_n_leaves()
    4
    """

    # What only trees of classes choose.
    class_weight = None
    cost_matrix = None
    splitter_params = None
    record_candidates = None
    also = None
    laplace = False

    def __init__(
        self,
        criterion: Any = "squared_error",
        *,
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        criterion_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        categories: str = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: str = "both",
        unseen: str = "heavier",
        leaf_rule: str = "restrict",
        max_bins: int | None = None,
        threshold: str = "midpoint",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.criterion_params = criterion_params
        self.categorical_features = categorical_features
        self.categories = categories
        self.max_exhaustive_categories = max_exhaustive_categories
        self.max_subset_size = max_subset_size
        self.missing = missing
        self.unseen = unseen
        self.leaf_rule = leaf_rule
        self.max_bins = max_bins
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree on the rows of X and their numbers y.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Numbers and categories; NaN and None are missing values.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Finite numbers.
        sample_weight : array of shape (n_rows,), optional
            Weights; a weight of 2 means the same as the row twice, 0 as no row.
        """
        tree = self._fit_numbers(X, y, sample_weight)
        self.n_outputs_ = tree.n_outputs
        self.tree_ = tree.pruned(self.ccp_alpha) if self.ccp_alpha > 0 else tree
        return self

    def _fit_numbers(self, X: Any, y: Any, sample_weight: Any) -> Tree:
        chosen = criteria.resolve_numeric(self.criterion, self.criterion_params)
        plan = self._plan(chosen)
        table = self._table(X)
        numbers = Numbers(check_numbers(y, table.shape[0], type(self).__name__))
        weight = check_weights(sample_weight, table.shape[0])
        sample = Sample(table, table.rows, numbers).weighted(weight)
        check_range(sample.target.values, getattr(chosen, "name", ""))
        self._limit(plan, table, len(sample), numbers)
        try:
            return self._grow_alone(plan, sample)
        finally:
            del plan  # a kept exception keeps this frame, and with it the function

    def _arrays(
        self, plan: _core.Plan, sample: Sample, progress: Any
    ) -> dict[str, NDArray[Any]]:
        """Let the engine grow a tree of numbers."""
        numbers = sample.target.values
        try:
            return _core.grow_numbers(
                sample.table.core,
                sample.rows,
                np.ascontiguousarray(numbers).ravel(),
                numbers.shape[1],
                sample.weight,
                plan,
                progress,
            )
        finally:
            del plan  # as there

    def _plan(self, chosen: Any) -> _core.Plan:
        for name, allowed in (
            ("splitter", ("best", "random")),
            ("categories", ("subset", "one_vs_rest")),
        ):
            value = getattr(self, name)
            if value not in allowed:
                right = " or ".join(map(repr, allowed))
                raise ValueError(
                    f"{name}={value!r} is not allowed where numbers are predicted; use "
                    f"{right}"
                )
        return super()._plan(chosen)

    def _signs(self, table: Table, target: Any) -> list[int]:
        n_outputs = len(target.n_classes)
        if n_outputs > 1:
            raise ValueError(f"monotonic_cst needs one output; y has {n_outputs}")
        return signs_of(self.monotonic_cst, table.schema)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row; with several outputs, one column for each."""
        matrix, has_missing = self._prepare(X)  # first: it says so if there is no tree
        found = self.tree_.average(
            matrix, self.tree_.value, n_threads(self.n_jobs), has_missing
        )
        # One output: (n_rows, 1); several: (n_rows, n_outputs, 1).
        return np.asarray(found[..., 0])
