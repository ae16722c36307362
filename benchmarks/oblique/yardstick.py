# SPDX-License-Identifier: BSD-3-Clause
"""WODT in plain NumPy and SciPy: what Ramify's own has to beat.

The rules are Ramify's: columns scaled to [-1, 1], a random start in [-0.5, 0.5], L-BFGS
with memory 10 until no entry of the gradient of E exceeds 1e-5 or a step gains less
than 1e-9 of it, cut by sign, new starts where a child would be empty, then the best
axis-parallel split, else a leaf.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

MIN = 1e-300  # keeps logarithms finite


class Problem:
    """The weighted entropy E of a node and its gradient; `per_row`, both over n.

    Rows are in order of their labels, so that the sums of a class are sums of slices.
    `rows` has a column of ones at its end for the bias.
    """

    def __init__(
        self, rows: np.ndarray, labels: np.ndarray, per_row: bool = False
    ) -> None:
        self.divisor = len(rows) if per_row else 1
        order = np.argsort(labels, kind="stable")
        self.rows = rows[order]
        _, self.starts, self.counts = np.unique(
            labels[order], return_index=True, return_counts=True
        )

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        z = self.rows @ theta
        right, left = expit(z), expit(-z)
        of_right = np.add.reduceat(right, self.starts)
        of_left = np.add.reduceat(left, self.starts)
        log_right, log_left = _log(of_right), _log(of_left)
        n_right, n_left = of_right.sum(), of_left.sum()
        log_n_right, log_n_left = _log(n_right), _log(n_left)
        entropy = n_left * log_n_left + n_right * log_n_right
        entropy -= of_left @ log_left + of_right @ log_right
        slope = log_n_right - log_n_left + log_left - log_right  # by class
        right *= left
        right *= np.repeat(slope, self.counts)
        return entropy / self.divisor, (right @ self.rows) / self.divisor


def _log(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.log2(np.maximum(weights, MIN)))


@dataclass
class Wodt:
    """A tree grown to purity; nodes are kept in lists, children after their parent."""

    max_depth: int | None = None
    n_restarts: int = 3
    max_iter: int = 1000
    memory: int = 10
    tol: float = 1e-5
    least_progress: float = 1e-9
    per_row: bool = False
    seed: int = 0
    n_evaluations: int = 0
    theta: list[np.ndarray | None] = field(default_factory=list)  # None: a leaf
    children: list[tuple[int, int]] = field(default_factory=list)
    label: list[int] = field(default_factory=list)

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Wodt":
        low, high = X.min(axis=0), X.max(axis=0)
        self._varies = high > low
        self._low = low[self._varies].astype(np.float64)
        self._span = high[self._varies].astype(np.float64) - self._low
        self.classes, labels = np.unique(y, return_inverse=True)
        self._rng = np.random.default_rng(self.seed)
        self._grow(self._scaled(X), labels)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        rows = self._scaled(X)
        found = np.empty(len(X), dtype=np.int64)
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            node, at = waiting.pop()
            theta = self.theta[node]
            if theta is None:
                found[at] = self.label[node]
            else:
                goes_right = rows[at] @ theta >= 0
                left, right = self.children[node]
                waiting += [(left, at[~goes_right]), (right, at[goes_right])]
        return np.asarray(self.classes[found])

    def count_leaves(self) -> int:
        return sum(theta is None for theta in self.theta)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        rows = np.ones((len(X), len(self._low) + 1))
        rows[:, :-1] = X[:, self._varies]
        rows[:, :-1] -= self._low
        rows[:, :-1] *= 2 / self._span
        rows[:, :-1] -= 1
        return rows

    def _grow(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self._add(labels)
        waiting = [(0, 0, rows, labels)]
        while waiting:
            node, depth, rows, labels = waiting.pop()
            if depth == self.max_depth or (labels == labels[0]).all():
                continue
            if (theta := self._split(rows, labels)) is None:
                continue
            goes_right = rows @ theta >= 0
            sides = [(rows[s], labels[s]) for s in (~goes_right, goes_right)]
            self.theta[node] = theta
            self.children[node] = (len(self.theta), len(self.theta) + 1)
            for child in sides:
                waiting.append((len(self.theta), depth + 1, *child))
                self._add(child[1])

    def _add(self, labels: np.ndarray) -> None:
        self.theta.append(None)
        self.children.append((-1, -1))
        self.label.append(int(np.bincount(labels).argmax()))

    def _split(self, rows: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
        varies = rows.max(axis=0) > rows.min(axis=0)
        varies[-1] = True  # the bias
        own = rows if varies.all() else rows[:, varies]
        problem = Problem(own, labels, self.per_row)
        for _ in range(1 + self.n_restarts):
            found = minimize(
                problem,
                self._rng.uniform(-0.5, 0.5, varies.sum()),
                jac=True,
                method="L-BFGS-B",
                options={
                    "maxiter": self.max_iter,
                    "maxcor": self.memory,
                    "gtol": self.tol,
                    "ftol": self.least_progress,
                },
            )
            self.n_evaluations += found.nfev
            theta = np.zeros(rows.shape[1])
            theta[varies] = found.x
            if _gain(labels, rows @ theta >= 0) > 0:
                return theta
        return _best_axis_parallel(rows, labels)


def _gain(labels: np.ndarray, goes_right: np.ndarray) -> float:
    """Return the information gain of a split; 0 if a side is empty."""
    if goes_right.all() or not goes_right.any():
        return 0.0
    everywhere = np.bincount(labels)
    right = np.bincount(labels[goes_right], minlength=len(everywhere))
    sides = _entropy(right) + _entropy(everywhere - right)
    return float(_entropy(everywhere) - sides) / len(labels)


def _entropy(counts: np.ndarray) -> np.ndarray:
    """Return n times the entropy of class counts in the last axis."""
    n = counts.sum(axis=-1)
    return np.asarray(n * _log(n) - (counts * _log(counts)).sum(axis=-1))


def _best_axis_parallel(rows: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
    is_class = labels[:, None] == np.unique(labels)
    best, theta = 0.0, None
    for column in range(rows.shape[1] - 1):
        order = np.argsort(rows[:, column], kind="stable")
        values = rows[order, column]
        last = np.flatnonzero(values[1:] > values[:-1])  # of equal values
        if not len(last):
            continue
        left = np.cumsum(is_class[order], axis=0)
        children = _entropy(left[last]) + _entropy(left[-1] - left[last])
        gain = _entropy(left[-1]) - children
        if gain.max() > best + 1e-9:
            at = last[gain.argmax()]
            best, theta = float(gain.max()), np.zeros(rows.shape[1])
            theta[column] = 1
            theta[-1] = -(values[at] + values[at + 1]) / 2
    return theta
