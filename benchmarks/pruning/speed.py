# SPDX-License-Identifier: BSD-3-Clause
"""How long pruning takes, against growing, and against scikit-learn's way.

python -m benchmarks.pruning.speed [--rows 100000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier as SklearnTree

import ramify
from ramify import DecisionTreeClassifier, Table


def best_of(n: int, run: Callable[[], Any]) -> float:
    """Return the least of n times, in seconds."""
    times = []
    for _ in range(n):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def noisy(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Make rows of two classes, a fifth of the labels flipped."""
    return make_classification(
        n_rows,
        n_columns,
        n_informative=n_columns // 2,
        flip_y=0.2,
        random_state=0,
    )


def main() -> None:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer", action="store_true", help="scikit-learn, too")
    given = parser.parse_args()
    X, y = noisy(given.rows, given.columns)
    table = Table(X)
    n = given.repeats

    def fit(**parameters: Any) -> Callable[[], Any]:
        return lambda: DecisionTreeClassifier(**parameters).fit(table, y)

    single = best_of(n, fit())
    print(f"one growth                 {single:8.3f} s")
    folds = best_of(n, fit(prune="ccp_cv"))
    print(f"ccp_cv, 10 folds           {folds:8.3f} s = {folds / single:.2f} growths")
    two = best_of(n, fit(prune="ccp_cv", n_jobs=2))
    print(f"ccp_cv, two threads        {two:8.3f} s = {folds / two:.2f} times as fast")
    tree = DecisionTreeClassifier().fit(table, y)
    for method in ("pep", "mep", "ebp"):
        params = {"raising": False} if method == "ebp" else {}
        took = best_of(n, lambda m=method, p=params: ramify.prune(tree, m, **p))
        print(f"{method:<26} {took:8.4f} s = {took / single:.2%} of the growth")
    took = best_of(n, fit(prune="ebp"))
    print(f"ebp with raising, in fit   {took:8.3f} s = {took / single:.2f} growths")
    if given.peer:
        start = time.perf_counter()
        alphas = SklearnTree(random_state=0).cost_complexity_pruning_path(X, y)
        some = np.quantile(alphas.ccp_alphas, np.linspace(0, 0.999, 30))
        for alpha in some:
            cross_val_score(SklearnTree(random_state=0, ccp_alpha=alpha), X, y, cv=10)
        peer = time.perf_counter() - start
        print(f"scikit-learn, 30 alphas    {peer:8.1f} s = {peer / folds:.0f} ccp_cv")


if __name__ == "__main__":
    main()
