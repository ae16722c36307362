# SPDX-License-Identifier: BSD-3-Clause
"""The accuracy of online models along a stream."""

import numpy as np
from matplotlib.figure import Figure

from ramify.comparison.pictures.curves import name_lines
from ramify.comparison.pictures.svg import (
    ACCENT,
    FAINT,
    FONT,
    MARK,
    MUTED,
    WIDTH,
    Drawing,
    render,
    short,
    text_width,
)
from ramify.comparison.streams import StreamComparison

__all__ = ["stream_curves"]


def stream_curves(result: StreamComparison) -> Drawing:
    """Draw the accuracy of each model by window, and where it replaced a branch.

    Parameters
    ----------
    result : StreamComparison
        What `compare_stream` returned.

    Returns
    -------
    Drawing
        The SVG, a str with ``save(path)`` for SVG, PDF and PNG.

    Examples
    --------
    >>> from ramify.comparison.pictures import stream_curves
    >>> from ramify.comparison.streams import compare_stream
    >>> from ramify.datasets import Dataset, streams
    >>> X, y = streams.sea(3000)
    >>> data = Dataset("sea", X, y, ("a", "b", "c"), ("no", "yes"), "Made.")
    >>> stream_curves(compare_stream(["gini"], data))[:4]
    '<svg'
    """
    names = [run.name for run in result.runs]
    n_windows = len(result.runs[0].windows)
    ends = np.minimum((np.arange(n_windows) + 1) * result.window, result.n_rows)
    # The last window may be short, and say little.
    whole = n_windows - (
        n_windows > 1 and result.n_rows % result.window not in (0, result.window)
    )
    table = np.array([run.windows[:whole] for run in result.runs]) * 100
    margin = max(text_width(short(name)) for name in names) + 0.3
    height = max(4.2, 0.2 * len(names) + 1)
    figure = Figure(figsize=(WIDTH, height))
    left, bottom = 0.7, 0.6
    plane = figure.add_axes(
        (
            left / WIDTH,
            bottom / height,
            (WIDTH - left - margin) / WIDTH,
            (height - bottom - 0.15) / height,
        )
    )
    plane.set_facecolor("none")
    plane.spines[["top", "right"]].set_visible(False)
    plane.spines[["left", "bottom"]].set_color(FAINT)
    plane.tick_params(color=FAINT, labelcolor=MUTED, labelsize=FONT - 1)
    plane.grid(color=FAINT, linewidth=0.5)
    plane.set_axisbelow(True)
    plane.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    plane.set_xlabel("rows", color=MUTED, size=FONT)
    plane.set_ylabel(
        f"accuracy, % (windows of {result.window:,} rows)", color=MUTED, size=FONT
    )
    best = int(np.argmax([run.accuracy for run in result.runs]))
    tips = {}
    for j in sorted(range(len(names)), key=lambda j: j == best):
        run, color = result.runs[j], ACCENT if j == best else MUTED
        plane.plot(
            ends[:whole],
            table[j],
            color=color,
            linewidth=1.6 if j == best else 0.9,
            marker="o" if whole == 1 else None,
            gid=f"tip-{j}",
        )
        tips[f"tip-{j}"] = (
            f"{run.name}: accuracy {100 * run.accuracy:.2f} %, kappa {run.kappa:.3f}, "
            f"{len(run.changes)} branches replaced"
        )
    low, high = plane.get_ylim()
    for j, run in enumerate(result.runs):
        if run.changes:
            plane.plot(
                run.changes,
                np.full(len(run.changes), low + (0.01 + 0.02 * j) * (high - low)),
                linestyle="none",
                marker="|",
                markersize=7,
                color=MARK,
                gid=f"tip-c{j}",
            )
            tips[f"tip-c{j}"] = f"{run.name} replaced a branch or a tree"
    plane.set_ylim(low, high)
    tall = height - bottom - 0.15
    name_lines(plane, names, table[:, -1:], best, None, 1.3 * FONT / 72 / tall)
    label = f"Accuracy of {len(names)} models along {result.dataset}"
    return render(figure, "stream", label, tips)
