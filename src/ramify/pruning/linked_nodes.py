# SPDX-License-Identifier: BSD-3-Clause
"""A tree as nodes that can be moved about, and back as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.tree.tree import Terms, Tree

__all__ = ["LinkedNode", "fold", "unfold"]


@dataclass(eq=False)
class LinkedNode:
    """A node with its test and its children; the attributes are those of `Tree`.

    `listed` maps codes of categories, or upper bounds of intervals, to branches;
    `origin` is the node's number in the tree it comes from, or -1.
    """

    value: NDArray[np.float64]
    weight: float
    n_rows: int
    impurity: float = 0.0
    origin: int = -1
    children: list[LinkedNode] = field(default_factory=list)
    kind: int = Tree.THRESHOLD
    feature: int = -2
    threshold: float = -2.0
    listed: dict[float, int] = field(default_factory=dict)
    terms: Terms | None = None
    missing: int = 0
    default: int = 0
    optimal: int = 0
    gain: float = np.nan

    def walk(self) -> Iterator[LinkedNode]:
        """Yield the nodes from here on in preorder."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def become_leaf(self) -> None:
        """Forget the test and what is below it."""
        self.children = []
        self.kind, self.feature, self.threshold = Tree.THRESHOLD, -2, -2.0
        self.listed, self.terms = {}, None
        self.missing = self.default = self.optimal = 0
        self.gain = np.nan

    def become(self, other: LinkedNode) -> None:
        """Take the place of another node, with all it has."""
        self.__dict__.update(other.__dict__)


def unfold(tree: Tree) -> LinkedNode:
    """Return the root of a tree as a node with children."""
    has_list = np.diff(tree.split_begin).tolist()
    values = list(tree.value.copy())
    each = zip(
        *(values, tree.weighted_n_node_samples.tolist(), tree.n_node_samples.tolist()),
        *(tree.impurity.tolist(), tree.kind.tolist(), tree.feature.tolist()),
        *(tree.threshold.tolist(), tree.missing_branch.tolist()),
        *(tree.default_branch.tolist(), tree.optimal.tolist(), tree.gain.tolist()),
        strict=True,
    )
    nodes = []
    for t, (value, weight, n, impurity, kind, feature, cut, *rest) in enumerate(each):
        missing, default, optimal, gain = rest
        node = LinkedNode(
            *(value, weight, n, impurity, t, [], kind, feature, cut, {}, None),
            *(missing, default, optimal, gain),
        )
        if has_list[t]:
            listed, branches = tree.listed(t)
            node.listed = dict(zip(listed.tolist(), branches.tolist(), strict=True))
        if kind == Tree.HYPERPLANE:
            node.terms = tree.terms(t)
        nodes.append(node)
    for t, parent in enumerate(tree.parents().tolist()):
        if parent >= 0:
            nodes[parent].children.append(nodes[t])
    return nodes[0]


def fold(root: LinkedNode, like: Tree) -> Tree:
    """Return a node with all below it as a tree, of the same columns and classes.

    The candidates that `like` has recorded are kept for nodes that come from it.
    """
    order = list(root.walk())
    number = {id(node): i for i, node in enumerate(order)}
    n = len(order)
    left, right, sibling = (np.full(n, -1, dtype=np.int64) for _ in range(3))
    for i, node in enumerate(order):
        places = [number[id(child)] for child in node.children]
        if places:
            left[i], right[i] = places[0], places[-1]
            sibling[places[:-1]] = places[1:]
    lists = [sorted(node.listed.items()) for node in order]
    terms = [node.terms for node in order]
    arrays: dict[str, NDArray[Any]] = {
        "children_left": left,
        "children_right": right,
        "next_sibling": sibling,
        "feature": _whole([t.feature for t in order]),
        "kind": np.array([t.kind for t in order], dtype=np.uint8),
        "threshold": np.array([t.threshold for t in order], dtype=np.float64),
        "split_begin": _begins([len(pairs) for pairs in lists]),
        "split_value": np.array([v for p in lists for v, _ in p], dtype=np.float64),
        "split_branch": _whole([b for pairs in lists for _, b in pairs]),
        "term_begin": _begins([0 if t is None else len(t) for t in terms]),
        "missing_branch": _whole([t.missing for t in order]),
        "default_branch": _whole([t.default for t in order]),
        "optimal": np.array([t.optimal for t in order], dtype=np.uint8),
        "gain": np.array([t.gain for t in order], dtype=np.float64),
        "impurity": np.array([t.impurity for t in order], dtype=np.float64),
        "n_node_samples": _whole([t.n_rows for t in order]),
        "weighted_n_node_samples": np.array([t.weight for t in order]),
        "value": np.array([t.value for t in order], dtype=np.float64),
    }
    for name in ("column", "category", "weight", "fill", "share"):
        parts = [getattr(t, name) for t in terms if t is not None]
        dtype = np.int64 if name in ("column", "category") else np.float64
        joined = np.concatenate(parts) if parts else np.zeros(0)
        arrays[f"term_{name}"] = joined.astype(dtype)
    tree = Tree(arrays, like.n_features, like.n_classes.tolist())
    if like.ledger is not None:
        tree.ledger = _ledger(order, like)
    return tree


def _ledger(order: list[LinkedNode], like: Tree) -> Any:
    """Keep the candidates of nodes that are still there."""
    assert like.ledger is not None
    keep = np.zeros(like.node_count, dtype=bool)
    is_leaf = np.zeros(like.node_count, dtype=bool)
    number = np.zeros(like.node_count, dtype=np.int64)
    for i, node in enumerate(order):
        if node.origin >= 0:
            keep[node.origin] = True
            is_leaf[node.origin] = not node.children
            number[node.origin] = i
    return like.ledger.kept(keep, is_leaf, number)


def _whole(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _begins(lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
