# SPDX-License-Identifier: BSD-3-Clause
"""Smaller trees that predict the same for every possible row."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from ramify.pruning.linked_nodes import LinkedNode, fold, unfold
from ramify.pruning.nodes import Floats, Nodes
from ramify.tree.tree import Tree

__all__ = ["simplified"]

_EVERY = -1  # branch: rows go down all


def simplified(
    nodes: Nodes,
    *,
    by_value: bool = False,
    merge: bool = True,
    implied: bool = True,
    twins: bool = True,
) -> Tree:
    """Cut what makes no difference.

    Parameters
    ----------
    nodes : Nodes
        Those of the tree; they say what is predicted.
    by_value : bool
        Whether the values of leaves must stay, and not only the classes predicted.
    merge, implied, twins : bool
        Whether branches of one answer become one, tests whose outcome is certain go,
        and branches with equal subtrees become one.
    """
    root = unfold(nodes.tree)
    work = _Simplifier(nodes, by_value or nodes.is_numeric)
    while True:
        size = sum(1 for _ in root.walk())
        if implied:
            root = _without_implied(root)
        work.cut_equal(root)
        if merge:
            work.merge_branches(root)
        if twins:
            work.merge_twins(root)
        if sum(1 for _ in root.walk()) == size:
            return fold(root, nodes.tree)


class _Simplifier:
    """Compares what leaves say."""

    def __init__(self, nodes: Nodes, by_value: bool) -> None:
        self._nodes = nodes
        self._by_value = by_value

    def _answer(self, node: LinkedNode, by_value: bool) -> bytes:
        if by_value:
            return node.value.tobytes()
        return bytes(self._nodes.best(node.value[None])[0].tobytes())

    def cut_equal(self, root: LinkedNode) -> None:
        """Make a leaf of every node whose leaves all give one answer."""
        for node, is_mixed in _from_below(root):
            if not node.children or any(child.children for child in node.children):
                continue
            exact = self._by_value or is_mixed
            answers = {self._answer(child, exact) for child in node.children}
            if len(answers) == 1:
                self._join(node, node.children, exact)
                node.become_leaf()

    def _join(self, into: LinkedNode, leaves: list[LinkedNode], exact: bool) -> None:
        """Let a node say what leaves of one answer say."""
        if exact:
            into.value = leaves[0].value.copy()
        elif self._answer(into, False) != self._answer(leaves[0], False):
            into.value = _mean_value(leaves)

    def merge_branches(self, root: LinkedNode) -> None:
        """Make one branch of leaves that give one answer, where there are several."""
        for node, is_mixed in _from_below(root):
            if len(node.children) <= 2 or not node.listed:
                continue
            exact = self._by_value or is_mixed
            keys: list[Hashable] = [
                i if child.children else self._answer(child, exact)
                for i, child in enumerate(node.children)
            ]
            self._merge(node, keys)

    def merge_twins(self, root: LinkedNode) -> None:
        """Make one branch of those whose subtrees are equal."""
        # Where rows mix leaves, equal answers are not enough.
        exact = self._by_value or any(t.missing == _EVERY for t in root.walk())
        numbers: dict[Hashable, int] = {}
        key_of: dict[int, int] = {}
        for node, _ in _from_below(root):
            below = [key_of[id(child)] for child in node.children]
            # Leaves are the affair of the two rules above.
            keys: list[Hashable] = [
                key if child.children else (i, "leaf")
                for i, (key, child) in enumerate(zip(below, node.children, strict=True))
            ]
            groups = self._merge(node, keys)
            if groups is not None:
                below = [below[group[0]] for group in groups]
                if len(groups) == 1:
                    key_of[id(node)] = below[0]
                    continue
                key_of |= {
                    id(child): key
                    for key, child in zip(below, node.children, strict=True)
                }
            own: Hashable = (
                ("test", *_test(node), *below)
                if below
                else ("leaf", self._answer(node, exact))
            )
            key_of[id(node)] = numbers.setdefault(own, len(numbers))

    def _merge(self, node: LinkedNode, keys: list[Hashable]) -> list[list[int]] | None:
        """Join the branches that have the same key; of intervals only neighbours.

        Gives the branches of each new one, or None if nothing was joined. A node with
        one branch left is replaced by it.
        """
        groups: list[list[int]] = []
        place: dict[Hashable, int] = {}
        for i, key in enumerate(keys):
            if node.kind == Tree.INTERVALS and i > 0 and keys[i - 1] != key:
                place.pop(key, None)
            if key in place:
                groups[place[key]].append(i)
            else:
                place[key] = len(groups)
                groups.append([i])
        if len(groups) == len(node.children):
            return None
        new = {i: g for g, group in enumerate(groups) for i in group}
        kept = []
        for group in groups:
            members = [node.children[i] for i in group]
            kept.append(_joined(members) if len(members) > 1 else members[0])
        if len(kept) == 1:
            node.become(kept[0])
            return groups
        node.children = kept
        if node.kind == Tree.INTERVALS:
            upper: dict[int, float] = {}
            for bound, branch in node.listed.items():
                upper[new[branch]] = max(upper.get(new[branch], -np.inf), bound)
            node.listed = {bound: branch for branch, bound in upper.items()}
        else:
            node.listed = {value: new[b] for value, b in node.listed.items()}
        node.missing = node.missing if node.missing == _EVERY else new[node.missing]
        node.default = new[node.default]
        return groups


def _joined(members: list[LinkedNode]) -> LinkedNode:
    """Return one subtree for several that are equal but for their counts."""
    first = members[0]
    weight = sum(m.weight for m in members)
    same = all(m.value.tobytes() == first.value.tobytes() for m in members)
    joined = replace(
        first,
        value=first.value.copy() if same else _mean_value(members),
        weight=weight,
        n_rows=sum(m.n_rows for m in members),
        gain=np.nan if first.children else first.gain,
    )
    if weight > 0:
        joined.impurity = sum(m.weight * m.impurity for m in members) / weight
    joined.children = [
        _joined(list(group))
        for group in zip(*(m.children for m in members), strict=True)
    ]
    return joined


def _mean_value(leaves: list[LinkedNode]) -> Floats:
    """Return the mean of values by weight; of leaves without weight the plain one."""
    weight = np.array([leaf.weight for leaf in leaves])
    if not weight.any():
        return leaves[0].value.copy()
    values = np.array([leaf.value for leaf in leaves])
    return np.asarray(np.tensordot(weight / weight.sum(), values, axes=1))


def _test(node: LinkedNode) -> tuple[Hashable, ...]:
    """Return what a node tests, to be compared."""
    terms = (
        ()
        if node.terms is None
        else (
            node.terms.column.tobytes(),
            node.terms.category.tobytes(),
            node.terms.weight.tobytes(),
            node.terms.fill.tobytes(),
        )
    )
    listed = tuple(sorted(node.listed.items()))
    threshold = None if listed else node.threshold
    return (
        node.kind,
        node.feature,
        threshold,
        listed,
        terms,
        node.missing,
        node.default,
    )


def _from_below(root: LinkedNode) -> list[tuple[LinkedNode, bool]]:
    """List all nodes, children first, and whether rows are mixed at a node above."""
    found: list[tuple[LinkedNode, bool]] = []
    waiting = [(root, False)]
    while waiting:
        node, is_mixed = waiting.pop()
        found.append((node, is_mixed))
        below = is_mixed or (bool(node.children) and node.missing == _EVERY)
        waiting.extend((child, below) for child in node.children)
    found.reverse()
    return found


# --- tests whose outcome is certain ---------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """What is known of a column on the way to a node.

    Numbers lie in (low, high]; categories are those of `codes`, or all others.
    """

    low: float = -np.inf
    high: float = np.inf
    codes: frozenset[float] = frozenset()
    is_all_but: bool = True
    may_be_missing: bool = True
    may_be_known: bool = True


def _without_implied(root: LinkedNode) -> LinkedNode:
    """Put the only child that can be reached in the place of its parent."""
    start = LinkedNode(root.value, root.weight, root.n_rows, children=[root])
    waiting: list[tuple[LinkedNode, int, dict[int, _Known]]] = [(start, 0, {})]
    while waiting:
        parent, place, known = waiting.pop()
        node = parent.children[place]
        while node.children and node.kind != Tree.HYPERPLANE:
            column = known.get(node.feature, _Known())
            ways = _ways(node, column)
            if node.missing == _EVERY and column.may_be_missing:
                break
            open_ways = [b for b, way in enumerate(ways) if _is_possible(way)]
            if len(open_ways) != 1:
                break
            known = {**known, node.feature: ways[open_ways[0]]}
            node = node.children[open_ways[0]]
            parent.children[place] = node
        if not node.children:
            continue
        if node.kind == Tree.HYPERPLANE:
            continue  # below it nothing is looked at
        ways = _ways(node, known.get(node.feature, _Known()))
        for b, way in enumerate(ways):
            waiting.append((node, b, {**known, node.feature: way}))
    return start.children[0]


def _is_possible(way: _Known) -> bool:
    return way.may_be_missing or way.may_be_known


def _ways(node: LinkedNode, column: _Known) -> list[_Known]:
    """Return what is known of the column in each branch of a node."""
    ways = []
    for branch in range(len(node.children)):
        missing = column.may_be_missing and node.missing in (branch, _EVERY)
        if node.kind == Tree.CATEGORIES:
            way = _categories(node, column, branch)
        else:
            low, high = _interval(node, branch)
            low, high = max(low, column.low), min(high, column.high)
            way = replace(
                column,
                low=low,
                high=high,
                may_be_known=column.may_be_known and low < high,
            )
        ways.append(replace(way, may_be_missing=missing))
    return ways


def _interval(node: LinkedNode, branch: int) -> tuple[float, float]:
    if node.kind == Tree.THRESHOLD:
        cut = node.threshold
        return (-np.inf, cut) if branch == 0 else (cut, np.inf)
    bounds = sorted(node.listed.items())
    uppers = [bound for bound, b in bounds if b == branch]
    if not uppers:  # of missing values only
        return np.inf, -np.inf
    below = [bound for bound, _ in bounds if bound < min(uppers)]
    return (max(below) if below else -np.inf), max(uppers)


def _categories(node: LinkedNode, column: _Known, branch: int) -> _Known:
    listed_here = {c for c, b in node.listed.items() if b == branch}
    is_default = node.default == branch
    if not column.is_all_but:
        codes = {c for c in column.codes if node.listed.get(c, node.default) == branch}
        return replace(
            column,
            codes=frozenset(codes),
            may_be_known=column.may_be_known and bool(codes),
        )
    if not is_default:
        codes = listed_here - column.codes
        return replace(
            column,
            codes=frozenset(codes),
            is_all_but=False,
            may_be_known=column.may_be_known and bool(codes),
        )
    elsewhere = {c for c, b in node.listed.items() if b != branch}
    return replace(column, codes=frozenset(column.codes | elsewhere))
