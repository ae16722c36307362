# SPDX-License-Identifier: BSD-3-Clause
"""How much memory a fit takes: ``python -m benchmarks.memory``, run on Linux.

Each row is a process of its own, one thread: what it holds before the fit (imports and
data), and the peak during it. ``--write`` puts the table into docs/how_to/big_data.md.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import ramify

from .machine import machine
from .pages import fill

N_COLUMNS = 20
MIB = 2**20
PAGE = Path(__file__).parents[1] / "docs" / "how_to" / "big_data.md"
MARKS = "<!-- the table of memory begins -->", "<!-- the table of memory ends -->"
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "tree, float64": ("float64", "DecisionTreeClassifier", {}),
    "tree, float32": ("float32", "DecisionTreeClassifier", {}),
    "tree, `max_bins=255`": ("float64", "DecisionTreeClassifier", {"max_bins": 255}),
    "regression tree": ("float64", "DecisionTreeRegressor", {}),
    "forest, one thread": ("float64", "RandomForestClassifier", {"n_estimators": 1}),
    "extra trees, float32": ("float32", "ExtraTreesClassifier", {"n_estimators": 1}),
    "boosted, two rounds": ("float64", "BoostedTreesClassifier", {"n_estimators": 2}),
}


def made(n_rows: int, dtype: str) -> tuple[Any, Any]:
    """Make a table without ties, column by column: without copies of its own."""
    rng = np.random.default_rng(0)
    X = np.empty((n_rows, N_COLUMNS), dtype)
    for j in range(N_COLUMNS):
        X[:, j] = rng.random(n_rows)
    return X, (X[:, 0] + X[:, 1] > 1).astype(int)


def now() -> int:
    """Return the bytes that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def measure(name: str, n_rows: int) -> tuple[int, int]:
    """Fit one model; return the bytes of its table and how many more the fit took."""
    dtype, kind, params = CASES[name]
    model = getattr(ramify, kind)(max_depth=6, **params)
    X, y = made(n_rows, dtype)
    model.fit(X[:1000], y[:1000])  # imports what it needs
    before = now()
    model.fit(X, y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return X.nbytes, peak - before


def in_own_process(name: str, n_rows: int) -> tuple[int, int]:
    """Measure where nothing has been freed before."""
    command = [sys.executable, "-m", "benchmarks.memory", "--case", name]
    done = subprocess.run(
        [*command, "--rows", str(n_rows)], capture_output=True, text=True, check=True
    )
    data, more = done.stdout.split()
    return int(data), int(more)


def as_table(found: dict[str, tuple[int, int]], n_rows: int) -> str:
    """Write megabytes by model, and bytes per cell."""
    lines = ["| model | your data, MB | the fit adds, MB | bytes per cell |"]
    lines.append("| --- | --- | --- | --- |")
    for name, (data, more) in found.items():
        per_cell = more / (n_rows * N_COLUMNS)
        lines.append(
            f"| {name} | {data / MIB:.0f} | {more / MIB:.0f} | {per_cell:.1f} |"
        )
    about = (
        f"({n_rows:,} rows of {N_COLUMNS} columns without ties, two classes, depth 6, "
        f"one thread; {date.today()}, {machine()}.)"
    )
    return "\n".join(lines) + "\n\n" + about


def main() -> None:
    """Measure all models, and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory", description=__doc__
    )
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--case", choices=CASES, help="this one only, in bytes")
    parser.add_argument("--write", action="store_true", help="into the page, too")
    chosen = parser.parse_args()
    if chosen.case:
        print(*measure(chosen.case, chosen.rows))
        return
    found = {name: in_own_process(name, chosen.rows) for name in CASES}
    table = as_table(found, chosen.rows)
    print(table)
    if chosen.write:
        fill(PAGE, table, MARKS)


if __name__ == "__main__":
    main()
