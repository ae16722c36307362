# SPDX-License-Identifier: BSD-3-Clause
"""The data sets, the same for all: made from a fixed seed, bundled, or from files."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..oblique.sets import read

INFORMATIVE_COLUMNS = 10
CLUSTERS_PER_CLASS = 2
FLIPPED_LABELS = 0.1  # label noise: a full-depth tree must carve out these rows
CHUNK = 100_000


@dataclass(frozen=True)
class Data:
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @property
    def memory_bound(self) -> float:
        """The bytes that a fit should not exceed: 300 MB for 1,000,000 x 20."""
        return 15 * self.X.size


@dataclass(frozen=True)
class Problem:
    """A data set by its facts; `make` gives the same arrays in every process."""

    n_rows: int
    n_columns: int = 20
    n_classes: int = 2
    dtype: str = "float32"
    n_test: int = 20_000
    bundled: str = ""  # "digits" or "iris"
    file: str = ""  # its name in `folder`, which the user gives
    folder: Path | None = None
    has_stand_in: bool = False  # likenesses are made if there is no folder
    numbers: bool = False  # a number is learnt, not a class

    def make(self) -> Data:
        if self.has_stand_in and self.folder is None:
            return _grid(self)
        if self.file:
            assert self.folder is not None
            return _shuffled(self, *read(self.folder, self.file))
        if self.bundled:
            return _bundled(self)
        return _of_numbers(self) if self.numbers else _synthetic(self)

    def small(self, n_rows: int) -> "Problem":
        """Return the same problem with no more than `n_rows` rows."""
        return replace(
            self, n_rows=min(self.n_rows, n_rows), n_test=min(self.n_test, n_rows)
        )

    def __str__(self) -> str:
        size = f"{_short(self.n_rows)} x {self.n_columns}"
        likeness = "like " if self.has_stand_in and self.folder is None else ""
        name = ", ".join(filter(None, (likeness + (self.bundled or self.file), size)))
        target = "regression" if self.numbers else f"{self.n_classes} classes"
        facts = f"{target}, {self.dtype}"
        tested = f"; {_short(self.n_test)} test rows" if self.n_test else ""
        return f"{name}, {facts}{tested}"


def digits() -> Problem:
    return Problem(1437, 64, 10, "float64", n_test=360, bundled="digits")


def letter() -> Problem:
    """Return 16 whole numbers from 0 to 15, of 26 classes."""
    size = {"n_rows": 16_000, "n_columns": 16, "n_classes": 26, "n_test": 4_000}
    return Problem(**size, dtype="float64", file="letter", has_stand_in=True)


def iris() -> Problem:
    return Problem(120, 4, 3, "float64", n_test=30, bundled="iris")


def _short(n: int) -> str:
    if n % 1_000_000 == 0:
        return f"{n // 1_000_000}M"
    return f"{n // 1000}k" if n % 1000 == 0 else str(n)


def _synthetic(problem: Problem) -> Data:
    """Draw normal clusters around corners of a box, columns of noise, flipped labels.

    Filled in place and by chunks, so that making the data leaves no memory peak behind.
    """
    rng = np.random.default_rng(20260101)
    n, d, k = problem.n_rows + problem.n_test, problem.n_columns, problem.n_classes
    centres = rng.choice([-1.0, 1.0], size=(k * CLUSTERS_PER_CLASS, d))
    centres *= rng.uniform(0.75, 1.5, size=d)
    centres[:, rng.permutation(d)[INFORMATIVE_COLUMNS:]] = 0

    X = np.empty((n, d), dtype=problem.dtype)
    y = np.empty(n, dtype=np.int64)
    for start in range(0, n, CHUNK):
        rows = slice(start, min(start + CHUNK, n))
        cluster = rng.integers(len(centres), size=rows.stop - rows.start)
        X[rows] = rng.standard_normal((len(cluster), d))
        X[rows] += centres[cluster]
        flip = rng.random(len(cluster)) < FLIPPED_LABELS
        y[rows] = np.where(flip, rng.integers(k, size=len(cluster)), cluster % k)
    m = problem.n_rows
    return Data(X[:m], y[:m], X[m:], y[m:])


def _of_numbers(problem: Problem) -> Data:
    """Draw normal columns, and numbers that depend on four of them and on chance."""
    rng = np.random.default_rng(20260101)
    n, m = problem.n_rows + problem.n_test, problem.n_rows
    X = rng.standard_normal((n, problem.n_columns)).astype(problem.dtype)
    signal = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3]
    y = signal + rng.standard_normal(n) / 2
    return Data(X[:m], y[:m], X[m:], y[m:])


def _grid(problem: Problem) -> Data:
    """Draw whole numbers from 0 to 15 around a few centres of each class."""
    rng = np.random.default_rng(20260101)
    n, k = problem.n_rows + problem.n_test, problem.n_classes
    centres = rng.uniform(3, 12, size=(k * 4, problem.n_columns))
    cluster = rng.integers(len(centres), size=n)
    noise = rng.normal(0, 1.6, size=(n, problem.n_columns))
    X = np.clip(np.rint(centres[cluster] + noise), 0, 15).astype(problem.dtype)
    y, m = cluster % k, problem.n_rows
    return Data(X[:m], y[:m], X[m:], y[m:])


def _bundled(problem: Problem) -> Data:
    from sklearn import datasets

    load = getattr(datasets, f"load_{problem.bundled}")
    return _shuffled(problem, *load(return_X_y=True))


def _shuffled(problem: Problem, X: np.ndarray, y: np.ndarray) -> Data:
    _, y = np.unique(y, return_inverse=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, y, m = X[order].astype(problem.dtype), y[order], problem.n_rows
    return Data(X[:m], y[:m], X[m : m + problem.n_test], y[m : m + problem.n_test])
