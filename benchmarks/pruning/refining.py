# SPDX-License-Identifier: BSD-3-Clause
"""What `ramify.refine` does to training rows and to others: ten sets, five folds."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

import ramify
from benchmarks.pruning.study import folds
from ramify.reproduce.paper import Row
from ramify.reproduce.reading import find

SETS = (
    *("iris", "glass", "sonar", "heart_statlog", "haberman"),
    *("bupa", "ionosphere", "breast_wdbc", "diabetes", "vehicle"),
)
DEPTHS = (3, 4, 5, 6)
SOLVERS = ("exact", "fisher", "wodt")
FIELDS = ("data", "depth", "solver", "fold", "grown_on", "grown_off", "on", "off")


def main() -> None:
    """Run all, and write a line per set, depth, solver and fold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    with given.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for name in SETS:
            row = Row(name, name)
            data = ramify.datasets.load(find(given.data, [row])[row])
            X = np.column_stack(list(data.columns.values()))
            y = np.unique(data.y, return_inverse=True)[1]
            for fold, (on, off) in enumerate(folds(y, 5)):
                for depth in DEPTHS:
                    grown = ramify.DecisionTreeClassifier(max_depth=depth)
                    grown.fit(X[on], y[on])
                    for solver in SOLVERS:
                        better = ramify.refine(grown, X[on], y[on], solver=solver)
                        errors = [
                            f"{np.mean(model.predict(X[rows]) != y[rows]):.6f}"
                            for model in (grown, better)
                            for rows in (on, off)
                        ]
                        writer.writerow([name, depth, solver, fold, *errors])
            file.flush()


if __name__ == "__main__":
    main()
