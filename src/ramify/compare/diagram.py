# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a comparison as SVG text: critical differences, accuracy and leaves.

A picture carries no fixed colours but CSS variables with a fallback, so that the page
around it can make it light or dark. Nothing is said by colour alone.
"""

import html
import io
import re
from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ramify.compare.statistics import rank_groups

__all__ = ["critical_difference", "scatter"]

# Drawn in colours that stand for a role, replaced in the SVG. The accent is the blue
# of the Okabe-Ito palette, which stays apart from grey for every kind of eye.
INK, MUTED, FAINT, ACCENT = "#000001", "#000002", "#000003", "#000004"
_ROLES = {
    INK: "var(--ink, #1f2328)",
    MUTED: "var(--muted, #656d76)",
    FAINT: "var(--line, #d0d7de)",
    ACCENT: "var(--accent, #0072b2)",
}
_FONT = 10.0  # points
_WIDTH = 9.0  # inches
# Where a label may go, seen from its point: direction and distance in points.
_PLACES = [
    (dx, dy, reach)
    for reach in (9, 16, 24, 34)
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
]


def critical_difference(ranks: Mapping[str, float], difference: float) -> str:
    """Draw the diagram of Demšar 2006: bars join criteria without reliable difference.

    Parameters
    ----------
    ranks : mapping of str to float
        Average rank of each criterion; 1 is best.
    difference : float
        Nemenyi's critical difference.

    Returns
    -------
    str
        The SVG.
    """
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    k = len(ordered)
    groups = rank_groups([rank for _, rank in ordered], difference)
    n_left = (k + 1) // 2
    bars, step = 0.17, 0.24  # inches: between bars, between names
    below = 0.16 + bars * len(groups)
    height = 0.85 + below + step * n_left + 0.1

    figure = Figure(figsize=(_WIDTH, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, _WIDTH)
    axes.set_ylim(-height + 0.85, 0.85)
    first, last = 1.85, _WIDTH - 1.85

    def at(rank: float) -> float:
        return first + (rank - 1) * (last - first) / max(k - 1, 1)

    axes.plot([first, last], [0, 0], color=INK, linewidth=1)
    for tick in range(1, k + 1):
        axes.plot([at(tick)] * 2, [0, 0.07], color=INK, linewidth=1)
        axes.text(at(tick), 0.12, str(tick), color=MUTED, ha="center", size=_FONT)
    _draw_ruler(axes, first, min(at(1 + difference), last), difference)
    if difference > k - 1:
        note = "longer than the scale"
        axes.text(last, 0.64, note, color=MUTED, ha="right", size=_FONT)

    for i, (low, high) in enumerate(groups):
        y = -0.16 - bars * i
        axes.plot(
            [at(low) - 0.04, at(high) + 0.04],
            [y, y],
            color=ACCENT,
            linewidth=4,
            solid_capstyle="round",
        )
    for i, (name, rank) in enumerate(ordered):
        is_left = i < n_left
        row = i if is_left else k - 1 - i
        y = -below - 0.1 - step * row
        end = first - 0.4 if is_left else last + 0.4
        axes.plot([at(rank), at(rank), end], [0, y, y], color=MUTED, linewidth=0.8)
        axes.plot(at(rank), 0, "o", color=INK, markersize=3.5)
        side = "right" if is_left else "left"
        shift = -0.06 if is_left else 0.06
        axes.text(
            end + shift, y, name, color=INK, ha=side, va="center_baseline", size=_FONT
        )
        inner = end + 0.05 if is_left else end - 0.05
        axes.text(
            inner,
            y + 0.03,
            f"{rank:.2f}",
            color=MUTED,
            ha="left" if is_left else "right",
            size=_FONT - 2,
        )
    label = f"Average ranks of {k} criteria, best {ordered[0][0]}; " + (
        f"critical difference {difference:.2f}"
    )
    return _svg(figure, "cd", label)


def scatter(
    names: Sequence[str], leaves: NDArray[np.float64], accuracy: NDArray[np.float64]
) -> str:
    """Draw accuracy against leaves; filled points are beaten by none in both.

    Criteria whose means are NaN (a run failed) are left out.
    """
    known = ~(np.isnan(leaves) | np.isnan(accuracy))
    shown = [name for name, is_known in zip(names, known, strict=True) if is_known]
    x, y = leaves[known], 100 * accuracy[known]
    best = _undominated(x, y)

    figure = Figure(figsize=(_WIDTH, 4.6))
    axes = figure.add_axes((0.07, 0.115, 0.92, 0.86))
    axes.set_facecolor("none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(color=FAINT, labelcolor=MUTED, labelsize=_FONT - 1)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.set_xlabel("leaves (mean over data sets)", color=MUTED, size=_FONT)
    axes.set_ylabel("accuracy, % (mean over data sets)", color=MUTED, size=_FONT)
    axes.margins(0.12, 0.1)

    front = np.flatnonzero(best)[np.argsort(x[best], kind="stable")]
    axes.plot(x[front], y[front], color=ACCENT, linewidth=1, linestyle=(0, (4, 3)))
    for chosen, fill, edge in ((~best, FAINT, MUTED), (best, ACCENT, ACCENT)):
        axes.plot(
            x[chosen],
            y[chosen],
            "o",
            markersize=7,
            markerfacecolor=fill,
            markeredgecolor=edge,
        )
    _label_points(axes, shown, np.column_stack([x, y]))
    label = "Accuracy against leaves; best trade-offs: " + ", ".join(
        shown[i] for i in front
    )
    return _svg(figure, "scatter", label)


def _draw_ruler(axes: Axes, left: float, right: float, difference: float) -> None:
    y = 0.52
    axes.plot([left, right], [y, y], color=ACCENT, linewidth=1.4)
    for end in (left, right):
        axes.plot([end, end], [y - 0.05, y + 0.05], color=ACCENT, linewidth=1.4)
    axes.text(
        left,
        y + 0.12,
        f"critical difference {difference:.2f}",
        color=MUTED,
        size=_FONT,
    )


def _undominated(
    leaves: NDArray[np.float64], accuracy: NDArray[np.float64]
) -> NDArray[np.bool_]:
    no_worse = (leaves[:, None] <= leaves) & (accuracy[:, None] >= accuracy)
    better = (leaves[:, None] < leaves) | (accuracy[:, None] > accuracy)
    return np.asarray(~(no_worse & better).any(axis=0))


def _label_points(
    axes: Axes, names: Sequence[str], points: NDArray[np.float64]
) -> None:
    """Write each name beside its point, where it covers the least of what is there."""
    axes.autoscale_view()  # else the limits, and so the pixels, are not final yet
    pixels = axes.transData.transform(points)
    # At 72 dots per inch a pixel is a point; a letter is about 0.56 of its size wide.
    scale = axes.figure.dpi / 72
    centres = pixels / scale
    boxes = [(px - 5, py - 5, px + 5, py + 5) for px, py in centres]
    frame = tuple(edge / scale for edge in axes.bbox.extents)
    for i in np.argsort(-centres[:, 1], kind="stable"):
        others = [box for j, box in enumerate(boxes) if j != i]
        width = 0.56 * (_FONT - 1) * len(names[i])
        best = (np.inf, (0, 0, 0), (0.0,) * 4)
        for dx, dy, reach in _PLACES:
            x, y = centres[i] + (dx * reach, dy * reach)
            left = x - width * (1 - dx) / 2
            box = (left, y - _FONT / 2, left + width, y + _FONT / 2)
            cost = sum(_overlap(box, other) for other in others) + reach
            cost += width * _FONT - _overlap(box, frame)
            if cost < best[0]:
                best = (cost, (dx, dy, reach), box)
        _, (dx, dy, reach), box = best
        boxes.append(box)
        axes.annotate(
            names[i],
            xy=tuple(points[i]),
            xytext=(dx * reach, dy * reach),
            textcoords="offset points",
            color=INK,
            ha=("right", "center", "left")[dx + 1],
            va="center",
            size=_FONT - 1,
            # A label that had to go far is tied to its point.
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6}
            if reach > 9
            else None,
        )


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)


def _svg(figure: Figure, prefix: str, label: str) -> str:
    """Render with text as text, roles for colours, and ids of its own in a page."""
    buffer = io.StringIO()
    # A fixed salt makes the same picture the same text.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ramify"}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<(metadata|style)\b.*?</\1>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'(id="|url\(#|href="#)', rf"\1{prefix}-", text)
    for colour, role in _ROLES.items():
        text = text.replace(colour, role)
    title = html.escape(label, quote=True)
    return re.sub(
        r'<svg [^>]*?(viewBox="[^"]*")[^>]*>',
        r'<svg xmlns="http://www.w3.org/2000/svg" '
        rf'xmlns:xlink="http://www.w3.org/1999/xlink" \1 role="img" '
        rf'aria-label="{title}">',
        text,
        count=1,
    )
