# SPDX-License-Identifier: BSD-3-Clause
"""What greedy trees cost above the best one: a bar for each criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ramify.plotting.styles import COLORS, Inks, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_greed"]


def draw_greed(
    names: Sequence[str], percent: Sequence[float], title: str, ax: Axes | None = None
) -> Axes:
    """Draw bars, the least first, each with its number."""
    if ax is None:
        ax = new_axes()
        figure: Any = ax.figure
        figure.set_size_inches(6.4, 1.0 + 0.19 * max(4, len(names)))
    inks = Inks.from_axes(ax)
    places = list(range(len(names)))
    ax.barh(places, percent, color=COLORS[0], height=0.7)
    most = max([*percent, 1e-9])
    for place, value in zip(places, percent, strict=True):
        ax.text(
            value + 0.01 * most,
            place,
            f"{value:.1f}",
            va="center",
            fontsize=7,
            color=inks.muted,
        )
    ax.set_yticks(places, names, fontsize=7)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlim(0, 1.12 * most)
    ax.set_xlabel(title)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
