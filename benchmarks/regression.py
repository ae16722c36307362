# SPDX-License-Identifier: BSD-3-Clause
"""Regression trees beside scikit-learn's: CPU time of one fit, encoding included.

Run as ``python -m benchmarks.regression [--rows 100000]``.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.tree import DecisionTreeRegressor as SklearnTree

import ramify

RACES = (
    ("squared_error", {}),
    ("squared_error", {"min_samples_leaf": 5}),
    ("poisson", {}),
    ("absolute_error", {"max_depth": 6}),
    ("absolute_error", {"min_samples_leaf": 20}),
)


def best_time(fit: Callable[[], object], n: int) -> float:
    """Return the least CPU time of n fits."""
    times = []
    for _ in range(n):
        start = time.process_time()
        fit()
        times.append(time.process_time() - start)
    return min(times)


def draw(n_rows: int, n_columns: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Draw a table and numbers that depend on four of its columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    signal = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3]
    return X, np.exp((signal + rng.normal(size=n_rows) / 2) / 4)


def main() -> None:
    """Print one line per race."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    X, y = draw(asked.rows)
    for criterion, params in RACES:
        own = ramify.DecisionTreeRegressor(criterion, **params)
        other = SklearnTree(criterion=criterion, random_state=0, **params)
        ours = best_time(lambda own=own: own.fit(X, y), asked.repeats)
        theirs = best_time(lambda other=other: other.fit(X, y), 1)
        what = ", ".join([criterion, *(f"{k}={v}" for k, v in params.items())])
        print(f"{what:<36} {ours:7.3f} s {theirs:8.3f} s  x {theirs / ours:.1f}")


if __name__ == "__main__":
    main()
