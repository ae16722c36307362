# SPDX-License-Identifier: BSD-3-Clause
"""The critical-difference diagram: which average ranks differ reliably."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from ramify.comparison.pictures.svg import (
    ACCENT,
    FAINT,
    FONT,
    INK,
    MUTED,
    WIDTH,
    Drawing,
    blank,
    render,
    short,
    text_width,
    write,
)
from ramify.comparison.statistics import rank_groups

__all__ = ["critical_difference"]

# Up to here the names fit around a line of ranks, as Demšar draws it; more stand in a
# list.
MAX_AROUND = 14


def critical_difference(ranks: Mapping[str, float], difference: float) -> Drawing:
    """Draw average ranks; bars join methods without a reliable difference.

    Few methods are drawn around a line of ranks, as by Demšar 2006, many as a list.

    Parameters
    ----------
    ranks : mapping of str to float
        Average rank of each method; 1 is best.
    difference : float
        Nemenyi's critical difference.

    Returns
    -------
    Drawing
        The SVG, a str with ``save(path)`` for SVG, PDF and PNG.

    Examples
    --------
    >>> from ramify.comparison.pictures import critical_difference
    >>> critical_difference({"gini": 1.2, "ihd": 1.8}, 0.9)[:4]
    '<svg'
    """
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    names = [name for name, _ in ordered]
    values = [rank for _, rank in ordered]
    draw = _around if len(ordered) <= MAX_AROUND else _list
    return draw(names, values, difference)


def _label(names: Sequence[str], difference: float) -> str:
    return (
        f"Average ranks of {len(names)} methods, best {names[0]}; critical difference "
        f"{difference:.2f}"
    )


# --- few methods: a line of ranks, names on both sides ----------------------------


def _around(names: Sequence[str], ranks: Sequence[float], difference: float) -> Drawing:
    k = len(names)
    groups = rank_groups(ranks, difference)
    n_left = (k + 1) // 2
    bars, step, above = 0.17, 0.25, 0.9  # inches: between bars, between names, on top
    below = 0.16 + bars * len(groups)
    height = above + below + step * n_left + 0.1
    figure, axes = blank(height)
    line = height - above
    margin = max(text_width(short(name)) for name in names) + 0.45
    first, last = margin, WIDTH - margin

    def at(rank: float) -> float:
        return first + (rank - 1) * (last - first) / max(k - 1, 1)

    axes.plot([first, last], [line, line], color=INK, linewidth=1)
    for tick in range(1, k + 1):
        axes.plot([at(tick)] * 2, [line, line + 0.07], color=INK, linewidth=1)
        write(axes, at(tick), line + 0.17, str(tick), color=MUTED, ha="center")
    _ruler(axes, first, min(at(1 + difference), last), line + 0.48, difference, k)
    for i, (low, high) in enumerate(groups):
        y = line - 0.16 - bars * i
        axes.plot(
            [at(low) - 0.04, at(high) + 0.04],
            [y, y],
            color=ACCENT,
            linewidth=4,
            solid_capstyle="round",
        )
    tips = {}
    for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        is_left = i < n_left
        row = i if is_left else k - 1 - i
        y = line - below - 0.1 - step * row
        end, away = (first - 0.35, -1) if is_left else (last + 0.35, 1)
        tips[f"tip-{i}"] = f"{name}: average rank {rank:.2f}"
        axes.plot(
            *([at(rank), at(rank), end], [line, y, y]),
            color=MUTED,
            linewidth=0.8,
            gid=f"tip-{i}",
        )
        axes.plot(at(rank), line, "o", color=INK, markersize=3.5)
        outer, inner = ("right", "left") if is_left else ("left", "right")
        write(axes, end + 0.06 * away, y, short(name), ha=outer)
        number = {"color": MUTED, "size": FONT - 2, "va": "baseline"}
        write(axes, end - 0.05 * away, y + 0.03, f"{rank:.2f}", ha=inner, **number)
    return render(figure, "cd", _label(names, difference), tips)


def _ruler(
    axes: Axes, left: float, right: float, y: float, difference: float, k: int
) -> None:
    axes.plot([left, right], [y, y], color=ACCENT, linewidth=1.4)
    for end in (left, right):
        axes.plot([end, end], [y - 0.05, y + 0.05], color=ACCENT, linewidth=1.4)
    longer = ", longer than the scale" if difference > k - 1 else ""
    text = f"critical difference {difference:.2f}{longer}"
    write(axes, left, y + 0.2, text, color=MUTED)


# --- many methods: a list, bars beside it -----------------------------------------


def _list(names: Sequence[str], ranks: Sequence[float], difference: float) -> Drawing:
    k, step, above = len(names), 0.205, 0.75
    groups = _rows_of(rank_groups(ranks, difference), ranks)
    columns = _columns(groups)
    height = above + step * k + 0.1
    figure, axes = blank(height)
    margin = max(text_width(short(name)) for name in names) + 0.6
    bars = 0.16 * (max(columns, default=-1) + 1) + 0.2
    first, last = margin, WIDTH - 0.25 - bars
    top, bottom = height - above, 0.1

    def at(rank: float) -> float:
        return first + (rank - 1) * (last - first) / (k - 1)

    def y_of(row: float) -> float:
        return top - step * (row + 0.5)

    for tick in [1, *range(5, k + 1, 5)]:
        axes.plot([at(tick)] * 2, [bottom, top], color=FAINT, linewidth=0.6)
        write(axes, at(tick), top + 0.12, str(tick), color=MUTED, ha="center")
    write(axes, first - 0.12, top + 0.12, "average rank", color=MUTED, ha="right")
    reach = at(min(ranks[0] + difference, k))
    axes.plot([reach] * 2, [bottom, top], color=ACCENT, linewidth=1, linestyle="--")
    _ruler(axes, at(ranks[0]), reach, top + 0.33, difference, k)
    tips = {}
    for row, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        y, gid = y_of(row), f"tip-{row}"
        tips[gid] = f"{name}: average rank {rank:.2f}"
        axes.plot([first, at(rank)], [y, y], color=FAINT, linewidth=0.8)
        # Filled: not reliably worse than the best.
        is_near = rank <= ranks[0] + difference
        fill = ACCENT if is_near else "none"
        edge = ACCENT if is_near else MUTED
        axes.plot(at(rank), y, "o", ms=6, mfc=fill, mec=edge, gid=gid)
        write(axes, margin - 0.55, y, short(name), ha="right", size=FONT - 0.5)
        number = {"color": MUTED, "size": FONT - 1.5}
        write(axes, margin - 0.1, y, f"{rank:.2f}", ha="right", **number)
    for (start, end), column in zip(groups, columns, strict=True):
        x = last + 0.35 + 0.16 * column
        axes.plot(
            [x, x],
            [y_of(start - 0.25), y_of(end + 0.25)],
            color=ACCENT,
            linewidth=4,
            solid_capstyle="round",
        )
    return render(figure, "cd", _label(names, difference), tips)


def _rows_of(
    groups: Sequence[tuple[float, float]], ranks: Sequence[float]
) -> list[tuple[int, int]]:
    """Return the first and last row of each group of ranks."""
    return [
        (
            int(np.searchsorted(ranks, low, "left")),
            int(np.searchsorted(ranks, high, "right")) - 1,
        )
        for low, high in groups
    ]


def _columns(groups: Sequence[tuple[int, int]]) -> list[int]:
    """Return each bar the first column in which it covers no other."""
    ends: list[int] = []
    columns = []
    for start, end in groups:
        free = [column for column, taken in enumerate(ends) if taken < start]
        column = free[0] if free else len(ends)
        ends[column : column + 1] = [end]
        columns.append(column)
    return columns
