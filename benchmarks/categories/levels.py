# SPDX-License-Identifier: BSD-3-Clause
"""Time with thousands of levels: the same whole numbers as categories and as numbers.

The numbers are the same array both times, so the two fits read equal bytes. As numbers
they are ordered codes without meaning: another tree, of which only the time counts.
"""

import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ramify import DecisionTreeClassifier

N_CLASSES = 5
INFORMATIVE_COLUMNS = 3
SIGNAL = 0.3  # this share of the rows has the class that one of its levels prefers

KINDS = {"categories": True, "numbers": False}


def make(n_rows: int, n_columns: int, n_levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw levels evenly; some columns' levels each prefer a class, weakly."""
    rng = np.random.default_rng(20260101)
    X = rng.integers(n_levels, size=(n_rows, n_columns))
    preferred = rng.integers(N_CLASSES, size=(INFORMATIVE_COLUMNS, n_levels))
    y = rng.integers(N_CLASSES, size=n_rows)
    column = rng.integers(INFORMATIVE_COLUMNS, size=n_rows)
    hinted = np.flatnonzero(rng.random(n_rows) < SIGNAL)
    column = column[hinted]
    y[hinted] = preferred[column, X[hinted, column]]
    return X, y


def measure(
    n_levels: int, n_rows: int, n_columns: int, repeats: int, criterion: str
) -> dict[str, Any]:
    """Fit both kinds in turn, on one thread and to full depth."""
    X, y = make(n_rows, n_columns, n_levels)
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    cpu_seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    line: dict[str, Any] = {"levels": n_levels}
    for turn in range(repeats):
        for kind, categorical in KINDS.items():
            _say(f"{n_levels} levels as {kind}: turn {turn + 1} of {repeats}")
            columns = list(range(n_columns)) if categorical else None
            tree = DecisionTreeClassifier(
                criterion=criterion, categorical_features=columns, n_jobs=1
            )
            start, start_cpu = time.perf_counter(), time.process_time()
            tree.fit(X, y)
            seconds[kind].append(time.perf_counter() - start)
            cpu_seconds[kind].append(time.process_time() - start_cpu)
            line[kind] = {
                "leaves": int(tree.get_n_leaves()),
                "depth": int(tree.get_depth()),
            }
    for kind in KINDS:
        line[kind] |= {
            "seconds": statistics.median(seconds[kind]),
            "all seconds": seconds[kind],
            "cpu seconds": statistics.median(cpu_seconds[kind]),
        }
    line["ratio"] = line["categories"]["seconds"] / line["numbers"]["seconds"]
    return line


def add_growth(lines: Sequence[dict[str, Any]]) -> None:
    """Add, for every line but the first, how many times the line before it took."""
    for i in range(1, len(lines)):
        before, line = lines[i - 1], lines[i]
        line["growth of levels"] = line["levels"] / before["levels"]
        for kind in KINDS:
            line[kind]["growth"] = line[kind]["seconds"] / before[kind]["seconds"]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
