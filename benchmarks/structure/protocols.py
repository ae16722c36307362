# SPDX-License-Identifier: BSD-3-Clause
"""Two ways to choose parameters: by the test folds, or by folds within training rows.

The first is what papers often do and is too optimistic: the test rows take part in the
choice. The second is honest: the test rows of a fold see one tree per method.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from .sets import DataSet

Rows = np.ndarray
Folds = list[tuple[Rows, Rows]]
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """One tree: its accuracy on rows it was not grown on, and its size."""

    accuracy: float
    depth: int
    leaves: int


@dataclass(frozen=True)
class Outcome:
    """What a grid of parameters does on every fold, and which ones get chosen.

    `trials` has a list per parameters with a trial per fold, `by_test` is the place in
    the grid with the best mean test accuracy, `nested` has a place per fold.
    """

    grid: list[Parameters]
    trials: list[list[Trial]]
    by_test: int
    nested: list[int]

    @property
    def paper(self) -> list[Trial]:
        return self.trials[self.by_test]

    @property
    def honest(self) -> list[Trial]:
        return [self.trials[place][fold] for fold, place in enumerate(self.nested)]


def run(
    make: Callable[[Parameters], Any],
    grid: Sequence[Parameters],
    data: DataSet,
    folds: Folds,
    n_inner: int,
) -> Outcome:
    """Grow a tree for every parameters and fold, and choose in both ways."""
    trials = [[trial(make(p), data, *fold) for fold in folds] for p in grid]
    nested = [0] * len(folds)
    if len(grid) > 1:
        for i, (train, _) in enumerate(folds):
            inner = list(within(train, data.y, n_inner))
            nested[i] = _best(
                [[trial(make(p), data, *fold) for fold in inner] for p in grid]
            )
    return Outcome(list(grid), trials, _best(trials), nested)


def stratified(y: np.ndarray, n_folds: int, seed: int = 0) -> Folds:
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(folds.split(np.zeros(len(y)), y))


def within(rows: Rows, y: np.ndarray, n_folds: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield folds of some rows."""
    for train, test in stratified(y[rows], n_folds):
        yield rows[train], rows[test]


def trial(tree: Any, data: DataSet, train: Rows, test: Rows) -> Trial:
    tree.fit(data.table[train], data.y[train])
    is_right = tree.predict(take(data.X, test)) == data.y[test]
    return Trial(float(is_right.mean()), tree.get_depth(), tree.get_n_leaves())


def take(X: Any, rows: Rows) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _best(trials: list[list[Trial]]) -> int:
    """Give the place of the best mean accuracy; of equals the first in the grid."""
    means = [round(fmean(t.accuracy for t in of_folds), 12) for of_folds in trials]
    return int(np.argmax(means))
