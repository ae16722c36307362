# SPDX-License-Identifier: BSD-3-Clause
"""Measure against scikit-survival in one run.

    python -m benchmarks.survival [--quick] [--page FILE]

Processor seconds of one thread, Python included, the least of some repeats; each peer
runs right beside ours. It needs scikit-survival, and without --quick some minutes.
"""

from __future__ import annotations

import argparse
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from benchmarks.machine import machine, versions
from benchmarks.survival.made import Made, made_up, real_sets
from ramify import DecisionTreeRegressor, RandomSurvivalForest, SurvivalTree
from ramify.survival import Surv

LIMITS: dict[str, Any] = {"min_samples_leaf": 15, "min_samples_split": 30}


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least processor seconds of some repeats."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def race(what: str, ours: Any, peer: Any, data: Made, repeats: int) -> str:
    """Return a line of the table: both times and their ratio."""
    X, event, when = data
    y = Surv.from_arrays(event, when)
    own = seconds(lambda: ours.fit(X, y), 5)
    other = seconds(lambda: peer.fit(X.astype(np.float32), y), repeats)
    return f"| {what} | scikit-survival | {other:.3f} | {own:.4f} | {other / own:.0f} |"


def trees(quick: bool) -> list[str]:
    """Race single trees."""
    from sksurv.tree import SurvivalTree as Peer

    sizes: list[tuple[int, int | None]] = [(2_000, None), (10_000, 50)]
    if not quick:
        sizes += [(10_000, None), (50_000, 50)]
    lines = []
    for n_rows, n_times in sizes:
        at = f", {n_times} times" if n_times else ""
        lines.append(
            race(
                f"tree {n_rows:,} x 10{at}",
                SurvivalTree(**LIMITS, n_jobs=1),
                Peer(**LIMITS),
                made_up(n_rows, n_times),
                1 if n_rows > 2_000 else 3,
            )
        )
    for name, data in real_sets().items():
        ours, peer = SurvivalTree(**LIMITS, n_jobs=1), Peer(**LIMITS)
        lines.append(race(f"tree, {name}", ours, peer, data, 3))
    return lines


def forests(quick: bool) -> list[str]:
    """Race forests, what they predict, and their pickles."""
    from sksurv.ensemble import RandomSurvivalForest as Peer

    n_trees = 20 if quick else 100
    X, event, when = made_up(2_000)
    y = Surv.from_arrays(event, when)
    more: dict[str, Any] = {**LIMITS, "max_features": 3, "random_state": 0, "n_jobs": 1}
    ours, peer = RandomSurvivalForest(n_trees, **more), Peer(n_trees, **more)
    lines = [race(f"forest of {n_trees}, 2,000 x 10", ours, peer, (X, event, when), 1)]
    own = seconds(lambda: ours.predict(X), 5)
    other = seconds(lambda: peer.predict(X), 1)
    lines.append(
        f"| `predict` of 2,000 rows | scikit-survival | {other:.3f} | {own:.4f} | "
        f"{other / own:.0f} |"
    )
    size, theirs = len(pickle.dumps(ours)), len(pickle.dumps(peer))
    lines.append(
        f"| pickle | scikit-survival | {theirs / 1e6:.0f} MB | {size / 1e6:.2f} MB | "
        f"{theirs / size:.0f} |"
    )
    c = [model.score(X, y) for model in (peer, ours)]
    lines.append(
        f"| C on the training rows | scikit-survival | {c[0]:.4f} | {c[1]:.4f} | |"
    )
    if not quick:
        two = Peer(2, **more)
        data = made_up(10_000)
        of_two = seconds(lambda: two.fit(data[0], Surv.from_arrays(*data[1:])), 1)
        ten = RandomSurvivalForest(10, **more)
        y = Surv.from_arrays(*data[1:])
        own = seconds(lambda: ten.fit(data[0], y), 3)
        lines.append(
            f"| forest of 10, 10,000 x 10 | scikit-survival (from 2 trees) | "
            f"{5 * of_two:.1f} | {own:.3f} | {5 * of_two / own:.0f} |"
        )
    return lines


OWN = ("logrank", "gehan", "poisson", "full_likelihood", "martingale")


def fitted(model: Any, X: Any, y: Any) -> float:
    """Return the processor seconds of a fit."""
    return seconds(lambda: model.fit(X, y), 5)


def own_trees() -> list[str]:
    """Compare with the regression tree of the same rows."""
    lines = []
    for n_rows in (10_000, 50_000):
        X, event, when = made_up(n_rows)
        y = Surv.from_arrays(event, when)
        base = fitted(DecisionTreeRegressor(**LIMITS, n_jobs=1), X, when)
        for criterion in OWN:
            own = fitted(SurvivalTree(criterion, **LIMITS, n_jobs=1), X, y)
            lines.append(
                f"| `{criterion}` tree {n_rows:,} x 10 | own `squared_error` | "
                f"{base:.4f} | {own:.4f} | {own / base:.1f} slower |"
            )
    return lines


def main() -> None:
    """Measure, and print the table or write it to a page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="leave out large tables")
    parser.add_argument("--page", type=Path, help="write the table to this file")
    asked = parser.parse_args()
    found = versions(["ramify", "scikit-survival", "numpy"])
    lines = [
        f"{machine()}; {', '.join(f'{k} {v}' for k, v in found.items())}",
        "",
        "| work | against | its seconds | ours | ratio |",
        "| --- | --- | --- | --- | --- |",
        *trees(asked.quick),
        *forests(asked.quick),
        *own_trees(),
    ]
    text = "\n".join(lines) + "\n"
    if asked.page:
        asked.page.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
