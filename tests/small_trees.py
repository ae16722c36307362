# SPDX-License-Identifier: BSD-3-Clause
"""Small trees written by hand, for pruning: H15, H15f, W and I."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from ramify.pruning.linked_nodes import LinkedNode, fold
from ramify.tree import Tree

NUMBER, EACH, SUBSET = "number", "one branch per category", "subset"


@dataclass
class Node:
    """Class weights, how the node is split, and its children."""

    counts: tuple[float, ...]
    children: list[Node] = field(default_factory=list)
    split: str = NUMBER
    v: int = 0  # distinct values of the tested column in the node


def _linked(
    node: Node, above: np.ndarray, column: list[int], n_columns: int
) -> LinkedNode:
    counts = np.array(node.counts, dtype=float)
    total = counts.sum()
    shares = counts / total if total > 0 else above
    impurity = 1 - (shares**2).sum() if total > 0 else 0.0
    linked = LinkedNode(
        shares[None].copy(), float(total), int(np.ceil(total)), float(impurity)
    )
    if not node.children:
        return linked
    linked.feature = column[0] % n_columns
    column[0] += 1
    if node.split == NUMBER:
        linked.threshold = float(column[0])
    else:
        linked.kind, linked.threshold = Tree.CATEGORIES, np.nan
        n = len(node.children) if node.split == EACH else node.v
        linked.listed = {float(c): min(c, len(node.children) - 1) for c in range(n)}
    linked.gain = 1.0
    linked.children = [
        _linked(child, shares, column, n_columns) for child in node.children
    ]
    return linked


def tree_of(root: Node, n_columns: int) -> Tree:
    """Return a tree with these counts in its nodes; its tests part no real rows."""
    n_classes = len(root.counts)
    nothing = np.full(n_classes, 1 / n_classes)
    like = SimpleNamespace(
        ledger=None, n_features=n_columns, n_classes=np.array([n_classes])
    )
    return fold(_linked(root, nothing, [0], n_columns), like)


def distinct_of(root: Node) -> np.ndarray:
    """List v of every node in preorder."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        found.append(node.v)
        waiting.extend(reversed(node.children))
    return np.array(found)


def _h15(leaf3, leaf4, leaf11, leaf12) -> Node:
    return Node(
        (29, 28, 23),
        [
            Node(
                (26, 22, 1),
                [
                    Node((23, 5, 0), [Node(leaf3), Node(leaf4)], v=12),
                    Node((3, 17, 1), [Node((2, 9, 1)), Node((1, 8, 0))], v=10),
                ],
                v=25,
            ),
            Node(
                (3, 6, 22),
                [
                    Node((0, 2, 14)),
                    Node((3, 1, 3), [Node(leaf11), Node(leaf12)], SUBSET, v=3),
                    Node((0, 0, 0)),
                    Node((0, 3, 5)),
                ],
                EACH,
                v=4,
            ),
        ],
        v=40,
    )


H15 = _h15((20, 1, 0), (3, 4, 0), (1, 0, 3), (2, 1, 0))
H15F = _h15((20, 0.6, 0), (3, 4.4, 0), (1.4, 0.3, 2.6), (1.6, 0.7, 0.4))
W = Node(
    (9, 5),
    [
        Node((2, 3), [Node((0, 3)), Node((2, 0))], EACH, v=2),
        Node((4, 0)),
        Node((3, 2), [Node((0, 2)), Node((3, 0))], EACH, v=2),
    ],
    EACH,
    v=3,
)
I = Node(  # noqa: E741  # its name in the literature of this project
    (50, 50, 50),
    [
        Node((50, 0, 0)),
        Node(
            (0, 50, 50),
            [
                Node(
                    (0, 49, 5),
                    [
                        Node((0, 47, 1), [Node((0, 47, 0)), Node((0, 0, 1))], v=8),
                        Node(
                            (0, 2, 4),
                            [
                                Node((0, 0, 3)),
                                Node(
                                    (0, 2, 1),
                                    [Node((0, 2, 0)), Node((0, 0, 1))],
                                    v=3,
                                ),
                            ],
                            v=4,
                        ),
                    ],
                    v=21,
                ),
                Node(
                    (0, 1, 45),
                    [
                        Node((0, 1, 2), [Node((0, 1, 0)), Node((0, 0, 2))], v=3),
                        Node((0, 0, 43)),
                    ],
                    v=19,
                ),
            ],
            v=16,
        ),
    ],
    v=43,
)
COLUMNS = {"H15": 5, "H15f": 5, "W": 4, "I": 4}
NODES = {"H15": H15, "H15f": H15F, "W": W, "I": I}
TREES = {name: tree_of(node, COLUMNS[name]) for name, node in NODES.items()}
# Rows held out at each node of H15.
HELD = np.array(
    [
        *([13, 13, 10], [12, 9, 1], [10, 2, 0], [8, 1, 0], [2, 1, 0], [2, 7, 1]),
        *([1, 3, 0], [1, 4, 1], [1, 4, 9], [0, 1, 5], [1, 1, 2], [1, 0, 1]),
        *([0, 1, 1], [0, 0, 1], [0, 2, 1]),
    ],
    dtype=float,
)
