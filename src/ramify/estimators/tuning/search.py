# SPDX-License-Identifier: BSD-3-Clause
"""Entries of a grid tried on folds of one encoded table."""

from __future__ import annotations

import contextvars
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from ramify.criteria import catalogue
from ramify.criteria.functions import CompiledCriterion, FunctionCriterion
from ramify.criteria.planning import measures_of
from ramify.criteria.score import walk
from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.estimators.tuning.grid import entries, tree_of
from ramify.estimators.tuning.results import Trial
from ramify.estimators.validation.criterion_data import sees_treatment
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.target import check_weights, encode_labels
from ramify.messages import did_you_mean
from ramify.table import Table, n_threads

__all__ = [
    "ClassSearch",
    "Folds",
    "Search",
    "depth_of",
    "n_leaves_of",
    "score_of",
    "scorer_of",
]

Rows = NDArray[np.intp]
Folds = list[tuple[Rows, Rows]]
Floats = NDArray[np.float64]
Score = Callable[[Any, Any, NDArray[Any], Floats | None], float]


class _Dealt:
    """Folds to which the rows of each class are dealt in turn, however few they are."""

    def __init__(self, n_folds: int, codes: NDArray[Any], seed: int | None) -> None:
        order = np.arange(len(codes))
        if seed is not None:
            order = np.random.default_rng(seed).permutation(order)
        order = order[np.argsort(codes[order], kind="stable")]
        self._fold = np.empty(len(codes), dtype=np.intp)
        self._fold[order] = np.arange(len(codes)) % n_folds
        self._n_folds = n_folds

    def split(self, X: Any, y: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield training and test rows of each fold."""
        for j in range(self._n_folds):
            yield np.flatnonzero(self._fold != j), np.flatnonzero(self._fold == j)


class Search:
    """All entries of a grid, and the data, encoded once for them.

    Parameters
    ----------
    settings : TunedTree
        Says what to try, how to score, the seed and the number of threads.
    X, y : table and labels
        The rows to learn from; y is labels, or numbers.
    extra : Extra
        What else belongs to the rows.

    Attributes
    ----------
    entries : list of Entry
        What is tried.
    all : range
        Their places.
    tables : list of Table
        The encoded X for each of them: one object, unless they bin or read the
        columns in different ways.
    classes : ndarray
        The labels; none of numbers.
    """

    TREE: ClassVar[type[Any]]  # what is tuned unless an estimator is given
    _SPLITTER: ClassVar[str]  # of scikit-learn, that suits
    usual: ClassVar[str]  # what is measured beside the score

    def __init__(self, settings: Any, X: Any, y: Any, extra: Extra) -> None:
        self._threads = n_threads(settings.n_jobs)
        self._seed = _seed(settings.random_state)
        self.entries = entries(settings.estimator, settings.param_grid, self.TREE)
        self._score = self.scorer(settings)
        self.all = range(len(self.entries))
        trees = [tree_of(entry.model) for entry in self.entries]
        self._give_seed(trees)
        self.tables = _encoded(X, trees)
        n_rows = self.tables[0].shape[0]
        if y is not None:
            y = column_or_1d(y, warn=True)
        self._y, self.classes = self._read(y, n_rows)
        self._weight = check_weights(extra.sample_weight, n_rows)
        self._numbers = _rows_of(extra.criterion_data, n_rows, "criterion_data")
        self._groups = _rows_of(extra.sensitive, n_rows, "sensitive")
        self._treated = _rows_of(extra.treatment, n_rows, "treatment")
        chosen = [self._chosen(tree) for tree in trees]
        self._takes_criterion_data = self._takers(_is_users, chosen)
        self._takes_groups = self._takers(_sees_groups, chosen)
        self._takes_treatment = self._takers(sees_treatment, chosen)

    @classmethod
    def scorer(cls, settings: Any) -> Score:
        """Return what is best: `scoring`, or what is usual."""
        given = scorer_of(settings.scoring)
        if given is None:
            return cls._usual_score(settings)
        return partial(score_of, given)

    @classmethod
    def _usual_score(cls, settings: Any) -> Score:
        """Return what is best if `scoring` does not say."""
        raise NotImplementedError

    @staticmethod
    def measured(model: Any, X: Any, y: NDArray[Any], weight: Floats | None) -> float:
        """Return what `usual` names."""
        raise NotImplementedError

    def _read(self, y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return y, checked, and its classes."""
        raise NotImplementedError

    def _chosen(self, tree: Any) -> Any:
        """Return the criterion of a tree."""
        raise NotImplementedError

    def _takers(self, takes: Callable[[Any], bool], chosen: list[Any]) -> list[bool]:
        """Say which criteria look at something that belongs to the rows."""
        return _all_if_none(map(takes, chosen))

    def _dealt(self, n_folds: int, rows: Rows, name: str, where: str) -> Any:
        """Return what deals rows to so many folds."""
        raise NotImplementedError

    def _give_seed(self, trees: list[Any]) -> None:
        """Give trees that have no seed of their own the common one."""
        for tree in trees:
            if self._seed is not None and tree.random_state is None:
                tree.set_params(random_state=self._seed)

    # --- folds

    def folds(
        self, cv: Any, rows: Rows | None = None, *, name: str = "cv", where: str = ""
    ) -> Folds:
        """Part some rows, or all that have weight, into training and test rows."""
        if rows is None:
            rows = np.arange(len(self._y))
        if self._weight is not None:
            rows = rows[self._weight[rows] > 0]
        if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
            cv = self._checked(int(cv), rows, name, where)
        if hasattr(cv, "split") and not isinstance(cv, str):
            parts = cv.split(np.zeros((len(rows), 1)), self._y[rows])
            found = [(rows[train], rows[test]) for train, test in parts]
        elif isinstance(cv, str) or not isinstance(cv, Iterable):
            raise ValueError(
                f"{name}={cv!r} is not allowed; use a number of folds of at least 2, "
                f"a splitter such as {self._SPLITTER}(5), or a list of (train, test) "
                "rows"
            )
        else:
            every = np.arange(len(self._y))
            found = [(every[train], every[test]) for train, test in cv]
        self._check_weights_of(found, name)
        return found

    def _checked(self, n_folds: int, rows: Rows, name: str, where: str) -> Any:
        """Return what deals rows to folds; refuse too few of either."""
        if n_folds < 2:
            raise ValueError(f"{name}={n_folds} is too small; use at least 2 folds")
        if len(rows) < n_folds:
            raise ValueError(
                f"{where}there are too few rows (n_samples={len(rows)}) for the "
                f"{n_folds} folds of {name}"
            )
        return self._dealt(n_folds, rows, name, where)

    def _check_weights_of(self, folds: Folds, name: str) -> None:
        """Refuse folds that lack training or test rows, or whose rows all weigh 0."""
        if not folds:
            raise ValueError(f"{name} has no fold; give at least one (train, test)")
        for j, fold in enumerate(folds):
            for part, rows in zip(("training", "test"), fold, strict=True):
                weight = len(rows) if self._weight is None else self._weight[rows].sum()
                if weight == 0:
                    raise ValueError(
                        f"{name}: fold {j} has no {part} rows of positive weight; use "
                        "fewer folds"
                    )

    # --- fits

    def run(self, jobs: list[tuple[int, tuple[Rows, Rows]]]) -> list[Trial]:
        """Try entries on folds; in the order of the jobs, whatever runs first."""
        if self._threads == 1:
            return [self._trial(job) for job in jobs]
        runs = [contextvars.copy_context().run for _ in jobs]  # how deep fits nest
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(lambda run, job: run(self._trial, job), runs, jobs))

    def _trial(self, job: tuple[int, tuple[Rows, Rows]]) -> Trial:
        i, (train, test) = job
        model = self.fitted(i, train)
        table, labels = self.tables[i][test], self._y[test]
        weight = None if self._weight is None else self._weight[test]
        try:
            score = self._score(model, table, labels, weight)
        except ValueError as error:
            raise self._about_rare(error, labels) from error
        usual = score
        if self._score is not type(self).measured:
            usual = self.measured(model, table, labels, weight)
        return Trial(score, usual, n_leaves_of(model), depth_of(model))

    def _about_rare(self, error: ValueError, labels: NDArray[Any]) -> ValueError:
        """Say so if a score failed on test rows that lack a class."""
        lacking = np.setdiff1d(self.classes, labels)
        if len(lacking) == 0:
            return error
        return ValueError(
            f"scoring failed on test rows without class {str(lacking[0])!r}: {error}; "
            "use fewer folds, join or drop rare classes, or another scoring"
        )

    def fitted(self, i: int, rows: Rows | None = None) -> Any:
        """Fit an entry on some rows, or on all."""
        table = self.tables[i]
        given = {
            "sample_weight": self._weight,
            "criterion_data": self._numbers if self._takes_criterion_data[i] else None,
            "sensitive": self._groups if self._takes_groups[i] else None,
            "treatment": self._treated if self._takes_treatment[i] else None,
        }
        data = {
            name: array if rows is None else array[rows]
            for name, array in given.items()
            if array is not None
        }
        labels = self._y
        if rows is not None:
            table, labels = table[rows], labels[rows]
        try:
            return clone(self.entries[i].model).fit(table, labels, **data)
        except Exception as error:
            error.add_note(f"This was with the entry {self.entries[i].params!r}.")
            raise


class ClassSearch(Search):
    """A search whose trees predict classes, measured by their accuracy."""

    TREE = DecisionTreeClassifier
    usual = "accuracy"
    _SPLITTER = "StratifiedKFold"

    @classmethod
    def _usual_score(cls, settings: Any) -> Score:
        return cls.measured

    @staticmethod
    def measured(model: Any, X: Any, y: NDArray[Any], weight: Floats | None) -> float:
        """Return the accuracy."""
        is_right = model.predict(X) == np.asarray(y)
        return float(np.average(is_right, weights=weight))

    def _read(self, y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
        labels = encode_labels(y, n_rows)
        classes: NDArray[Any] = labels.classes[0]
        return classes[labels.codes[:, 0]], classes

    def _chosen(self, tree: Any) -> Any:
        return catalogue.resolve(tree.criterion, tree.criterion_params)

    def _dealt(self, n_folds: int, rows: Rows, name: str, where: str) -> Any:
        """Return folds in which classes have their shares; warn if one is too rare."""
        classes, codes, counts = np.unique(
            self._y[rows], return_inverse=True, return_counts=True
        )
        smallest = int(counts.min())
        if smallest < n_folds:
            n_rows = "1 row" if smallest == 1 else f"{smallest} rows"
            fewer = f"use {name}={smallest} or less, or " if smallest > 1 else ""
            warnings.warn(
                f"{where}class {str(classes[counts.argmin()])!r} has {n_rows}, fewer "
                f"than the {n_folds} folds of {name}, so that some folds lack it; "
                f"{fewer}join or drop rare classes",
                UserWarning,
                stacklevel=7,
            )
            return _Dealt(n_folds, codes, self._seed)
        return StratifiedKFold(
            n_folds, shuffle=self._seed is not None, random_state=self._seed
        )


def _seed(random_state: Any) -> int | None:
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return random_state if random_state is None else int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _rows_of(data: Any, n_rows: int, name: str) -> NDArray[Any] | None:
    """Return what belongs to each row as an array, so that folds can be taken of it."""
    if data is None:
        return None
    array = np.asarray(data)
    if array.ndim == 0 or len(array) != n_rows:
        raise ValueError(
            f"{name} has shape {array.shape}; give one value, or one row of values, "
            f"for each of the {n_rows} rows of X"
        )
    return array


def _encoded(X: Any, trees: list[Any]) -> list[Table]:
    """Encode X once for all trees that want it the same way."""
    tables: dict[Any, Table] = {}
    found = []
    for tree in trees:
        bins = (repr(tree.max_bins), tree.splitter == "chaid")  # CHAID has bins anyway
        key = (*bins, repr(tree.categorical_features))
        if key not in tables:
            tables[key] = tree._table(X)
        found.append(tables[key])
    return found


def _is_users(criterion: Any) -> bool:
    """Return whether a criterion may look at numbers of the user's own."""
    users = (FunctionCriterion, CompiledCriterion)
    return any(isinstance(part, users) for part in walk(criterion))


def _sees_groups(criterion: Any) -> bool:
    return "sensitive_auc" in measures_of(criterion)


def _all_if_none(takes: Iterable[bool]) -> list[bool]:
    """Say that all entries take what none can use, so that one of them objects."""
    found = list(takes)
    return found if any(found) else [True] * len(found)


# --- measuring ------------------------------------------------------------------------


def scorer_of(scoring: Any) -> Callable[..., float] | None:
    """Return the function that scores, or None for what is usual."""
    if scoring is None:
        return None
    known = get_scorer_names()
    if callable(scoring) or (isinstance(scoring, str) and scoring in known):
        scorer: Callable[..., float] = get_scorer(scoring)
        return scorer
    hint = did_you_mean(scoring, known, "{} ")
    raise ValueError(
        f"scoring={scoring!r} is unknown; {hint}sklearn.metrics.get_scorer_names() "
        "lists all names; or use a function f(model, X, y)"
    )


def score_of(
    scorer: Callable[..., float],
    model: Any,
    X: Any,
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
) -> float:
    """Score a fitted model; weights count unless the scorer does not take any."""
    if weight is None or "sample_weight" not in inspect.signature(scorer).parameters:
        return float(scorer(model, X, y))
    return float(scorer(model, X, y, sample_weight=weight))


def _trees(model: Any) -> list[Any]:
    return list(getattr(model, "estimators_", [model]))


def n_leaves_of(model: Any) -> int:
    """Count the leaves of a model, of all its trees."""
    return sum(int(tree.get_n_leaves()) for tree in _trees(model))


def depth_of(model: Any) -> int:
    """Return the depth of a model, of its deepest tree."""
    return max(int(tree.get_depth()) for tree in _trees(model))
