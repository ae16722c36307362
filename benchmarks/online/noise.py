# SPDX-License-Identifier: BSD-3-Clause
"""How often each bound splits noise.

``python -m benchmarks.online.noise`` lets trees learn streams in which no column says
anything of the class, and counts those that were split at all.
"""

from __future__ import annotations

import argparse

import numpy as np

import ramify
from ramify.estimators.online import first_certain

RULES = {
    "split": {},
    "column, McDiarmid I": {"certain": "column", "tie_threshold": 0},
    "column, normal": {"certain": "column", "bound": "normal", "tie_threshold": 0},
    "hybrid1": {
        "criterion": first_certain("misclassification", "gini"),
        "certain": "column",
        "tie_threshold": 0,
    },
    "hybrid2": {
        "criterion": first_certain("misclassification", "gini", types=(1, 2)),
        "certain": "column",
        "tie_threshold": 0,
    },
    "hoeffding, ties at 0.05": {"criterion": "entropy", "certain": "hoeffding"},
    "hoeffding, no ties": {
        "criterion": "entropy",
        "certain": "hoeffding",
        "tie_threshold": 0,
    },
}


def share_of_split(
    rule: dict[str, object], delta: float, n_streams: int, n_rows: int, ones: float
) -> tuple[float, float]:
    """Return the share of streams with a split, and the mean number of leaves."""
    n_split, leaves = 0, 0
    for seed in range(n_streams):
        rng = np.random.default_rng(seed)
        X, y = rng.random((n_rows, 5)), (rng.random(n_rows) < ones).astype(int)
        model = ramify.OnlineTreeClassifier(delta=delta, leaf="majority", **rule)
        model.partial_fit(X, y, classes=[0, 1])
        n_split += len(model.history_) > 0
        leaves += model.get_n_leaves()
    return n_split / n_streams, leaves / n_streams


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=300)
    parser.add_argument("--rows", type=int, default=5000)
    given = parser.parse_args()
    print("| rule | delta | shares of classes | streams split | leaves |")
    print("| --- | --- | --- | --- | --- |")
    for ones in (0.5, 0.1):
        for delta in (0.5, 0.05, 1e-7):
            for name, rule in RULES.items():
                share, leaves = share_of_split(
                    rule, delta, given.streams, given.rows, ones
                )
                print(
                    f"| {name} | {delta:g} | {1 - ones:g} / {ones:g} "
                    f"| {share:.3f} | {leaves:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
