# SPDX-License-Identifier: BSD-3-Clause
"""Impurity against the rank of the feature weight: Fig. 1 of the dGMML paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from ramify import methods
from ramify.reproduce import charts
from ramify.reproduce.figure import Figure, Finding, Shown
from ramify.reproduce.paper import Judgement

if TYPE_CHECKING:
    from ramify.reproduce.results import Reproduction

__all__ = ["FIGURE", "feature_weights", "impurities", "judged"]

MAX_PANELS = 12
MIN_COLUMNS = 4  # with fewer a correlation says nothing


def feature_weights(
    X: NDArray[np.float64], y: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weight of each column of two classes, by equation 9.

    >>> X = np.array([[0.0, 1.0], [2.0, 2.0], [5.0, 1.0], [7.0, 3.0]])
    >>> feature_weights(X, np.array([0, 0, 1, 1])).round(4).tolist()
    [2.5, 0.3162]
    """
    weights = []
    for column in X.T:
        is_known = ~np.isnan(column)
        parts = [column[is_known & (y == label)] for label in np.unique(y)]
        if not all(map(len, parts)):
            weights.append(0.0)
            continue
        between = (parts[0].mean() - parts[1].mean()) ** 2
        within = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
        if within > 0:
            weights.append(float(np.sqrt(between / within)))
        else:
            weights.append(np.inf if between > 0 else 0.0)
    return np.array(weights)


def impurities(X: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the impurity (Gini) after a split of each column, the heaviest first.

    A column that cannot be split leaves the impurity as it is.
    """
    order = np.argsort(-feature_weights(X, y), kind="stable")
    found = []
    for j in order:
        stump = methods.make("dgmml", max_depth=1, fallback=None)
        tree = stump.fit(X[:, [j]], y).tree_
        leaves = tree.children_left < 0
        share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        found.append(float((share * tree.impurity)[leaves].sum()))
    return np.array(found)


def _show(found: Reproduction) -> Shown | None:
    curves = {}
    for row in found.sizes:
        if row.is_extra or row.coding == "categories":
            continue
        data = found.data(row)
        labels, codes = np.unique(data.y, return_inverse=True)
        if len(labels) == 2 and data.shape[1] >= MIN_COLUMNS:
            curves[row.name] = impurities(np.asarray(data.X, dtype=np.float64), codes)
    if not curves:
        return None
    widest = sorted(curves, key=lambda name: -len(curves[name]))[:MAX_PANELS]
    panels = [
        charts.Panel(name, range(1, len(curves[name]) + 1), {"impurity": curves[name]})
        for name in curves
        if name in widest
    ]
    label = "Impurity after a split of each column against the rank of its weight"
    picture = charts.curves(panels, "rank of the weight", "Gini impurity", label)
    lines = [
        [
            name,
            str(len(curve)),
            f"{curve[0]:.4f}",
            f"{curve.min():.4f}",
            str(1 + int(curve.argmin())),
            f"{correlation(curve):.2f}",
        ]
        for name, curve in curves.items()
    ]
    headings = ["data set", "columns", "impurity at rank 1", "least impurity"]
    headings += ["rank of the least", "Spearman correlation"]
    note = (
        "All rows of a set are split once by each column with the rule (11); the "
        "impurity is Gini's, weighted by the rows of the two sides. The paper names "
        "neither the sets of its figure nor the impurity. The picture shows the "
        f"{len(panels)} sets with the most columns."
    )
    return Shown(headings, lines, picture, judged(curves), note)


def correlation(curve: NDArray[np.float64]) -> float:
    """Return Spearman's correlation of rank and impurity; 0 if nothing changes."""
    if np.ptp(curve) == 0:
        return 0.0
    return float(spearmanr(np.arange(len(curve)), curve).statistic)


def judged(curves: dict[str, NDArray[np.float64]]) -> tuple[Finding, ...]:
    """Judge that impurity is lower in general where the weight is larger."""
    positive = [name for name in curves if correlation(curves[name]) > 0]
    best = [name for name in curves if curves[name].argmin() == 0]
    return (
        Finding(
            "In general the impurity is lower for a larger weight (a positive "
            "correlation of rank and impurity on most sets).",
            Judgement(
                len(positive) > len(curves) / 2, f"{len(positive)} of {len(curves)}"
            ),
        ),
        Finding(
            "The two criteria are not wholly consistent: the column of the largest "
            "weight is not always the purest.",
            Judgement(
                len(best) < len(curves), f"it is on {len(best)} of {len(curves)} sets"
            ),
        ),
    )


FIGURE = Figure(
    key="weight_ranks",
    place="Fig. 1",
    title="impurity against the rank of the feature weight",
    says="Columns are ranked by their weight, and the data are split by each of them. "
    "In general the impurity is lower for a larger weight; the curve fluctuates.",
    show=_show,
)
