# SPDX-License-Identifier: BSD-3-Clause
"""The sum that a node compares with its threshold, as a histogram of its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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
from ramify.tree import Tree
from ramify.tree.conditions import Words, columns_of
from ramify.tree.inspect import Reader

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_projection"]

Floats = NDArray[np.float64]

_WIDEST_LABEL = 64  # characters that fit below a picture of usual size


def plot_projection(
    model: Any,
    X: Any,
    y: Any,
    node: int = 0,
    ax: Axes | None = None,
    *,
    bins: int = 40,
    max_terms: int | None = 3,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    colors: Sequence[Any] | None = None,
    legend: bool = True,
) -> Axes:
    """Draw what a node of a tree compares with its threshold, for the rows it gets.

    At a hyperplane this is the sum of its terms: the histogram shows how well the
    direction separates the classes, and the line where it is cut. A node that cuts one
    column shows the values of that column.

    Parameters
    ----------
    model : fitted estimator
        A tree, or a tuned tree.
    X : array, data frame or Table
        Rows, with all columns of the model. Those that reach the node are counted, but
        not those without a value in the column of a node that has no hyperplane.
    y : array of shape (n_rows,)
        Their labels.
    node : int, default=0
        Number of the node in ``tree_``; 0 is the root.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    bins : int, default=40
        How many bars there are, about. None lies on both sides of the line.
    max_terms : int or None, default=3
        Terms that the label of the axis names, those of the largest share first.
    feature_names : sequence of str, optional
        Names of the columns, if the model was not fitted on a data frame.
    class_names : sequence, optional
        What the legend calls the classes, in the order of ``classes_``.
    colors : sequence of colours, optional
        One per class. By default those of Okabe and Ito, of which there are 8.
    legend : bool, default=True
        Whether to draw the legend beside the axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> from ramify.plotting import plot_projection
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> ax = plot_projection(tree, X, y, ax=Figure().add_subplot())
    >>> ax.get_xlabel()
    'petal length (cm)'
    """
    model = fitted(model, "plot_projection")
    if len(trees_of(model)) > 1:
        raise TypeError(
            "plot_projection() shows a node of one tree, and the model has "
            f"{len(trees_of(model))}; pass one of its estimators_"
        )
    [model] = trees_of(model)
    tree, infos = model.tree_, columns_of(model, feature_names)
    node = _checked(tree, node, infos)
    n_bars = _whole("bins", bins, 2, 10_000)
    matrix = Reader(model, []).read(X)
    labels = codes_of(y, np.asarray(model.classes_), len(matrix))
    rows = np.flatnonzero(_below(tree, node)[tree.apply(matrix)])
    values, label, bound = _projection(tree, node, matrix[rows], infos, max_terms)
    is_known = ~np.isnan(values)
    if not is_known.any():
        raise ValueError(f"no row of X reaches node {node} with a value; pass others")
    if ax is None:
        ax = new_axes()
    inks = Inks.from_axes(ax)
    looks = Looks.from_classes(
        np.asarray(model.classes_), class_names, colors, inks.paper
    )
    threshold = float(tree.threshold[node])
    edges = _edges(values[is_known], threshold, n_bars)
    _draw_bars(ax, values[is_known], labels[rows][is_known], edges, looks)
    _draw_threshold(ax, threshold, bound, inks)
    ax.set_xlim(edges[0], edges[-1])
    draw_frame(ax, inks, label, "rows")
    if legend:
        draw_legend(ax, inks, _handles(looks))
    return ax


# --- what is to be shown --------------------------------------------------------------


def _whole(name: str, value: Any, least: int, most: int) -> int:
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise ValueError(
            f"{name}={value!r} is not allowed; use a whole number from {least} to "
            f"{most}"
        )
    return int(value)


def _checked(tree: Tree, node: Any, infos: list[ColumnInfo]) -> int:
    """Return the number of a node that compares a number with one threshold."""
    at = _whole("node", node, 0, tree.node_count - 1)
    single = (tree.children_left >= 0) & np.isfinite(tree.threshold)
    if single[at]:
        return at
    others = np.flatnonzero(single)
    shown = ", ".join(map(str, others[:10])) + (", ..." if len(others) > 10 else "")
    advice = f"use one of {shown}" if len(others) else "this tree has no other"
    if tree.children_left[at] < 0:
        raise ValueError(f"node={at} is a leaf, which compares nothing; {advice}")
    name = infos[tree.feature[at]].name
    raise ValueError(
        f"node={at} compares no number with a threshold, but lists categories or "
        f"intervals of {name!r}, or parts known from missing values; {advice}"
    )


def _below(tree: Tree, node: int) -> NDArray[np.bool_]:
    """Return which nodes are the node itself, or below it."""
    parent, found = tree.parents(), np.zeros(tree.node_count, dtype=bool)
    found[node] = True
    for i in range(node + 1, tree.node_count):  # preorder: parents come first
        found[i] = found[parent[i]]
    return found


def _projection(
    tree: Tree,
    node: int,
    matrix: Floats,
    infos: list[ColumnInfo],
    max_terms: int | None,
) -> tuple[Floats, str, str]:
    """Return what a node compares for each row, its name, and the threshold as text."""
    words, threshold = Words(max_terms=max_terms), float(tree.threshold[node])
    if tree.kind[node] == tree.HYPERPLANE:
        terms = tree.terms(node)
        label, bound = _lines(words.terms(terms, infos)), words.rounded(threshold)
        return terms.project(matrix), label, bound
    column = int(tree.feature[node])
    return (
        matrix[:, column],
        infos[column].name,
        words.bound(infos[column], threshold).number,
    )


def _lines(parts: list[str]) -> str:
    """Write a sum in as many lines as it needs; no term is divided."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= _WIDEST_LABEL:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return "\n".join(lines)


# --- drawing --------------------------------------------------------------------------


def _edges(values: Floats, threshold: float, n_bars: int) -> Floats:
    """Return the edges of bars of one width, one of them at the threshold."""
    low, high = min(values.min(), threshold), max(values.max(), threshold)
    width = (high - low) / n_bars or max(1.0, abs(threshold)) / n_bars
    # A bar holds its right edge, not its left one: one more for the lowest value.
    first = math.floor((low - threshold) / width) - 1
    last = max(1, math.ceil((high - threshold) / width))
    return threshold + width * np.arange(first, last + 1)


def _draw_bars(
    ax: Axes, values: Floats, labels: NDArray[np.intp], edges: Floats, looks: Looks
) -> None:
    """Pile up the rows of each class; a bar holds the values up to its right edge."""
    from matplotlib.ticker import MaxNLocator

    bar = np.clip(np.searchsorted(edges, values) - 1, 0, len(edges) - 2)
    floor = np.zeros(len(edges) - 1)
    for k, color in enumerate(looks.strong):
        counts = np.bincount(bar[labels == k], minlength=len(floor))
        is_there = counts > 0
        ax.bar(
            edges[:-1][is_there],
            counts[is_there],
            np.diff(edges)[is_there],
            floor[is_there],
            align="edge",
            facecolor=color,
            edgecolor=darker(color),
            linewidth=0.4,
            zorder=1,
        )
        floor += counts
    ax.set_ylim(0, 1.15 * floor.max())  # with space for the threshold
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_threshold(ax: Axes, threshold: float, bound: str, inks: Inks) -> None:
    """Draw the line, and say on which side of it rows go which way."""
    ax.axvline(threshold, color=inks.line, linewidth=1.6, zorder=2)
    for side, text in (("right", f"≤ {bound}  "), ("left", f"  > {bound}")):
        ax.text(
            threshold,
            0.985,
            text,
            transform=ax.get_xaxis_transform(),
            ha=side,
            va="top",
            color=inks.line,
        )


def _handles(looks: Looks) -> list[Any]:
    """Return an entry per class, in the order in which they are piled up."""
    from matplotlib.patches import Patch

    entries = [
        Patch(facecolor=color, edgecolor=darker(color), linewidth=0.4, label=name)
        for color, name in zip(looks.strong, looks.names, strict=True)
    ]
    return entries[::-1]
