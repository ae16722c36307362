# SPDX-License-Identifier: BSD-3-Clause
"""One tree per class against the rest, for methods that are defined for two classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ramify.estimators.conformal import PredictsSets
from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.reading import forget_calibration
from ramify.estimators.validation.rows import JoinedRows
from ramify.estimators.validation.target import encode_labels

__all__ = ["OneVsRestTreeClassifier", "tree_of"]


class OneVsRestTreeClassifier(
    PredictsSets, ClassifierMixin, MetaEstimatorMixin, BaseEstimator
):
    """One tree per class that separates it from all others; one tree for two classes.

    The class whose tree gives it the highest probability is predicted; ties, which are
    frequent in trees grown to the end, go to the first class. The columns are encoded
    once for all trees.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, optional
        The tree to grow for each class.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        One tree per class, or a single one for two classes.
    classes_ : ndarray
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ramify.methods.make("spce", max_depth=2).fit(X, y)
    >>> len(model.estimators_)
    3
    """

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on the rows of X and their labels y."""
        tree = DecisionTreeClassifier() if self.estimator is None else self.estimator
        table = tree._table(X)
        if y is not None:
            y = column_or_1d(y, warn=True)
        labels = encode_labels(y, table.shape[0])
        classes, codes = labels.classes[0], labels.codes[:, 0]
        targets = [codes == k for k in range(len(classes))]
        if len(classes) <= 2:
            targets = [classes[codes]]
        trees = [clone(tree).fit(table, one, sample_weight) for one in targets]
        return self._take(trees, classes)

    def _learnt(self) -> Any:
        return self.estimators_

    @classmethod
    def from_trees(cls, trees: list[Any], classes: NDArray[Any]) -> Self:
        """Return the fitted model of some trees, one per class."""
        return cls(clone(trees[0]))._take(trees, classes)

    def _take(self, trees: list[Any], classes: NDArray[Any]) -> Self:
        forget_calibration(self)
        self.estimators_ = trees
        self.classes_: NDArray[Any] = classes
        self.n_features_in_ = trees[0].n_features_in_
        if hasattr(trees[0], "feature_names_in_"):
            self.feature_names_in_ = trees[0].feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _votes(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class by its own tree."""
        check_is_fitted(self)
        if len(self.estimators_) == 1:
            return np.asarray(self.estimators_[0].predict_proba(X))
        # The classes of each tree are False and True.
        return np.column_stack(
            [tree.predict_proba(X)[:, 1] for tree in self.estimators_]
        )

    def row_predictor(self, *, proba: bool = False) -> JoinedRows:
        """Return a function that predicts one row at a time; as that of a tree."""
        check_is_fitted(self)
        members = [tree.row_predictor(proba=True) for tree in self.estimators_]
        labels = self.classes_.tolist()

        def finish(shares: list[Any]) -> Any:
            if len(members) == 1:
                votes = np.asarray(shares)
            else:
                votes = np.array([[share[1] for share in shares]])
            return _even(votes)[0] if proba else labels[int(votes.argmax())]

        return JoinedRows(members, finish)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row."""
        best = self._votes(X).argmax(axis=1)  # first: it says so if there is no tree
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: what the trees say, made to sum to 1."""
        return _even(self._votes(X))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tree = DecisionTreeClassifier() if self.estimator is None else self.estimator
        own = tree.__sklearn_tags__().input_tags
        tags.input_tags.allow_nan = own.allow_nan
        tags.input_tags.sparse = own.sparse
        tags.input_tags.categorical = own.categorical
        tags.input_tags.string = own.string
        return tags


def _even(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make the votes of each row sum to 1; alike if there is none."""
    total = votes.sum(axis=1, keepdims=True)
    even = np.full_like(votes, 1 / votes.shape[1])
    return np.asarray(np.divide(votes, total, out=even, where=total > 0))


def tree_of(model: Any) -> Any:
    """Return the tree itself of a model that grows one per class; else the model."""
    return model.estimator if isinstance(model, OneVsRestTreeClassifier) else model
