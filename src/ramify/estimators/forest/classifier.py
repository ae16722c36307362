# SPDX-License-Identifier: BSD-3-Clause
"""Forests that predict classes, with any criterion or method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ramify import _core
from ramify.distributed.files.streaming import FitsStream
from ramify.estimators.conformal import PredictsSets
from ramify.estimators.conformal.sets import class_calibration_from
from ramify.estimators.forest.base import BaseForest, check_random_cuts
from ramify.estimators.forest.class_task import ClassTask
from ramify.estimators.forest.importances import raised_probability
from ramify.estimators.forest.out_of_bag import OutOfBag
from ramify.estimators.forest.text import (
    ATTRIBUTES,
    DRAWN_CUTS,
    OF_FORESTS,
)
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.estimators.tree.methods import (
    PLUGINS,
    TREE_METHODS,
    Method,
    unknown_method,
)
from ramify.estimators.tree.uplift import mean_uplift, set_uplift
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
from ramify.estimators.validation.rows import finish_classes
from ramify.estimators.validation.rules import Rule, check_rules, one_of
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.target import (
    Labels,
    check_weights,
    classes_of,
    codes_of,
    labels_of,
    log_of,
)
from ramify.estimators.validation.text import (
    OF_CLASSES,
    defaults_of,
    documented,
    other_defaults,
)

__all__ = [
    "BaggedTreesClassifier",
    "ExtraTreesClassifier",
    "ForestClassifier",
    "RandomForestClassifier",
]

Floats = NDArray[np.float64]

_RULES: dict[str, Rule] = {
    "voting": one_of("soft", "hard"),
    "class_weight": (
        lambda x: not isinstance(x, str) or x in ("balanced", "balanced_subsample"),
        "'balanced', 'balanced_subsample', a dict {class: weight}, or None",
    ),
}
_WORDS = {
    "attributes": ATTRIBUTES,
    "tree": "DecisionTreeClassifier",
    "score": "accuracy",
    "value": "class shares are those",
    "found": """\
classes_ : ndarray, or list of ndarray for several outputs
    The labels.
n_classes_, n_outputs_, n_features_in_, max_features_ : int
    Sizes.
oob_score_ : float
    Accuracy, or another score, on rows by the trees that have not seen them.
oob_decision_function_ : ndarray of shape (n_rows, n_classes)
    Class probabilities by these trees; NaN for a row that all trees have seen. With
    several outputs (n_rows, n_classes, n_outputs).""",
}


def _tree_method(name: str) -> Method:
    """Return the method of that name that grows one tree."""
    if name not in TREE_METHODS:
        PLUGINS.load()
    if name in TREE_METHODS:
        return TREE_METHODS[name]
    if str(name).removesuffix("_rf") in TREE_METHODS:
        raise ValueError(
            f"method={name!r} grows no tree but a forest; name a method that grows a "
            "tree"
        )
    raise unknown_method(name, TREE_METHODS)


class ForestClassifier(FitsStream, PredictsSets, ClassifierMixin, BaseForest):
    """A forest whose trees hold shares of classes."""

    _TASK = ClassTask
    _TREE = DecisionTreeClassifier
    _OF_TREES = (
        *("criterion", "max_depth", "min_samples_split", "min_samples_leaf"),
        *("min_weight_fraction_leaf", "max_features", "max_leaf_nodes"),
        *("min_impurity_decrease", "max_purity", "ccp_alpha", "monotonic_cst"),
        "criterion_params",
        *("splitter", "splitter_params", "categorical_features", "categories"),
        *("max_exhaustive_categories", "max_subset_size", "missing", "unseen"),
        *("cost_matrix", "leaf_rule", "zero_gain", "max_bins", "threshold"),
        "laplace",
    )
    _OUT_OF_BAG = ("oob_score_", "oob_decision_function_")

    classes_: Any
    n_classes_: Any

    def __init__(
        self,
        n_estimators: int = 100,
        criterion: Any = "gini",
        *,
        method: str | None = None,
        method_params: dict[str, Any] | None = None,
        splitter: Splitter = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_purity: float = 1.0,
        bootstrap: bool | str = True,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[..., float] = False,
        honest: float | None = None,
        voting: str = "soft",
        warm_start: bool = False,
        random_state: Any = None,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        criterion_params: dict[str, Any] | None = None,
        splitter_params: dict[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        categories: Categories = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: Missing = "both",
        unseen: Unseen = "heavier",
        cost_matrix: Any = None,
        leaf_rule: LeafRule = "restrict",
        zero_gain: ZeroGain = "split",
        max_bins: int | None = None,
        threshold: Threshold = "midpoint",
        laplace: bool = False,
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
        self.max_purity = max_purity
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.honest = honest
        self.voting = voting
        self.warm_start = warm_start
        self.random_state = random_state
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.criterion_params = criterion_params
        self.splitter_params = splitter_params
        self.categorical_features = categorical_features
        self.categories = categories
        self.max_exhaustive_categories = max_exhaustive_categories
        self.max_subset_size = max_subset_size
        self.missing = missing
        self.unseen = unseen
        self.cost_matrix = cost_matrix
        self.leaf_rule = leaf_rule
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.threshold = threshold
        self.laplace = laplace
        self.n_jobs = n_jobs
        self.verbose = verbose

    # --- fitting -----------------------------------------------------------------

    @all_or_nothing
    @documented(OF_CLASSES, OF_FORESTS)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        criterion_data: Any = None,
        sensitive: Any = None,
        treatment: Any = None,
        *,
        calibrate: str | None = None,
    ) -> Self:
        """Grow the trees on the rows of X and their labels y.

        If you interrupt it (Ctrl-C), the trees grown so far are the forest.

        Parameters
        ----------
        {parameters}
        """
        extra = Extra(sample_weight, criterion_data, sensitive, treatment)
        self._fit(X, y, extra, calibrate)
        if treatment is not None:
            is_second = np.asarray(y).reshape(-1) == self.classes_[1]
            weight = check_weights(sample_weight, len(is_second))
            set_uplift(self.estimators_, self.apply(X), is_second, treatment, weight)
        return self

    def _check(self) -> None:
        super()._check()
        check_rules(self, _RULES)

    def _template(self) -> BaseTree:
        """Make the tree that is grown many times."""
        given = {name: getattr(self, name) for name in self._OF_TREES}
        if self.method is None:
            if self.method_params is not None:
                raise ValueError(
                    f"method_params={self.method_params!r} is given, but no method; "
                    "name one, or use criterion_params or splitter_params"
                )
            return self._TREE(**given)
        defaults = defaults_of(type(self))
        own = {
            name: value
            for name, value in given.items()
            if name == "max_features" or not _is_default(value, defaults.get(name))
        }
        method = _tree_method(self.method)
        if method.multiclass == "ova":
            own["multiclass"] = "native"
        tree: BaseTree = method.make(**own, **(self.method_params or {}))
        return tree

    def _is_as_before(self, target: Labels) -> bool:
        old = self.classes_ if self.n_outputs_ > 1 else [self.classes_]
        new = target.classes
        return len(old) == len(new) and all(map(np.array_equal, old, new))

    def _set_out_of_bag(
        self, answers: Floats, judged: NDArray[np.intp], target: Labels
    ) -> None:
        is_single = self.n_outputs_ == 1
        function = answers[:, 0] if is_single else answers.transpose(0, 2, 1)
        self.oob_decision_function_ = function
        if len(judged) == 0:
            self.oob_score_ = float("nan")
            return
        best, true = self._best_classes(answers[judged]), target.codes[judged]
        if callable(self.oob_score):
            score = self.oob_score(labels_of(self, true), labels_of(self, best))
        else:
            score = (best == true).all(axis=1).mean()
        self.oob_score_ = float(score)

    def _calibrate_out_of_bag(
        self, unseen: OutOfBag, target: Labels, weight: Floats | None
    ) -> None:
        answers = unseen.answers[unseen.judged]
        shares = [answers[:, j, :n] for j, n in enumerate(target.n_classes)]
        found = class_calibration_from("out_of_bag", shares, target.codes, weight)
        self._keep(found)

    # --- prediction --------------------------------------------------------------

    def _policy(self, name: str) -> Any:
        """Return a parameter of the trees: the forest's, or else the method's."""
        own = getattr(self, name)
        if self.method is None or not _is_default(own, defaults_of(type(self))[name]):
            return own
        return getattr(self.estimators_[0], name)

    def _tables(self, *, for_votes: bool = False) -> list[Floats]:
        """Give what the nodes of each tree say: shares of classes, or their merits."""
        costs = self._costs() if for_votes else None
        is_smooth = self._policy("laplace")
        tables = []
        for model in self.estimators_:
            tree = model.tree_
            value = tree.smoothed() if is_smooth else tree.values()
            tables.append(value if costs is None else -(value @ costs))
        return tables

    def _costs(self) -> Floats | None:
        costs = self._policy("cost_matrix")
        if costs is None or self.n_classes_ == 1:
            return None
        return np.asarray(costs, dtype=np.float64)

    def _answers(self) -> _core.Answers:
        is_hard = self.voting == "hard"
        costs = self._costs() if is_hard else None
        return self._asked().answers(
            (
                *("hard" if is_hard else "soft", bool(self._policy("laplace"))),
                None if costs is None else costs.tobytes(),
            ),
            lambda: self._tables(for_votes=is_hard),
            n_votes=self.n_outputs_ if is_hard else 0,
        )

    def _best_classes(self, shares: Floats) -> NDArray[np.intp]:
        """Choose a class, per row and output, by its share or by what errors cost."""
        costs = self._costs()
        if costs is None or self.voting == "hard":  # voters have weighed the costs
            return np.asarray(shares.argmax(axis=2))
        return np.asarray((shares @ costs).argmin(axis=2))

    def _finish(self, proba: bool) -> Callable[[list[float]], Any]:
        # Voters have weighed the costs.
        costs = None if self.voting == "hard" else self._costs()
        return finish_classes(classes_of(self), costs, proba)

    def predict(self, X: Any, return_support: bool = False) -> Any:
        """Predict the class of each row by the mean of the trees, or by their votes.

        Ties go to the first class.

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
        labels : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        support : ndarray of shape (n_rows,)
            If `return_support`.
        """
        matrix, has_missing = self._prepare(X)
        shares = self._mean_answers(matrix, has_missing)
        labels = labels_of(self, self._best_classes(shares))
        return (
            (labels, self._support(matrix, has_missing)) if return_support else labels
        )

    def predict_proba(self, X: Any) -> Any:
        """Predict class probabilities: (n_rows, n_classes), or one such per output.

        The mean of the trees' class shares, or the shares of their votes.
        """
        matrix, has_missing = self._prepare(X)
        shares = self._mean_answers(matrix, has_missing)
        if self.n_outputs_ == 1:
            return shares[:, 0]
        return [shares[:, j, :n] for j, n in enumerate(self.n_classes_)]

    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithms of class probabilities."""
        return log_of(self.predict_proba(X))

    def predict_uplift(self, X: Any) -> NDArray[np.float64]:
        """Predict what treatment changes: the difference of the outcome's shares.

        It is the mean over the trees: in the leaf of a row, the share of the second
        class among treated training rows, less that among the untreated, whether a
        tree has sampled them or not. Trees whose leaf lacks one of them have no say.
        For forests that were grown with ``fit(..., treatment=)``.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table
            The rows.
        """
        return mean_uplift(self.estimators_, self.apply(X))

    def votes(self, X: Any) -> NDArray[Any]:
        """Return the label that each tree predicts: (n_rows, n_trees).

        With several outputs (n_rows, n_trees, n_outputs).
        """
        answers = self._each_answer(*self._prepare(X), self._tables(for_votes=True))
        choices = [labels_of(self, merit.argmax(axis=2)) for merit in answers]
        return np.stack(choices, axis=1)

    # --- importances -------------------------------------------------------------

    def _known(self, y: Any) -> NDArray[Any]:
        return codes_of(self, y)

    def _merit(
        self, model: Any, leaves: NDArray[np.int64], known: NDArray[Any]
    ) -> Floats:
        """Return whether a tree is right."""
        return np.asarray((model._leaf_classes()[leaves] == known).mean(axis=1))

    def _raised(
        self, tree: Any, leaves: NDArray[np.int64], known: NDArray[Any], weight: Floats
    ) -> Floats:
        return raised_probability(tree, leaves, known, weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output
        return tags


def _is_default(value: Any, default: Any) -> bool:
    if value is default:
        return True
    plain = (str, int, float)
    return type(value) is type(default) in plain and bool(value == default)


@documented(OF_CLASSES, OF_FORESTS, **_WORDS)
class RandomForestClassifier(ForestClassifier):
    """A random forest that takes any splitting criterion or method.

    Each tree grows on a bootstrap sample of the rows, and looks at a sample of the
    columns at each node (Breiman 2001). The columns are encoded once for all trees. The
    forest is the same for any number of threads and any order of rows. Parameters that
    scikit-learn's forest has mean the same here.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ramify import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, "hellinger", oob_score=True, random_state=0)
    >>> forest.fit(X, y).predict(X[:2])
    array([0, 0])
    >>> forest.oob_score_ > 0.9
    True
    >>> len(forest.estimators_)
    20
    """


@documented(OF_CLASSES, OF_FORESTS, DRAWN_CUTS, **_WORDS)
class ExtraTreesClassifier(ForestClassifier):
    """Extremely randomised trees, with any criterion.

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
    >>> from sklearn.datasets import load_iris
    >>> from ramify import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(20, method="ihd", random_state=0).fit(X, y).score(X, y)
    1.0
    """

    __init__ = other_defaults(
        ForestClassifier.__init__, splitter="random", bootstrap=False
    )

    def _template(self) -> BaseTree:
        tree = super()._template()
        if self.method is not None and tree.splitter == "best":
            tree.set_params(splitter="random")
        check_random_cuts(self, tree)
        return tree


@documented(OF_CLASSES, OF_FORESTS, **_WORDS)
class BaggedTreesClassifier(ForestClassifier):
    """Bagging: each tree grows on a bootstrap sample of the rows, and sees all columns.

    (Breiman 1996.) Any criterion or method grows the trees. The forest is the same for
    any number of threads and any order of rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ramify import BaggedTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BaggedTreesClassifier(20, method="c45", voting="hard", random_state=0)
    >>> labels, support = model.fit(X, y).predict(X[:3], return_support=True)
    >>> labels, support > 30
    (array([0, 0, 0]), array([ True,  True,  True]))
    """

    __init__ = other_defaults(ForestClassifier.__init__, max_features=None)
