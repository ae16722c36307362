# SPDX-License-Identifier: BSD-3-Clause
"""A tree whose parameters are chosen by cross-validation inside its training rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ramify.estimators.tuning.grid import entries, tree_of
from ramify.estimators.tuning.results import (
    Evaluation,
    Results,
    best_of,
    evaluation,
    results,
)
from ramify.estimators.tuning.search import (
    Folds,
    Search,
    depth_of,
    n_leaves_of,
    score_of,
    scorer_of,
)
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.text import ONE_LABEL, documented
from ramify.table import Table

__all__ = ["Evaluation", "Results", "TunedTreeClassifier"]


_OWN = {
    "estimator": """estimator or str
What to tune: a tree, or the name of a method such as "bnm"
(``ramify.methods.names()``). By default a `DecisionTreeClassifier`.""",
    "param_grid": """dict or list
Values to try, by parameter: of the estimator, or of its criterion or splitter, such as
k, w2 and alpha. All combinations are tried, the last parameter changing fastest. Or a
list of such dicts; it may also hold estimators, and names of methods, that are tried as
they are. By default the ranges in which papers search k (2 to 30), w2 (0.0025 to 0.1)
and alpha (0 to 1), as far as the method has them; for other trees
``{"min_samples_leaf": [1, 2, 5, 10, 20]}``.""",
    "cv": """int, splitter or list of (train, test)
Number of stratified folds; or one of scikit-learn's splitters; or the rows of each fold
themselves.""",
    "scoring": """str or callable
What is best: a name that scikit-learn knows, such as "roc_auc", or a function
``f(model, X, y) -> float``, where X is a `ramify.Table`. By default accuracy. Weights
of rows count in the score, unless the function does not take any.""",
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
    "criterion_data": """array of n_rows rows
Passed to the estimators whose criterion looks at it.""",
    "sensitive": """array of n_rows rows
Passed to the estimators whose criterion looks at it.""",
    "treatment": """array of shape (n_rows,)
Passed to the estimators whose criterion looks at it.""",
}


@documented(_OWN)
class TunedTreeClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A tree whose parameters are chosen by cross-validation on its training rows.

    Every entry of a grid is tried on the same stratified folds, and the one with the
    best mean score is fitted again on all rows. The columns are encoded once: folds
    are views of one table (so with ``max_bins`` they share the bins of all rows, which
    are made without labels). `evaluate` measures how good such a choice is, honestly
    and as papers do it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    best_params_ : dict
        The entry with the best mean score; the first of those if there are several.
    best_score_ : float
        Its mean score over the folds. It is the best of many, and so too good a guess
        of the score on new rows: see `evaluate`.
    best_index_ : int
        Its place in the grid.
    best_estimator_ : estimator
        That estimator fitted on all rows, if `refit`.
    results_ : Results
        Arrays by name, one value per entry: ``params``, ``param_<name>``,
        ``split<i>_test_score``, ``mean_test_score``, ``std_test_score``,
        ``rank_test_score``, ``mean_leaves``, ``mean_depth``. ``results_.to_frame()``
        is a data frame.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import ramify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ramify.TunedTreeClassifier("bnm", {"w2": [0.0025, 0.01, 0.03]})
    >>> model.fit(X, y).best_params_
    {'w2': 0.0025}
    >>> model.get_n_leaves() == model.best_estimator_.get_n_leaves()
    True
    """

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

    @all_or_nothing
    @documented(ONE_LABEL, _OWN)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        criterion_data: Any = None,
        sensitive: Any = None,
        treatment: Any = None,
    ) -> Self:
        """Choose the parameters, and grow the tree on all rows with them.

        Parameters
        ----------
        {parameters}
        """
        extra = Extra(sample_weight, criterion_data, sensitive, treatment)
        search = Search(self, X, y, extra)
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
        self.classes_: NDArray[Any] = search.classes
        self._remember(search.tables[best], model)
        return self

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

    def evaluate(
        self,
        X: Any,
        y: Any,
        outer_cv: Any = 5,
        *,
        protocol: str = "nested",
        sample_weight: Any = None,
        criterion_data: Any = None,
        sensitive: Any = None,
        treatment: Any = None,
    ) -> Evaluation:
        """Measure by cross-validation how good trees tuned in this way are.

        "nested" chooses the parameters anew in the training rows of each outer fold, by
        the folds of `cv`: the rows of the test fold have no say, and the result is
        honest. "paper" chooses one entry for all folds by its mean score on the test
        folds themselves, as many papers do; that is optimistic, the more so the more
        entries there are. Fitting is not needed before, and nothing is remembered.

        Parameters
        ----------
        X, y, sample_weight, criterion_data, sensitive, treatment
            As in `fit`.
        outer_cv : int, splitter or list of (train, test), default=5
            The folds that measure.
        protocol : {"nested", "paper", "both"}, default="nested"
            How parameters are chosen; "both" lets the two share their fits.

        Returns
        -------
        Evaluation
            Arrays by name, one value per protocol and outer fold: ``protocol``,
            ``fold``, ``accuracy``, ``score`` (under `scoring`), ``leaves``, ``depth``,
            ``params`` and ``param_<name>``. ``summary()`` gives means.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> import ramify
        >>> X, y = load_wine(return_X_y=True)
        >>> model = ramify.TunedTreeClassifier("csn", {"k": [2, 3, 5, 10]}, cv=3)
        >>> found = model.evaluate(X, y, protocol="both")
        >>> found["accuracy"].shape
        (10,)
        >>> means = found.summary()
        >>> bool(means["nested"]["accuracy"] <= means["paper"]["accuracy"])
        True
        """
        if protocol not in ("nested", "paper", "both"):
            raise ValueError(
                f"protocol={protocol!r} is unknown; use 'nested', 'paper' or 'both'"
            )
        extra = Extra(sample_weight, criterion_data, sensitive, treatment)
        search = Search(self, X, y, extra)
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
            (name, j, search.entries[i].params, trials[i, j])
            for name, best in chosen.items()
            for j, i in enumerate(best)
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

    def predict(
        self,
        X: Any,
        *,
        return_interval: float | None = None,
        return_support: bool = False,
    ) -> Any:
        """Predict the class of each row by the best estimator.

        `return_interval` and `return_support` are those of `DecisionTreeClassifier`; an
        estimator that cannot answer refuses them.
        """
        more: dict[str, Any] = {}
        if return_interval is not None:
            more["return_interval"] = return_interval
        if return_support:
            more["return_support"] = True
        return self._fitted().predict(X, **more)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities by the best estimator."""
        return np.asarray(self._fitted().predict_proba(X))

    def row_predictor(self, *, proba: bool = False) -> Any:
        """Return a function that predicts one row at a time, by the best estimator."""
        return self._fitted().row_predictor(proba=proba)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of class probabilities."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score the best estimator by `scoring`, or by its accuracy."""
        weight = None if sample_weight is None else np.asarray(sample_weight)
        return score_of(scorer_of(self.scoring), self._fitted(), X, y, weight)

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
            found = entries(self.estimator, self.param_grid)
        except (TypeError, ValueError):  # fit will say what is wrong with them
            return tags
        inputs = [tree_of(entry.model).__sklearn_tags__().input_tags for entry in found]
        for name in ("allow_nan", "sparse", "categorical", "string"):
            setattr(tags.input_tags, name, all(getattr(one, name) for one in inputs))
        return tags
