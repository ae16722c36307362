# SPDX-License-Identifier: BSD-3-Clause
"""What trees that predict classes share."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metadata_routing import UNUSED

from ramify.estimators.conformal import PredictsSets
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.uplift import mean_uplift, set_uplift
from ramify.estimators.validation.rows import RowPredictor, finish_classes
from ramify.estimators.validation.target import (
    check_weights,
    class_attributes,
    classes_of,
    labels_of,
    log_of,
)
from ramify.table import n_threads
from ramify.tree.intervals import leaf_intervals

__all__ = ["TreeClassifier"]


class TreeClassifier(PredictsSets, ClassifierMixin, BaseTree):
    """A tree whose leaves hold shares of classes."""

    __metadata_request__predict_proba: ClassVar = {"check_input": UNUSED}

    classes_: Any
    n_classes_: Any
    n_outputs_: int

    def _learnt(self) -> Any:
        return self.tree_

    def _fit_classes(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        criterion_data: Any = None,
        sensitive: Any = None,
        treatment: Any = None,
    ) -> Self:
        tree, labels = self._fit(
            X, y, sample_weight, criterion_data, sensitive, treatment
        )
        class_attributes(self, labels.classes)
        self.tree_ = tree
        self.__dict__.pop("uplift_", None)  # of an earlier fit
        if treatment is not None:
            weight = check_weights(sample_weight, len(labels))
            is_second = labels.codes[:, 0] == 1
            set_uplift([self], self.apply(X)[:, None], is_second, treatment, weight)
        return self

    def predict_uplift(self, X: Any) -> NDArray[np.float64]:
        """Predict what treatment changes: the difference of the outcome's shares.

        It is the share of the second class among the treated training rows of the leaf,
        less that among the untreated; NaN where one of them is missing. For trees that
        were grown with ``fit(..., treatment=)``.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table
            The rows.
        """
        return mean_uplift([self], self.apply(X)[:, None])

    def predict(
        self,
        X: Any,
        check_input: bool = True,
        *,
        return_interval: float | None = None,
        return_support: bool = False,
    ) -> Any:
        """Predict the most probable class of each row, or the one of least cost.

        Ties go to the first class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table
            The rows.
        check_input : bool, default=True
            If False, a matrix of floats is taken as it is, with categories by their
            codes and NaN where a value is missing; anything else is read as usual.
        return_interval : float, optional
            Also give Wilson's interval, at this level such as 0.95, of the share that
            the class has in the leaf of the row: (n_rows, 2). It counts the training
            rows of the leaf, which the tree has chosen, and is too good for that.
        return_support : bool, default=False
            Also return the training weight in the leaf of each row: (n_rows,).
            Predictions of tiny leaves are mostly noise.

        Returns
        -------
        labels : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        interval : ndarray of shape (n_rows, 2)
            If `return_interval`.
        support : ndarray of shape (n_rows,)
            If `return_support`.
        """
        labels = self._labels(X, check_input)
        more = []
        if return_interval is not None:
            more.append(self._intervals(X, return_interval))
        if return_support:
            more.append(self._support(X, check_input))
        return (labels, *more) if more else labels

    def _labels(self, X: Any, check_input: bool) -> NDArray[Any]:
        matrix, has_missing = self._prepare(X, check_input)  # first: is there a tree?
        tree, threads = self.tree_, n_threads(self.n_jobs)
        value = tree.values()
        if has_missing and tree.is_fractional:
            shares = tree.average(matrix, value, threads)
            best = self._best_classes(shares.reshape(len(shares), self.n_outputs_, -1))
        else:
            leaves = tree.apply(matrix, threads, has_missing)
            if len(leaves) < len(value):  # choose for the leaves that are reached
                best = self._best_classes(value.take(leaves, axis=0))
            else:
                best = self._best_classes(value).take(leaves, axis=0)
        return labels_of(self, best)

    def _intervals(self, X: Any, level: float) -> NDArray[np.float64]:
        """Return the interval of the share of each row's class in its leaf."""
        if self.n_outputs_ > 1 or self.tree_.is_fractional:
            raise ValueError(
                f"return_interval={level!r} is for one output, and rows that reach one "
                "leaf; this tree has several outputs, or missing='fractional'"
            )
        found = leaf_intervals(self.tree_, self._leaf_classes()[:, 0], level)
        return np.asarray(found[self.apply(X)])

    def _best_classes(self, shares: NDArray[np.float64]) -> NDArray[np.intp]:
        """Choose a class, per row and output, by its share or by what errors cost."""
        costs = self._costs()
        if costs is None:
            return np.asarray(shares.argmax(axis=2))
        return np.asarray((shares @ costs).argmin(axis=2))

    def _leaf_classes(self) -> NDArray[np.intp]:
        """Return the class that each node predicts, per output."""
        return self._best_classes(self.tree_.value)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Predict class probabilities: (n_rows, n_classes), or one such per output.

        `check_input` as in `predict`.
        """
        matrix, has_missing = self._prepare(X, check_input)  # first: is there a tree?
        tree = self.tree_
        shares = tree.average(
            matrix, self._probabilities(), n_threads(self.n_jobs), has_missing
        )
        if self.n_outputs_ == 1:
            return shares
        return [shares[:, j, :n] for j, n in enumerate(tree.n_classes)]

    def _probabilities(self) -> NDArray[np.float64]:
        """Return the probabilities of the classes in each node."""
        return self.tree_.smoothed() if self.laplace else self.tree_.values()

    def _row_predictor(self, proba: bool) -> RowPredictor:
        value = self._probabilities() if proba else self.tree_.values()
        return RowPredictor(
            self.schema_,
            self._how_to_read(),
            self.tree_.answers(value),
            finish_classes(classes_of(self), self._costs(), proba),
        )

    def _costs(self) -> NDArray[np.float64] | None:
        if self.cost_matrix is None or self.n_classes_ == 1:
            return None
        return np.asarray(self.cost_matrix, dtype=np.float64)

    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithms of class probabilities."""
        return log_of(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output
        tags.classifier_tags.multi_class = self.monotonic_cst is None
        return tags
