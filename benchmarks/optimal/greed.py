# SPDX-License-Identifier: BSD-3-Clause
"""The price of greed on the bundled data sets: a picture for the design page.

python -m benchmarks.optimal.greed

Writes docs/images/price_of_greed.svg: per criterion, a point for each data set, which
is what its greedy tree of depth 3 gets wrong beyond the best tree, in per cent of rows.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import ramify

PICTURE = Path("docs/images/price_of_greed.svg")
DEPTH = 3


def prices() -> dict[str, dict[str, float]]:
    """Return the excess by criterion and data set, in per cent of the rows."""
    found: dict[str, dict[str, float]] = {}
    for name in ramify.datasets.names():
        data = ramify.datasets.load(name)
        greed = ramify.price_of_greed(
            data.raw(),
            data.y,
            max_depth=DEPTH,
            categorical_features=list(data.categorical),
        )
        assert greed.is_optimal, name
        for row in greed.rows:
            found.setdefault(row.criterion, {})[name] = row.percent
    return found


def draw(found: dict[str, dict[str, float]]) -> Figure:
    """Draw a line of points per criterion, the least mean of the ranks first."""
    sets = list(ramify.datasets.names())
    # Criteria of two classes know some of the sets only, and are judged on these.
    order = sorted(found, key=lambda name: float(np.mean(list(found[name].values()))))
    figure = Figure(figsize=(7.2, 1.2 + 0.17 * len(order)), layout="constrained")
    ax: Any = figure.add_subplot()
    for i, name in enumerate(sets):
        points = [
            (found[c][name], place) for place, c in enumerate(order) if name in found[c]
        ]
        x, y = zip(*points, strict=True)
        color = mpl.colormaps["tab10"](i % 10)
        ax.plot(x, y, "o", markersize=4, color=color, alpha=0.8, label=name)
    means = [float(np.mean(list(found[name].values()))) for name in order]
    ax.plot(means, range(len(order)), "|", markersize=11, color="black", label="mean")
    ax.set_yticks(range(len(order)), order, fontsize=7)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xscale("symlog", linthresh=1)
    ax.set_xticks([0, 1, 2, 5, 10, 20, 50], ["0", "1", "2", "5", "10", "20", "50"])
    ax.set_xlabel(f"errors above the best tree of depth {DEPTH}, in % of the rows")
    ax.grid(axis="y", linewidth=0.3)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(-0.1, 60)
    ax.legend(
        fontsize=7,
        frameon=False,
        loc="lower center",
        bbox_to_anchor=(0.45, 1.0),
        ncol=6,
    )
    return figure


def main() -> None:
    """Measure and draw; say what a greedy tree costs in the mean."""
    warnings.simplefilter("ignore")
    mpl.rcParams |= {"svg.hashsalt": "ramify", "svg.fonttype": "none"}
    found = prices()
    draw(found).savefig(PICTURE, metadata={"Date": None})
    for name in ("gini", "entropy", "misclassification", "twoing"):
        print(name, f"{np.mean(list(found[name].values())):.2f}")
    print(
        "least", min(found, key=lambda name: float(np.mean(list(found[name].values()))))
    )


if __name__ == "__main__":
    main()
