# SPDX-License-Identifier: BSD-3-Clause
"""Rows as the leaves that they reach in random trees, one column per leaf."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.forest.base import BaseForest, _new_seed
from ramify.estimators.forest.regression_task import RegressionTask
from ramify.estimators.forest.text import OF_FORESTS
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.extra import ExtraTreeRegressor
from ramify.estimators.validation.choices import (
    Missing,
    Unseen,
)
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.regression_target import Numbers
from ramify.estimators.validation.rows import RowPredictor
from ramify.estimators.validation.rules import FLAG, check_rules
from ramify.estimators.validation.sample import Extra, Sample
from ramify.estimators.validation.target import check_weights
from ramify.estimators.validation.text import OF_REGRESSION, documented
from ramify.table import Table

__all__ = ["RandomTreesEmbedding"]

_OWN = {
    "y": "None\nNot looked at; random numbers take its place.",
    "sparse_output": "bool\nGive a sparse matrix; an array otherwise.",
}
_RULES = {"sparse_output": FLAG}


@documented(OF_REGRESSION, OF_FORESTS, _OWN)
class RandomTreesEmbedding(TransformerMixin, BaseForest):
    """Turns rows into marks of the leaves that they reach in totally random trees.

    Each node draws a column and a cut; nothing is learnt but where rows are (Moosmann,
    Triggs, Jurie 2007; Geurts, Ernst, Wehenkel 2006). Of the columns that belong to a
    tree one is 1 in each row. Categories and missing values are taken as they are. The
    trees are the same for any number of threads and any order of rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees.
    one_hot_encoder_ : OneHotEncoder
        Turns the leaves that `apply` gives into what `transform` gives.
    n_features_in_, n_outputs_, max_features_ : int
        Sizes.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> from ramify import RandomTreesEmbedding
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
    >>> trees = RandomTreesEmbedding(5, max_depth=1, random_state=0).fit(X)
    >>> marks = trees.transform(X)
    >>> marks.shape
    (5, 10)
    >>> int(marks.sum())
    25
    """

    _TASK = RegressionTask
    _TREE = ExtraTreeRegressor
    _OF_TREES = (
        *("max_depth", "min_samples_split", "min_samples_leaf"),
        *("min_weight_fraction_leaf", "max_leaf_nodes", "min_impurity_decrease"),
        *("categorical_features", "missing", "unseen"),
    )
    _OUT_OF_BAG = ()

    # What is not to be chosen.
    criterion = "squared_error"
    max_features = 1
    bootstrap = False
    max_samples = None
    oob_score = False
    honest = None
    monotonic_cst = None
    _seed_of_numbers: int

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = 5,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        sparse_output: bool = True,
        categorical_features: Any = "from_dtype",
        missing: Missing = "both",
        unseen: Unseen = "heavier",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.sparse_output = sparse_output
        self.categorical_features = categorical_features
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @all_or_nothing
    @documented(OF_REGRESSION, OF_FORESTS, _OWN)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Draw the trees on the rows of X.

        Parameters
        ----------
        {parameters}
        """
        check_rules(self, _RULES)
        table = self._template()._table(X)
        if not (self.warm_start and hasattr(self, "_seed_of_numbers")):
            self._seed_of_numbers = _new_seed(self.random_state)
        numbers = _random_target(table, sample_weight, self._seed_of_numbers)
        return self._fit(table, numbers, Extra(sample_weight))

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Draw the trees on the rows of X, and give their marks."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """Mark the leaf that each row of X reaches in each tree: (n_rows, n_leaves)."""
        leaves = self.apply(X)
        n_rows, n_trees = leaves.shape
        places, begin = np.empty_like(leaves), 0
        for t, known in enumerate(self._leaves()):
            places[:, t] = begin + np.searchsorted(known, leaves[:, t])
            begin += len(known)
        marks = sparse.csr_matrix(
            (
                np.ones(places.size),
                places.ravel(),
                np.arange(0, places.size + 1, n_trees),
            ),
            shape=(n_rows, begin),
        )
        return marks if self.sparse_output else marks.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns of `transform` by tree and leaf."""
        check_is_fitted(self)
        self._check_names(input_features)
        name = type(self).__name__.lower()
        names = [
            f"{name}_{t}_{leaf}"
            for t, known in enumerate(self._leaves())
            for leaf in known.tolist()
        ]
        return np.array(names, dtype=object)

    def _check_names(self, given: Any) -> None:
        """Refuse names that are not those of the columns, as scikit-learn does."""
        if given is None:
            return
        names = np.asarray(given, dtype=object)
        known = getattr(self, "feature_names_in_", names)
        if len(names) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        if not np.array_equal(names, known):
            raise ValueError("input_features is not equal to feature_names_in_")

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """Turns the leaves that `apply` gives into what `transform` gives."""
        check_is_fitted(self)
        known = self._leaves()
        encoder = OneHotEncoder(categories=known, sparse_output=self.sparse_output)
        return encoder.fit([[each[0] for each in known]])

    @property
    def _n_features_out(self) -> int:
        return sum(map(len, self._leaves()))

    def _leaves(self) -> list[NDArray[np.int64]]:
        """Return the leaves of each tree, ascending."""
        return [
            np.flatnonzero(model.tree_.children_left < 0) for model in self.estimators_
        ]

    def _template(self) -> BaseTree:
        given = {name: getattr(self, name) for name in self._OF_TREES}
        tree: BaseTree = self._TREE(max_features=self.max_features, **given)
        return tree

    def _is_as_before(self, target: Numbers) -> bool:
        return True

    def _row_predictor(self, proba: bool) -> RowPredictor:
        raise ValueError(
            "RandomTreesEmbedding predicts nothing; use transform(X), or put it into a "
            "pipeline"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.target_tags.multi_output = False
        return tags


def _random_target(table: Table, weight: Any, seed: int) -> NDArray[np.float64]:
    """Draw a number for each row; rows that hold the same are interchangeable."""
    n_rows = table.shape[0]
    weight = check_weights(weight, n_rows)
    same = Numbers(np.zeros((n_rows, 1)))
    order = Sample(table, table.rows, same, weight).content_order()
    numbers = np.empty(n_rows)
    numbers[order] = np.random.default_rng(seed).random(n_rows)
    return numbers
