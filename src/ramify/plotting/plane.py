# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted tree predicts, drawn over the plane of two columns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ramify.plotting.regions import Region, Segment, Window, partition
from ramify.plotting.styles import (
    Inks,
    Looks,
    codes_of,
    darker,
    draw_frame,
    draw_legend,
    fitted,
    new_axes,
    trees_of,
)
from ramify.table.schema import ColumnInfo
from ramify.tree.conditions import columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_partition"]

Floats = NDArray[np.float64]


def plot_partition(
    model: Any,
    X: Any,
    y: Any,
    ax: Axes | None = None,
    columns: Sequence[int | str] | None = None,
    resolution: int = 300,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    colors: Sequence[Any] | None = None,
    splits: bool = True,
    points: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw how a fitted tree parts the plane of two columns.

    Each leaf is a region in the pale colour of the class that it predicts: rectangles,
    or polygons where hyperplanes part the plane. Each split is a line across the region
    of its node, thinner the deeper it is. Both are computed from the tree, so that they
    are right however close you look. A model of several trees predicts every point
    of a grid instead, and shows no lines.

    Parameters
    ----------
    model : fitted estimator
        A tree, a tuned tree, or one tree per class.
    X : array, data frame or Table
        Rows to show as points, with all columns of the model. Rows with a missing value
        or an unseen category in one of the two columns are not shown.
    y : array of shape (n_rows,)
        Their labels.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    columns : pair of int or str, optional
        The columns on the horizontal and on the vertical axis, by place or by name.
        Needed if the model has more than two. The others are then held at their median
        in X, or at their most frequent category there: the picture is a slice.
    resolution : int, default=300
        Points per axis of the grid, for a model of several trees.
    feature_names : sequence of str, optional
        Names of the columns, if the model was not fitted on a data frame.
    class_names : sequence, optional
        What the legend calls the classes, in the order of ``classes_``.
    colors : sequence of colours, optional
        One per class. By default those of Okabe and Ito, of which there are 8.
    splits, points, legend : bool, default=True
        Whether to draw the lines, the rows of X, and the legend beside the axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ramify.DecisionTreeClassifier("ihd", max_depth=3).fit(X, y)
    >>> ax = ramify.plot_partition(
    ...     tree, X, y, Figure().add_subplot(), columns=["petal length (cm)", 3]
    ... )
    >>> ax.get_ylabel()
    'petal width (cm)'
    """
    model = fitted(model, "plot_partition")
    trees = trees_of(model)
    classes = np.asarray(model.classes_)
    infos = columns_of(trees[0], feature_names)
    axes = _axes(trees, infos, columns)
    matrix = np.asarray(trees[0].schema_.matrix(X), dtype=np.float64)
    labels = codes_of(y, classes, len(matrix))
    window = Window(infos, axes, matrix)
    if ax is None:
        ax = new_axes()
    inks = Inks.from_axes(ax)
    looks = Looks.from_classes(classes, class_names, colors, inks.paper)
    if len(trees) == 1:
        found = partition(trees[0], window)
        _draw_regions(ax, found.regions, looks)
        if splits:
            _draw_segments(ax, found.segments, inks)
    else:
        _draw_grid(ax, model, window, resolution, looks)
    if points:
        _draw_points(ax, window.places(matrix), labels, looks)
    _draw_axes(ax, window, inks)
    if legend:
        draw_legend(ax, inks, _handles(looks, points))
    return ax


# --- what is to be shown --------------------------------------------------------------


def _axes(
    trees: list[Any], infos: list[ColumnInfo], columns: Sequence[int | str] | None
) -> tuple[int, int]:
    """Return the places of the two columns to show."""
    names = [info.name for info in infos]
    if columns is None and len(infos) == 2:
        return 0, 1
    if columns is None:
        gains = sum(tree.tree_.compute_feature_importances() for tree in trees)
        used = np.argsort(-np.asarray(gains), kind="stable")[:2].tolist()
        advice = (
            f"pass columns=({used[0]}, {used[1]}) for {names[used[0]]!r} and "
            f"{names[used[1]]!r}, by which it splits most"
            if len(infos) > 2
            else "add a column, such as a constant"
        )
        raise ValueError(
            f"plot_partition() shows two columns, and the model has {len(infos)}; "
            f"{advice}"
        )
    if isinstance(columns, str) or len(columns) != 2:
        raise ValueError(f"columns={columns!r} is not allowed; give two columns")
    first, second = (_place(names, column) for column in columns)
    if first == second:
        raise ValueError(f"columns={columns!r} names {names[first]!r} twice; give two")
    return first, second


def _place(names: list[str], column: int | str) -> int:
    if isinstance(column, str) and names.count(column) == 1:
        return names.index(column)
    is_whole = isinstance(column, (int, np.integer)) and not isinstance(column, bool)
    if is_whole and -len(names) <= int(column) < len(names):
        return int(column) % len(names)
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    raise ValueError(
        f"columns has {column!r}, which is no column of the model; use a number from 0 "
        f"to {len(names) - 1}, or one of the names {shown}"
    )


# --- drawing --------------------------------------------------------------------------


def _draw_regions(ax: Axes, regions: list[Region], looks: Looks) -> None:
    from matplotlib.collections import PolyCollection

    # A hair of an edge closes the seams between neighbours.
    pale = [looks.pale[region.label] for region in regions]
    shapes = PolyCollection(
        [region.corners for region in regions],
        facecolors=pale,
        edgecolors=pale,
        linewidths=0.4,
        zorder=0.5,
    )
    ax.add_collection(shapes, autolim=False)


def _draw_segments(ax: Axes, segments: list[Segment], inks: Inks) -> None:
    from matplotlib.collections import LineCollection

    widths = [max(0.7, 2.2 * 0.72**segment.depth) for segment in segments]
    shapes = LineCollection(
        [segment.ends for segment in segments],
        colors=inks.line,
        linewidths=widths,
        capstyle="butt",
        zorder=2,
    )
    ax.add_collection(shapes, autolim=False)


def _draw_grid(
    ax: Axes, model: Any, window: Window, resolution: int, looks: Looks
) -> None:
    """Colour each point of a grid by the class that the model predicts there."""
    from matplotlib.colors import ListedColormap

    whole = isinstance(resolution, (int, np.integer)) and not isinstance(
        resolution, bool
    )
    if not whole or not 2 <= resolution <= 10_000:
        raise ValueError(
            f"resolution={resolution!r} is not allowed; use a whole number from 2 to "
            "10000"
        )
    edges = [
        np.linspace(*limits, 1 + (len(i.categories) if i.categories else resolution))
        for i, limits in zip(window.shown, window.limits, strict=True)
    ]
    centres = np.meshgrid(*[(edge[1:] + edge[:-1]) / 2 for edge in edges])
    rows = np.tile(window.fixed, (centres[0].size, 1))
    for j, centre in zip(window.axes, centres, strict=True):
        rows[:, j] = centre.ravel()
    with warnings.catch_warnings():  # the rows have no names, though fit had
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        predicted = model.predict(_values(window.infos, rows))
    codes = np.searchsorted(model.classes_, predicted).reshape(centres[0].shape)
    ax.pcolormesh(
        *edges,
        codes,
        cmap=ListedColormap(looks.pale),
        vmin=-0.5,
        vmax=len(looks.pale) - 0.5,
        rasterized=True,
        zorder=0.5,
    )


def _values(infos: list[ColumnInfo], rows: Floats) -> NDArray[Any]:
    """Return rows of codes as a model reads them: with the categories themselves."""
    if not any(info.is_categorical for info in infos):
        return rows
    found = rows.astype(object)
    for j, info in enumerate(infos):
        if info.is_categorical:
            lookup = np.array([*info.categories, None], dtype=object)
            found[:, j] = lookup[np.nan_to_num(rows[:, j], nan=-1).astype(np.intp)]
    return found


def _draw_points(
    ax: Axes, places: Floats, labels: NDArray[np.intp], looks: Looks
) -> None:
    size = float(np.clip(26 * math.sqrt(250 / max(1, len(places))), 5, 26))
    for k, color in enumerate(looks.strong):
        x, y = places[labels == k].T
        ax.scatter(
            x,
            y,
            s=size * looks.size(k),
            color=[color],
            marker=looks.marker(k),
            edgecolors=[darker(color)],
            linewidths=0.5,
            zorder=3,
        )


def _draw_axes(ax: Axes, window: Window, inks: Inks) -> None:
    for axis, info in zip((ax.xaxis, ax.yaxis), window.shown, strict=True):
        if info.is_categorical:
            axis.set_ticks(range(len(info.categories)), map(str, info.categories))
    ax.set_xlim(*window.limits[0])
    ax.set_ylim(*window.limits[1])
    draw_frame(ax, inks, *(info.name for info in window.shown))


def _handles(looks: Looks, points: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Line2D(
            [],
            [],
            linestyle="",
            marker=looks.marker(k),
            markerfacecolor=color,
            markeredgecolor=darker(color),
            markeredgewidth=0.5,
            label=name,
        )
        if points
        else Patch(facecolor=looks.pale[k], label=name)
        for k, (color, name) in enumerate(zip(looks.strong, looks.names, strict=True))
    ]
