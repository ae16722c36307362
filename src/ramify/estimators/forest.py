# SPDX-License-Identifier: BSD-3-Clause
"""Forests: many trees on drawn rows and columns, with any criterion or method."""

from __future__ import annotations

import inspect
import numbers
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ramify.estimators import importances
from ramify.estimators.base import BaseTree
from ramify.estimators.draws import Draws, check_max_samples
from ramify.estimators.growing import grow_trees
from ramify.estimators.reading import read_rows, remember_columns
from ramify.estimators.search import Extra
from ramify.estimators.single import DecisionTreeClassifier
from ramify.estimators.target import class_attributes, labels_of
from ramify.estimators.task import Task
from ramify.table import n_threads
from ramify.trees import Trees

__all__ = [
    "BaggedTreesClassifier",
    "ExtraTreesClassifier",
    "RandomForestClassifier",
]

Floats = NDArray[np.float64]

_PARAMETERS = """n_estimators : int, default=100
        Number of trees.
    criterion : str, callable or criterion of `ramify.criteria`, default="gini"
        How cuts are judged: a name, an expression, or a function of yours; as in
        `DecisionTreeClassifier`.
    method : str, optional
        A published method that grows the trees, by its name in
        ``ramify.methods.names()``, such as "ihd" or "c45". Its parameters hold for
        those that are left at their defaults here.
    method_params : dict, optional
        Parameters that the method has besides, such as ``{{"k": 5}}`` of "csn".
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `DecisionTreeClassifier`. A row that is drawn twice is one row here, and
        twice its weight.
    max_features : int, float, "sqrt", "log2" or None, default={max_features!r}
        Number of columns drawn at each node; None for all.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, criterion_params
        As in `DecisionTreeClassifier`.
    bootstrap : bool, default={bootstrap}
        Grow each tree on rows drawn with replacement. They are drawn with weights, and
        by what they hold: the order of rows changes nothing, and a row of weight 2 is
        drawn as the row twice would be (for whole weights of up to 16 in the mean).
    max_samples : int or float, optional
        Number of rows drawn, or their share; None for as many as there are.
    oob_score : bool or callable, default=False
        Predict each row by the trees that have not seen it. A function
        ``f(y_true, y_predicted)`` gives another score than accuracy.
    honest : float, optional
        Share of each tree's rows that choose no splits and fill the leaves instead,
        so that class shares are those of rows the splits were not made for. A leaf
        that none of them reaches takes the shares of the node above.
    voting : {{"soft", "hard"}}, default="soft"
        Average the class shares of the leaves, or count one vote per tree.
    warm_start : bool, default=False
        Add trees to those of the last `fit`; the forest is the one that would have
        been grown at once.
    random_state : int, RandomState or None
        Seed. Tree t draws from a stream of (seed, t).
    class_weight : dict, "balanced", "balanced_subsample" or None
        Factors on the weights of rows, by class; "balanced_subsample" balances the
        rows of each tree.
    splitter_params, categorical_features, categories, max_exhaustive_categories, \
max_subset_size, missing, unseen, cost_matrix, leaf_rule, max_bins, threshold, laplace
        As in `DecisionTreeClassifier`.
    n_jobs : int, optional
        Threads, each growing trees; -1 for all processors. The forest does not depend
        on it.
    verbose : int, default=0
        Show on stderr how many trees have been grown."""

_ATTRIBUTES = """estimators_ : list of DecisionTreeClassifier
        The trees.
    classes_ : ndarray, or list of ndarray for several outputs
        The labels.
    n_classes_, n_outputs_, n_features_in_, max_features_ : int
        Sizes.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had any.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of each column in what splits gained; see `importances` for better ones.
    oob_score_ : float
        Accuracy, or another score, on rows by the trees that have not seen them.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Class probabilities by these trees; NaN for a row that all trees have seen.
        With several outputs (n_rows, n_classes, n_outputs).
    estimators_samples_ : list of ndarray
        The rows drawn for each tree."""


def _documented(cls: type[Any]) -> type[Any]:
    """Insert the parameters and attributes that all forests share."""
    defaults = _defaults(cls)
    text = _PARAMETERS.format(
        max_features=defaults["max_features"], bootstrap=defaults["bootstrap"]
    )
    doc = cls.__doc__ or ""
    cls.__doc__ = doc.replace("{parameters}", text).replace("{attributes}", _ATTRIBUTES)
    return cls


def _other_defaults(init: Any, **changed: Any) -> Any:
    """Give a constructor with the same parameters and some other defaults."""
    twin = FunctionType(
        init.__code__, init.__globals__, init.__name__, init.__defaults__
    )
    twin.__kwdefaults__ = {**init.__kwdefaults__, **changed}
    twin.__annotations__ = init.__annotations__
    return twin


def _defaults(cls: type[Any]) -> dict[str, Any]:
    found = inspect.signature(cls).parameters
    return {name: parameter.default for name, parameter in found.items()}


class BaseForest(ClassifierMixin, BaseEstimator):
    """Grows many trees on one encoded table and lets them vote."""

    # What a forest passes on to its trees.
    _OF_TREES: ClassVar[tuple[str, ...]] = (
        *("criterion", "max_depth", "min_samples_split", "min_samples_leaf"),
        *("min_weight_fraction_leaf", "max_features", "max_leaf_nodes"),
        *("min_impurity_decrease", "ccp_alpha", "monotonic_cst", "criterion_params"),
        *("splitter", "splitter_params", "categorical_features", "categories"),
        *("max_exhaustive_categories", "max_subset_size", "missing", "unseen"),
        *("cost_matrix", "leaf_rule", "max_bins", "threshold", "laplace"),
    )

    estimators_: list[Any]
    _seed_of_fit: int
    _draws: Draws | None

    def __init__(
        self,
        n_estimators: int = 100,
        criterion: Any = "gini",
        *,
        method: str | None = None,
        method_params: dict[str, Any] | None = None,
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
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
        categories: str = "subset",
        max_exhaustive_categories: int = 8,
        max_subset_size: int | None = None,
        missing: str = "both",
        unseen: str = "heavier",
        cost_matrix: Any = None,
        leaf_rule: str = "restrict",
        max_bins: int | None = None,
        threshold: str = "midpoint",
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
        self.max_bins = max_bins
        self.threshold = threshold
        self.laplace = laplace
        self.n_jobs = n_jobs
        self.verbose = verbose

    # --- fitting -----------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        criterion_data: Any = None,
        sensitive: Any = None,
    ) -> Self:
        """Grow the trees on the rows of X and their labels y.

        If you interrupt it (Ctrl-C), the trees grown so far are the forest.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Numbers and categories; NaN and None are missing values. It is encoded
            once for all trees.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Labels.
        sample_weight : array of shape (n_rows,), optional
            Weights; a weight of 2 means the same as the row twice, 0 as no row.
        criterion_data, sensitive : array of n_rows rows, optional
            As in `DecisionTreeClassifier.fit`.
        """
        self._check()
        tree = self._template()
        goes_on = self.warm_start and hasattr(self, "estimators_")
        seed = self._seed_of_fit if goes_on else _new_seed(self.random_state)
        extra = Extra(sample_weight, criterion_data, sensitive)
        task = Task(self, tree, seed, X, y, extra)
        before = self._trees_before(task) if goes_on else []
        n_new = self.n_estimators - len(before)
        threads = n_threads(self.n_jobs)
        task.n_threads = max(1, threads // max(1, n_new))
        grown = grow_trees(
            task.grow, len(before), self.n_estimators, threads, bool(self.verbose)
        )
        self._seed_of_fit = seed
        self.schema_ = task.schema
        names = task.schema.names if task.schema.has_names else None
        remember_columns(self, names, task.schema.n_columns)
        class_attributes(self, task.labels.classes)
        self.estimators_ = [*before, *grown]
        self.max_features_ = self.estimators_[0].max_features_
        self._set_trees()
        self._draws = task.draws if self.bootstrap else None
        self._used, self._n_rows = task.used, len(task.labels.codes)
        for name in ("oob_score_", "oob_decision_function_"):
            self.__dict__.pop(name, None)
        if self.oob_score:
            self._score_out_of_bag(X, task)
        return self

    def _set_trees(self) -> None:
        """Let the trees be asked together; after `estimators_` has been set."""
        self._together = Trees([model.tree_ for model in self.estimators_])

    def _check(self) -> None:
        """Refuse parameters of the forest that mean nothing."""

        def require(name: str, good: bool, right: str) -> None:
            if not good:
                value = getattr(self, name)
                raise ValueError(f"{name}={value!r} is not allowed; use {right}")

        n, share = self.n_estimators, self.honest
        is_whole = isinstance(n, numbers.Integral) and not isinstance(n, bool)
        require("n_estimators", is_whole and n >= 1, "a whole number of at least 1")
        for name in ("bootstrap", "warm_start"):
            is_flag = isinstance(getattr(self, name), (bool, np.bool_))
            require(name, is_flag, "True or False")
        scores = isinstance(self.oob_score, (bool, np.bool_)) or callable(
            self.oob_score
        )
        require("oob_score", scores, "True, False or a function f(y, predicted)")
        require("voting", self.voting in ("soft", "hard"), "'soft' or 'hard'")
        is_share = isinstance(share, numbers.Real) and not isinstance(share, bool)
        require(
            "honest",
            share is None or (is_share and 0 < share < 1),
            "a share of the rows in (0, 1), such as 0.5, or None",
        )
        check_max_samples(self.max_samples)
        if self.oob_score and not self.bootstrap:
            raise ValueError(
                "oob_score needs rows that a tree has not seen, but bootstrap=False "
                "shows all rows to all trees; set bootstrap=True, or oob_score=False"
            )
        if self.max_samples is not None and not self.bootstrap:
            raise ValueError(
                f"max_samples={self.max_samples!r} says how many rows to draw, but "
                "bootstrap=False draws none; set bootstrap=True, or max_samples=None"
            )
        by_class = self.class_weight
        if isinstance(by_class, str) and by_class not in (
            *("balanced", "balanced_subsample"),
        ):
            raise ValueError(
                f"class_weight={by_class!r} is not allowed; use 'balanced', "
                "'balanced_subsample', a dict {class: weight}, or None"
            )

    def _template(self) -> BaseTree:
        """Make the tree that is grown many times."""
        given = {name: getattr(self, name) for name in self._OF_TREES}
        if self.method is None:
            if self.method_params is not None:
                raise ValueError(
                    f"method_params={self.method_params!r} is given, but no method; "
                    "name one, or use criterion_params or splitter_params"
                )
            return DecisionTreeClassifier(**given)
        from ramify import methods

        defaults = _defaults(type(self))
        own = {
            name: value
            for name, value in given.items()
            if name == "max_features" or not _is_default(value, defaults.get(name))
        }
        method = methods.get(self.method)
        if method.multiclass == "ova":
            own["multiclass"] = "native"
        tree = method.make(**own, **(self.method_params or {}))
        if not isinstance(tree, BaseTree):
            raise ValueError(
                f"method={self.method!r} grows no tree but a {type(tree).__name__}; "
                "name a method that grows a tree"
            )
        return tree

    def _trees_before(self, task: Task) -> list[Any]:
        """Give the trees of the last fit, if they can go on growing."""
        before = self.estimators_
        if self.n_estimators < len(before):
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {len(before)} "
                "trees there are; with warm_start=True it can only grow"
            )
        old = self.classes_ if self.n_outputs_ > 1 else [self.classes_]
        new = task.labels.classes
        if task.schema != self.schema_ or not (
            len(old) == len(new) and all(map(np.array_equal, old, new))
        ):
            raise ValueError(
                "warm_start=True adds trees to those of the last fit, but the columns, "
                "categories or classes are not those of the last fit; fit the same "
                "data, or set warm_start=False"
            )
        if self.n_estimators == len(before):
            warnings.warn(
                f"n_estimators={self.n_estimators} trees are there already, so that "
                "warm_start=True adds none",
                UserWarning,
                stacklevel=3,
            )
        return before

    # --- out of bag --------------------------------------------------------------

    def _seen_rows(self) -> NDArray[np.bool_]:
        """Mark the rows that each tree was grown on: (n_trees, n_rows)."""
        check_is_fitted(self)
        draws = getattr(self, "_draws", None)
        if draws is None:
            raise ValueError(
                "no rows were left out of any tree (bootstrap=False), or the forest "
                "was loaded from a file, which does not say which; fit with "
                "bootstrap=True first"
            )
        seen = np.zeros((len(self.estimators_), self._n_rows), dtype=bool)
        used = slice(None) if self._used is None else self._used
        for t in range(len(seen)):
            seen[t, used] = draws.counts(t) > 0
        return seen

    @property
    def estimators_samples_(self) -> list[NDArray[np.intp]]:
        """The rows drawn for each tree, as often as they were drawn."""
        check_is_fitted(self)
        if not hasattr(self, "_draws"):
            raise AttributeError(
                "a forest that was loaded from a file does not know which rows its "
                "trees have seen"
            )
        every = np.arange(self._n_rows)
        used = every if self._used is None else self._used
        if self._draws is None:
            return [used for _ in self.estimators_]
        counts = map(self._draws.counts, range(len(self.estimators_)))
        return [np.repeat(used, count) for count in counts]

    def _score_out_of_bag(self, X: Any, task: Task) -> None:
        matrix, has_missing = read_rows(
            *(X, self.schema_),
            unseen="heavier",
            missing_error=False,
            owner=type(self).__name__,
        )
        seen = self._seen_rows()
        n_answers = (~seen).sum(axis=0)
        shares = self._shares(matrix, has_missing, skip=seen, n_answers=n_answers)
        known = n_answers > 0
        if not known.all():
            n_seen = int((~known).sum())
            warnings.warn(
                f"{n_seen} of {len(known)} rows have been seen by all trees and have "
                "no out-of-bag answer; grow more trees",
                UserWarning,
                stacklevel=3,
            )
        is_single = self.n_outputs_ == 1
        function = shares[:, 0] if is_single else shares.transpose(0, 2, 1)
        self.oob_decision_function_ = function
        if not known.any():
            self.oob_score_ = float("nan")
            return
        best = self._best_classes(shares[known])
        true = task.labels.codes[known]
        if callable(self.oob_score):
            score = self.oob_score(labels_of(self, true), labels_of(self, best))
        else:
            score = (best == true).all(axis=1).mean()
        self.oob_score_ = float(score)

    # --- prediction --------------------------------------------------------------

    def _policy(self, name: str) -> Any:
        """Give a parameter of the trees: the forest's, or else the method's."""
        own = getattr(self, name)
        if self.method is None or not _is_default(own, _defaults(type(self))[name]):
            return own
        return getattr(self.estimators_[0], name)

    def _prepare(self, X: Any) -> tuple[NDArray[Any], bool]:
        """Check X against what was learnt; give a float matrix, and if it has gaps."""
        check_is_fitted(self)
        return read_rows(
            *(X, self.schema_),
            unseen=self._policy("unseen"),
            missing_error=self._policy("missing") == "error"
            or self.estimators_[0]._needs_values,
            owner=type(self).__name__,
        )

    def _asked(self) -> Trees:
        """Give the trees as they are asked together."""
        trees = [model.tree_ for model in self.estimators_]
        if list(map(id, trees)) == list(map(id, self._together.trees)):
            return self._together
        return Trees(trees)  # somebody has taken trees away, or added some

    def _tables(self, *, for_votes: bool = False) -> list[Floats]:
        """Give what the nodes of each tree say: shares of classes, or their merits."""
        tables = []
        for model in self.estimators_:
            tree = model.tree_
            value = tree.smoothed() if self._policy("laplace") else tree.values()
            costs = self._costs()
            if for_votes and costs is not None:
                value = -(value @ costs)
            tables.append(value.reshape(len(value), -1))
        return tables

    def _costs(self) -> Floats | None:
        costs = self._policy("cost_matrix")
        if costs is None or self.n_classes_ == 1:
            return None
        return np.asarray(costs, dtype=np.float64)

    def _shares(
        self,
        matrix: NDArray[Any],
        has_missing: bool,
        skip: NDArray[np.bool_] | None = None,
        n_answers: NDArray[np.intp] | None = None,
    ) -> Floats:
        """Average over the trees: (n_rows, n_outputs, max_n_classes)."""
        is_hard = self.voting == "hard"
        sums = self._asked().sum(
            matrix,
            self._tables(for_votes=is_hard),
            n_votes=self.n_outputs_ if is_hard else 0,
            skip=skip,
            n_threads=n_threads(self.n_jobs),
            has_missing=has_missing,
        )
        n = np.full(len(matrix), len(self.estimators_)) if skip is None else n_answers
        with np.errstate(invalid="ignore"):
            shares = sums / np.asarray(n)[:, None]
        return np.asarray(shares.reshape(len(matrix), self.n_outputs_, -1))

    def _best_classes(self, shares: Floats) -> NDArray[np.intp]:
        """Choose a class, per row and output, by its share or by what errors cost."""
        costs = self._costs()
        if costs is None or self.voting == "hard":  # voters have weighed the costs
            return np.asarray(shares.argmax(axis=2))
        return np.asarray((shares @ costs).argmin(axis=2))

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
        labels = labels_of(self, self._best_classes(self._shares(matrix, has_missing)))
        if not return_support:
            return labels
        weights = [
            model.tree_.weighted_n_node_samples[:, None] for model in self.estimators_
        ]
        support = self._asked().sum(
            matrix,
            weights,
            n_threads=n_threads(self.n_jobs),
            has_missing=has_missing,
        )
        return labels, support[:, 0] / len(self.estimators_)

    def predict_proba(self, X: Any) -> Any:
        """Predict class probabilities: (n_rows, n_classes), or one such per output.

        The mean of the trees' class shares, or the shares of their votes.
        """
        matrix, has_missing = self._prepare(X)
        shares = self._shares(matrix, has_missing)
        if self.n_outputs_ == 1:
            return shares[:, 0]
        return [shares[:, j, :n] for j, n in enumerate(self.n_classes_)]

    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithms of class probabilities."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if self.n_outputs_ == 1:
                return np.log(probabilities)
            return [np.log(p) for p in probabilities]

    def votes(self, X: Any) -> NDArray[Any]:
        """Give the label that each tree predicts: (n_rows, n_trees).

        With several outputs (n_rows, n_trees, n_outputs).
        """
        matrix, has_missing = self._prepare(X)
        choices = []
        for tree, table in zip(
            self._asked().trees, self._tables(for_votes=True), strict=True
        ):
            merit = table.reshape(len(table), self.n_outputs_, -1)
            found = tree.average(matrix, merit, n_threads(self.n_jobs), has_missing)
            found = found.reshape(len(matrix), self.n_outputs_, -1)
            choices.append(labels_of(self, found.argmax(axis=2)))
        return np.stack(choices, axis=1)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Give the leaf that each row of X reaches in each tree: (n_rows, n_trees)."""
        matrix, has_missing = self._prepare(X)
        return self._asked().apply(matrix, n_threads(self.n_jobs), has_missing)

    def decision_path(self, X: Any) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """Mark the nodes that each row passes, the trees side by side.

        Returns the indicator matrix, and where the nodes of each tree begin in it.
        """
        matrix, _ = self._prepare(X)
        paths = [model.tree_.decision_path(matrix) for model in self.estimators_]
        begins = np.cumsum([0, *(path.shape[1] for path in paths)])
        return sparse.hstack(paths).tocsr(), begins

    def get_depth(self) -> int:
        """Give the depth of the deepest tree."""
        check_is_fitted(self)
        return max(int(model.get_depth()) for model in self.estimators_)

    def get_n_leaves(self) -> int:
        """Count the leaves of all trees."""
        check_is_fitted(self)
        return sum(int(model.get_n_leaves()) for model in self.estimators_)

    # --- importances -------------------------------------------------------------

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the gain of all splits, averaged over the trees."""
        return self.importances("impurity")

    def importances(
        self,
        kind: str = "impurity",
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        n_repeats: int = 1,
    ) -> Floats:
        """Say how much each column matters.

        Parameters
        ----------
        kind : {"impurity", "permutation", "oob"}, default="impurity"
            "impurity": the share of a column in what splits gained on the rows that
            chose them. Fast, but columns with many values look better than they are.
            "permutation": how much less often trees are right on rows they have not
            seen if the values of the column are shuffled among these (Breiman 2001).
            "oob": by how much the splits of a column raise the probability of the true
            class of rows the tree has not seen (Li et al. 2019, MDI-oob). For Gini it
            is "impurity" without its bias, it is defined for every criterion, and a
            column of noise gets 0 in the mean.
        X, y : table and labels
            The rows of `fit`, again and in the same order; for "permutation" and
            "oob".
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows in the mean, for "permutation" and "oob".
        n_repeats : int, default=1
            How often a column is shuffled.

        Returns
        -------
        ndarray of shape (n_columns,)
            "impurity" sums up to 1; the others are differences of probabilities,
            and may be a little below 0.

        Examples
        --------
        >>> import numpy as np, ramify
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(size=(300, 3)), rng.integers(2, size=300)
        >>> X[:, 0] += y  # the others are noise
        >>> forest = ramify.RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> forest.importances("oob", X, y).argmax()
        np.int64(0)
        """
        check_is_fitted(self)
        kinds = ("impurity", "permutation", "oob")
        if kind not in kinds:
            raise ValueError(f"kind={kind!r} is unknown; use one of {', '.join(kinds)}")
        if kind == "impurity":
            return importances.impurity(self.estimators_)
        return importances.out_of_bag(
            self, kind, X, y, sample_weight=sample_weight, n_repeats=n_repeats
        )

    # --- conventions -------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            own = self._template().__sklearn_tags__()
        except (TypeError, ValueError):  # fit will say what is wrong
            own = DecisionTreeClassifier().__sklearn_tags__()
        tags.input_tags = own.input_tags
        tags.target_tags = own.target_tags
        tags.classifier_tags.multi_label = own.classifier_tags.multi_label
        return tags

    def save(self, path: Any) -> None:
        """Write the fitted forest to a file; `ramify.load` reads it back."""
        from ramify.model import save

        save(self, path)


def _is_default(value: Any, default: Any) -> bool:
    if value is default:
        return True
    plain = (str, int, float)
    return type(value) is type(default) in plain and bool(value == default)


def _new_seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(2**31 - 1))


@_documented
class RandomForestClassifier(BaseForest):
    """A random forest that takes any splitting criterion or method.

    Each tree grows on rows drawn with replacement, and looks at columns drawn at each
    node (Breiman 2001). The columns are encoded once for all trees. The forest is the
    same for any number of threads and any order of rows. Parameters that
    scikit-learn's forest has mean the same here.

    Parameters
    ----------
    {parameters}
    splitter : {"best", "chaid", "quest", "dgmml"}, default="best"
        How a node is split; as in `DecisionTreeClassifier`.

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


@_documented
class ExtraTreesClassifier(BaseForest):
    """Extremely randomised trees, with any criterion.

    Of each column drawn at a node one random cut is tried, and the best of these is
    made (Geurts, Ernst, Wehenkel 2006). By default each tree sees all rows. The forest
    is the same for any number of threads and any order of rows.

    Parameters
    ----------
    {parameters}
    splitter : {"random"}, default="random"
        Only there is nothing to choose.

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

    __init__ = _other_defaults(BaseForest.__init__, splitter="random", bootstrap=False)

    def _template(self) -> BaseTree:
        tree = super()._template()
        if self.method is not None and tree.splitter == "best":
            tree.set_params(splitter="random")
        if tree.splitter != "random":
            raise ValueError(
                f"ExtraTreesClassifier draws its cuts (splitter='random'), but "
                f"splitter={tree.splitter!r} chooses them; use RandomForestClassifier"
            )
        return tree


@_documented
class BaggedTreesClassifier(BaseForest):
    """Bagging: each tree grows on rows drawn with replacement, and sees all columns.

    (Breiman 1996.) Any criterion or method grows the trees. The forest is the same for
    any number of threads and any order of rows.

    Parameters
    ----------
    {parameters}
    splitter : {"best", "random", "chaid", "quest", "dgmml"}, default="best"
        How a node is split; as in `DecisionTreeClassifier`.

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

    __init__ = _other_defaults(BaseForest.__init__, max_features=None)
