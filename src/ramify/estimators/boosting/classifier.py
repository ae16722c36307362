# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees of classes: gradient boosting, or SAMME with any method."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ramify import methods
from ramify.estimators.boosting.base import BoostedTrees
from ramify.estimators.boosting.by_passes import fit_by_passes
from ramify.estimators.boosting.checks import used_classes
from ramify.estimators.boosting.parameters import check_boosted, learning_rate
from ramify.estimators.boosting.samme import Samme, SammeRows, Votes
from ramify.estimators.boosting.samme_by_passes import fit_samme, why_not
from ramify.estimators.boosting.text import OF_BOOSTED
from ramify.estimators.conformal import PredictsSets
from ramify.estimators.tree.one_vs_rest import tree_of
from ramify.estimators.validation.choices import BoostedUnseen
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.rows import (
    JoinedRows,
    RowPredictor,
    check_fitted,
    first_largest,
)
from ramify.estimators.validation.target import (
    check_weights,
    class_weights,
    encode_labels,
    log_of,
)
from ramify.estimators.validation.text import OF_CLASSES, ONE_LABEL, documented
from ramify.table import Table
from ramify.tree.trees import Trees

__all__ = ["BoostedTreesClassifier"]

Floats = NDArray[np.float64]

_OWN = {
    "method": """str
"gradient", or a name of ``ramify.methods.names()``, such as "wodt" or "cart", whose
trees SAMME boosts.""",
    "n_estimators": """int
Rounds. Gradient boosting grows one tree per round, or one per class if there are more
than two.""",
    "learning_rate": """float
Shrinkage of each tree; by default 0.1, and 1 for SAMME.""",
    "validation_fraction": """float
Share of the rows held back, of each class alike.""",
    "method_params": """dict
Parameters of the method whose trees SAMME boosts.""",
}


@documented(OF_CLASSES, OF_BOOSTED, _OWN)
class BoostedTreesClassifier(PredictsSets, ClassifierMixin, BoostedTrees):
    """Boosted classification trees: gradient boosting, or SAMME with any method.

    Gradient boosting grows trees on binned columns by the first and second derivatives
    of the log loss. SAMME grows trees of any method of `ramify.methods`, oblique ones
    included, on weights that stress the rows which the trees before got wrong. The
    model is the same for any number of threads.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    n_iter_ : int
        Rounds that were done.
    train_score_, validation_score_ : ndarray
        Mean loss after each round: log loss, or SAMME's exponential loss.
    trees_ : list of list of Tree
        Gradient boosting: the trees of each round, one per score.
    estimators_, estimator_weights_, estimator_errors_ : list, ndarray, ndarray
        SAMME: the trees, and what their votes weigh.
    feature_importances_ : ndarray
        Share of each column in the gain of all splits.
    n_features_in_, feature_names_in_ : int, ndarray of str
        The columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ramify import BoostedTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BoostedTreesClassifier(n_estimators=20).fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    >>> len(model.trees_), len(model.trees_[0])
    (20, 3)
    >>> oblique = BoostedTreesClassifier("wodt", n_estimators=5, max_depth=2)
    >>> oblique.fit(X, y).score(X, y) > 0.95
    True
    """

    classes_: NDArray[Any]
    n_classes_: int
    samme_: Samme

    def __init__(
        self,
        method: str = "gradient",
        *,
        n_estimators: int = 100,
        learning_rate: float | None = None,
        max_depth: int | None = 6,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_child_weight: float = 1.0,
        min_gain: float = 0.0,
        l2_regularization: float = 1.0,
        subsample: float = 1.0,
        max_features: int | float | str | None = None,
        max_bins: int = 255,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        class_weight: Any = None,
        method_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        unseen: BoostedUnseen = "heavier",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.min_gain = min_gain
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.class_weight = class_weight
        self.method_params = method_params
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    @documented(ONE_LABEL)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on the rows of X and their labels y.

        Parameters
        ----------
        {parameters}
        """
        check_boosted(self)
        is_gradient = self.method == "gradient"
        tree = None if is_gradient else self._tree()
        table = self._table(X) if tree is None else tree_of(tree)._table(X)
        if y is not None:
            y = column_or_1d(y, warn=True)
        labels = encode_labels(y, len(table))
        codes = labels.codes[:, 0].astype(np.intp)
        weight = check_weights(sample_weight, len(table))
        weight = class_weights(self.class_weight, y, weight)
        count = np.bincount(codes, weights=weight, minlength=len(labels.classes[0]))
        classes = used_classes(labels.classes[0], count > 0)
        if self._goes_on() and list(classes) != list(self.classes_):
            raise ValueError(
                f"warm_start=True goes on with the classes {self.classes_.tolist()}; y "
                f"has {classes.tolist()}: set warm_start=False"
            )
        if self._goes_on() and is_gradient is not hasattr(self, "sum_"):
            raise ValueError(
                f"warm_start=True goes on with method='gradient' or with SAMME; "
                f"method={self.method!r} is the other one: set warm_start=False"
            )
        codes = np.searchsorted(classes, labels.classes[0])[codes]
        if tree is None:
            loss = "log_loss" if len(classes) == 2 else "multinomial"
            n_scores = 1 if len(classes) == 2 else len(classes)
            # A class without weight has no place; its rows have none either.
            target = np.minimum(codes, len(classes) - 1).astype(np.float64)
            self._fit_gradient(X, table, target, weight, loss, n_scores)
            self.__dict__.pop("samme_", None)
        else:
            self._fit_samme(tree, table, codes, weight, len(classes))
            self.__dict__.pop("sum_", None)
        self.classes_ = classes
        self.n_classes_ = len(classes)
        return self

    def _learnt(self) -> Any:
        return self.samme_ if "samme_" in self.__dict__ else self.sum_

    def _why_not_by_sums(self) -> str:
        if self.method == "gradient":
            return super()._why_not_by_sums()
        check_boosted(self)
        return why_not(self)

    def _regression_by_sums(self) -> None:
        return None

    def _fit_by_sums(self, engine: Any, options: Any, info: Any, seen: Any) -> None:
        if self.method != "gradient":
            fit_samme(self, engine, options, info, seen)
            return
        classes = fit_by_passes(self, engine, options, info, seen)
        assert classes is not None
        self.classes_ = classes
        self.n_classes_ = len(self.classes_)
        self.__dict__.pop("samme_", None)

    def _tree(self) -> Any:
        """Return the tree that SAMME boosts."""
        method = methods.get(self.method)
        common = {
            "max_depth": self.max_depth,
            "min_samples_leaf": self.min_samples_leaf,
            "categorical_features": self.categorical_features,
            "unseen": self.unseen,
            "n_jobs": self.n_jobs,
        }
        known = inspect.signature(method.estimator).parameters
        if "n_estimators" in known:
            raise ValueError(
                f"method={self.method!r} is a forest; SAMME boosts single trees: use "
                f"{self.method.removesuffix('_rf')!r}"
            )
        own = {name: value for name, value in common.items() if name in known}
        return method.make(**{**own, **(self.method_params or {})})

    def _fit_samme(
        self,
        tree: Any,
        table: Table,
        codes: NDArray[np.intp],
        weight: Floats | None,
        n_classes: int,
    ) -> None:
        weight = np.ones(len(table)) if weight is None else weight
        places = np.flatnonzero(weight > 0)
        rounds = self._start_rounds()
        kept, held = self._hold_back(len(places), codes[places])
        samme = self._samme().copy() if self._goes_on() else Samme(n_classes)

        def part(of: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp], Floats]:
            chosen = places[of]
            rows = table if len(chosen) == len(table) else table[chosen]
            return rows, codes[chosen], weight[chosen]

        watched = None if held is None else part(held)
        data = SammeRows(
            samme, tree, learning_rate(self), self._seed, part(kept), watched
        )
        rounds.run(data.step)
        self.samme_ = samme
        schema = getattr(samme.estimators[0], "schema_", table.schema)
        self._remember(table.columns, schema)
        self._end_rounds(rounds)

    # --- reading -----------------------------------------------------------------

    @property
    def estimators_(self) -> list[Any]:
        """The trees of SAMME."""
        return self._samme().estimators

    @property
    def estimator_weights_(self) -> Floats:
        """What the votes of SAMME's trees weigh."""
        return np.array(self._samme().weights)

    @property
    def estimator_errors_(self) -> Floats:
        """The weighted training errors of SAMME's trees."""
        return np.array(self._samme().errors)

    def _samme(self) -> Samme:
        if "samme_" not in self.__dict__:
            raise AttributeError("SAMME's trees are there after a fit by SAMME only")
        return self.samme_

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the gain of all splits of all trees."""
        check_is_fitted(self)
        if "samme_" in self.__dict__:
            return self.samme_.importances()
        return super().feature_importances_

    def _staged_decisions(self, X: Any) -> Iterator[Floats]:
        """Yield scores per class after each round, one column only for two classes."""
        if "samme_" not in self.__dict__:
            yield from self._staged_scores(X)
            return
        votes, samme = Votes(X), self.samme_
        n_rows = len(votes.classes_by(samme.estimators[0]))
        sums = samme.start(n_rows)
        for number in range(len(samme.estimators)):
            samme.add(votes, sums, number)
            yield self._narrow(samme.decision(sums, number + 1))

    def _decisions(self, X: Any) -> Floats:
        check_fitted(self)
        if "samme_" not in self.__dict__:
            return self._scores(X, self.sum_)
        *_, last = self._staged_decisions(X)
        return last

    def _narrow(self, decision: Floats) -> Floats:
        """Return one score if there are two classes: for the second."""
        if self.n_classes_ > 2:
            return decision
        return decision[:, 1:] - decision[:, :1]

    def _shares(self, decision: Floats) -> Floats:
        """Turn scores into class probabilities."""
        if "samme_" in self.__dict__:
            decision = decision / (self.n_classes_ - 1)
        return _probabilities(decision)

    def _finish(self, proba: bool) -> Callable[[list[float]], Any]:
        if proba:
            return lambda scores: _probabilities(np.array([scores]))[0]
        labels = self.classes_.tolist()
        if len(labels) == 2:
            return lambda scores: labels[scores[0] > 0]
        return lambda scores: labels[first_largest(scores)]

    def _row_predictor(self, proba: bool) -> RowPredictor | JoinedRows:
        if "samme_" not in self.__dict__:
            return super()._row_predictor(proba)
        samme = self.samme_.copy()
        n_trees = len(samme.estimators)
        total = copy(self)  # which a later fit does not change

        def finish(sums: list[float]) -> Any:
            scores = total._narrow(samme.decision(np.array([sums]), n_trees))
            if proba:
                return total._shares(scores)[0]
            return total._labels(scores).tolist()[0]

        tables = samme.vote_tables()
        if tables is None:  # their votes are not those of leaves
            members = [tree.row_predictor() for tree in samme.estimators]
            return JoinedRows(members, lambda votes: finish(samme.summed(votes)))
        together = Trees([tree.tree_ for tree in samme.estimators])
        answers = together.answers("votes", lambda: tables)
        how = samme.estimators[0]._how_to_read() | {"owner": type(self).__name__}
        return RowPredictor(self.schema_, how, answers, finish)

    def _labels(self, decision: Floats) -> NDArray[Any]:
        if self.n_classes_ > 2:
            return np.asarray(self.classes_.take(decision.argmax(axis=1)))
        return np.asarray(self.classes_.take((decision[:, 0] > 0).astype(np.intp)))

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each class, or of the second of two.

        Gradient boosting: log odds. SAMME: votes, as scikit-learn scales them.
        """
        decision = self._decisions(X)
        return decision if self.n_classes_ > 2 else decision[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row; ties go to the first."""
        return self._labels(self._decisions(X))

    def predict_proba(self, X: Any) -> Floats:
        """Predict class probabilities."""
        return self._shares(self._decisions(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Predict the logarithms of class probabilities."""
        return np.asarray(log_of(self.predict_proba(X)))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict the class of each row after each round."""
        check_is_fitted(self)
        return (self._labels(decision) for decision in self._staged_decisions(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Predict class probabilities after each round."""
        check_is_fitted(self)
        return (self._shares(decision) for decision in self._staged_decisions(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores after each round."""
        check_is_fitted(self)
        for decision in self._staged_decisions(X):
            yield decision.copy() if self.n_classes_ > 2 else decision[:, 0].copy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        if self.method != "gradient":
            try:
                own = self._tree().__sklearn_tags__().input_tags
            except (TypeError, ValueError):  # fit says what is wrong
                return tags
            tags.input_tags.allow_nan = own.allow_nan
            tags.input_tags.categorical = own.categorical
            tags.input_tags.string = own.string
            tags.input_tags.sparse = own.sparse
        return tags


def _probabilities(decision: Floats) -> Floats:
    """Turn scores of classes, or of the second of two, into probabilities."""
    if decision.shape[1] > 1:
        return np.asarray(softmax(decision, axis=1))
    second = expit(decision[:, 0])
    return np.column_stack([1 - second, second])
