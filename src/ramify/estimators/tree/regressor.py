# SPDX-License-Identifier: BSD-3-Clause
"""Single regression trees."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.metadata_routing import UNUSED

from ramify import _core, criteria
from ramify.distributed.core.routing import OnePlace
from ramify.estimators.conformal import PredictsIntervals
from ramify.estimators.conformal.spread import (
    FLOOR,
    deviations_of,
    has_variances,
    known_deviations,
    moments_of,
    spread_from,
)
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.pruned_fit import Growth
from ramify.estimators.validation.choices import (
    Categories,
    LeafRule,
    Missing,
    Splitter,
    Threshold,
    Unseen,
    ZeroGain,
)
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.parameters import signs_of
from ramify.estimators.validation.regression_target import (
    Numbers,
    check_range,
    check_target_values,
    needs_positive,
    shrink_of,
)
from ramify.estimators.validation.rows import RowPredictor, finish_numbers
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.target import check_weights, flat_target
from ramify.estimators.validation.text import OF_REGRESSION, documented
from ramify.table import Table, n_threads
from ramify.tree import Tree

__all__ = ["DecisionTreeRegressor"]


@documented(OF_REGRESSION)
class DecisionTreeRegressor(PredictsIntervals, RegressorMixin, BaseTree):
    """A decision tree for regression.

    The tree is exact, deterministic (the same for any number of threads and any order
    of rows) and takes categories and missing values as they are. Parameters that
    scikit-learn's tree has mean the same here.

    Parameters
    ----------
    {parameters}

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

    __metadata_request__fit: ClassVar = {"check_input": UNUSED}

    _is_regression = True
    _one_place = OnePlace.ELSE

    # What only trees of classes choose.
    class_weight = None
    cost_matrix = None
    record_candidates = None
    candidate_criteria = None
    laplace = False

    def __init__(
        self,
        criterion: Any = "squared_error",
        *,
        splitter: Splitter = "best",
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
        monotonic_cst: Any = None,
        criterion_params: dict[str, Any] | None = None,
        splitter_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        categories: Categories = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: Missing = "both",
        unseen: Unseen = "heavier",
        leaf_rule: LeafRule = "restrict",
        zero_gain: ZeroGain = "split",
        max_bins: int | None = None,
        threshold: Threshold = "midpoint",
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
        self.prune = prune
        self.prune_params = prune_params
        self.monotonic_cst = monotonic_cst
        self.criterion_params = criterion_params
        self.splitter_params = splitter_params
        self.categorical_features = categorical_features
        self.categories = categories
        self.max_exhaustive_categories = max_exhaustive_categories
        self.max_subset_size = max_subset_size
        self.missing = missing
        self.unseen = unseen
        self.leaf_rule = leaf_rule
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(OF_REGRESSION)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True
    ) -> Self:
        """Grow the tree on the rows of X and their numbers y.

        Parameters
        ----------
        {parameters}
        """
        tree = self._fit_regression(X, y, sample_weight)
        self.n_outputs_ = tree.n_outputs
        self.tree_ = tree
        return self

    def _fit_regression(self, X: Any, y: Any, sample_weight: Any) -> Tree:
        chosen = criteria.resolve_numeric(self.criterion, self.criterion_params)
        self._check_parameters(chosen)
        table = self._table(X, self._takes_order(sample_weight))
        y = y if self._takes_outputs() else flat_target(y)
        numbers = Numbers(check_target_values(y, table.shape[0], type(self).__name__))
        weight = check_weights(sample_weight, table.shape[0])
        sample = Sample(table, table.rows, numbers).weighted(weight)
        check_range(sample.target.values, chosen)
        self.__dict__.pop("_deviation", None)
        if not has_variances(self, numbers.values.shape[1]):  # else the root knows it
            self._deviation = deviations_of(sample.target.values, sample.weight)
        return self._grow_pruned(Growth(self, chosen, sample, None), weight)

    def _core_target(
        self, sample: Sample, weight: NDArray[np.float64] | None
    ) -> _core.Target:
        numbers = sample.target.values
        flat = np.ascontiguousarray(numbers).ravel()
        return _core.regression_target(flat, numbers.shape[1], weight)

    def _check_parameters(self, chosen: Any) -> None:
        for name, allowed in (
            ("splitter", ("best", "random", "ctree")),
            ("categories", ("subset", "one_vs_rest")),
        ):
            value = getattr(self, name)
            if value not in allowed:
                right = " or ".join(map(repr, allowed))
                raise ValueError(
                    f"{name}={value!r} is not allowed where numbers are predicted; use "
                    f"{right}"
                )
        if self.splitter == "ctree" and self.criterion != "squared_error":
            raise ValueError(
                f"criterion={self.criterion!r} cannot be used with splitter='ctree', "
                "whose test is of means; use criterion='squared_error'"
            )
        shrink = shrink_of(chosen)
        if shrink > 0 and self.monotonic_cst is not None:
            raise ValueError(
                f"criterion='poisson' with shrink={shrink:g} cannot be used with "
                "monotonic_cst: rates of small nodes move more than those of large "
                "ones, which may change their order; use shrink=0"
            )
        super()._check_parameters(chosen)

    def _signs(self, table: Table, target: Any) -> list[int]:
        n_outputs = len(target.n_classes)
        if n_outputs > 1:
            raise ValueError(f"monotonic_cst needs one output; y has {n_outputs}")
        return signs_of(self.monotonic_cst, table.schema)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = needs_positive(
            self.criterion, self.criterion_params
        )
        return tags

    def _row_predictor(self, proba: bool) -> RowPredictor:
        answers = self.tree_.answers(self.tree_.values())
        return RowPredictor(self.schema_, self._how_to_read(), answers, finish_numbers)

    def predict(
        self, X: Any, check_input: bool = True, *, return_support: bool = False
    ) -> Any:
        """Predict the number of each row; with several outputs, one column for each.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table
            The rows.
        check_input : bool, default=True
            If False, a matrix of floats is taken as it is, with categories by their
            codes and NaN where a value is missing; anything else is read as usual.
        return_support : bool, default=False
            Also return the training weight in the leaf of each row: (n_rows,).
            Predictions of tiny leaves are mostly noise.

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        support : ndarray of shape (n_rows,)
            If `return_support`.
        """
        matrix, has_missing = self._prepare(X, check_input)  # first: is there a tree?
        found = self.tree_.average(
            matrix, self.tree_.value, n_threads(self.n_jobs), has_missing
        )
        # One output: (n_rows, 1); several: (n_rows, n_outputs, 1).
        numbers = np.asarray(found[..., 0])
        return (numbers, self._support(X, check_input)) if return_support else numbers

    # --- intervals ---------------------------------------------------------------

    def _learnt(self) -> Any:
        return self.tree_

    def _why_not_method(self, method: str) -> str:
        if method != "scaled":
            return super()._why_not_method(method)
        if known_deviations(self, [self.tree_], self.n_outputs_) is None:
            return (
                "the spread of its training target is not known, since it was fitted "
                "on rows that lay in parts"
            )
        return ""

    def _numbers_and_spread(
        self, X: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        matrix, has_missing = self._prepare(X)
        tree, threads = self.tree_, n_threads(self.n_jobs)
        found = tree.average(matrix, tree.value, threads, has_missing)
        numbers = found.reshape(len(matrix), self.n_outputs_)
        deviation = known_deviations(self, [tree], self.n_outputs_)
        if deviation is None:
            return numbers, None
        with_variance = has_variances(self, self.n_outputs_)
        moments = moments_of(tree, tree.values()[0, :, 0], with_variance)
        flat = moments.reshape(len(moments), 1, -1)  # as of one output
        mean = tree.average(matrix, flat, threads, has_missing)
        spread = spread_from(mean.reshape(len(matrix), 2, self.n_outputs_))
        return numbers, spread + FLOOR * deviation
