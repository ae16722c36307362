# SPDX-License-Identifier: BSD-3-Clause
"""The score of every method on every data set, with its spread over the folds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ramify.comparison.pictures.svg import (
    ACCENT,
    FAINT,
    FONT,
    INK,
    MARK,
    MUTED,
    WIDTH,
    Drawing,
    blank,
    head_room,
    render,
    short,
    text_width,
    write,
    write_heads,
)

__all__ = ["dots"]

NARROWEST, WIDEST = 0.8, 2.4  # inches of a panel


def dots(
    names: Sequence[str],
    datasets: Sequence[str],
    values: ArrayLike,
    *,
    digits: int = 1,
    baseline: str | None = None,
    higher_is_better: bool = True,
) -> Drawing:
    """Draw one panel per data set, one row per method: the mean, and its spread.

    Parameters
    ----------
    names, datasets : sequence of str
        The methods, in the order of the rows, and the data sets.
    values : array-like of shape (n_datasets, n_methods, n_runs)
        Scores; NaN where there is none, as a run failed.
    digits : int
        Decimals of the numbers under the panels.
    baseline : str, optional
        The method whose mean is drawn through each panel.
    higher_is_better : bool
        Which mean is the best, and gets a filled point.

    Returns
    -------
    Drawing
        The SVG, a str with ``save(path)`` for SVG, PDF and PNG. A line is one standard
        deviation over the runs, each way.

    Examples
    --------
    >>> from ramify.comparison.pictures import dots
    >>> dots(["gini", "ihd"], ["iris"], [[[93.0, 95.0], [94.0, 97.0]]])[:4]
    '<svg'
    """
    table = np.asarray(values, dtype=np.float64)
    n, k, _ = table.shape
    margin = max(text_width(short(name)) for name in names) + 0.2
    n_lines = -(-n // int((WIDTH - margin) / NARROWEST))
    per_line = -(-n // n_lines)
    width = min(WIDEST, (WIDTH - margin - 0.2) / per_line)
    step = 0.24 if k <= 20 else 0.19
    heads = [short(name, 18) for name in datasets]
    above, is_aslant = head_room(heads, width)
    tall = above + step * k + 0.4
    figure, axes = blank(tall * n_lines)
    tips: dict[str, str] = {}
    for line in range(n_lines):
        top = tall * (n_lines - line) - above
        here = range(line * per_line, min((line + 1) * per_line, n))
        here_heads = [heads[i] for i in here]
        write_heads(axes, here_heads, margin, top, width, is_aslant=is_aslant)
        for row, name in enumerate(names):
            y = top - step * (row + 0.5)
            looks = {"weight": "bold", "color": MARK} if name == baseline else {}
            write(axes, margin - 0.12, y, short(name), ha="right", **looks)
        for place, i in enumerate(here):
            left = margin + width * place
            panel = _Panel(left + 0.08, left + width - 0.08, top, step, table[i])
            panel.draw_frame(axes, digits)
            if baseline in names:
                panel.draw_guide(axes, list(names).index(str(baseline)))
            panel.draw_points(axes, f"tip-{i}", higher_is_better)
            for row, name in enumerate(names):
                tips[f"tip-{i}-{row}"] = f"{name} on {datasets[i]}: " + panel.words(
                    row, digits + 1
                )
    label = f"Scores of {k} methods on {n} data sets, with their spread over the folds"
    return render(figure, "dots", label, tips)


@dataclass(frozen=True)
class _Panel:
    """The scores on one data set, methods x runs, and their place on the sheet."""

    left: float
    right: float
    top: float
    step: float
    values: NDArray[np.float64]

    @cached_property
    def means(self) -> NDArray[np.float64]:
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def spreads(self) -> NDArray[np.float64]:
        """One standard deviation over the runs."""
        is_one = self.values.shape[1] == 1
        return 0 * self.means if is_one else self.values.std(axis=1, ddof=1)

    @cached_property
    def ends(self) -> NDArray[np.float64]:
        """Ends of the lines; no line is longer than the runs reach."""
        low = np.maximum(self.means - self.spreads, self.values.min(axis=1))
        high = np.minimum(self.means + self.spreads, self.values.max(axis=1))
        return np.column_stack([low, high])

    @cached_property
    def limits(self) -> tuple[float, float]:
        known = self.ends[~np.isnan(self.means)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)

    @property
    def bottom(self) -> float:
        return self.top - self.step * len(self.means)

    def at(self, value: float) -> float:
        """Place a score between left and right, with some air."""
        low, high = self.limits
        share = (value - low) / (high - low) if high > low else 0.5
        air = 0.05 * (self.right - self.left)
        return self.left + air + share * (self.right - self.left - 2 * air)

    def words(self, row: int, digits: int) -> str:
        mean, spread = self.means[row], self.spreads[row]
        if np.isnan(mean):
            return "no number"
        return f"{mean:.{digits}f} ± {spread:.{digits}f}"

    def draw_frame(self, axes: Axes, digits: int) -> None:
        for x in (self.left - 0.03, self.right + 0.03):
            axes.plot([x, x], [self.bottom, self.top], color=FAINT, linewidth=0.6)
        looks = {"color": MUTED, "size": FONT - 2}
        low, high = (f"{limit:.{digits}f}" for limit in self.limits)
        write(axes, self.left, self.bottom - 0.14, low, ha="left", **looks)
        if high != low:
            write(axes, self.right, self.bottom - 0.14, high, ha="right", **looks)

    def draw_guide(self, axes: Axes, row: int) -> None:
        """Draw the mean of one method through the panel."""
        if not np.isnan(self.means[row]):
            x = self.at(self.means[row])
            ends = [self.bottom, self.top]
            axes.plot([x, x], ends, color=MARK, linewidth=0.9, linestyle="--")

    def draw_points(self, axes: Axes, gid: str, higher_is_better: bool) -> None:
        merits = self.means if higher_is_better else -self.means
        best = np.where(np.isnan(merits), -np.inf, merits).max() - 1e-9
        for row, mean in enumerate(self.means):
            y, own = self.top - self.step * (row + 0.5), f"{gid}-{row}"
            if np.isnan(mean):
                axes.plot(self.left, y, "x", color=MARK, markersize=5, gid=own)
                continue
            axes.plot(
                *([self.at(end) for end in self.ends[row]], [y, y]),
                color=MUTED,
                linewidth=0.9,
            )
            color, size = (ACCENT, 6.5) if merits[row] >= best else (INK, 4.5)
            axes.plot(self.at(mean), y, "o", color=color, markersize=size, gid=own)
