# SPDX-License-Identifier: BSD-3-Clause
"""What tuned trees of classes and of numbers share."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.tuning.grid import entries, tree_of
from ramify.estimators.tuning.results import Evaluation, best_of, evaluation, results
from ramify.estimators.tuning.search import Folds, Search, depth_of, n_leaves_of
from ramify.estimators.validation.sample import Extra
from ramify.table import Table

__all__ = ["OF_TUNED", "TunedTree"]

OF_TUNED = {
    "refit": """bool
Fit the best entry on all rows. Without it there is nothing to predict with.""",
    "random_state": """int, RandomState or None
Seed that shuffles the rows before they are dealt to folds, and that of trees which have
none of their own. By default rows are not shuffled.""",
    "n_jobs": """int or None
Fits that run at the same time, in threads; -1 for all processors. The result does not
depend on it.""",
    "X": """array, data frame or Table of shape (n_rows, n_columns)
Numbers and categories, as the estimator takes them.""",
    "sample_weight": """array of shape (n_rows,)
Weights, for growing and for scoring; a row of weight 0 is in no fold.""",
}


class TunedTree(MetaEstimatorMixin, BaseEstimator):
    """Tries the entries of a grid on folds, and fits the best one on all rows."""

    _SEARCH: ClassVar[type[Search]]  # what is predicted, and how that is measured

    def __init__(
        self,
        estimator: Any = None,
        param_grid: Any = None,
        *,
        cv: Any = 5,
        scoring: Any = None,
        refit: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _tune(self, X: Any, y: Any, extra: Extra) -> Search:
        """Choose the parameters, and grow the tree on all rows with them."""
        search = self._SEARCH(self, X, y, extra)
        folds = search.folds(self.cv)
        trials = search.run([(i, fold) for i in search.all for fold in folds])
        found = results(search.entries, trials, len(folds))
        best = best_of(found["mean_test_score"])
        model = search.fitted(best) if self.refit else None
        self.results_ = found
        self.best_index_ = best
        self.best_params_ = search.entries[best].params
        self.best_score_ = float(found["mean_test_score"][best])
        self.n_splits_ = len(folds)
        self._remember(search.tables[best], model)
        return search

    def _remember(self, table: Table, model: Any) -> None:
        self.n_features_in_ = table.shape[1]
        for name, value in (
            ("feature_names_in_", table.columns and np.array(table.columns, object)),
            ("best_estimator_", model),
        ):
            if value is not None:
                setattr(self, name, value)
            elif hasattr(self, name):
                delattr(self, name)

    def _evaluate(
        self, X: Any, y: Any, extra: Extra, outer_cv: Any, protocol: str
    ) -> Evaluation:
        """Measure by cross-validation how good trees tuned in this way are."""
        if protocol not in ("nested", "paper", "both"):
            raise ValueError(
                f"protocol={protocol!r} is unknown; use 'nested', 'paper' or 'both'"
            )
        search = self._SEARCH(self, X, y, extra)
        outer = search.folds(outer_cv, name="outer_cv")
        numbers = range(len(outer))
        chosen: dict[str, list[int]] = {}
        pairs = [(i, j) for i in search.all for j in numbers]
        if protocol != "paper":
            chosen["nested"] = self._choose_inside(search, outer)
        if protocol == "nested":  # no need of what was not chosen
            pairs = list(zip(chosen["nested"], numbers, strict=True))
        trials = dict(
            zip(pairs, search.run([(i, outer[j]) for i, j in pairs]), strict=True)
        )
        if protocol != "nested":
            scores = [[trials[i, j].score for j in numbers] for i in search.all]
            chosen["paper"] = [best_of(np.mean(scores, axis=1))] * len(outer)
        return evaluation(
            (
                (name, j, search.entries[i].params, trials[i, j])
                for name, best in chosen.items()
                for j, i in enumerate(best)
            ),
            search.usual,
        )

    def _choose_inside(self, search: Search, outer: Folds) -> list[int]:
        """Choose an entry for each outer fold by folds of its training rows."""
        if not isinstance(self.cv, (int, np.integer)) and not hasattr(self.cv, "split"):
            raise ValueError(
                f"cv={self.cv!r} lists rows, and evaluate(protocol='nested') makes "
                "folds of many parts of them; use a number or a splitter as cv"
            )
        chosen = []
        for j, (train, _) in enumerate(outer):
            where = f"in the training rows of outer fold {j}, "
            inner = search.folds(self.cv, train, where=where)
            trials = search.run([(i, fold) for i in search.all for fold in inner])
            scores = np.array([trial.score for trial in trials])
            chosen.append(best_of(scores.reshape(-1, len(inner)).mean(axis=1)))
        return chosen

    # --- prediction --------------------------------------------------------------

    def _fitted(self) -> Any:
        """Return the tree that predicts."""
        if hasattr(self, "results_") and not hasattr(self, "best_estimator_"):
            raise NotFittedError(
                "refit=False, so no tree was grown on all rows; fit again with "
                "refit=True"
            )
        if not hasattr(self, "best_estimator_"):
            check_is_fitted(self)  # checked last: for the tags it reads the whole grid
        return self.best_estimator_

    def row_predictor(self, *, proba: bool = False, **more: Any) -> Any:
        """Return a function that predicts one row at a time, by the best estimator.

        `more` is what its own `row_predictor` takes, such as ``interval=0.9``.
        """
        return self._fitted().row_predictor(proba=proba, **more)

    def _score_by(self, X: Any, y: Any, sample_weight: Any) -> float:
        """Score the best estimator as it was chosen."""
        weight = None if sample_weight is None else np.asarray(sample_weight)
        return self._SEARCH.scorer(self)(self._fitted(), X, y, weight)

    @property
    def calibration_(self) -> Any:
        """What `calibrate` has taught the best estimator."""
        if "best_estimator_" not in self.__dict__:
            raise AttributeError("calibration_ is there after fit and calibrate")
        return self.best_estimator_.calibration_

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows that were not fitted how often the best estimator is wrong.

        Rows that had a part in choosing the parameters will not do.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; other rows.
        """
        self._fitted().calibrate(X, y, sample_weight)
        return self

    def get_depth(self) -> int:
        """Return the depth of the best estimator, of its deepest tree."""
        return depth_of(self._fitted())

    def get_n_leaves(self) -> int:
        """Count the leaves of the best estimator, of all its trees."""
        return n_leaves_of(self._fitted())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            found = entries(self.estimator, self.param_grid, self._SEARCH.TREE)
        except (TypeError, ValueError):  # fit will say what is wrong with them
            return tags
        inputs = [tree_of(entry.model).__sklearn_tags__().input_tags for entry in found]
        for name in ("allow_nan", "sparse", "categorical", "string"):
            setattr(tags.input_tags, name, all(getattr(one, name) for one in inputs))
        return tags
