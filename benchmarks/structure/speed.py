# SPDX-License-Identifier: BSD-3-Clause
"""Times of structure criteria and of dGMML against our own Gini tree, in one run.

Structure criteria are grown by the general engine, and so is the Gini tree beside them:
that a leaf may be given up keeps it from the engine of plain trees. It never happens.

Run as ``python -m benchmarks.structure.speed``. Trees are grown to the same depth from
one encoded table on one thread, and the best of several turns counts. CPU time is
given beside wall time: other work on the machine disturbs it less. With
``--markdown benchmarks/README.md`` the tables get between the marks of that page.
"""

from __future__ import annotations

import argparse
import time
from datetime import date
from pathlib import Path
from typing import Any

from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

import ramify
from benchmarks.pages import fill
from ramify.criteria import bnm, csn, gain_ratio, gini, segments, top

MARKS = "<!-- structure: start -->", "<!-- structure: end -->"
STRUCTURE: dict[str, Any] = {
    "gini": "gini",
    "csn": top(3, gini).smallest(csn),
    "bnm": gini + 0.01 * bnm,
    "bnm_csn": top(3, gini + 0.01 * bnm).smallest(csn),
    "segment_c45": top(5, gain_ratio).smallest(segments),
}


def best_times(fit: Any, n_turns: int) -> tuple[float, float]:
    """Return the least wall and CPU time of several turns."""
    turns = []
    for _ in range(n_turns):
        wall, cpu = time.perf_counter(), time.process_time()
        fit()
        turns.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(w for w, _ in turns), min(c for _, c in turns)


def structure_rows(n_rows: int, n_columns: int, depth: int, n_turns: int) -> list[str]:
    """Return a table with one line per criterion."""
    X, y = make_classification(
        n_rows, n_columns, n_informative=n_columns // 2, random_state=0
    )
    table = ramify.Table(X)
    lines = [
        f"{n_rows:,} x {n_columns}, two classes, depth {depth}:",
        "",
        "| criterion | wall s | CPU s | times gini (CPU) | leaves |",
        "| --- | --- | --- | --- | --- |",
    ]
    base = 0.0
    for name, criterion in STRUCTURE.items():
        model = ramify.DecisionTreeClassifier(
            criterion, max_depth=depth, leaf_rule="give_up"
        )
        wall, cpu = best_times(lambda model=model: model.fit(table, y), n_turns)
        base = base or cpu
        leaves = model.get_n_leaves()
        times = f"{wall:.3f} | {cpu:.3f} | {cpu / base:.1f}"
        lines.append(f"| {name} | {times} | {leaves} |")
    return lines


def dgmml_rows(n_rows: int, n_columns: int, n_turns: int) -> list[str]:
    """Return a table of Gini and dGMML, full depth, with accuracy on held-out rows."""
    X, y = make_classification(
        n_rows * 5 // 4, n_columns, n_informative=20 if n_columns > 40 else 10,
        random_state=0,
    )  # fmt: skip
    parts = train_test_split(X, y, test_size=0.2, random_state=0)
    X_train, X_test, y_train, y_test = parts
    table = ramify.Table(X_train)
    lines = [
        f"{len(X_train):,} x {n_columns}, two classes, full depth:",
        "",
        "| method | wall s | CPU s | faster than gini (CPU) | accuracy | leaves |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    base = 0.0
    for name in ("cart", "dgmml"):
        model = ramify.methods.make(name)
        wall, cpu = best_times(lambda model=model: model.fit(table, y_train), n_turns)
        base = base or cpu
        lines.append(
            f"| {name} | {wall:.3f} | {cpu:.3f} | {base / cpu:.1f} | "
            f"{model.score(X_test, y_test):.3f} | {model.get_n_leaves()} |"
        )
    return lines


def main() -> None:
    """Print all tables, and write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    asked = parser.parse_args()
    tables = [
        [f"{date.today()}, the best of {asked.turns} turns, one thread."],
        structure_rows(100_000, 20, 8, asked.turns),
        structure_rows(20_000, 100, 8, asked.turns),
        dgmml_rows(20_000, 200, asked.turns),
        dgmml_rows(100_000, 20, asked.turns),
    ]
    text = "\n\n".join("\n".join(lines) for lines in tables)
    print(text)
    if asked.markdown:
        fill(asked.markdown, text, MARKS)


if __name__ == "__main__":
    main()
