# SPDX-License-Identifier: BSD-3-Clause
"""The tree that splits one column at a time."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.utils.metadata_routing import UNUSED

from ramify.estimators.tree.classes import TreeClassifier
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
from ramify.estimators.validation.text import OF_CLASSES, documented

__all__ = ["DecisionTreeClassifier"]


_OWN = {
    "record_candidates": """int
Keep that many of the best candidate splits of every node: ``tree_.candidates``, a data
frame.""",
    "candidate_criteria": """list of criteria
Other criteria and measures by which recorded candidates are scored besides.""",
}


@documented(OF_CLASSES, _OWN)
class DecisionTreeClassifier(TreeClassifier):
    """A decision tree that takes any splitting criterion.

    The tree is exact (all thresholds between distinct values are tried, in float64),
    deterministic (the same for any number of threads and any order of rows), and takes
    missing values as they are. Parameters that scikit-learn's tree has mean the same
    here.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays under scikit-learn's names.
    classes_ : ndarray, or list of ndarray for several outputs
        The labels.
    n_classes_, n_outputs_, n_features_in_, max_features_ : int
        Sizes.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ramify import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(criterion="hellinger").fit(X, y)
    >>> tree.predict(X[:2])
    array([0, 0])
    >>> tree.get_n_leaves()
    9
    """

    __metadata_request__fit: ClassVar = {"check_input": UNUSED}

    def __init__(
        self,
        criterion: Any = "gini",
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
        max_purity: float = 1.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        prune: str | None = None,
        prune_params: dict[str, Any] | None = None,
        monotonic_cst: Any = None,
        criterion_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        categories: Categories = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: Missing = "both",
        unseen: Unseen = "heavier",
        cost_matrix: Any = None,
        splitter_params: dict[str, Any] | None = None,
        leaf_rule: LeafRule = "restrict",
        zero_gain: ZeroGain = "split",
        record_candidates: int | None = None,
        candidate_criteria: Any = None,
        max_bins: int | None = None,
        threshold: Threshold = "midpoint",
        laplace: bool = False,
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
        self.max_purity = max_purity
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.prune = prune
        self.prune_params = prune_params
        self.monotonic_cst = monotonic_cst
        self.criterion_params = criterion_params
        self.categorical_features = categorical_features
        self.categories = categories
        self.max_exhaustive_categories = max_exhaustive_categories
        self.max_subset_size = max_subset_size
        self.missing = missing
        self.unseen = unseen
        self.cost_matrix = cost_matrix
        self.splitter_params = splitter_params
        self.leaf_rule = leaf_rule
        self.zero_gain = zero_gain
        self.record_candidates = record_candidates
        self.candidate_criteria = candidate_criteria
        self.max_bins = max_bins
        self.threshold = threshold
        self.laplace = laplace
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(OF_CLASSES)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        criterion_data: Any = None,
        sensitive: Any = None,
        treatment: Any = None,
        *,
        check_input: bool = True,
    ) -> Self:
        """Grow the tree on the rows of X and their labels y.

        Parameters
        ----------
        {parameters}
        """
        return self._fit_classes(
            X, y, sample_weight, criterion_data, sensitive, treatment
        )
