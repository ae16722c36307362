# SPDX-License-Identifier: BSD-3-Clause
"""The folds of a data set, and the form in which a method sees their rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ramify.comparison.entries import is_ours
from ramify.comparison.result import Protocol
from ramify.criteria import catalogue
from ramify.criteria.planning import measures_of
from ramify.datasets import Dataset
from ramify.survival import read_survival_target
from ramify.table import Table
from ramify.table.sources import RawColumns

__all__ = [
    "FoldRows",
    "Rows",
    "has_groups",
    "seed_of",
    "takes_weights",
    "wants_numbers",
]

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class FoldRows:
    """What a method is fitted on and what it must predict, in the form it takes.

    ``estimator`` parameters in ``settings`` and arguments of fit in ``extra`` go with
    that form.
    """

    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    settings: dict[str, Any]
    extra: dict[str, Any]
    weight_test: NDArray[np.float64] | None = None


class Rows:
    """A data set split into folds, the same for every method.

    Its columns are encoded once, when first used; folds are views of that table.
    """

    def __init__(self, dataset: Dataset, protocol: Protocol, random_state: int) -> None:
        self.dataset = dataset
        self.protocol = protocol
        self.random_state = random_state

    def __getstate__(self) -> dict[str, Any]:
        # Another process encodes and parts the rows again, to the same end.
        keys = ("dataset", "protocol", "random_state")
        return {key: self.__dict__[key] for key in keys}

    @cached_property
    def folds(self) -> list[list[tuple[Indices, Indices]]]:
        """Training and test rows, per repeat and fold."""
        if self.protocol.splitter is not None:
            return [self._folds_of(self.protocol.splitter)]
        seeds = [seed_of(self.random_state, i) for i in range(self.protocol.n_repeats)]
        return [self._folds_of(self._usual_splitter(seed)) for seed in seeds]

    @property
    def _strata(self) -> NDArray[Any] | None:
        """What every fold has in the shares of the whole: classes, or events."""
        data = self.dataset
        if data.is_survival:
            return read_survival_target(data.y).event
        return None if data.is_regression else data.y

    def _usual_splitter(self, seed: int) -> Any:
        """Choose by what is known of the rows: times, groups, classes."""
        data, n_folds = self.dataset, self.protocol.n_folds
        if data.times is not None:
            return TimeSeriesSplit(n_folds)
        if data.groups is None:
            kind = KFold if self._strata is None else StratifiedKFold
        else:
            kind = GroupKFold if self._strata is None else StratifiedGroupKFold
        return kind(n_folds, shuffle=True, random_state=seed)

    def _folds_of(self, splitter: Any) -> list[tuple[Indices, Indices]]:
        """Let a splitter part the rows, in the order of their times if known."""
        data = self.dataset
        n_rows = len(data.y)
        order = np.arange(n_rows)
        if data.times is not None:
            order = np.argsort(data.times, kind="stable")
        groups = None if data.groups is None else data.groups[order]
        try:
            with warnings.catch_warnings():  # who ignores groups need not say so
                warnings.simplefilter("ignore")
                X = np.empty((n_rows, 1))
                y = data.y if self._strata is None else self._strata
                folds = list(splitter.split(X, y[order], groups))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"cv={splitter!r} cannot part data set {data.name!r}: {error}"
            ) from None
        return [(order[train], order[test]) for train, test in folds]

    @cached_property
    def table(self) -> Table:
        """The encoded columns."""
        return self.dataset.table()

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """Plain numbers: NaN where missing, one column per category of all rows."""
        return self._coded[0]

    @cached_property
    def _coded(self) -> tuple[NDArray[np.float64], list[str]]:
        """The matrix, and the names of its columns."""
        blocks: list[NDArray[np.float64]] = []
        names: list[str] = []
        for name, values in self.dataset.columns.items():
            if values.dtype != object:
                blocks.append(values.astype(np.float64)[:, None])
                names.append(name)
                continue
            levels = sorted({(value is not None, value) for value in values.tolist()})
            codes = {level: j for j, (_, level) in enumerate(levels)}
            block = np.zeros((len(values), len(codes)))
            block[np.arange(len(values)), [codes[v] for v in values.tolist()]] = 1
            blocks.append(block)
            names += [
                f"{name} is {'missing' if level is None else level}"
                for _, level in levels
            ]
        return np.hstack(blocks), names

    @cached_property
    def is_plain(self) -> bool:
        """Whether all columns are numbers, and none has a missing value."""
        columns = self.dataset.columns.values()
        return not any(v.dtype == object or np.isnan(v).any() for v in columns)

    def fold(
        self, estimator: Any, repeat: int, fold: int, size: float | None = None
    ) -> FoldRows:
        """Return the rows of a fold as the estimator takes them.

        With a size, only that share, or number, of the training rows.
        """
        train, test = self.folds[repeat][fold]
        if size is not None:
            train = self._part_of(train, repeat, fold, size)
        return self._as_taken(estimator, train, test)

    def n_train(self, repeat: int, fold: int) -> int:
        """Return the number of training rows of a fold."""
        return len(self.folds[repeat][fold][0])

    def _part_of(self, train: Indices, repeat: int, fold: int, size: float) -> Indices:
        """Sample training rows; a smaller sample is part of every larger one.

        Classes keep their shares, and each has a row at least. The latest rows are
        taken if times are known.
        """
        n = size if isinstance(size, int) else max(2, round(size * len(train)))
        if self.dataset.times is not None:
            return train[-n:]
        seed = seed_of(self.random_state, repeat)
        order = np.random.RandomState([seed, fold]).permutation(len(train))
        if self._strata is not None:
            y = self._strata[train][order]
            place = np.empty(len(y))
            for label in np.unique(y):
                rows = np.flatnonzero(y == label)
                place[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
                place[rows[0]] = 0.0  # first of all
            order = order[np.argsort(place, kind="stable")]
        return np.sort(train[order[:n]])

    def whole(self, estimator: Any) -> FoldRows:
        """All rows for training, and none to test, as the estimator takes them."""
        every = np.arange(len(self.dataset.y))
        return self._as_taken(estimator, every, every[:0])

    def names_for(self, estimator: Any) -> list[str]:
        """Name the columns in the form in which a method of Ramify sees them."""
        if not wants_numbers(estimator) or self.is_plain:
            return list(self.dataset.columns)
        return self._coded[1]

    def _as_taken(self, estimator: Any, train: Indices, test: Indices) -> FoldRows:
        settings: dict[str, Any] = {}
        X: Any = self.matrix
        if is_ours(estimator):
            if wants_numbers(estimator) and not self.is_plain:
                X = Table(_filled(self.matrix, train))
            elif not _wants_bins(estimator):
                X = self.table
            else:  # whose edges are those of the training rows
                settings = _told_categories(estimator, list(self.dataset.categorical))
                X = _Raw(self.dataset)
        y, extra = self.dataset.y, _groups(estimator, len(train))
        weight = self.dataset.weight
        if weight is not None and takes_weights(estimator):
            extra["sample_weight"] = weight[train]
        return FoldRows(
            X[train],
            y[train],
            X[test],
            y[test],
            settings,
            extra,
            None if weight is None else weight[test],
        )


class _Raw:
    """The columns as they are, to be encoded anew in each fit."""

    def __init__(self, dataset: Dataset) -> None:
        self._columns = dataset.columns

    def __getitem__(self, rows: Indices) -> RawColumns:
        arrays = [values[rows] for values in self._columns.values()]
        return RawColumns(arrays, list(self._columns), (len(rows), len(arrays)))


def seed_of(random_state: int, repeat: int) -> int:
    """Return the seed of a repeat: the first is that of the run, so as not to surprise.

    The others are derived from it, so that runs with seeds 0 and 1 share none of them.
    """
    if repeat == 0:
        return random_state
    state = np.random.SeedSequence([random_state, repeat]).generate_state(1)
    return int(state[0])


def wants_numbers(estimator: Any) -> bool:
    """Return whether a method of Ramify takes neither categories nor missing values."""
    if not is_ours(estimator):
        return False
    takes = get_tags(estimator).input_tags
    return not (takes.allow_nan and takes.categorical)


def _filled(matrix: NDArray[np.float64], train: Indices) -> NDArray[np.float64]:
    """Replace missing values by the median of the training rows; 0 without one."""
    filled = matrix.copy()
    for column in filled.T:
        known = column[train][~np.isnan(column[train])]
        column[np.isnan(column)] = np.median(known) if len(known) else 0.0
    return filled


def _wants_bins(estimator: Any) -> bool:
    """Return whether an estimator cuts columns into bins, as CHAID always does."""
    params = estimator.get_params(deep=True)
    return any(
        (key.split("__")[-1] == "max_bins" and value is not None)
        or (key.split("__")[-1] == "splitter" and value == "chaid")
        for key, value in params.items()
    )


def _told_categories(estimator: Any, names: list[str]) -> dict[str, Any]:
    """Return which columns are categories, as the table of the others says."""
    params = estimator.get_params(deep=True)
    return {
        key: names
        for key, value in params.items()
        if key.split("__")[-1] == "categorical_features"
        and isinstance(value, str)
        and value == "from_dtype"
    }


def takes_weights(estimator: Any) -> bool:
    """Return whether fit takes sample_weight."""
    return bool(has_fit_parameter(estimator, "sample_weight"))


def has_groups(estimator: Any) -> bool:
    """Return whether a method of Ramify looks at groups of rows, beside the classes."""
    criterion = getattr(estimator, "criterion", None) if is_ours(estimator) else None
    if criterion is None:
        return False
    if is_regressor(estimator) or hasattr(estimator, "predict_survival_function"):
        return False
    resolved = catalogue.resolve(
        criterion, getattr(estimator, "criterion_params", None)
    )
    return "sensitive_auc" in measures_of(resolved)


def _groups(estimator: Any, n_rows: int) -> dict[str, Any]:
    """Put all rows into one group: no data set here names a sensitive attribute."""
    return {"sensitive": np.zeros(n_rows)} if has_groups(estimator) else {}
