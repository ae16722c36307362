# SPDX-License-Identifier: BSD-3-Clause
"""Regression forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from ramify import _core, criteria
from ramify.distributed.files.streaming import FitsStream
from ramify.estimators.conformal import PredictsIntervals
from ramify.estimators.conformal.intervals import calibration_from
from ramify.estimators.conformal.spread import (
    FLOOR,
    has_variances,
    known_deviations,
    moments_of,
    spread_from,
)
from ramify.estimators.forest.base import BaseForest, check_random_cuts
from ramify.estimators.forest.importances import raised_product
from ramify.estimators.forest.jackknife import LeftOut, jackknife_plus
from ramify.estimators.forest.out_of_bag import OutOfBag, r_squared
from ramify.estimators.forest.regression_method import tree_by_method
from ramify.estimators.forest.regression_task import RegressionTask
from ramify.estimators.forest.text import (
    ATTRIBUTES,
    DRAWN_CUTS,
    OF_FORESTS,
    OF_REGRESSION_METHODS,
)
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.regressor import DecisionTreeRegressor
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
from ramify.estimators.validation.regression_target import (
    Numbers,
    check_target_values,
    level_of,
)
from ramify.estimators.validation.rows import finish_numbers
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.text import OF_REGRESSION, documented, other_defaults
from ramify.table import n_threads

__all__ = [
    "BaggedTreesRegressor",
    "ExtraTreesRegressor",
    "ForestRegressor",
    "RandomForestRegressor",
]

Floats = NDArray[np.float64]

_WORDS = {
    "attributes": ATTRIBUTES,
    "tree": "trees",
    "score": "R squared",
    "value": "predictions are those",
    "found": """\
n_outputs_, n_features_in_, max_features_ : int
    Sizes.
oob_score_ : float
    R squared, or another score, on rows by the trees that have not seen them.
oob_prediction_ : ndarray of shape (n_rows,) or (n_rows, n_outputs)
    The mean of these trees; NaN for a row that all trees have seen.""",
}


class ForestRegressor(FitsStream, PredictsIntervals, RegressorMixin, BaseForest):
    """A forest whose trees hold numbers."""

    _TASK = RegressionTask
    _TREE = DecisionTreeRegressor
    _OF_TREES: ClassVar[tuple[str, ...]] = (
        *("criterion", "max_depth", "min_samples_split", "min_samples_leaf"),
        *("min_weight_fraction_leaf", "max_features", "max_leaf_nodes"),
        *("min_impurity_decrease", "ccp_alpha", "monotonic_cst", "criterion_params"),
        *("splitter", "categorical_features", "categories"),
        *("max_exhaustive_categories", "max_subset_size", "missing", "unseen"),
        *("leaf_rule", "zero_gain", "max_bins", "threshold"),
    )
    _OUT_OF_BAG = ("oob_score_", "oob_prediction_")

    def __init__(
        self,
        n_estimators: int = 100,
        criterion: Any = "squared_error",
        *,
        method: str | None = None,
        method_params: dict[str, Any] | None = None,
        splitter: Splitter = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[..., float] = False,
        honest: float | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        criterion_params: dict[str, Any] | None = None,
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
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.method = method
        self.method_params = method_params
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.honest = honest
        self.warm_start = warm_start
        self.random_state = random_state
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
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.verbose = verbose

    # --- fitting -----------------------------------------------------------------

    @all_or_nothing
    @documented(OF_REGRESSION, OF_FORESTS, OF_REGRESSION_METHODS)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        calibrate: str | None = None,
    ) -> Self:
        """Grow the trees on the rows of X and their numbers y.

        If you interrupt it (Ctrl-C), the trees grown so far are the forest.

        Parameters
        ----------
        {parameters}
        """
        return self._fit(X, y, Extra(sample_weight), calibrate)

    def _template(self) -> BaseTree:
        given = {name: getattr(self, name) for name in self._OF_TREES}
        if self.method is not None:
            return tree_by_method(self, given)
        if self.method_params is not None:
            raise ValueError(
                f"method_params={self.method_params!r} is given, but no method; name "
                "the method, or set method_params=None"
            )
        return self._TREE(**given)

    def _is_as_before(self, target: Numbers) -> bool:
        return bool(self.n_outputs_ == target.values.shape[1])

    def _set_out_of_bag(
        self, answers: Floats, judged: NDArray[np.intp], target: Numbers
    ) -> None:
        predicted = self._of_outputs(answers)
        self.oob_prediction_ = predicted
        if len(judged) < 2:  # R squared needs a variance
            self.oob_score_ = float("nan")
            return
        if not callable(self.oob_score):
            self.oob_score_ = r_squared(target.values[judged], answers[judged, :, 0])
            return
        true = self._of_outputs(target.values[:, :, None])
        self.oob_score_ = float(self.oob_score(true[judged], predicted[judged]))

    def _calibrate_out_of_bag(
        self, unseen: OutOfBag, target: Numbers, weight: Floats | None
    ) -> None:
        rows = unseen.judged
        found, true = unseen.answers[rows, :, 0], target.values
        scale = None
        if not self._why_not_method("scaled"):
            skip = np.ascontiguousarray(unseen.seen[:, rows])
            scale = self._scale(unseen.matrix[rows], unseen.has_missing, skip)
        self._keep(calibration_from("out_of_bag", true, found, scale, weight))
        self._left_out = LeftOut(rows, np.abs(true - found), weight)

    # --- intervals ---------------------------------------------------------------

    def _numbers_and_spread(self, X: Any) -> tuple[Floats, Floats | None]:
        matrix, has_missing = self._prepare(X)
        found = self._mean_answers(matrix, has_missing)[:, :, 0]
        if self._why_not_method("scaled"):
            return found, None
        return found, self._scale(matrix, has_missing)

    def _scale(
        self,
        matrix: NDArray[Any],
        has_missing: bool,
        skip: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Return how far the rows of the leaves are spread, for each row."""
        trees = self._asked().trees
        deviation = known_deviations(self, trees, self.n_outputs_)
        assert deviation is not None
        if trees[0].lines is not None:
            spread = self._spread_of_lines(matrix, has_missing, skip)
            return spread + FLOOR * deviation
        with_variance = has_variances(self, self.n_outputs_)
        center = trees[0].values()[0, :, 0]
        answers = self._asked().answers(
            ("moments", with_variance),
            lambda: [moments_of(tree, center, with_variance) for tree in trees],
        )
        mean = self._mean(matrix, has_missing, answers, skip)
        spread = spread_from(mean.reshape(len(matrix), 2, self.n_outputs_))
        return spread + FLOOR * deviation

    def _spread_of_lines(
        self,
        matrix: NDArray[Any],
        has_missing: bool,
        skip: NDArray[np.bool_] | None,
    ) -> Floats:
        """Return the spread of a mixture: about the lines, and of their answers."""
        moments, n = np.zeros((len(matrix), 2, 1)), np.zeros((len(matrix), 1))
        trees, threads = self._asked().trees, n_threads(self.n_jobs)
        assert trees[0].lines is not None
        center = float(trees[0].lines.mean[0])
        for t, tree in enumerate(trees):
            counts = np.ones(len(matrix)) if skip is None else 1.0 - skip[t]
            said = tree.on_lines(matrix, threads, has_missing)[:, 0] - center
            leaf = tree.apply(matrix, threads, has_missing)
            moments[:, 0, 0] += counts * said
            moments[:, 1, 0] += counts * (said**2 + tree.impurity[leaf])
            n[:, 0] += counts
        with np.errstate(invalid="ignore"):
            return spread_from(moments / n[:, :, None])

    def _why_not_method(self, method: str) -> str:
        if method == "residual":
            return ""
        if method == "scaled":
            trees = self._asked().trees
            if known_deviations(self, trees, self.n_outputs_) is None:
                return (
                    "the spread of its training target is not known, since it was "
                    "fitted on rows that lay in parts"
                )
            return ""
        if method == "jackknife+":
            return self._why_not_jackknife()
        return super()._why_not_method(method)

    def _why_not_jackknife(self) -> str:
        if not self.bootstrap:
            return "bootstrap=False shows all rows to all trees"
        if not hasattr(self, "_left_out"):
            return (
                "it does not know which rows its trees have seen and how far they are "
                "off (fit with oob_score=True; a file does not keep that)"
            )
        if self._calibrated is not self._learnt():
            return "its trees were changed after they were fitted"
        return ""

    def _intervals_by(self, method: str, X: Any, level: float) -> Floats:
        matrix, has_missing = self._prepare(X)
        votes = np.stack(
            [
                each[:, :, 0]
                for each in self._each_answer(matrix, has_missing, self._tables())
            ],
            axis=1,
        )
        seen = self._seen_rows()
        return jackknife_plus(
            self._left_out, votes, seen, level, n_threads(self.n_jobs)
        )

    # --- prediction --------------------------------------------------------------

    def _of_outputs(self, answers: Floats) -> Floats:
        """Return (n_rows, n_outputs, 1) as users have it: one axis if there is one."""
        return answers[:, 0, 0] if self.n_outputs_ == 1 else answers[:, :, 0]

    def _tables(self) -> list[Floats]:
        """Return the numbers that the nodes of each tree predict."""
        return [model.tree_.values() for model in self.estimators_]

    def _answers(self) -> _core.Answers:
        return self._asked().answers("numbers", self._tables)

    def _finish(self, proba: bool) -> Callable[[list[float]], Any]:
        return finish_numbers

    def predict(self, X: Any, return_support: bool = False) -> Any:
        """Predict the number of each row by the mean of the trees.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        return_support : bool, default=False
            Also say how much training weight stands behind each answer: the weight of
            the rows in the leaf that is reached, averaged over the trees. Answers
            from tiny leaves are mostly noise.

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        support : ndarray of shape (n_rows,)
            If `return_support`.
        """
        matrix, has_missing = self._prepare(X)
        found = self._of_outputs(self._mean_answers(matrix, has_missing))
        return (found, self._support(matrix, has_missing)) if return_support else found

    def votes(self, X: Any) -> Floats:
        """Return the number that each tree predicts: (n_rows, n_trees).

        With several outputs (n_rows, n_trees, n_outputs).
        """
        answers = self._each_answer(*self._prepare(X), self._tables())
        return np.stack([self._of_outputs(answer) for answer in answers], axis=1)

    # --- importances -------------------------------------------------------------

    def _known(self, y: Any) -> NDArray[Any]:
        if self.estimators_[0].tree_.lines is not None:
            raise ValueError(
                "importances of rows out of bag look at the values of leaves, and "
                "these have lines; use ramify.permutation_importance(model, X, y) on "
                "rows that were not fitted"
            )
        numbers = check_target_values(y, self._n_rows, type(self).__name__)
        if numbers.shape[1] != self.n_outputs_:
            raise ValueError(
                f"y has {numbers.shape[1]} outputs, the forest {self.n_outputs_}"
            )
        return numbers

    def _merit(
        self, model: Any, leaves: NDArray[np.int64], known: NDArray[Any]
    ) -> Floats:
        """Return how small the loss is that leaves make least."""
        error = known - model.tree_.value[leaves, :, 0]
        chosen = criteria.resolve_numeric(self.criterion, self.criterion_params)
        level = level_of(chosen)
        if level is None:
            loss = error**2
        elif getattr(chosen, "name", "") == "absolute_error":
            loss = np.abs(error)
        else:
            loss = np.where(error < 0, (level - 1) * error, level * error)
        return -np.asarray(loss.mean(axis=1))

    def _raised(
        self, tree: Any, leaves: NDArray[np.int64], known: NDArray[Any], weight: Floats
    ) -> Floats:
        return raised_product(tree, leaves, known, weight)


@documented(OF_REGRESSION, OF_FORESTS, OF_REGRESSION_METHODS, **_WORDS)
class RandomForestRegressor(ForestRegressor):
    """A random regression forest, with any criterion for regression.

    Each tree grows on a bootstrap sample of the rows, and looks at a sample of the
    columns at each node (Breiman 2001); by default at all of them, which is bagging.
    The columns are encoded once for all trees. The forest is the same for any number of
    threads and any order of rows. Parameters that scikit-learn's forest has mean the
    same here.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ramify import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(
    ...     100, max_features=1 / 3, oob_score=True, random_state=0
    ... ).fit(X, y)
    >>> 0.4 < forest.oob_score_ < 0.5
    True
    >>> numbers, support = forest.predict(X[:3], return_support=True)
    >>> numbers.shape, support.shape
    ((3,), (3,))
    """


@documented(OF_REGRESSION, OF_FORESTS, OF_REGRESSION_METHODS, DRAWN_CUTS, **_WORDS)
class ExtraTreesRegressor(ForestRegressor):
    """Extremely randomised regression trees.

    Of each column sampled at a node one random cut is tried, and the best of these is
    made (Geurts, Ernst, Wehenkel 2006). By default each tree sees all rows. The forest
    is the same for any number of threads and any order of rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ramify import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ExtraTreesRegressor(20, "absolute_error", random_state=0).fit(X, y)
    >>> forest.votes(X[:3]).shape
    (3, 20)
    """

    __init__ = other_defaults(
        ForestRegressor.__init__, splitter="random", bootstrap=False
    )

    def _template(self) -> BaseTree:
        tree = super()._template()
        check_random_cuts(self, tree)
        return tree


@documented(OF_REGRESSION, OF_FORESTS, OF_REGRESSION_METHODS, **_WORDS)
class BaggedTreesRegressor(ForestRegressor):
    """Bagging: each tree grows on a bootstrap sample of the rows, and sees all columns.

    (Breiman 1996.) Any criterion for numbers grows the trees. The forest is the same
    for any number of threads and any order of rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ramify import BaggedTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggedTreesRegressor(20, min_samples_leaf=5, random_state=0)
    >>> numbers, support = model.fit(X, y).predict(X[:3], return_support=True)
    >>> numbers.shape, bool((support >= 5).all())
    ((3,), True)
    """

    __init__ = other_defaults(ForestRegressor.__init__, max_features=None)
