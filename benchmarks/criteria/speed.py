# SPDX-License-Identifier: BSD-3-Clause
"""What each count criterion costs beside Gini, per row that passes a node.

Run as ``python -m benchmarks.criteria.speed [--markdown benchmarks/README.md]``: with
two classes and with seven, one table each. All grow from one encoded table on one
thread, in turns with Gini. Trees differ in shape, so a time is divided by the rows of
all nodes that were split, added up.
"""

from __future__ import annotations

import argparse
import datetime
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ramify
from benchmarks.machine import machine
from benchmarks.pages import fill
from benchmarks.speed.data import Problem
from ramify import criteria

#: Below this nearly all trees have ended but chains of thousands of levels.
DEPTH = 80
WANTED, GOAL = 2.0, 1.5
CLASSES = (2, 7)
MARKS = ("<!-- criteria: begin -->", "<!-- criteria: end -->")


@dataclass
class Cost:
    """One criterion: nanoseconds per row and column, over those of Gini."""

    name: str
    nanoseconds: float
    ratio: float
    depth: int

    @property
    def verdict(self) -> str:
        """Return whether it is as fast as the project asks."""
        if self.ratio <= GOAL:
            return "goal met"
        return "met" if self.ratio <= WANTED else "missed"


def counted() -> list[str]:
    """Return the names of criteria that see class weights and nothing else."""
    return list(criteria.names())


def grow(criterion: Any, table: Any, y: Any, depth: int | None) -> tuple[float, int]:
    """Return nanoseconds per cell of the nodes that were split, and the depth."""
    model = ramify.DecisionTreeClassifier(criterion, max_depth=depth)
    start = time.process_time()
    model.fit(table, y)
    took = time.process_time() - start
    tree = model.tree_
    passed = tree.n_node_samples[tree.children_left >= 0].sum()
    return 1e9 * took / (float(passed) * table.shape[1]), model.get_depth()


def cost_of(
    name: str, criterion: Any, table: Any, y: Any, depth: int | None, n_turns: int
) -> Cost:
    """Let a criterion and Gini take turns."""
    own, gini, reached = [], [], 0
    for _ in range(n_turns):
        gini.append(grow("gini", table, y, depth)[0])
        price, reached = grow(criterion, table, y, depth)
        own.append(price)
    ratio = statistics.median(a / b for a, b in zip(own, gini, strict=True))
    return Cost(name, min(own), ratio, reached)


def rows_of(costs: list[Cost]) -> list[str]:
    """Return the table's rows, dearest first."""
    lines = [
        "| criterion | ns | times gini | wanted |  |",
        "| --- | --- | --- | --- | --- |",
    ]
    for cost in sorted(costs, key=lambda cost: -cost.ratio):
        lines.append(
            f"| {cost.name} | {cost.nanoseconds:.2f} | {cost.ratio:.1f} "
            f"| {WANTED:g}, goal {GOAL:g} | {cost.verdict} |"
        )
    return lines


def measure(n_classes: int, given: argparse.Namespace) -> list[Cost]:
    """Let all criteria grow trees of so many classes, and print what they cost."""
    data = Problem(given.rows, n_classes=n_classes, n_test=10).make()
    table, y = ramify.Table(data.X), data.y
    names = given.only.split(",") if given.only else counted()
    costs = []
    print(f"{n_classes} classes")
    for name in names:
        cost = cost_of(name, name, table, y, given.depth or None, given.turns)
        costs.append(cost)
        print(
            f"{name:<26} {cost.nanoseconds:7.2f} ns {cost.ratio:6.2f} gini, "
            f"depth {cost.depth}",
            flush=True,
        )
    print(summary(costs))
    return costs


def summary(costs: list[Cost]) -> str:
    """Count those that are as fast as wanted."""
    met = sum(cost.ratio <= WANTED for cost in costs)
    goal = sum(cost.ratio <= GOAL for cost in costs)
    return (
        f"{met} of {len(costs)} within {WANTED:g} times gini, {goal} within {GOAL:g}."
    )


def main() -> None:
    """Measure, print, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--depth", type=int, default=DEPTH, help="0: no limit")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--markdown", type=Path, help="the page to write to")
    given = parser.parse_args()
    text = [
        f"{given.rows:,} x 20, depth {given.depth}, one thread; processor time per row "
        f"that passes a node and column, median of {given.turns} turns with gini. "
        f"{machine()}; {datetime.date.today().isoformat()}."
    ]
    for n_classes in given.classes:
        costs = measure(n_classes, given)
        text += ["", f"### With {n_classes} classes", "", summary(costs), ""]
        text += rows_of(costs)
    if given.markdown:
        fill(given.markdown, "\n".join(text), MARKS)


if __name__ == "__main__":
    main()
