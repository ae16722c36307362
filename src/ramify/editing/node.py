# SPDX-License-Identifier: BSD-3-Clause
"""A tree that never changes: an edit makes new nodes, and shares all others.

So every version of an edited tree costs only what its edit has changed, and to undo an
edit is to look at an older root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.pruning.linked_nodes import LinkedNode, fold, unfold
from ramify.tree.tree import Terms, Tree

__all__ = ["Node", "Places", "Statistics", "Test", "joined", "nodes_of", "tree_of"]

Places = NDArray[np.uint32]


@dataclass(frozen=True, eq=False, repr=False)
class Statistics:
    """What the training rows of a node say; the attributes are those of `Tree`."""

    value: NDArray[np.float64]
    weight: float
    n_rows: int
    impurity: float


@dataclass(frozen=True, eq=False, repr=False)
class Test:
    """How a node parts its rows; the attributes are those of `Tree`."""

    kind: int
    feature: int
    threshold: float
    listed: dict[float, int] = field(default_factory=dict)
    terms: Terms | None = None
    missing: int = 0
    default: int = 0
    optimal: int = 0

    def branches(self, matrix: NDArray[np.float64], rows: Places) -> NDArray[np.int64]:
        """Return the branch that some rows of a matrix take, as prediction does."""
        if self.terms is not None:
            total = np.zeros(len(rows))
            each = zip(
                self.terms.column.tolist(),
                self.terms.category.tolist(),
                self.terms.weight.tolist(),
                self.terms.fill.tolist(),
                strict=True,
            )
            with np.errstate(over="ignore", invalid="ignore"):
                for column, category, weight, fill in each:
                    x = matrix[rows, column]
                    if category < 0:
                        total += weight * np.where(np.isnan(x), fill, x)
                    else:
                        total += np.where(x == category, weight, 0.0)
            return (total > self.threshold).astype(np.int64)
        x = matrix[rows, self.feature]
        found: NDArray[np.int64]
        if self.kind == Tree.THRESHOLD:
            found = (x > self.threshold).astype(np.int64)
        elif self.kind == Tree.INTERVALS:
            bounds = sorted(self.listed)
            by_place = np.array([self.listed[b] for b in bounds], dtype=np.int64)
            place = np.searchsorted(bounds, x, side="left")
            found = by_place[np.minimum(place, len(bounds) - 1)]
        else:
            n = 2 + int(max(self.listed, default=0))
            lookup = np.full(n + 1, self.default, dtype=np.int64)  # the last for -1
            for code, branch in self.listed.items():
                lookup[int(code)] = branch
            codes = np.nan_to_num(x, nan=-1.0).astype(np.int64)
            found = lookup[np.where((codes < 0) | (codes >= n), n, codes)]
        found[np.isnan(x)] = self.missing
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A node of an edited tree.

    Attributes
    ----------
    number : int
        Its handle, which it keeps until it is removed.
    statistics : Statistics
        What its training rows say.
    test : Test or None
        How it parts them; None in a leaf.
    gain : float
        What the split scores by the criterion it was chosen by; NaN in a leaf.
    children : tuple of Node
    rows, held : ndarray of uint32 or None
        In a leaf, the places of its training rows and of its validation rows.
    """

    number: int
    statistics: Statistics
    test: Test | None = None
    gain: float = np.nan
    children: tuple[Node, ...] = ()
    rows: Places | None = None
    held: Places | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether it parts nothing."""
        return not self.children

    def walk(self) -> Iterator[Node]:
        """Yield the nodes from here on in preorder."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def leaves(self) -> Iterator[Node]:
        """Yield the leaves from here on."""
        return (node for node in self.walk() if node.is_leaf)

    def all_rows(self) -> Places:
        """Return its training rows, ascending."""
        return joined([leaf.rows for leaf in self.leaves()])

    def all_held(self) -> Places:
        """Return its validation rows, ascending."""
        return joined([leaf.held for leaf in self.leaves()])

    def path_to(self, number: int) -> list[Node] | None:
        """Return the nodes from here to the one with a number, or None."""
        parent: dict[int, Node] = {}
        for node in self.walk():
            if node.number == number:
                path = [node]
                while path[-1] is not self:
                    path.append(parent[path[-1].number])
                return path[::-1]
            for child in node.children:
                parent[child.number] = node
        return None

    def replaced(self, number: int, make: Callable[[Node], Node]) -> Node:
        """Return the tree with another node in the place of one."""
        path = self.path_to(number)
        assert path is not None
        new = make(path[-1])
        for above, old in zip(path[-2::-1], path[:0:-1], strict=True):
            children = tuple(new if child is old else child for child in above.children)
            new = replace(above, children=children)
        return new

    def as_leaf(self) -> Node:
        """Return the node without what is below it."""
        if self.is_leaf:
            return self
        return Node(
            self.number, self.statistics, rows=self.all_rows(), held=self.all_held()
        )

    def depth(self) -> int:
        """Return the number of tests before the farthest leaf."""
        deepest, waiting = 0, [(self, 0)]
        while waiting:
            node, depth = waiting.pop()
            deepest = max(deepest, depth)
            waiting.extend((child, depth + 1) for child in node.children)
        return deepest


def joined(parts: Sequence[Places | None]) -> Places:
    """Return the rows of several leaves, ascending."""
    some = [part for part in parts if part is not None]
    if len(some) == 1:
        return some[0]
    rows = np.concatenate(some) if some else np.zeros(0)
    return np.sort(rows.astype(np.uint32), kind="stable")


def tree_of(root: Node, like: Tree) -> Tree:
    """Return a node with all below it as arrays; its first node is that node."""
    made: dict[int, LinkedNode] = {}
    order = list(root.walk())
    for node in order:
        statistics, test = node.statistics, node.test
        linked = LinkedNode(
            statistics.value, statistics.weight, statistics.n_rows, statistics.impurity
        )
        if test is not None:
            linked.kind, linked.feature = test.kind, test.feature
            linked.threshold, linked.listed = test.threshold, test.listed
            linked.terms, linked.optimal = test.terms, test.optimal
            linked.missing, linked.default = test.missing, test.default
            linked.gain = node.gain
        made[id(node)] = linked
    for node in order:
        made[id(node)].children = [made[id(child)] for child in node.children]
    return fold(made[id(root)], like)


def nodes_of(
    tree: Tree,
    route: Callable[[Test, Places, Places], list[tuple[Places, Places]]],
    rows: Places,
    held: Places,
    number_of: Callable[[int], int],
    columns: Sequence[int] | None = None,
) -> Node:
    """Return a grown tree as nodes, with the rows that reach each leaf.

    `columns` are those of the tree, if it knows only some; `number_of` gives the handle
    of the i-th node in preorder.
    """
    linked = unfold(tree)
    order = list(linked.walk())
    reached: dict[int, tuple[Places, Places]] = {id(linked): (rows, held)}
    tests: dict[int, Test | None] = {}
    for node in order:
        tests[id(node)] = test = _test_of(node, columns)
        if test is None:
            continue
        parts = route(test, *reached[id(node)])
        for child, part in zip(node.children, parts, strict=True):
            reached[id(child)] = part
    numbers = {id(node): number_of(i) for i, node in enumerate(order)}
    made: dict[int, Node] = {}
    for node in reversed(order):
        own, own_held = reached[id(node)]
        is_leaf = not node.children
        made[id(node)] = Node(
            numbers[id(node)],
            Statistics(node.value, node.weight, node.n_rows, node.impurity),
            tests[id(node)],
            node.gain,
            tuple(made[id(child)] for child in node.children),
            own if is_leaf else None,
            own_held if is_leaf else None,
        )
    return made[id(linked)]


def _test_of(node: Any, columns: Sequence[int] | None) -> Test | None:
    if not node.children:
        return None
    feature, terms = node.feature, node.terms
    if columns is not None:
        feature = columns[feature]
        if terms is not None:
            terms = replace(terms, column=np.asarray(columns)[terms.column])
    return Test(
        *(node.kind, feature, node.threshold, node.listed, terms),
        *(node.missing, node.default, node.optimal),
    )
