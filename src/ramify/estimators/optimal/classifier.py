# SPDX-License-Identifier: BSD-3-Clause
"""The best small tree of classes."""

from __future__ import annotations

from typing import Any, Self

from ramify.estimators.optimal.base import OptimalTree
from ramify.estimators.optimal.starts import USUAL
from ramify.estimators.optimal.text import ATTRIBUTES, OF_OPTIMAL, check_optimal
from ramify.estimators.tree.classes import TreeClassifier
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.target import (
    check_costs,
    check_weights,
    class_attributes,
    class_weights,
    encode_labels,
    flat_target,
)
from ramify.estimators.validation.text import OF_CLASSES, ONE_LABEL, documented

__all__ = ["OptimalTreeClassifier"]

_OWN = {
    "objective": """{"error"}
What is minimised, besides the penalty: the weight of the rows that the tree gets wrong,
or what these errors cost if there is a `cost_matrix`.""",
    "cost_matrix": """array of shape (n_classes, n_classes)
Cost of predicting the column's class if the row's class is true; 0 on the diagonal. The
search minimises the costs themselves.""",
}


@documented(OF_CLASSES, OF_OPTIMAL, _OWN, attributes=ATTRIBUTES, usual=", ".join(USUAL))
class OptimalTreeClassifier(OptimalTree, TreeClassifier):
    """The tree of limited depth with the fewest errors, and the proof of it.

    All thresholds between distinct values are searched, for any number of classes,
    with weights and costs. It serves where depth is limited (three questions, no more),
    where there are several classes, and where one wants to know what greedy growth
    costs (`ramify.price_of_greed`). The least training error need not be the least
    error on other rows: set `penalty`, and compare with a pruned tree.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
    classes_, n_classes_, n_outputs_, n_features_in_, feature_names_in_
        As in `DecisionTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ramify.OptimalTreeClassifier(max_depth=3).fit(X, y)
    >>> tree.loss_, tree.is_optimal_
    (1.0, True)
    >>> tree.start_objectives_["gini"]
    4.0
    """

    # What nodes store as their impurity is what the search minimises.
    criterion = "misclassification"
    laplace = False

    def __init__(
        self,
        *,
        max_depth: int = 3,
        penalty: float = 0.0,
        objective: str = "error",
        search: str = "exact",
        horizon: int | None = None,
        start: Any = "usual",
        cost_matrix: Any = None,
        class_weight: Any = None,
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
        self.cost_matrix = cost_matrix
        self.class_weight = class_weight
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
    @documented(OF_CLASSES, ONE_LABEL, OF_OPTIMAL)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the best tree on the rows of X and their labels y.

        Parameters
        ----------
        {parameters}
        """
        check_optimal(self, ("error",))
        table = self._table(X)
        y = flat_target(y)
        labels = encode_labels(y, table.shape[0])
        if len(labels.classes) > 1:
            raise ValueError(
                f"y has {len(labels.classes)} outputs; an optimal tree takes one"
            )
        weight = class_weights(
            self.class_weight, y, check_weights(sample_weight, table.shape[0])
        )
        costs = check_costs(self.cost_matrix, labels)
        sample = Sample(table, table.rows, labels).weighted(weight)
        tree = self._fit_search(sample, y, weight, costs)
        class_attributes(self, labels.classes)
        self.tree_ = tree
        return self
