# SPDX-License-Identifier: BSD-3-Clause
"""What a node looks like: the split as data, the answer of a leaf, a folded subtree."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.plotting.canvas import Canvas, text_width
from ramify.plotting.selection import Rows, Seen
from ramify.plotting.styles import Inks
from ramify.plotting.tidy import Box
from ramify.tree import Tree
from ramify.tree.conditions import HalfSpace, Interval, Subset, Words, branches
from ramify.tree.line_text import line_text

__all__ = ["Detail", "Painter", "detail_for", "readable"]

Floats = NDArray[np.float64]
_MAX_POINTS = 250  # of a scatter; more say no more
_MAX_SHARES = 6  # classes of a mixture that get a colour of their own
_MAX_BARS = 14  # categories of a histogram
LINE = 0.145  # inches, of a line of text of 8 points
_BRANCH = 0.18  # inches, of the words above a node that say what leads to it


@dataclass(frozen=True)
class Detail:
    """How large nodes are, in inches.

    Attributes
    ----------
    inner, leaf : tuple of float
        Width and height.
    plot : float
        Height of the picture within an inner node; 0 if there is none.
    font : float
        Points.
    bins : int
        Bars of a histogram.
    labels_to : int or None
        Inner nodes above this depth are labelled; None labels all.
    """

    inner: tuple[float, float]
    leaf: tuple[float, float]
    plot: float
    font: float
    bins: int
    labels_to: int | None = None

    @property
    def line(self) -> float:
        """Height of a line of text in inches."""
        return LINE * self.font / 8 * 1.04


_LARGE = Detail((1.75, 1.12), (1.05, 0.66), 0.74, 8.0, 24)
_SMALL = Detail((1.3, 0.74), (0.74, 0.56), 0.4, 7.0, 16)
_TINY = Detail((0.16, 0.16), (0.17, 0.5), 0.0, 6.0, 0, labels_to=3)


def detail_for(n_leaves: int) -> Detail:
    """Choose sizes: histograms for few leaves, dots for many."""
    if n_leaves <= 16:
        return _LARGE
    return _SMALL if n_leaves <= 64 else _TINY


@dataclass(frozen=True, eq=False)
class Painter:
    """Draws the nodes of one tree."""

    seen: Seen
    rows: Rows | None
    detail: Detail
    canvas: Canvas
    inks: Inks
    colors: list[Any]  # of the classes
    names: list[str]
    value_color: Any  # a function of a number, where numbers are predicted
    parents: NDArray[np.int64]

    # --- sizes -------------------------------------------------------------------

    def is_labelled(self, node: int, depth: int) -> bool:
        """Return whether an inner node has its picture and its words."""
        limit = self.detail.labels_to
        return limit is None or depth < limit

    def size(self, node: int, depth: int, is_folded: bool) -> tuple[float, float]:
        """Return the size that a node needs, the label of its branch included."""
        tree = self.seen.tree
        if is_folded:
            width, height = max(self.detail.leaf[0], 0.62), 0.5
        elif tree.children_left[node] < 0:
            width, height = self.detail.leaf
            if self.detail.labels_to is None:
                height += LINE * len(self.line_of(node))
            if self.detail.labels_to is not None:
                words = text_width(self.answer(node)[:50], self.detail.font)
                is_upright = words > width  # written from bottom to top
                height = width + 0.06 + (min(words, 0.5) + 0.04 if is_upright else 0.1)
        elif self.is_labelled(node, depth):
            detail = self._split_detail
            plot = detail.plot if self.rows is not None else 0.26
            width, height = detail.inner[0], plot + 0.08 + 2 * detail.line
            if tree.kind[node] == Tree.HYPERPLANE:  # two terms must fit
                total = " ".join(_terms(self.seen, node, 2))
                needed = text_width(total[:200], detail.font) + 0.05
                width = min(max(width, needed), 1.5 * width)
        else:
            width, height = self.detail.inner
        return width, height + (_BRANCH if self.branch_label(node) else 0.0)

    @property
    def _split_detail(self) -> Detail:
        """Sizes of an inner node that has its picture and its words."""
        return self.detail if self.detail.labels_to is None else _SMALL

    def branch_label(self, node: int) -> str:
        """Say what leads to a node, where the node above does not say it already."""
        tree, parent = self.seen.tree, int(self.parents[node])
        if parent < 0:
            return ""
        parts = []
        siblings = tree.children(parent)
        number = siblings.index(node)
        if len(siblings) > 2 and self.detail.labels_to is None:
            parts.append(_branch_words(self.seen, parent, number))
        elif parent == 0 and len(siblings) == 2 and self.detail.labels_to is None:
            parts.append("yes" if number == 0 else "no")
        n_missing = self._n_missing(parent)
        if (
            n_missing
            and tree.missing_branch[parent] == number
            and not self.detail.labels_to
        ):
            parts.append(f"{n_missing} missing")
        return " + ".join(parts)

    def _n_missing(self, node: int) -> int:
        """Count the rows without a value at a node."""
        tree = self.seen.tree
        if self.rows is None or tree.kind[node] == Tree.HYPERPLANE:
            return 0
        values = self.rows.matrix[self.rows.in_node(node), tree.feature[node]]
        return int(np.isnan(values).sum())

    # --- nodes -------------------------------------------------------------------

    def paint(self, node: int, depth: int, box: Box, n_folded: int) -> None:
        """Draw one node into its box."""
        label, top = self.branch_label(node), box.top
        if label:
            self.canvas.text(
                *(box.x, top - 0.03, label, self.detail.font - 0.5, self.inks.muted),
                width=box.width,
            )
            top -= _BRANCH
        if n_folded:
            self._paint_folded(node, box, top, n_folded)
        elif self.seen.tree.children_left[node] < 0:
            self._paint_leaf(node, box, top)
        elif self.is_labelled(node, depth):
            self._paint_split(node, box, top)
        else:
            radius = box.width * 0.36
            self._dot(box.x, top - box.width / 2, radius, self.color_of(node))

    def color_of(self, node: int) -> Any:
        """Return the colour of what a node predicts."""
        if self.seen.best is not None:
            return self.colors[int(self.seen.best[node])]
        return self.value_color(float(self.seen.tree.node_values()[node, 0, 0]))

    def _paint_split(self, node: int, box: Box, top: float) -> None:
        detail = self._split_detail
        left, width = box.x - box.width / 2 + 0.06, box.width - 0.12
        name, test = split_words(self.seen, node, detail.font, box.width)
        if self.rows is not None and len(self.rows.in_node(node)):
            self._paint_data(node, left, top - detail.plot, width, detail)
            top -= detail.plot + 0.07
        elif self.rows is None:
            self._mixture(node, left, top - 0.11, width, 0.1)
            self.canvas.text(
                *(box.x, top - 0.13, self._count(node), detail.font - 1.5),
                self.inks.muted,
                width=width,
            )
            top -= 0.27
        else:  # nobody comes here
            top -= detail.plot + 0.07
        self.canvas.text(box.x, top, name, detail.font, self.inks.text, width=box.width)
        top -= detail.line
        self.canvas.text(box.x, top, test, detail.font, self.inks.text, width=box.width)

    def _count(self, node: int) -> str:
        if self.rows is not None:
            return f"n = {len(self.rows.in_node(node)):,}".replace(",", "\u202f")
        weight = float(self.seen.tree.weighted_n_node_samples[node])
        return f"n = {weight:.6g}"

    def _paint_leaf(self, node: int, box: Box, top: float) -> None:
        color, label = self.color_of(node), self.answer(node)
        if self.detail.labels_to is not None:
            radius = box.width * 0.4
            self._dot(box.x, top - box.width / 2, radius, color)
            is_upright = text_width(label[:50], self.detail.font) > box.width
            self.canvas.text(
                *(box.x, top - box.width - 0.02, label, self.detail.font),
                self.inks.text,
                width=0.52 if is_upright else None,
                rotation=90 if is_upright else 0,
            )
            return
        left, width = box.x - box.width / 2 + 0.05, box.width - 0.1
        is_number = self.seen.best is None
        rows = None if self.rows is None else self.rows.in_node(node)
        if is_number and rows is not None and len(rows) and self._target is not None:
            self._strip(self._target[rows], left, top - 0.2, width, 0.16, color)
        else:
            self._mixture(node, left, top - 0.18, width, 0.13)
        size = self.detail.font
        strong = readable(color, self.inks)
        self.canvas.text(
            *(box.x, top - 0.23, label, size + 0.5, strong),
            width=box.width,
            fontweight="bold",
        )
        self.canvas.text(
            *(box.x, top - 0.23 - LINE * 1.12, self._count(node), size - 1),
            self.inks.muted,
            width=box.width,
        )
        for i, words in enumerate(self.line_of(node)):
            self.canvas.text(
                *(box.x, top - 0.23 - LINE * (2.2 + i), words, size - 1),
                self.inks.text,
                width=box.width,
            )

    def answer(self, node: int) -> str:
        """Write what a node predicts."""
        if self.seen.best is not None:
            return self.names[int(self.seen.best[node])]
        return f"{float(self.seen.tree.node_values()[node, 0, 0]):.4g}"

    def line_of(self, node: int) -> list[str]:
        """Write the line of a leaf, a term below the other; nothing without one."""
        tree = self.seen.tree
        if tree.lines is None:
            return []
        value = float(tree.values()[node, 0, 0])
        words = Words(decimals=3, max_terms=3)
        text = line_text(tree.lines, value, node, self.seen.columns, words)
        return text.replace(" + ", "\n+ ").replace(" - ", "\n- ").split("\n")

    def _paint_folded(self, node: int, box: Box, top: float, n_leaves: int) -> None:
        width = min(box.width - 0.1, 0.8)
        left = box.x - width / 2
        for i in range(3):  # a pile
            self._mixture(
                node, left + 0.05 * i, top - 0.1 - 0.07 * i, width - 0.1 * i, 0.05
            )
        self.canvas.text(
            *(box.x, top - 0.3, f"+{n_leaves} leaves", self.detail.font),
            self.inks.muted,
            width=box.width,
        )

    # --- parts -------------------------------------------------------------------

    @property
    def _target(self) -> NDArray[Any] | None:
        return None if self.rows is None else self.rows.target

    def _dot(self, x: float, y: float, radius: float, color: Any) -> None:
        from matplotlib.patches import Circle

        self.canvas.ax.add_patch(Circle((x, y), radius, color=color, zorder=4, lw=0))

    def _mixture(
        self, node: int, x: float, y: float, width: float, height: float
    ) -> None:
        """Draw the shares of the classes as a bar, or where a number lies."""
        tree = self.seen.tree
        if self.seen.best is None:
            low, high = self._value_range
            place = (float(tree.node_values()[node, 0, 0]) - low) / (high - low)
            middle = y + height / 2
            self.canvas.line([x, x + width], [middle, middle], self.inks.faint, 1.5)
            at = x + width * place
            self.canvas.bar(at - 0.035, y, 0.07, height, self.color_of(node))
            return
        shares = tree.value[node, 0]
        if self._target is not None and self.rows is not None:
            found = self.rows.in_node(node)
            if len(found):
                codes = np.bincount(self._target[found], minlength=len(shares))
                shares = codes / codes.sum()
        order = np.argsort(-shares, kind="stable")
        own = np.sort(order[:_MAX_SHARES])
        for k in own.tolist():
            part = width * float(shares[k])
            self.canvas.bar(x, y, part, height, self.colors[k])
            x += part
        self.canvas.bar(
            x,
            y,
            width * float(shares[order[_MAX_SHARES:]].sum()),
            height,
            self.inks.faint,
        )

    @property
    def _value_range(self) -> tuple[float, float]:
        value = self.seen.tree.node_values()[:, 0, 0]
        low, high = float(value.min()), float(value.max())
        return (low, high) if low < high else (low - 0.5, low + 0.5)

    @property
    def _target_range(self) -> tuple[float, float]:
        if self._target is None:
            return 0.0, 1.0
        low, high = float(self._target.min()), float(self._target.max())
        return (low, high) if low < high else (low - 0.5, low + 0.5)

    def _strip(
        self,
        target: Floats,
        x: float,
        y: float,
        width: float,
        height: float,
        color: Any,
    ) -> None:
        """Draw the numbers of a leaf as a histogram, with their mean."""
        low, high = self._target_range
        counts, edges = np.histogram(target, bins=20, range=(low, high))
        for count, start in zip(counts, edges, strict=False):
            at = x + width * (start - low) / (high - low)
            self.canvas.bar(at, y, width / 20, height * count / counts.max(), color)
        self.canvas.line([x, x + width], [y, y], self.inks.faint, 0.6)
        mean = x + width * (float(target.mean()) - low) / (high - low)
        self.canvas.line([mean, mean], [y - 0.015, y + height], self.inks.line, 0.9)

    def _paint_data(
        self, node: int, x: float, y: float, width: float, detail: Detail
    ) -> None:
        """Draw the rows of a node along what it tests, with the cut."""
        tree, rows = self.seen.tree, self.rows
        assert rows is not None
        found = rows.in_node(node)
        height = detail.plot - 0.04
        self.canvas.line([x, x + width], [y, y], self.inks.faint, 0.6)
        if self.seen.columns[tree.feature[node]].is_categorical and (
            tree.kind[node] != Tree.HYPERPLANE
        ):
            self._category_bars(node, found, x, y, width, height)
            return
        if tree.kind[node] == Tree.HYPERPLANE:
            every = tree.terms(node).project(rows.matrix)
            values, shared = every[found], every[found]
        else:
            every = rows.matrix[:, tree.feature[node]]
            values, shared = every[found], every
        cuts = [float(tree.threshold[node])]
        if tree.kind[node] == Tree.INTERVALS:
            cuts = tree.listed(node)[0][:-1].tolist()
        known = shared[np.isfinite(shared)]
        cuts = [cut for cut in cuts if np.isfinite(cut)]
        if len(known) == 0:
            return
        low, high = min([known.min(), *cuts]), max([known.max(), *cuts])
        is_whole = bool((known == np.round(known)).all())
        if is_whole or not low < high:  # a bar of its own for each whole number
            low, high = low - 0.5, high + 0.5

        def at(value: Any) -> Any:
            return x + width * (value - low) / (high - low)

        is_number = self.seen.best is None
        if is_number and self._target is not None:
            self._points(node, values, self._target[found], at, y, height, cuts)
        else:
            step = (high - low) / detail.bins
            step = float(np.ceil(step)) if is_whole else step
            self._class_bars(values, found, at, y, height, (low, high), cuts, step)
        for cut in cuts:
            place = at(cut)
            self.canvas.line([place, place], [y, y + height], self.inks.line, 0.9)
            wedge = np.array(
                [(place, y), (place - 0.035, y - 0.05), (place + 0.035, y - 0.05)]
            )
            self.canvas.rectangles.append(wedge)
            self.canvas.colors.append(self.inks.line)

    def _class_bars(
        self,
        values: Floats,
        found: NDArray[np.intp],
        at: Any,
        y: float,
        height: float,
        limits: tuple[float, float],
        cuts: list[float],
        step: float,
    ) -> None:
        """Draw stacked bars by class; none lies on both sides of the first cut."""
        low, high = limits
        start = cuts[0] if len(cuts) == 1 else low
        first, last = np.floor((low - start) / step), np.ceil((high - start) / step)
        edges = start + step * np.arange(first, max(last, first + 1) + 1)
        known = np.isfinite(values)
        # Right-closed, as thresholds are: a value on a cut lies left of it.
        place = np.clip(np.searchsorted(edges, values[known]) - 1, 0, len(edges) - 2)
        n_classes, target = 1, np.zeros(int(known.sum()), dtype=np.intp)
        if self.seen.best is not None and self._target is not None:
            n_classes, target = len(self.names), self._target[found][known]
        counts = np.zeros((n_classes, len(edges) - 1))
        np.add.at(counts, (target, place), 1)
        top = counts.sum(axis=0).max(initial=1)
        base = np.zeros(len(edges) - 1)
        for k in np.flatnonzero(counts.sum(axis=1)).tolist():
            color = self.colors[k] if n_classes > 1 else self.inks.muted
            for b in np.flatnonzero(counts[k]).tolist():
                left, right = at(max(edges[b], low)), at(min(edges[b + 1], high))
                self.canvas.bar(
                    *(left, y + height * base[b] / top, right - left),
                    *(height * counts[k, b] / top, color),
                )
            base += counts[k]

    def _points(
        self,
        node: int,
        values: Floats,
        target: Floats,
        at: Any,
        y: float,
        height: float,
        cuts: list[float],
    ) -> None:
        """Draw numbers over the column, and the mean on each side of the cut."""
        low, high = self._target_range

        def level(number: Any) -> Any:
            return y + height * (number - low) / (high - low)

        known = np.flatnonzero(np.isfinite(values))
        step = max(1, len(known) // _MAX_POINTS)
        some = known[::step]
        self.canvas.ax.scatter(
            at(values[some]),
            level(target[some]),
            s=2.2 * self.canvas.scale**2,
            color=self.inks.muted,
            alpha=0.6,
            linewidths=0,
            zorder=3,
        )
        edges = [-np.inf, *cuts, np.inf]
        for start, end in itertools.pairwise(edges):
            inside = known[(values[known] > start) & (values[known] <= end)]
            if len(inside):
                mean = level(float(target[inside].mean()))
                ends = [at(values[inside].min()), at(values[inside].max())]
                color = self.value_color(float(target[inside].mean()))
                self.canvas.line(ends, [mean, mean], color, 1.8, zorder=4)

    def _category_bars(
        self,
        node: int,
        found: NDArray[np.intp],
        x: float,
        y: float,
        width: float,
        height: float,
    ) -> None:
        """Draw a stacked bar per category, in the order of the branches."""
        tree, rows = self.seen.tree, self.rows
        assert rows is not None
        values = rows.matrix[found, tree.feature[node]]
        n_categories = len(self.seen.columns[tree.feature[node]].categories)
        known = values >= 0
        codes = values[known].astype(np.intp)
        n_classes, target = 1, np.zeros(len(codes), dtype=np.intp)
        if self.seen.best is not None and self._target is not None:
            n_classes, target = len(self.names), self._target[found][known]
        counts = np.zeros((n_classes, n_categories))
        np.add.at(counts, (target, codes), 1)
        total = counts.sum(axis=0)
        branch = np.full(n_categories, int(tree.default_branch[node]))
        listed, to = tree.listed(node)
        branch[listed.astype(np.intp)] = to
        shown = np.argsort(-total, kind="stable")[:_MAX_BARS]
        shown = shown[total[shown] > 0]
        if len(shown) == 0:
            return
        shown = shown[np.argsort(branch[shown], kind="stable")]
        jumps = np.cumsum(np.diff(branch[shown], prepend=branch[shown[0]]) > 0)
        step = width / (len(shown) + 0.6 * jumps[-1])
        numbers = self._target if self.seen.best is None else None
        for i, code in enumerate(shown.tolist()):
            left, bottom = x + step * (i + 0.6 * jumps[i]), y
            if i and jumps[i] > jumps[i - 1]:
                place = left - 0.3 * step
                self.canvas.line([place, place], [y, y + height], self.inks.line, 0.9)
            if numbers is not None:  # the mean number of each category
                mean = float(numbers[found][known][codes == code].mean())
                low, high = self._target_range
                tall = height * (mean - low) / (high - low)
                color = self.value_color(mean)
                self.canvas.bar(left + 0.1 * step, y, 0.8 * step, tall, color)
                continue
            for k in np.flatnonzero(counts[:, code]).tolist():
                tall = height * counts[k, code] / total.max()
                color = self.colors[k] if n_classes > 1 else self.inks.muted
                self.canvas.bar(left + 0.1 * step, bottom, 0.8 * step, tall, color)
                bottom += tall


def split_words(seen: Seen, node: int, size: float, width: float) -> tuple[str, str]:
    """Return what a node tests, in two lines; the first branch is that of "yes".

    As many terms or categories are named as fit into a width, at a font size.
    """
    tree = seen.tree
    first = branches(tree, node, seen.columns)[0]
    if isinstance(first, HalfSpace):
        total = _first_that_fits(
            (
                " ".join(
                    Words(decimals=2, max_terms=n).terms(first.terms, seen.columns)
                )
                for n in (3, 2, 1)
            ),
            *(size, width),
        )
        return total, f"≤ {Words().rounded(first.bound)}"
    name = first.column.name
    if len(tree.children(node)) > 2:
        return name, f"{len(tree.children(node))} branches"
    if isinstance(first, Interval):
        if not np.isfinite(first.high):
            return name, "is known"
        shown = Words().bound(first.column, first.high)
        return name, f"{shown.upto.replace('<=', '≤')} {shown.number}"
    listed = tree.listed(node)[0].astype(np.int64)
    texts = (
        first.text_at_node(Words(max_categories=n), listed).removeprefix(name).strip()
        for n in (6, 5, 4, 3, 2, 1)
    )
    return name, _first_that_fits(texts, size, width)


def _terms(seen: Seen, node: int, most: int) -> list[str]:
    """Write the largest terms of a hyperplane."""
    words = Words(decimals=2, max_terms=most)
    return words.terms(seen.tree.terms(node), seen.columns)


def _first_that_fits(texts: Iterable[str], size: float, width: float) -> str:
    """Return the first text that fits, or else the last."""
    text = ""
    for text in texts:
        if len(text) < 200 and text_width(text, size) <= width:
            break
    return text


def _branch_words(seen: Seen, node: int, number: int) -> str:
    """Describe what one of many branches demands."""
    words = Words(max_categories=3)
    condition = branches(seen.tree, node, seen.columns)[number]
    if isinstance(condition, Subset):
        codes = condition.codes if not condition.excluded else condition.members
        return words.members(codes, condition.column.categories).strip("{}") or "other"
    return condition.text(words)


def readable(color: Any, inks: Inks) -> Any:
    """Move a colour towards the ink, so that text in it can be read."""
    from matplotlib.colors import to_rgb

    mixed = 0.55 * np.array(to_rgb(color)) + 0.45 * np.array(to_rgb(inks.line))
    return tuple(mixed.tolist())
