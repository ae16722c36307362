# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values of a forest beside `shap.TreeExplainer`, in one run.

``python -m benchmarks.explain [--rows 10000] [--peer-rows 100]``

The forest has 100 trees of depth 12 on 20 numeric columns. shap explains fewer rows, in
turns with ours, since it takes the same time for every row.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import make_classification

import ramify
from ramify.explanations import explained


def timed(call):
    """Return the seconds that a call takes, those of the processor, and its result."""
    start, cpu = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - start, time.process_time() - cpu, result


def main() -> None:
    """Print milliseconds per row."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--peer-rows", type=int, default=100)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    forest = ramify.RandomForestClassifier(
        100, max_depth=12, random_state=0, n_jobs=-1
    ).fit(X, y)
    n_nodes = sum(tree.tree_.node_count for tree in forest.estimators_)
    print(f"{n_nodes} nodes, {options.rows} rows, best of {options.turns} turns")
    rows, peer_rows = X[: options.rows], X[: options.peer_rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap

    given = ramify.to_shap(forest)
    along = shap.TreeExplainer(given, feature_perturbation="tree_path_dependent")
    background = X[-100:]
    # A copy: shap counts the background into the arrays it is given.
    against = shap.TreeExplainer(
        ramify.to_shap(forest), background, feature_perturbation="interventional"
    )
    pairs = rows[: max(1, options.rows // 20)]
    calls = {
        "paths, one thread": (lambda: explained(forest, rows, n_jobs=1), len(rows)),
        "paths, two threads": (lambda: explained(forest, rows, n_jobs=2), len(rows)),
        "paths, shap": (
            lambda: along.shap_values(peer_rows, check_additivity=False),
            len(peer_rows),
        ),
        "100 rows, one thread": (
            lambda: explained(forest, pairs, background, n_jobs=1),
            len(pairs),
        ),
        "100 rows, shap": (
            lambda: against.shap_values(peer_rows, check_additivity=False),
            len(peer_rows),
        ),
    }
    best, least = dict.fromkeys(calls, np.inf), dict.fromkeys(calls, np.inf)
    results = {}
    for _ in range(options.turns):
        for name, (call, n) in calls.items():
            seconds, cpu, results[name] = timed(call)
            best[name] = min(best[name], 1000 * seconds / n)
            least[name] = min(least[name], 1000 * cpu / n)
    for name, milliseconds in best.items():
        print(
            f"{name:22} {milliseconds:8.3f} ms a row, {least[name]:8.3f} of processors"
        )
    print(
        f"shap / ours, paths     {best['paths, shap'] / best['paths, one thread']:.1f}"
    )
    threads = best["paths, one thread"] / best["paths, two threads"]
    print(f"one thread / two       {threads:.2f}")
    print(
        "shap / ours, 100 rows  "
        f"{best['100 rows, shap'] / best['100 rows, one thread']:.1f}"
    )
    ours = results["paths, one thread"].values[: len(peer_rows)]
    gap = np.abs(ours - results["paths, shap"].reshape(ours.shape)).max()
    print(f"largest difference     {gap:.1e}")


if __name__ == "__main__":
    main()
