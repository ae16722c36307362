# SPDX-License-Identifier: BSD-3-Clause
"""All pictures that a comparison can give."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.comparison.metrics import METRICS
from ramify.comparison.pictures.critical import critical_difference
from ramify.comparison.pictures.curves import curves
from ramify.comparison.pictures.dots import dots
from ramify.comparison.pictures.heat_map import heat_map
from ramify.comparison.pictures.svg import Drawing, standalone
from ramify.comparison.pictures.trade_off import MAX_NAMED, Axis, trade_off
from ramify.comparison.statistics import ranks_per_row
from ramify.comparison.tables import mean_curves, size_table, size_text

if TYPE_CHECKING:
    from ramify.comparison.result import Comparison

__all__ = ["NAMES", "Picture", "draw"]

# Of all pictures that there may be.
NAMES = (
    *("critical_difference", "size", "time", "ranks", "scores"),
    "learning_curves",
)

# What a score may cost: the picture's name, its word for cheap, the axis and its scale.
COSTS = {
    "leaves": ("size", "smaller", Axis("leaves", digits=1), 1.0),
    "fit_time": ("time", "faster", Axis("fit time", " ms"), 1000.0),
}


@dataclass(frozen=True)
class Picture:
    """A picture, and the words around it.

    Attributes
    ----------
    name : str
        Name of its file, without ".svg".
    title, note : str
        What it shows, and how to read it.
    svg : Drawing
        For use in a page; its colours are the page's CSS variables. ``svg.save`` writes
        it to a file.
    """

    name: str
    title: str
    note: str
    svg: Drawing

    @property
    def file(self) -> str:
        """The SVG as a file of its own."""
        return standalone(self.svg)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file whose name ends in .svg, .pdf or .png.

        Examples
        --------
        >>> import ramify
        >>> from ramify.comparison.pictures import draw
        >>> result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=3)
        >>> for picture in draw(result):
        ...     picture.save(f"{picture.name}.pdf")
        """
        self.svg.save(path)


def draw(comparison: Comparison) -> list[Picture]:
    """Draw what there is to draw: ranks, trade-offs, and scores on each data set.

    Examples
    --------
    >>> import ramify
    >>> from ramify.comparison.pictures import draw
    >>> result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=3)
    >>> [picture.name for picture in draw(result)]
    ['critical_difference', 'size', 'time', 'ranks', 'scores']
    """
    return list(_pictures(comparison))


def _pictures(comparison: Comparison) -> Iterator[Picture]:
    names, baseline = comparison.names, comparison.baseline
    ranks = dict(zip(names, comparison.ranks.tolist(), strict=True))
    difference = comparison.verdict.critical_difference
    if difference is not None:
        yield Picture(
            "critical_difference",
            "Critical differences",
            "Average ranks, 1 is best. A thick bar joins methods whose ranks are "
            "closer than the critical difference of Nemenyi's test: these data do not "
            "tell them apart.",
            critical_difference(ranks, difference),
        )
    yield from _trade_offs(comparison)
    metric = METRICS[comparison.rank_metric]
    datasets = [data.name for data in comparison.datasets]
    marked = f" The baseline, {baseline}, is bold." if baseline else ""
    if len(names) > 1 and len(datasets) > 1:  # on one, it is the ranking once more
        places = ranks_per_row(
            comparison.means(comparison.rank_metric),
            higher_is_better=metric.higher_is_better,
        )
        yield Picture(
            "ranks",
            "Rank on each data set",
            "1 is best, ties share; the stronger the tint, the better. The best of "
            f"each data set is bold.{marked}",
            heat_map(names, datasets, places, baseline=baseline),
        )
    order = np.argsort(comparison.ranks, kind="stable")
    line = f" The dashed line is the baseline, {baseline}." if baseline else ""
    yield Picture(
        "scores",
        f"{_capital(metric.title)} on each data set",
        "A point is the mean, a line one standard deviation over the folds, each way; "
        "the large blue point is the best, a cross stands where there is no number, as "
        f"after a failure. Every panel has its own scale.{line}",
        dots(
            [names[j] for j in order],
            datasets,
            metric.scale * comparison.values(comparison.rank_metric)[:, order],
            digits=max(metric.digits - 1, 1),
            baseline=baseline,
            higher_is_better=metric.higher_is_better,
        ),
    )
    yield from _learning_curves(comparison)


def _learning_curves(comparison: Comparison) -> Iterator[Picture]:
    if not comparison.sizes:
        return
    metric = METRICS[comparison.rank_metric]
    means, n_whole = mean_curves(comparison, comparison.rank_metric)
    if n_whole == 0:
        return
    baseline = comparison.baseline
    line = f" The dashed line is the baseline, {baseline}." if baseline else ""
    yield Picture(
        "learning_curves",
        "Learning curves",
        f"{size_table(comparison, comparison.rank_metric).note} The blue line is the "
        f"best at the last size.{line}",
        curves(
            comparison.names,
            comparison.sizes,
            metric.scale * means,
            axis=metric.title.replace(" %", ", %"),
            size_names=[size_text(size) for size in comparison.sizes],
            baseline=baseline,
            higher_is_better=metric.higher_is_better,
            digits=metric.digits,
        ),
    )


def _trade_offs(comparison: Comparison) -> Iterator[Picture]:
    score_name = comparison.rank_metric
    score = METRICS[score_name]
    axis = Axis(score.title.replace(" %", ", %"), digits=score.digits)
    is_crowded = len(comparison.names) > MAX_NAMED
    for cost_name, (name, cheap, cost_axis, scale) in COSTS.items():
        if cost_name not in comparison.metrics or score_name in COSTS:
            continue
        cost = scale * comparison.means(cost_name).mean(axis=0)
        if np.isnan(cost).all():
            continue
        lacking = [
            method for method, x in zip(comparison.names, cost, strict=True) if x != x
        ]
        without = f" Left out, for lack of a number: {', '.join(lacking)}."
        yield Picture(
            name,
            f"{_capital(axis.title.removesuffix(', %'))} and {name}",
            f"Up is better, left is {cheap}. No other method is at once better and "
            f"{cheap} than a filled one."
            + (" Point at the others for their names." if is_crowded else "")
            + (without if lacking else ""),
            trade_off(
                comparison.names,
                cost,
                score.scale * comparison.means(score_name).mean(axis=0),
                (cost_axis, axis),
                baseline=comparison.baseline,
                higher_is_better=score.higher_is_better,
            ),
        )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
