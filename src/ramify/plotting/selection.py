# SPDX-License-Identifier: BSD-3-Clause
"""What a picture of a tree shows: which tree, which of its nodes, and their rows."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.plotting.styles import codes_of
from ramify.survival.target import read_survival_target
from ramify.table.schema import ColumnInfo
from ramify.tree import Tree
from ramify.tree.conditions import columns_of
from ramify.tree.inspect import is_regressor, predicted_classes

__all__ = ["Fold", "Rows", "Seen", "fold"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to draw: as the tree reads them, where they end, and what is to be learnt.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
        Numbers, and codes of categories.
    target : ndarray or None
        The place of the class, or the number, of each row.
    order, begin, end : ndarray
        The rows of node i are ``order[begin[i]:end[i]]``.
    """

    matrix: Floats
    target: NDArray[Any] | None
    order: NDArray[np.intp]
    begin: NDArray[np.intp]
    end: NDArray[np.intp]

    def in_node(self, node: int) -> NDArray[np.intp]:
        """Return the places of the rows that reach a node."""
        return self.order[self.begin[node] : self.end[node]]


@dataclass(frozen=True, eq=False)
class Seen:
    """One tree of a model, to be plotted.

    Attributes
    ----------
    model : estimator
        The model that reads rows.
    tree : Tree
        The tree.
    columns : sequence of ColumnInfo
        Its columns.
    classes : ndarray or None
        The labels; None where numbers are predicted.
    best : ndarray or None
        The place of the class that each node predicts.
    """

    model: Any
    tree: Tree
    columns: Sequence[ColumnInfo]
    classes: NDArray[Any] | None
    best: NDArray[np.int64] | None

    @classmethod
    def from_model(
        cls, model: Any, number: int | None, feature_names: Sequence[str] | None
    ) -> Seen:
        """Find the tree to draw in a model."""
        found = getattr(model, "best_estimator_", model)
        if "sum_" in vars(found):
            trees = [tree for trees in found.sum_.rounds for tree in trees]
            tree = trees[_checked(number, len(trees), found)]
            columns = columns_of(_Boosted(tree, found.schema_), feature_names)
            return cls(found, tree, columns, None, None)
        if hasattr(found, "estimators_") and not hasattr(found, "tree_"):
            members = found.estimators_
            member = members[_checked(number, len(members), found)]
            classes = getattr(found, "classes_", None)
            return cls._of_tree(member, classes, feature_names)
        if number not in (None, 0):
            raise ValueError(
                f"tree={number!r}, but the model is one tree; leave it out"
            )
        return cls._of_tree(found, getattr(found, "classes_", None), feature_names)

    @classmethod
    def _of_tree(
        cls, model: Any, classes: Any, feature_names: Sequence[str] | None
    ) -> Seen:
        if not (hasattr(model, "tree_") and hasattr(model, "schema_")):
            raise TypeError(f"plot_tree() takes a fitted tree of Ramify, not {model!r}")
        if model.tree_.n_outputs > 1:
            raise ValueError(
                "plot_tree() shows one output, and the tree predicts several; fit one "
                "tree for the output to show"
            )
        columns = columns_of(model, feature_names)
        if is_regressor(model):
            return cls(model, model.tree_, columns, None, None)
        own = np.asarray(model.classes_)
        if classes is not None and len(classes) == len(own):
            own = np.asarray(classes)  # trees of a forest may have codes for labels
        return cls(model, model.tree_, columns, own, predicted_classes(model)[:, 0])

    def rows(self, X: Any, y: Any) -> Rows:
        """Read rows, and find out which nodes they pass."""
        matrix = np.asarray(self.model._prepare(X)[0], dtype=np.float64)
        target: NDArray[Any] | None = None
        if y is not None and self.tree.curves is not None:
            read_survival_target(y, len(matrix))  # curves are of the training rows
        elif y is not None and self.classes is not None:
            target = codes_of(y, self.classes, len(matrix))
        elif y is not None:
            target = np.asarray(y, dtype=np.float64)
            if target.shape != (len(matrix),):
                raise ValueError(
                    f"y has shape {target.shape}; give one number for each of the "
                    f"{len(matrix)} rows of X"
                )
        leaves = self.tree.apply(matrix)
        last = _last_below(self.tree)
        order = np.argsort(leaves, kind="stable")
        nodes = np.arange(self.tree.node_count)
        begin = np.searchsorted(leaves[order], nodes)
        end = np.searchsorted(leaves[order], last, side="right")
        return Rows(matrix, target, order, begin, end)


@dataclass(frozen=True)
class _Boosted:
    """A tree of a boosted model, with what `columns_of` looks at."""

    tree_: Tree
    schema_: Any


def _checked(number: int | None, n_trees: int, model: Any) -> int:
    name = type(model).__name__
    if number is None:
        raise ValueError(
            f"{name} has {n_trees} trees; say which one to draw, from tree=0 to "
            f"tree={n_trees - 1}"
        )
    is_whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not is_whole or not -n_trees <= number < n_trees:
        raise ValueError(
            f"tree={number!r} is not there; {name} has trees from 0 to {n_trees - 1}"
        )
    return int(number)


def _last_below(tree: Tree) -> NDArray[np.int64]:
    """Return the last node of the subtree of each node: nodes are in preorder."""
    last = np.arange(tree.node_count)
    parent = tree.parents()
    for node in range(tree.node_count - 1, 0, -1):
        last[parent[node]] = max(last[parent[node]], last[node])
    return last


@dataclass(frozen=True)
class Fold:
    """The nodes that are shown.

    Attributes
    ----------
    children : dict of int to list of int
        The shown children of each shown node.
    hidden : dict of int to int
        Nodes whose subtree is folded, and how many leaves it has.
    """

    children: dict[int, list[int]]
    hidden: dict[int, int]


def fold(tree: Tree, max_depth: int | None, max_leaves: int | None) -> Fold:
    """Choose the nodes to show: the heaviest are opened first, down to a depth.

    Examples
    --------
    >>> import ramify
    >>> from ramify.plotting.selection import fold
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], list("abab")
    >>> tree = ramify.DecisionTreeClassifier().fit(X, y).tree_
    >>> fold(tree, max_depth=1, max_leaves=None).hidden
    {2: 3}
    """
    is_leaf = tree.children_left < 0
    parent = tree.parents()
    leaves = is_leaf.astype(np.int64)
    for node in range(tree.node_count - 1, 0, -1):
        leaves[parent[node]] += leaves[node]
    depth = tree.depths()
    children: dict[int, list[int]] = {0: []}
    weight = tree.weighted_n_node_samples
    waiting = [(-float(weight[0]), 0)]
    n_shown = 1
    while waiting:
        _, node = heapq.heappop(waiting)
        if is_leaf[node] or (max_depth is not None and depth[node] >= max_depth):
            continue
        own = tree.children(node)
        if max_leaves is not None and n_shown + len(own) - 1 > max_leaves:
            continue
        n_shown += len(own) - 1
        children[node] = own
        for child in own:
            children[child] = []
            heapq.heappush(waiting, (-float(weight[child]), child))
    hidden = {
        node: int(leaves[node])
        for node, own in sorted(children.items())
        if not own and not is_leaf[node]
    }
    return Fold(children, hidden)
