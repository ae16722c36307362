# SPDX-License-Identifier: BSD-3-Clause
"""The tree itself, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.plotting.canvas import Canvas, fitted_text, text_width
from ramify.plotting.node_pictures import Painter, detail_for, readable
from ramify.plotting.selection import Fold, Seen, fold
from ramify.plotting.styles import Inks, many_colors
from ramify.plotting.tidy import Box, tidy
from ramify.tree.bounds import with_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tree"]

_MARGIN = 0.15  # inches around the tree
_WIDEST_EDGE = 9.0  # points, of all rows
_MAX_NAMES = 12  # classes named above the root


def plot_tree(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    tree: int | None = None,
    max_depth: int | None = None,
    max_leaves: int | None = 40,
    ax: Axes | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    colors: Sequence[Any] | None = None,
) -> Axes:
    """Draw a tree.

    With rows, inner nodes show them along what the node tests, with the cut: a
    histogram by class, numbers as points, the sum of a hyperplane, a bar per category.
    Without, a bar shows the mixture of classes, or where a number lies. Edges are as
    wide as the weight that flows, in the colour of what lies ahead. Rows that meet the
    condition written in a node go left.

    Nodes never overlap, whatever the size of the tree: up to 16 leaves are drawn large,
    up to 64 small, and more as dots.

    Parameters
    ----------
    model : fitted estimator
        A tree, a tuned tree, or a forest or boosted model of which `tree` says which.
    X : array, data frame or Table, optional
        Rows to show.
    y : array of shape (n_rows,), optional
        Their labels or numbers.
    tree : int, optional
        Which tree of a forest or of boosting (there, of all rounds and scores).
    max_depth : int, optional
        Fold what lies deeper.
    max_leaves : int or None, default=40
        Open the heaviest nodes first, up to so many leaves, and fold the others: they
        say "+37 leaves". None draws them all.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure that is as large as the tree needs.
        Its background, light or dark, is kept.
    feature_names : sequence of str, optional
        Names of the columns, if the model was not fitted on a data frame.
    class_names : sequence, optional
        What the classes are called, in the order of ``classes_``.
    colors : sequence of colours, optional
        One per class. By default those of Okabe and Ito, which stay apart for every
        kind of eye; beyond 8 classes in lighter and darker tones.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> ax = ramify.plot_tree(tree, X, y, ax=Figure((6, 4)).add_subplot())
    >>> [text.get_text() for text in ax.texts if "≤" in text.get_text()]
    ['≤ 2.45', '≤ 1.75']
    """
    for name, value, least in (
        ("max_depth", max_depth, 0),
        ("max_leaves", max_leaves, 1),
    ):
        is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if value is not None and not (is_whole and value >= least):
            raise ValueError(
                f"{name}={value!r} is not allowed; use a whole number of at least "
                f"{least}, or None"
            )
    if X is None and y is not None:
        raise ValueError("y is given without X; pass the rows, too")
    seen = Seen.from_model(model, tree, feature_names)
    rows = None if X is None else seen.rows(X, y)
    if rows is not None:
        seen = replace(seen, columns=with_values(seen.columns, rows.matrix))
    chosen = fold(seen.tree, max_depth, max_leaves)
    n_ends = sum(not own for own in chosen.children.values())
    own_figure = ax is None
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(figsize=(4, 3)).add_axes((0, 0, 1, 1))
    inks = Inks.from_axes(ax)
    names, shades = _classes(seen, class_names, colors, inks)
    painter = Painter(
        seen=seen,
        rows=rows,
        detail=detail_for(n_ends),
        canvas=Canvas(ax, 1.0),
        inks=inks,
        colors=shades,
        names=names,
        value_color=_value_colors(seen, inks),
        parents=seen.tree.parents(),
    )
    boxes = _boxes(seen, chosen, painter)
    width = max(box.right for box in boxes.values()) + 2 * _MARGIN
    bottom = min(box.bottom for box in boxes.values())
    key = _key(painter, boxes[0], width)
    width = max(width, key[-1][0] + key[-1][2] + _MARGIN if key else 0.0, 2.2)
    height = -bottom + 2 * _MARGIN + 0.2 + (0.22 if key else 0.0)
    if own_figure:
        _sized(ax, width, height)
    painter.canvas.scale = _scale(ax, width, height)
    _draw_edges(painter, chosen, boxes)
    depth = seen.tree.depths()
    for node, box in boxes.items():
        painter.paint(node, int(depth[node]), box, chosen.hidden.get(node, 0))
    for x, name, _, color in key:
        painter.canvas.text(
            x, 0.22, name, 8.0, color, ha="left", fontweight="bold", width=2.0
        )
    footer = _footer(seen)
    painter.canvas.text(
        *(-_MARGIN / 3, bottom - 0.1, footer, 7.0, inks.muted),
        ha="left",
        width=width,
    )
    painter.canvas.flush()
    ax.set_xlim(-_MARGIN, width - _MARGIN)
    ax.set_ylim(bottom - _MARGIN - 0.2, _MARGIN + (0.22 if key else 0.0))
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _boxes(seen: Seen, chosen: Fold, painter: Painter) -> dict[int, Box]:
    """Place the nodes that are shown."""
    depth = seen.tree.depths()
    sizes = {
        node: painter.size(node, int(depth[node]), node in chosen.hidden)
        for node in chosen.children
    }
    is_tiny = painter.detail.labels_to is not None
    return tidy(
        chosen.children,
        sizes,
        gap=0.03 if is_tiny else 0.12,
        layer_gap=0.28 if is_tiny else 0.34,
    )


def _sized(ax: Axes, width: float, height: float) -> None:
    """Make the figure as large as the tree needs, within what a file can hold."""
    largest = 160.0
    factor = min(1.0, largest / width, largest / height)
    figure: Any = ax.figure
    figure.set_size_inches(width * factor, height * factor)


def _scale(ax: Axes, width: float, height: float) -> float:
    """Return how large an inch of the tree becomes."""
    figure: Any = ax.figure.figure
    place = ax.get_position()
    wide, high = figure.get_size_inches()
    return float(min(wide * place.width / width, high * place.height / height))


def _classes(
    seen: Seen, class_names: Any, colors: Any, inks: Inks
) -> tuple[list[str], list[Any]]:
    """Name and colour the classes."""
    if seen.classes is None:
        return [], []
    n = len(seen.classes)
    for what, given in (("class_names", class_names), ("colors", colors)):
        if given is not None and len(given) != n:
            raise ValueError(f"{what} has {len(given)} entries for {n} classes")
    names = seen.classes.tolist() if class_names is None else list(class_names)
    return list(map(str, names)), list(colors or many_colors(n, inks.paper))


def _value_colors(seen: Seen, inks: Inks) -> Any:
    """Return a colour to a number: cividis, which all eyes see alike."""
    from matplotlib import colormaps

    value = seen.tree.node_values()[:, 0, 0]
    low, high = float(value.min()), float(value.max())
    colormap = colormaps["cividis"]
    is_dark = sum(inks.paper) < 1.5

    def color(number: float) -> Any:
        share = (number - low) / (high - low) if low < high else 0.5
        share = min(max(share, 0.0), 1.0)
        # Neither the darkest nor the lightest part: it must stand out from the paper.
        return colormap(0.25 + 0.75 * share if is_dark else 0.85 * share)[:3]

    return color


def _key(
    painter: Painter, root: Box, width: float
) -> list[tuple[float, str, float, Any]]:
    """Name the classes above the root, each in its colour: place, name, width."""
    if not 1 < len(painter.names) <= _MAX_NAMES:
        return []
    words = [fitted_text(name, 8.0, 1.8) for name in painter.names]
    sizes = [1.06 * text_width(word, 8.0) + 0.18 for word in words]
    x = max(0.0, root.x - sum(sizes) / 2)
    placed = []
    for word, size, color in zip(words, sizes, painter.colors, strict=True):
        placed.append((x, word, size, readable(color, painter.inks)))
        x += size
    return placed


def _footer(seen: Seen) -> str:
    tree = seen.tree
    depth = tree.max_depth
    return f"{tree.node_count} nodes · {tree.n_leaves} leaves · depth {depth}"


def _draw_edges(painter: Painter, chosen: Fold, boxes: dict[int, Box]) -> None:
    """Draw edges as wide as the weight that flows."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    weight = painter.seen.tree.weighted_n_node_samples
    if painter.rows is not None:
        weight = (painter.rows.end - painter.rows.begin).astype(np.float64)
    total = max(float(weight[0]), 1e-300)
    is_dark = sum(painter.inks.paper) < 1.5
    for node, own in chosen.children.items():
        above = boxes[node]
        wide = [_WIDEST_EDGE * float(weight[child]) / total for child in own]
        begin = above.x - sum(wide) / 144  # side by side, from points to inches
        for child, width in zip(own, wide, strict=True):
            below, x = boxes[child], begin + width / 144
            begin += width / 72
            # Straight down within the layer, where neighbours may be taller; then over.
            middle = (above.floor + below.top) / 2
            path = Path(
                [
                    *((x, above.bottom), (x, above.floor), (x, middle)),
                    *((below.x, middle), (below.x, below.top)),
                ],
                [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
            )
            painter.canvas.ax.add_patch(
                PathPatch(
                    path,
                    fill=False,
                    edgecolor=painter.color_of(child),
                    alpha=0.85 if is_dark else 0.6,
                    linewidth=max(0.5, width) * painter.canvas.scale,
                    capstyle="butt",
                    zorder=1,
                )
            )
