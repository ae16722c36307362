# SPDX-License-Identifier: BSD-3-Clause
"""The tree that splits one column at a time."""

from __future__ import annotations

from typing import Any, Self

from ramify.estimators.single.classes import TreeClassifier

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(TreeClassifier):
    """A decision tree that takes any splitting criterion.

    The tree is exact (all thresholds between distinct values are tried, in float64),
    deterministic (the same for any number of threads and any order of rows), and takes
    missing values as they are. Parameters that scikit-learn's tree has mean the same
    here.

    Parameters
    ----------
    criterion : str, callable or criterion of `ramify.criteria`, default="gini"
        How cuts are judged: a name of ``ramify.criteria.names()``, an expression of
        criteria and measures such as ``gini + 0.01 * bnm``, a NumPy function
        ``f(parent, left, right) -> scores``, or a compiled function pointer.
    splitter : {"best", "random", "chaid", "quest", "dgmml"}, default="best"
        Try all splits of a column, or one drawn at random (extremely randomised
        trees); or choose the column by a statistical test, as CHAID (Kass 1980) and
        QUEST (Loh, Shih 1997) do, or by the distance of the class means against the
        spread within classes, as dGMML (Li, Chen 2022) does: these need no criterion.
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
        Least score of a split times the share of the weight in its node.
    class_weight : dict, "balanced" or None
        Factors on the weights of rows, by class.
    ccp_alpha : float, default=0.0
        Complexity that a subtree must be worth not to be pruned.
    monotonic_cst : array of -1, 0, 1, optional
        Two classes only: columns in which the probability of the second class must
        not rise (-1) or not fall (1).
    criterion_params : dict, optional
        Parameters of the criterion, such as the rules of C4.5 for "gain_ratio":
        ``{"threshold_cost": True, "average_gain": True, "min_branch": True}``.
    categorical_features : "from_dtype", list of names, indices or a mask, or None
        Columns whose values have no order. By default those that hold text or have a
        categorical dtype.
    categories : {"subset", "one_vs_rest", "multiway"}, default="subset"
        How a column of categories is split: a subset of them against the rest, one
        against the rest, or one branch for each.
    max_exhaustive_categories : int, default=8
        With more than two classes, all subsets of up to this many categories are
        tried (1 to 20); of more, the prefixes of a few good orders.
    max_subset_size : int, optional
        Most categories on the smaller side of a split.
    missing : {"both", "left", "right", "fractional", "error"}, default="both"
        Where rows without a value go: to the side that is better at each split, always
        to one side, or down every branch with a share of their weight (C4.5). In a
        column of categories "both" makes missing one more category.
    unseen : {"heavier", "error", "missing"}, default="heavier"
        What to do with a category at prediction that was not seen in fit: follow the
        child with more training weight, refuse, or treat it as missing.
    cost_matrix : array of shape (n_classes, n_classes), optional
        Cost of predicting the column's class where the row's class is true; 0 on the
        diagonal. Splits weigh each class by what its errors cost, and leaves predict
        the class of least expected cost.
    splitter_params : dict, optional
        For "chaid": alpha_merge=0.05, alpha_split=0.05, resplit=False, binary=False;
        for "quest": alpha=0.05; for "dgmml": split_point="gap" (or "median",
        "mean"), n_gap_points=10, between="pairs" (or "scatter"), fallback="gini" (or
        None: a leaf where all class means are equal).
    leaf_rule : {"restrict", "give_up"}, default="restrict"
        What `min_samples_leaf` and `min_weight_fraction_leaf` mean: splits with a
        smaller child are not tried; or the best of all splits is chosen, and if it has
        a smaller child the node becomes a leaf (the rule of the BNM and CSN methods).
    record_candidates : int, optional
        Keep that many of the best candidate splits of every node:
        ``tree_.candidates``, a data frame.
    also : list of criteria, optional
        Other criteria and measures by which recorded candidates are scored besides.
    max_bins : int, optional
        At most that many codes per column (2 to 255), cut at quantiles: faster on
        big data. By default all distinct values.
    threshold : {"midpoint", "value"}, default="midpoint"
        Where between two neighbouring values the threshold lies: in the middle, or at
        the lower one.
    laplace : bool, default=False
        Predict (n_k + 1) / (n + K) instead of n_k / n.
    n_jobs : int, optional
        Threads; -1 for all processors. The tree does not depend on it.
    verbose : int, default=0
        Show progress on stderr.

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

    def __init__(
        self,
        criterion: Any = "gini",
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
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        criterion_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        categories: str = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: str = "both",
        unseen: str = "heavier",
        cost_matrix: Any = None,
        splitter_params: dict[str, Any] | None = None,
        leaf_rule: str = "restrict",
        record_candidates: int | None = None,
        also: Any = None,
        max_bins: int | None = None,
        threshold: str = "midpoint",
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
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
        self.record_candidates = record_candidates
        self.also = also
        self.max_bins = max_bins
        self.threshold = threshold
        self.laplace = laplace
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        criterion_data: Any = None,
        sensitive: Any = None,
    ) -> Self:
        """Grow the tree on the rows of X and their labels y.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Numbers and categories; NaN and None are missing values.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Labels.
        sample_weight : array of shape (n_rows,), optional
            Weights; a weight of 2 means the same as the row twice, 0 as no row.
        criterion_data : array of shape (n_rows, n), optional
            Numbers of your own, whose weighted sums your criterion function sees
            after the class weights.
        sensitive : array of shape (n_rows,) or (n_rows, n_attributes), optional
            Groups that splits should not tell apart; for criterion="scaff".
        """
        return self._fit_classes(X, y, sample_weight, criterion_data, sensitive)
