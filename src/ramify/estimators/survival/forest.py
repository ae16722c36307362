# SPDX-License-Identifier: BSD-3-Clause
"""Survival forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ramify import _core
from ramify.distributed.files.streaming import FitsStream
from ramify.estimators.forest.base import BaseForest, check_random_cuts
from ramify.estimators.forest.text import OF_FORESTS
from ramify.estimators.survival.predicting import PredictsSurvival
from ramify.estimators.survival.target import Times
from ramify.estimators.survival.task import SurvivalTask
from ramify.estimators.survival.text import ATTRIBUTES, OF_SURVIVAL
from ramify.estimators.survival.tree import SurvivalTree
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.reading import read_rows
from ramify.estimators.validation.rows import finish_numbers
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.target import check_weights
from ramify.estimators.validation.text import documented, other_defaults
from ramify.survival.concordance import concordance_index_censored
from ramify.table import n_threads

__all__ = ["ExtraSurvivalTrees", "RandomSurvivalForest", "SurvivalForest"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WORDS = {
    "score": "Harrell's C",
    "attributes": f"""\
estimators_ : list of SurvivalTree
    The trees.
{ATTRIBUTES}
oob_score_ : float
    Harrell's C of the rows by the trees that have not seen them.
oob_prediction_ : ndarray of shape (n_rows,)
    Their risks; NaN for a row that all trees have seen.
feature_importances_ : ndarray of shape (n_columns,)
    Share of each column in the scores of all splits.
estimators_samples_ : list of ndarray
    The rows sampled for each tree.""",
}


class SurvivalForest(PredictsSurvival, FitsStream, BaseForest):
    """A forest whose leaves hold curves."""

    _TASK = SurvivalTask
    _TREE = SurvivalTree
    _OF_TREES = (
        *("criterion", "splitter", "max_depth", "min_samples_split"),
        *("min_samples_leaf", "min_weight_fraction_leaf", "max_features"),
        *("max_leaf_nodes", "criterion_params", "min_events_leaf"),
        *("categorical_features", "max_exhaustive_categories", "missing", "unseen"),
        "max_bins",
    )
    _OUT_OF_BAG = ("oob_score_", "oob_prediction_")

    # What only other forests choose.
    honest = None
    monotonic_cst = None
    threshold = "midpoint"

    def __init__(
        self,
        n_estimators: int = 100,
        criterion: Any = "logrank",
        *,
        splitter: Literal["best", "random"] = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 6,
        min_samples_leaf: int | float = 3,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        bootstrap: bool | str = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        max_samples: int | float | None = None,
        low_memory: bool = False,
        criterion_params: dict[str, Any] | None = None,
        min_events_leaf: float = 0.0,
        categorical_features: Any = "from_dtype",
        max_exhaustive_categories: int = 8,
        missing: Literal["both", "left", "right", "error"] = "both",
        unseen: Literal["heavier", "error", "missing"] = "heavier",
        max_bins: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.max_samples = max_samples
        self.low_memory = low_memory
        self.criterion_params = criterion_params
        self.min_events_leaf = min_events_leaf
        self.categorical_features = categorical_features
        self.max_exhaustive_categories = max_exhaustive_categories
        self.missing = missing
        self.unseen = unseen
        self.max_bins = max_bins

    # --- fitting -----------------------------------------------------------------

    @all_or_nothing
    @documented(OF_FORESTS, OF_SURVIVAL)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on the rows of X and their times to the event y.

        If you interrupt it (Ctrl-C), the trees grown so far are the forest.

        Parameters
        ----------
        {parameters}
        """
        tree = self._template()
        table = tree._table(X)
        weight = check_weights(sample_weight, table.shape[0])
        times = Times.read(y, table.shape[0], weight)
        self._fit(table, times, Extra(weight))
        self._remember(times)
        return self

    def _remember(self, times: Times) -> None:
        """Note the times of the training rows."""
        self.unique_times_, self.is_event_time_ = times.times, times.is_event
        self.n_outputs_ = 1

    def _template(self) -> BaseTree:
        given = {name: getattr(self, name) for name in self._OF_TREES}
        return self._TREE(**given)

    def _is_as_before(self, target: Times) -> bool:
        return np.array_equal(self.unique_times_, target.times) and np.array_equal(
            self.is_event_time_, target.is_event
        )

    def _set_out_of_bag(
        self, answers: Floats, judged: NDArray[np.intp], target: Times
    ) -> None:
        self.oob_prediction_ = answers[:, 0, 0]
        time, event = target.time[judged], target.event[judged]
        if len(judged) < 2 or not event.any():
            self.oob_score_ = float("nan")
            return
        risks = self.oob_prediction_[judged]
        self.oob_score_ = float(concordance_index_censored(event, time, risks)[0])

    # --- prediction --------------------------------------------------------------

    def _check_is_fitted(self) -> None:
        check_is_fitted(self)

    def _tables(self) -> list[Floats]:
        """Return the risks of the nodes of each tree."""
        return [model.tree_.values() for model in self.estimators_]

    def _answers(self) -> _core.Answers:
        return self._asked().answers("risks", self._tables)

    def _finish(self, proba: bool) -> Callable[[list[float]], Any]:
        return finish_numbers

    def _risks(self, X: Any) -> Floats:
        matrix, has_missing = self._prepare(X)
        return np.asarray(self._mean_answers(matrix, has_missing)[:, 0, 0])

    def _leaves(self, X: Any) -> Ints:
        return self.apply(X)

    def _curves(self, kind: str, leaves: Ints, places: Ints) -> Floats:
        return self._mean_curves(kind, leaves, places)

    def _mean_curves(
        self,
        kind: str,
        leaves: Ints,
        places: Ints,
        skip: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Average the curves of the trees; NaN for a row that all trees skip."""
        sums = np.zeros((len(leaves), len(places)))
        for t, model in enumerate(self.estimators_):
            tree = model.tree_
            own = tree.leaf_numbers(leaves[:, t])
            if skip is not None:
                own = np.where(skip[t], -1, own)
            assert tree.curves is not None
            tree.curves.add(kind, own, places, sums)
        if skip is None:
            sums /= len(self.estimators_)
            return sums
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / (~skip).sum(axis=0)[:, None])

    def _out_of_bag_curves(self, kind: str, X: Any, times: Any) -> Floats:
        matrix, has_missing = read_rows(
            *(X, self.schema_),
            unseen="heavier",
            missing_error=False,
            owner=type(self).__name__,
        )
        seen = self._seen_rows()
        if len(matrix) != seen.shape[1]:
            raise ValueError(
                f"X has {len(matrix)} rows, but the forest was grown on "
                f"{seen.shape[1]}; pass the rows of fit, in the same order"
            )
        leaves = self._asked().apply(matrix, n_threads(self.n_jobs), has_missing)
        asked = self.unique_times_ if times is None else np.asarray(times, np.float64)
        places = np.searchsorted(self.unique_times_, asked, side="right") - 1
        return self._mean_curves(kind, leaves, places.astype(np.int64), skip=seen)

    def oob_survival_function(self, X: Any, times: Any = None) -> Floats:
        """Predict survival of the rows of fit by the trees that have not seen them.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            The rows of `fit`, again and in the same order.
        times : array of shape (n_times,), optional
            Ascending; by default all training times.

        Returns
        -------
        survival : ndarray of shape (n_rows, n_times)
            NaN for a row that all trees have seen.
        """
        check_is_fitted(self)
        return self._out_of_bag_curves("survival", X, times)

    def importances(
        self,
        kind: str = "impurity",
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        n_repeats: int = 1,
    ) -> Floats:
        """Return how much each column matters.

        Parameters
        ----------
        kind : {"impurity", "permutation"}, default="impurity"
            "impurity": the share of a column in the scores of the splits.
            "permutation": by how much Harrell's C of a tree falls, on the rows it has
            not seen, if the values of the column are shuffled among these (Breiman
            2001); the mean over the trees.
        X, y : table and target
            The rows of `fit`, again and in the same order; for "permutation".
        sample_weight : None
            Concordance knows no weights.
        n_repeats : int, default=1
            How often a column is shuffled.

        Returns
        -------
        ndarray of shape (n_columns,)
            "impurity" sums up to 1; the others may be a little below 0.
        """
        if kind == "impurity":
            return super().importances("impurity")
        if kind != "permutation":
            raise ValueError(
                f"kind={kind!r} is unknown; survival forests have 'impurity' and "
                "'permutation'"
            )
        if sample_weight is not None:
            raise ValueError(
                "sample_weight cannot be used with kind='permutation': concordance "
                "counts pairs of rows; leave it out"
            )
        return permuted(self, X, y, n_repeats)


def permuted(forest: SurvivalForest, X: Any, y: Any, n_repeats: int) -> Floats:
    """Return by how much the concordance of unseen rows falls without each column."""
    check_is_fitted(forest)
    if X is None or y is None:
        raise ValueError(
            "kind='permutation' needs rows that trees have not seen: pass the X and y "
            "of fit, as importances(kind, X, y)"
        )
    matrix, has_missing = forest._prepare(X)
    seen = forest._seen_rows()
    times = Times.read(y, len(matrix), None)
    if len(matrix) != seen.shape[1]:
        raise ValueError(
            f"X has {len(matrix)} rows, but the forest was grown on {seen.shape[1]}; "
            "pass the same rows, in the same order"
        )
    falls = np.zeros(matrix.shape[1])
    n_judged = 0
    for t, model in enumerate(forest.estimators_):
        rows = np.flatnonzero(~seen[t])
        time, event = times.time[rows], times.event[rows]
        if len(rows) < 2 or not (time > time[event].min(initial=np.inf)).any():
            continue
        n_judged += 1
        tree, own = model.tree_, np.array(matrix[rows])
        value = tree.values()

        def c_index(
            cells: NDArray[Any],
            tree: Any = tree,
            value: Floats = value,
            time: Floats = time,
            event: NDArray[np.bool_] = event,
        ) -> float:
            risks = tree.average(cells, value, 1, has_missing)[:, 0]
            return float(concordance_index_censored(event, time, risks)[0])

        true = c_index(own)
        for j in np.unique(tree.feature[tree.feature >= 0]).tolist():
            rng = np.random.default_rng([forest._seed_of_fit, t, j, 2])
            kept = own[:, j].copy()
            for _ in range(n_repeats):
                own[:, j] = rng.permutation(kept)
                falls[j] += (true - c_index(own)) / n_repeats
            own[:, j] = kept
    return np.asarray(falls / max(1, n_judged))


@documented(OF_FORESTS, OF_SURVIVAL, **_WORDS)
class RandomSurvivalForest(SurvivalForest):
    """A random survival forest, with any criterion for times to an event.

    Each tree grows on a bootstrap sample of the rows, and looks at a sample of the
    columns at each node (Ishwaran et al. 2008). Cumulative hazards and survival are the
    means of the trees. The forest is the same for any number of threads and any order
    of rows. Parameters that scikit-survival's forest has mean the same here.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from ramify import RandomSurvivalForest
    >>> from ramify.datasets import load
    >>> data = load("veteran")
    >>> forest = RandomSurvivalForest(50, oob_score=True, random_state=0)
    >>> 0.6 < forest.fit(data.X, data.y).oob_score_ < 0.75
    True
    >>> forest.predict_survival_function(data.X[:3], times=[30, 365]).shape
    (3, 2)
    """


@documented(
    OF_FORESTS,
    OF_SURVIVAL,
    {
        "splitter": """{"random"}
Cuts are random; there is nothing to choose."""
    },
    **_WORDS,
)
class ExtraSurvivalTrees(SurvivalForest):
    """Extremely randomised survival trees.

    Of each column sampled at a node one random cut is tried, and the best of these is
    made (Geurts, Ernst, Wehenkel 2006). As in scikit-survival, each tree grows on a
    bootstrap sample by default.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from ramify import ExtraSurvivalTrees
    >>> from ramify.datasets import load
    >>> data = load("veteran")
    >>> forest = ExtraSurvivalTrees(20, random_state=0).fit(data.X, data.y)
    >>> forest.score(data.X, data.y) > 0.7
    True
    """

    __init__ = other_defaults(SurvivalForest.__init__, splitter="random")

    def _template(self) -> BaseTree:
        tree = super()._template()
        check_random_cuts(self, tree)
        return tree
