# SPDX-License-Identifier: BSD-3-Clause
"""What a better score costs: a score against leaves or time, with the Pareto front."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from ramify.comparison.pictures.svg import (
    ACCENT,
    FAINT,
    FONT,
    INK,
    MARK,
    MUTED,
    PAPER,
    WIDTH,
    Drawing,
    render,
    short,
)

__all__ = ["MAX_NAMED", "Axis", "trade_off", "undominated"]

# Up to here every point has its name beside it; of more, the front and the baseline.
MAX_NAMED = 13
# Where a label may go, seen from its point: direction and distance in points.
_PLACES = [
    (dx, dy, reach)
    for reach in (9, 16, 24, 34, 46)
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
]


@dataclass(frozen=True)
class Axis:
    """One axis: what is measured, and how the number is written where one points."""

    title: str
    unit: str = ""
    digits: int = 2

    def show(self, value: float) -> str:
        """Write a number with its unit."""
        return f"{value:.{self.digits}f}{self.unit}"


def trade_off(
    names: Sequence[str],
    cost: ArrayLike,
    score: ArrayLike,
    axes: tuple[Axis, Axis],
    *,
    baseline: str | None = None,
    higher_is_better: bool = True,
) -> Drawing:
    """Draw a score against a cost; filled points are beaten by none in both.

    Parameters
    ----------
    names : sequence of str
        The methods.
    cost, score : array-like of shape (n_methods,)
        Less cost is better. The axis of the cost is logarithmic. Methods with a NaN,
        or without any cost, are left out.
    axes : pair of Axis
        What cost and score are.
    baseline : str, optional
        The method to mark.
    higher_is_better : bool
        Which way the score goes; up is better in the picture.

    Returns
    -------
    Drawing
        The SVG, a str with ``save(path)`` for SVG, PDF and PNG.

    Examples
    --------
    >>> from ramify.comparison.pictures.trade_off import Axis, trade_off
    >>> axes = Axis("leaves"), Axis("accuracy, %")
    >>> trade_off(["gini", "ihd"], [9.0, 7.0], [93.0, 94.0], axes)[:4]
    '<svg'
    """
    x, y = np.asarray(cost, dtype=np.float64), np.asarray(score, dtype=np.float64)
    known = np.isfinite(x) & np.isfinite(y) & (x > 0)
    shown = [name for name, is_known in zip(names, known, strict=True) if is_known]
    x, y = x[known], y[known]
    is_best = undominated(x, y if higher_is_better else -y)
    front = np.flatnonzero(is_best)[np.argsort(x[is_best], kind="stable")]

    figure = Figure(figsize=(WIDTH, 4.8))
    plane = figure.add_axes((0.075, 0.11, 0.915, 0.87))
    _frame(plane, *axes)
    if len(x):
        _limits(plane, x, y)
    if not higher_is_better:
        plane.invert_yaxis()
    if len(front):
        plane.step(
            *(x[front], y[front]),
            where="post",
            color=ACCENT,
            linewidth=1,
            linestyle=(0, (4, 3)),
        )
    tips = {}
    # What matters more is drawn later, on top.
    for i in sorted(range(len(x)), key=lambda i: (shown[i] == baseline, is_best[i])):
        is_baseline = shown[i] == baseline
        edge = MARK if is_baseline else ACCENT if is_best[i] else MUTED
        gid = f"tip-{i}"
        plane.plot(
            *(x[i], y[i]),
            "D" if is_baseline else "o",
            markersize=7,
            markerfacecolor=edge if is_best[i] else PAPER,
            markeredgecolor=edge,
            gid=gid,
        )
        tips[gid] = (
            f"{shown[i]}: {axes[0].title} {axes[0].show(x[i])}, "
            f"{axes[1].title} {axes[1].show(y[i])}"
        )
    is_named = np.array(
        [
            len(shown) <= MAX_NAMED or is_best[i] or shown[i] == baseline
            for i in range(len(shown))
        ],
        dtype=bool,
    )
    texts = [
        short(name) + (" (baseline)" if name == baseline else "") for name in shown
    ]
    if len(x):
        _name_points(plane, texts, np.column_stack([x, y]), is_named, front)
    best = ", ".join(shown[i] for i in front)
    label = f"{axes[1].title} against {axes[0].title}; best trade-offs: {best}"
    prefix = f"trade-{axes[0].title.split()[0]}"
    return render(figure, prefix, label, tips)


def undominated(
    cost: NDArray[np.float64], score: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which points no other one beats: cheaper, or better, and in neither worse.

    Examples
    --------
    >>> undominated(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.9, 0.8]))
    array([ True,  True, False])
    """
    no_worse = (cost[:, None] <= cost) & (score[:, None] >= score)
    better = (cost[:, None] < cost) | (score[:, None] > score)
    return np.asarray(~(no_worse & better).any(axis=0))


def _frame(plane: Axes, cost: Axis, score: Axis) -> None:
    plane.set_facecolor("none")
    plane.spines[["top", "right"]].set_visible(False)
    plane.spines[["left", "bottom"]].set_color(FAINT)
    plane.tick_params(color=FAINT, labelcolor=MUTED, labelsize=FONT - 1)
    plane.grid(color=FAINT, linewidth=0.5)
    plane.set_axisbelow(True)
    plane.set_xscale("log")
    mean = "mean over data sets"
    cost_title = f"{cost.title},{cost.unit}" if cost.unit else cost.title
    plane.set_xlabel(f"{cost_title} ({mean}, log scale)", color=MUTED, size=FONT)
    plane.set_ylabel(f"{score.title} ({mean})", color=MUTED, size=FONT)


def _limits(plane: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    """Leave room for names on all sides, and choose ticks one can read."""
    wide = max(np.log(x.max() / x.min()), 0.3)
    plane.set_xlim(x.min() * np.exp(-0.12 * wide), x.max() * np.exp(0.16 * wide))
    tall = max(np.ptp(y), 0.01 * abs(float(y[0])), 1e-6)
    plane.set_ylim(y.min() - 0.1 * tall, y.max() + 0.1 * tall)
    decades = wide / np.log(10)
    steps: tuple[float, ...] = (1, 2, 5) if decades < 3 else (1,)
    if decades < 0.7:
        steps = (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    plane.xaxis.set_major_locator(LogLocator(subs=steps, numticks=20))
    plane.xaxis.set_minor_locator(NullLocator())
    plane.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _name_points(
    plane: Axes,
    names: Sequence[str],
    points: NDArray[np.float64],
    is_named: NDArray[np.bool_],
    front: NDArray[np.intp],
) -> None:
    """Write names beside their points, where they cover the least of what is there."""
    pixels = plane.transData.transform(points)
    # At 72 dots per inch a pixel is a point; a letter is about 0.56 of its size wide.
    scale = plane.figure.dpi / 72
    centres = pixels / scale
    boxes = [(px - 5, py - 5, px + 5, py + 5) for px, py in centres]
    for (x0, y0), (x1, y1) in pairwise(centres[front]):  # the steps of the front
        boxes.append((x0, y0 - 2, x1, y0 + 2))
        boxes.append((x1 - 2, min(y0, y1), x1 + 2, max(y0, y1)))
    frame = tuple(edge / scale for edge in plane.bbox.extents)
    for i in np.argsort(-centres[:, 1], kind="stable"):
        if not is_named[i]:
            continue
        others = [box for j, box in enumerate(boxes) if j != i]
        width = 0.56 * (FONT - 1) * len(names[i])
        best = (np.inf, (0, 0, 0), (0.0,) * 4)
        for dx, dy, reach in _PLACES:
            px, py = centres[i] + (dx * reach, dy * reach)
            left = px - width * (1 - dx) / 2
            box = (left, py - FONT / 2, left + width, py + FONT / 2)
            cost = sum(_overlap(box, other) for other in others) + reach
            cost += width * FONT - _overlap(box, frame)
            if cost < best[0]:
                best = (cost, (dx, dy, reach), box)
        _, (dx, dy, reach), box = best
        boxes.append(box)
        plane.annotate(
            names[i],
            xy=tuple(points[i]),
            xytext=(dx * reach, dy * reach),
            textcoords="offset points",
            color=INK,
            ha=("right", "center", "left")[dx + 1],
            va="center",
            size=FONT - 1,
            parse_math=False,
            # A name that had to go far is tied to its point.
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6}
            if reach > 9
            else None,
        )


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)
