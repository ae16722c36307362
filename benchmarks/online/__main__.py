# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy and rows per second of processor time, side by side in one run.

``python -m benchmarks.online --data DIR --moa moa.jar`` lets Ramify, river and MOA
answer and learn the same rows. Without ``--data`` only made streams are used, without
``--moa`` only river. Seconds are processor time, of which the least of ``--repeat``
runs counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from river import forest as river_forest
from river import tree as river_tree

import ramify
from benchmarks.online import peers
from benchmarks.online.made import Rows, all_streams

Run = peers.Run


def best(
    run: Callable[..., Run], make: Callable[[], object], rows: Rows, repeat: int
) -> Run:
    """Return the accuracy, and the least time of some runs of fresh models."""
    runs = [run(make(), *rows) for _ in range(repeat)]
    return runs[0][0], min(seconds for _, seconds in runs)


def trees(given: argparse.Namespace) -> None:
    """Compare single trees."""
    print(f"\nTrees, {given.rows} rows at most: accuracy, rows per second.\n")
    heads = ["stream", "leaf", "river", "Ramify", "ratio"]
    heads += ["MOA", "ratio, reading taken off"] if given.moa else []
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
    ratios: dict[str, list[float]] = {"adaptive": [], "majority": [], "moa": []}
    found: dict[tuple[str, str], list[float]] = {}
    for name, (X, y) in all_streams(given.rows, given.data).items():
        for leaf, theirs in (("adaptive", "nba"), ("majority", "mc")):
            said, seconds = best(
                peers.ours, partial(peers.tree, leaf=leaf), (X, y), given.repeat
            )
            model = river_tree.HoeffdingTreeClassifier(leaf_prediction=theirs)
            other, time = peers.river(model, X, y)
            ratios[leaf].append(time / seconds)
            found.setdefault((leaf, "river"), []).append(other)
            found.setdefault((leaf, "ramify"), []).append(said)
            cells = [name, leaf, f"{other:.3f} ({len(y) / time:,.0f})"]
            cells += [f"{said:.3f} ({len(y) / seconds:,.0f})", f"{time / seconds:.0f}"]
            if given.moa and leaf == "adaptive":
                jar = given.moa
                that, took = peers.moa(jar, "trees.HoeffdingTree", X, y)
                _, reading = peers.moa(jar, "functions.MajorityClass", X, y)
                ratios["moa"].append(max(took - reading, 1e-3) / seconds)
                found.setdefault((leaf, "moa"), []).append(that)
                cells += [f"{that:.3f}", f"{ratios['moa'][-1]:.1f}"]
            print("| " + " | ".join(cells) + " |", flush=True)
    print()
    for (leaf, who), accuracies in found.items():
        print(f"mean accuracy, {leaf}, {who}: {np.mean(accuracies):.3f}")
    for what, values in ratios.items():
        if values:
            print(f"geometric mean of the ratio, {what}: {geometric(values):.0f}")


def geometric(values: list[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def forests(given: argparse.Namespace) -> None:
    """Compare forests of ten trees."""
    n = min(given.rows, 10_000)
    print(f"\nForests of 10, one thread, {n} rows at most.\n")
    print("| stream | river's ARF | Ramify | ratio |\n| --- | --- | --- | --- |")
    ratios = []
    for name, (X, y) in all_streams(n, given.data).items():
        if X.dtype == object:
            continue
        said, seconds = best(
            peers.ours,
            partial(ramify.OnlineForestClassifier, random_state=0),
            (X, y),
            given.repeat,
        )
        other, time = peers.river(river_forest.ARFClassifier(n_models=10, seed=0), X, y)
        ratios.append(time / seconds)
        print(
            f"| {name} | {other:.3f} ({len(y) / time:,.0f}) "
            f"| {said:.3f} ({len(y) / seconds:,.0f}) | {ratios[-1]:.0f} |",
            flush=True,
        )
    print(f"\ngeometric mean of the ratio: {geometric(ratios):.0f}")


def single_rows(given: argparse.Namespace) -> None:
    """Measure calls per row, and criteria in Python."""
    X, y = all_streams(given.rows, None)["sea"]
    _, seconds = best(peers.row_by_row, peers.tree, (X, y), given.repeat)
    print(f"\none row per call, sea: {len(y) / seconds:,.0f} rows per second")
    n = len(y)
    for name, criterion in (("gini", "gini"), ("gini in NumPy", in_numpy)):
        _, seconds = best(
            peers.ours,
            partial(peers.tree, criterion=criterion),
            (X, y),
            given.repeat,
        )
        print(f"{name}: {n / seconds:,.0f} rows per second")


def in_numpy(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the decrease of Gini's impurity, as a user would write it."""

    def impurity(weights: np.ndarray) -> np.ndarray:
        total = weights.sum(axis=-1)
        return total - (weights**2).sum(axis=-1) / total

    return (impurity(parent) - impurity(left) - impurity(right)) / parent.sum(axis=-1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--moa", type=Path, help="moa.jar")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=("trees", "forests", "rows"))
    given = parser.parse_args()
    for name, part in (("rows", single_rows), ("trees", trees), ("forests", forests)):
        if given.only in (None, name):
            part(given)


if __name__ == "__main__":
    main()
