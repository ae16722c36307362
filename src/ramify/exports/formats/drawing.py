# SPDX-License-Identifier: BSD-3-Clause
"""One tree as a drawing in words: what the pictures of DOT and Mermaid share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ramify.exports.base import Option
from ramify.exports.walk import CATEGORIES, HYPERPLANE, INTERVALS, KNOWN, LEAF, Walk
from ramify.tree.bounds import bound

__all__ = [
    "OPTIONS",
    "Box",
    "boxes",
    "edge_words",
    "fitting_depth",
    "leaf_words",
    "test_words",
    "tree_of",
]

OPTIONS: dict[str, Option] = {
    "tree": Option(0, "which tree of a forest"),
    "max_depth": Option(
        None, "draw the tests down to this depth; what is below counts"
    ),
    "max_categories": Option(
        5, "name that many categories of a test, count the others"
    ),
    "max_terms": Option(4, "write that many terms of a sum, count the others"),
}


class Box(NamedTuple):
    """A node of a picture: its lines, its parent, and what leads to it."""

    node: int
    lines: list[str]
    parent: int
    edge: str
    is_leaf: bool


def tree_of(walk: Walk, options: Mapping[str, Any]) -> int:
    """Return the root of the tree that is wanted."""
    tree = options["tree"]
    if not isinstance(tree, int) or not 0 <= tree < walk.n_trees:
        raise ValueError(
            f"tree={tree!r} is not allowed; the model has {walk.n_trees} trees, from 0"
        )
    return int(walk.root[tree])


def boxes(
    walk: Walk, options: Mapping[str, Any], max_depth: int | None = None
) -> Iterator[Box]:
    """Yield the nodes of a tree in preorder, the root first."""
    limit = options["max_depth"] if max_depth is None else max_depth
    root = tree_of(walk, options)
    stack = [(root, -1, "")]
    depth = walk.depth
    while stack:
        node, parent, edge = stack.pop()
        is_leaf = walk.kind[node] == LEAF
        if not is_leaf and limit is not None and depth[node] >= limit:
            n_leaves = sum(walk.kind[n] == LEAF for n in walk.preorder(node))
            yield Box(node, [f"{n_leaves} leaves below"], parent, edge, True)
            continue
        lines = leaf_words(walk, node) if is_leaf else test_words(walk, node, options)
        yield Box(node, lines, parent, edge, bool(is_leaf))
        if not is_leaf:
            edges = edge_words(walk, node, options)
            below = zip(walk.children(node), edges, strict=True)
            stack += [(child, node, text) for child, text in below][::-1]


def fitting_depth(
    walk: Walk, options: Mapping[str, Any], fits: Callable[[list[Box]], bool]
) -> int | None:
    """Return the largest depth whose picture fits; None if all of it does."""
    if fits(list(boxes(walk, options))):
        return None
    root = tree_of(walk, options)
    deepest = max(int(walk.depth[node]) for node in walk.preorder(root))
    for depth in range(deepest - 1, 0, -1):
        if fits(list(boxes(walk, options, depth))):
            return depth
    return 0


def _number(x: float) -> str:
    return f"{x:.12g}"


def leaf_words(walk: Walk, node: int) -> list[str]:
    """Write what a leaf predicts, and its weight."""
    vote, value = walk.vote, walk.value[walk.leaf[node]]
    lines = []
    if walk.lines is not None:
        return [*_line_words(walk, int(walk.leaf[node])), _weight(walk, node)]
    decided = walk.leaf_decisions()
    begin = 0
    for j, output in enumerate(vote.outputs):
        own = value[begin : begin + output.size]
        begin += output.size
        if output.labels is None or vote.link != "none":
            lines.append(_number(float(value[0 if vote.link != "none" else begin - 1])))
            continue
        best = int(np.argmax(own))
        if decided is not None:
            best = int(decided[walk.leaf[node], j])
        lines.append(f"{output.labels.tolist()[best]} ({own[best]:.3g})")
    return [*lines, _weight(walk, node)]


def _weight(walk: Walk, node: int) -> str:
    return f"weight {_number(walk.weight[node])}"


def _line_words(walk: Walk, leaf: int) -> list[str]:
    """Write the line of a leaf, a term below the other."""
    assert walk.lines is not None
    slopes: dict[int, float] = {}
    for column, slope, *_ in walk.lines.terms(leaf):
        slopes[column] = slopes.get(column, 0.0) + slope
    words = [f"y = {walk.value[leaf, 0]:.4g}"]
    for column, slope in sorted(slopes.items()):
        sign = "+" if slope >= 0 else "-"
        words.append(f"{sign} {abs(slope):.4g} {walk.columns[column].name}")
    return words


def test_words(walk: Walk, node: int, options: Mapping[str, Any]) -> list[str]:
    """Write what a node looks at: a column, or the terms of a sum."""
    if walk.kind[node] != HYPERPLANE:
        return [walk.columns[walk.column[node]].name]
    terms = walk.terms(node)
    limit = options["max_terms"] or len(terms)
    order = sorted(range(len(terms)), key=lambda i: -abs(terms[i][2]))[:limit]
    lines = []
    for i in sorted(order):
        column, category, weight, _ = terms[i]
        info = walk.columns[column]
        what = info.name
        if category >= 0:
            what = f"[{what} = {info.categories[category]}]"
        lines.append(f"{'+' if weight >= 0 else '-'} {abs(weight):.4g} {what}")
    if len(terms) > len(lines):
        lines.append(f"+ {len(terms) - len(lines)} more")
    return lines


def edge_words(walk: Walk, node: int, options: Mapping[str, Any]) -> list[str]:
    """Write what leads to each child of a node."""
    kind, n = walk.kind[node], int(walk.n_children[node])
    missing, default = int(walk.missing_branch[node]), int(walk.default_branch[node])
    if kind == HYPERPLANE:
        total = f"{walk.threshold[node]:.4g}"
        return [f"<= {total}", f"> {total}"]
    if kind == KNOWN:
        words = [["known"] if b == default else [] for b in range(n)]
    elif kind == CATEGORIES:
        info = walk.columns[walk.column[node]]
        codes, branches = walk.listed(node)
        words = []
        for b in range(n):
            own = [info.categories[int(c)] for c in codes[branches == b].tolist()]
            limit = options["max_categories"] or len(own)
            parts = [str(each) for each in own[:limit]]
            if len(own) > limit:
                parts.append(f"+{len(own) - limit}")
            words.append([", ".join(parts)] if parts else [])
            if b == default:
                words[-1].append("other")
    elif kind == INTERVALS:
        bounds, branches = walk.listed(node)
        info = walk.columns[walk.column[node]]
        edges = ["", *(bound(info, x).number for x in bounds.tolist()), ""]
        owners = [*branches.tolist(), default]
        words = [[] for _ in range(n)]
        for i, b in enumerate(owners):
            low, high = edges[i], edges[i + 1]
            text = f"{low} to {high}" if low and high else ""
            words[b].append(text or (f"<= {high}" if high else f"> {low}"))
    else:
        info = walk.columns[walk.column[node]]
        shown = bound(info, float(walk.threshold[node]))
        words = [[f"{shown.upto} {shown.number}"], [f"{shown.above} {shown.number}"]]
    for b in range(n):
        if missing in (b, -1):
            words[b].append("missing" if missing >= 0 else "missing (a share)")
    return [" or ".join(each) for each in words]
