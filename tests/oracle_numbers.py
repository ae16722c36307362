# SPDX-License-Identifier: BSD-3-Clause
"""Regression trees by brute force: every split of a node, judged by plain NumPy."""

from dataclasses import dataclass
from itertools import product

import numpy as np


def quantile(y, w, level):
    """Return the middle of the numbers with the least pinball loss.

    >>> quantile(np.array([3.0, 1.0, 2.0, 9.0]), np.ones(4), 0.5)
    2.5
    >>> quantile(np.array([3.0, 1.0, 2.0, 9.0]), np.array([1.0, 1.0, 1.0, 2.0]), 0.5)
    3.0
    """
    order = np.argsort(y)
    y, below = y[order], np.cumsum(w[order])
    wanted = level * below[-1]
    low = y[np.searchsorted(below, wanted * (1 - 1e-12))]
    high = y[min(np.searchsorted(below, wanted * (1 + 1e-12)), len(y) - 1)]
    return float((low + high) / 2)


def predicted(name, level, y, w):
    """Return what a leaf predicts."""
    if name == "absolute_error":
        return quantile(y, w, 0.5)
    if name == "quantile":
        return quantile(y, w, level)
    return float(np.average(y, weights=w))


def loss(name, level, y, w):
    """Sum the losses of the rows of a leaf.

    >>> y = np.array([1.0, 3.0])
    >>> loss("squared_error", 0, y, np.ones(2))
    2.0
    >>> loss("absolute_error", 0, y, np.array([1.0, 3.0]))
    2.0
    >>> round(loss("poisson", 0, y, np.ones(2)), 6)  # ln(1/2) + 3 ln(3/2)
    0.523248
    >>> round(loss("gamma", 0, y, np.ones(2)), 6)  # 2 ln 2 - ln 3
    0.287682
    >>> loss("quantile", 0.75, np.array([0.0, 1.0, 2.0, 3.0]), np.ones(4))
    1.5
    """
    value = predicted(name, level, y, w)
    if name == "squared_error":
        each = (y - value) ** 2
    elif name == "absolute_error":
        each = np.abs(y - value)
    elif name == "quantile":
        each = np.where(y < value, (1 - level) * (value - y), level * (y - value))
    elif name == "poisson":
        if value <= 0:
            return np.inf
        each = np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / value), 0) - y + value
    else:
        each = np.log(value / y) + y / value - 1
    return float(np.sum(w * each))


@dataclass
class Judge:
    """The gain of parting rows in two: the drop of the mean loss, over the outputs."""

    name: str
    level: float
    Y: np.ndarray  # (n_rows, n_outputs)
    w: np.ndarray

    def impurity(self, rows):
        """Return the mean loss."""
        each = [loss(self.name, self.level, y[rows], self.w[rows]) for y in self.Y.T]
        return np.mean(each) / self.w[rows].sum()

    def value(self, rows):
        """Return what a leaf of these rows predicts."""
        return [
            predicted(self.name, self.level, y[rows], self.w[rows]) for y in self.Y.T
        ]

    def gain(self, rows, is_left):
        """Return the drop of the impurity; -inf if a side is empty or refused."""
        if is_left.all() or not is_left.any():
            return -np.inf
        total = self.w[rows].sum()
        parts = [rows[is_left], rows[~is_left]]
        below = sum(self.w[part].sum() * self.impurity(part) for part in parts)
        return self.impurity(rows) - below / total if np.isfinite(below) else -np.inf


def splits_of(x, is_categorical, missing):
    """List all ways to part the rows of one column, as masks of those that go left.

    NaN is a missing value; `missing` is "both", "left" or "right".
    """
    gone = np.isnan(x)
    known = np.unique(x[~gone])
    if is_categorical:
        values = [*known, np.nan] if gone.any() and missing == "both" else [*known]
        for sides in product((False, True), repeat=max(0, len(values) - 1)):
            left = np.zeros(len(x), dtype=bool)
            for value, side in zip(values, (True, *sides), strict=True):
                left |= (x == value) & side if value == value else gone & side
            for way in (True, False) if gone.any() else (False,):
                if missing == "both" or (missing == "left") == way or not gone.any():
                    yield left | (gone & way) if missing != "both" else left
        return
    cuts = list(known[:-1])
    for cut in cuts:
        for way in (False, True) if gone.any() else (False,):
            if gone.any() and missing != "both" and (missing == "left") != way:
                continue
            yield (x <= cut) | (gone & way)
    if gone.any() and len(known) and missing == "both":
        yield ~gone


def best_gain(judge, rows, X, categorical, missing="both", least=1):
    """Return the largest gain of all splits with enough rows on either side."""
    best = -np.inf
    for j in range(X.shape[1]):
        for left in splits_of(X[rows, j], j in categorical, missing):
            n = left.sum()
            if min(n, len(rows) - n) >= least:
                best = max(best, judge.gain(rows, left))
    return best
