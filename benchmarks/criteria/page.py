# SPDX-License-Identifier: BSD-3-Clause
"""The page of the study: matrices, clusters, and which differences are real."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ramify.comparison.statistics.ranks import average_ranks, friedman
from ramify.comparison.statistics.ranks import nemenyi_critical_difference as nemenyi
from ramify.comparison.statistics.signed_ranks import wilcoxon_to_baseline

Matrix = NDArray[np.float64]


def agreement(results: list[dict[str, Any]], key: str) -> Matrix:
    """Return the share of data sets on which two criteria choose the same."""
    chosen = [[tuple(np.atleast_1d(each)) for each in one[key]] for one in results]
    n = len(chosen[0])
    same = np.zeros((n, n))
    for row in chosen:
        same += [[first == second for second in row] for first in row]
    return same / len(chosen)


def clustered(share: Matrix) -> NDArray[np.intp]:
    """Return an order in which criteria that choose alike are neighbours."""
    distance = squareform(1 - share, checks=False)
    found: NDArray[np.intp] = leaves_list(
        linkage(distance, "average", optimal_ordering=True)
    )
    return found


def draw(names: list[str], roots: Matrix, trees: Matrix, path: Path) -> None:
    """Draw both matrices in one order."""
    order = clustered(roots)
    labels = [names[i] for i in order]
    figure, axes = plt.subplots(1, 2, figsize=(15, 8.2), sharey=True)
    for ax, share, title in zip(
        axes, (roots, trees), ("same root split", "same tree"), strict=True
    ):
        image = ax.imshow(share[np.ix_(order, order)], vmin=0, vmax=1, cmap="YlGnBu")
        ax.set_xticks(range(len(labels)), labels, rotation=90, fontsize=6)
        ax.set_yticks(range(len(labels)), labels, fontsize=6)
        ax.set_title(f"share of data sets with the {title}", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.6, pad=0.01)
    figure.savefig(path, bbox_inches="tight", dpi=110)
    plt.close(figure)


def groups_of(names: list[str], share: Matrix, least: float) -> list[list[str]]:
    """List criteria that choose the same on at least this share of data sets."""
    left, found = set(range(len(names))), []
    while left:
        first = max(left, key=lambda i: (share[i] >= least).sum())
        group = [i for i in sorted(left) if share[first, i] >= least]
        left -= set(group)
        if len(group) > 1:
            found.append([names[i] for i in group])
    return found


def verdict(names: list[str], values: Matrix, what: str) -> list[str]:
    """Return which criteria are better than chance would make them."""
    values = values[np.isfinite(values).all(axis=1)]
    ranks = np.asarray(average_ranks(values))
    test = friedman(values)
    gini = names.index("gini")
    against = wilcoxon_to_baseline(values, gini)
    critical = nemenyi(len(names), len(values))
    order = np.argsort(ranks)
    lines = [
        f"**{what}**, {len(values)} data sets: Friedman's test (Iman and Davenport) "
        f"has p = {test.p:.2g}; two average ranks that differ by less than "
        f"{critical:.1f} (Nemenyi, 5 %) do not differ significantly. Against gini, by "
        "Wilcoxon's signed ranks with Holm's correction:",
        "",
        "| criterion | mean | average rank | better / worse than gini | p |",
        "| --- | --- | --- | --- | --- |",
    ]
    for i in order:
        wins = int((values[:, i] > values[:, gini] + 1e-12).sum())
        losses = int((values[:, i] < values[:, gini] - 1e-12).sum())
        p = "" if i == gini else f"{against[i]:.3g}"
        lines.append(
            f"| {names[i]} | {values[:, i].mean():.4f} | {ranks[i]:.1f} | "
            f"{wins} / {losses} | {p} |"
        )
    return [*lines, ""]


def write(
    out: Path,
    names: list[str],
    results: list[dict[str, Any]],
    day: datetime.date,
    command: str,
) -> None:
    """Write the page and its picture; `command` is the line that made it."""
    roots, trees = agreement(results, "roots"), agreement(results, "trees")
    draw(names, roots, trees, out / "images" / "criteria_agreement.png")
    gini = names.index("gini")
    nearest = sorted(
        (
            (roots[i, j], trees[i, j], names[i], names[j])
            for i in range(len(names))
            for j in range(i)
        ),
        reverse=True,
    )
    off = roots[~np.eye(len(names), dtype=bool)]
    off_trees = trees[~np.eye(len(names), dtype=bool)]
    accuracy = np.array([one["accuracy"] for one in results])
    auc = np.array([one["auc"] for one in results])
    n_two = sum(one["classes"] == 2 for one in results)
    lines = [
        "<!-- Written by benchmarks/criteria/study.py; do not edit. -->",
        "",
        "# Do criteria matter?",
        "",
        f"Measured on {day:%d %B %Y}: {len(names)} criteria on {len(results)} data "
        f"sets ({n_two} with two classes, {min(r['rows'] for r in results)} to "
        f"{max(r['rows'] for r in results)} rows). Fully grown trees with at least "
        "two rows per leaf, not pruned; only the criterion differs. This command made "
        "the page; DIR is the folder of the data sets, and sets that are second copies "
        "or other targets of one are left out:",
        "",
        f"```sh\n{command}\n```",
        "",
        "## How often do two criteria choose the same split?",
        "",
        f"Of all pairs and data sets, {off.mean():.0%} have the same root split, and "
        f"{off_trees.mean():.0%} the same tree. With gini, "
        f"{np.delete(roots[gini], gini).mean():.0%} of the roots and "
        f"{np.delete(trees[gini], gini).mean():.0%} of the trees agree.",
        "",
        "![Share of data sets on which two criteria choose the same root split, and "
        "the same tree](images/criteria_agreement.png)",
        "",
        "Criteria are ordered by clusters of the root split. The most similar pairs:",
        "",
        "| criteria | same root | same tree |",
        "| --- | --- | --- |",
    ]
    for root, whole, one, other in nearest[:20]:
        lines.append(f"| {one}, {other} | {root:.0%} | {whole:.0%} |")
    lines += [
        "",
        "Groups with the same root split on at least 90 % of the data sets:",
        "",
    ]
    lines += [f"- {', '.join(group)}" for group in groups_of(names, roots, 0.9)]
    lines += ["", "## Which differences are significant?", ""]
    lines += verdict(names, accuracy, "Accuracy")
    lines += verdict(names, auc, "AUC")
    lines += [
        "A small p-value says that the difference from gini is consistent over these "
        "data sets, not that it is large: compare the means. Criteria with a built-in "
        "stopping rule (mdl, credal_gain and similar ones) grow smaller trees, and "
        "nothing here is pruned: a part of their advantage is what pruning would give "
        "to all criteria.",
        "",
        "## Data sets",
        "",
        ", ".join(f"{r['name']} ({r['rows']})" for r in results) + ".",
        "",
    ]
    (out / "criteria_study.md").write_text("\n".join(lines), encoding="utf-8")
