# SPDX-License-Identifier: BSD-3-Clause
"""A tree of classes whose parameters are chosen by cross-validation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ramify.estimators.tuning.base import OF_TUNED, TunedTree
from ramify.estimators.tuning.results import Evaluation, Results
from ramify.estimators.tuning.search import ClassSearch
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.text import ONE_LABEL, documented

__all__ = ["Evaluation", "Results", "TunedTreeClassifier"]

_OWN = OF_TUNED | {
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
    "criterion_data": """array of n_rows rows
Passed to the estimators whose criterion looks at it.""",
    "sensitive": """array of n_rows rows
Passed to the estimators whose criterion looks at it.""",
    "treatment": """array of shape (n_rows,)
Passed to the estimators whose criterion looks at it.""",
}


@documented(_OWN)
class TunedTreeClassifier(ClassifierMixin, TunedTree):
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

    _SEARCH = ClassSearch

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
        search = self._tune(X, y, extra)
        self.classes_: NDArray[Any] = search.classes
        return self

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
        extra = Extra(sample_weight, criterion_data, sensitive, treatment)
        return self._evaluate(X, y, extra, outer_cv, protocol)

    # --- prediction --------------------------------------------------------------

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

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of class probabilities."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score the best estimator by `scoring`, or by its accuracy."""
        return self._score_by(X, y, sample_weight)

    def predict_set(
        self, X: Any, level: float = 0.9, method: str = "lac", by_class: bool = False
    ) -> NDArray[np.bool_]:
        """Predict which classes each row may have, by the best estimator.

        Parameters
        ----------
        X, level, method, by_class
            As of `DecisionTreeClassifier.predict_set`; `calibrate` comes before.
        """
        best = self._fitted()
        found: NDArray[np.bool_] = best.predict_set(X, level, method, by_class)
        return found
