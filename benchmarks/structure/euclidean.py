# SPDX-License-Identifier: BSD-3-Clause
"""What the Euclidean penalty of BNM costs: the root of a tree, and a whole tree.

Run as ``python -m benchmarks.structure.euclidean``; with ``--markdown
docs/design/euclidean.md`` the table gets between the marks of that page.
"""

import argparse
import time
from datetime import date
from pathlib import Path

import numpy as np

import ramify

from ..pages import fill

MARKS = ("<!-- euclidean: begin -->", "<!-- euclidean: end -->")
SIZES = ((1000, 5), (1000, 30), (3000, 5), (3000, 30), (10_000, 5), (10_000, 30))
PENALTIES = ("abs", "euclidean")


def rows(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Make two classes that overlap in the first column, among normal noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


def seconds(penalty: str, depth: int | None, size: tuple[int, int]) -> float:
    """Return the processor time of a fit, the best of three."""
    X, y = rows(*size)
    times = []
    for _ in range(3):
        model = ramify.DecisionTreeClassifier(
            f"gini + 0.01 * bnm(penalty={penalty!r})", max_depth=depth, n_jobs=1
        )
        began = time.process_time()
        model.fit(X, y)
        times.append(time.process_time() - began)
    return min(times)


def table() -> str:
    """Write what was measured."""
    lines = [
        "| rows x columns | root, abs | root, euclidean | depth 6, abs "
        "| depth 6, euclidean |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for size in SIZES:
        cells = (f"{seconds(p, d, size):.3f} s" for d in (1, 6) for p in PENALTIES)
        lines.append(f"| {size[0]:,} x {size[1]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    asked = parser.parse_args()
    text = f"Processor time, one thread, {date.today()}:\n\n{table()}"
    print(text)
    if asked.markdown:
        fill(asked.markdown, text, MARKS)


if __name__ == "__main__":
    main()
