# SPDX-License-Identifier: BSD-3-Clause
"""Which training rows are in each leaf, kept small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.tree import Tree

__all__ = ["LeafRows", "Lists", "Training", "follow", "listed_rows"]

Floats = NDArray[np.float64]
# Begin of each node in the rows listed, these rows, and how often each counts.
Lists = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any]]


@dataclass(frozen=True)
class Training:
    """The training rows as the trees read them, and which of them each tree has seen.

    Attributes
    ----------
    matrix : ndarray
        The rows.
    has_missing : bool
        Whether some values are missing.
    seen : ndarray of bool, of shape (n_trees, n_rows), or None
        None if all trees have seen all rows.
    """

    matrix: NDArray[Any]
    has_missing: bool
    seen: NDArray[np.bool_] | None


@dataclass
class LeafRows:
    """The rows in the leaves of some trees, and their numbers.

    Attributes
    ----------
    lists : list of tuple of ndarray
        For each tree, where the rows of each node begin (uint32, nodes + 1), the rows
        (uint32), and how often each was drawn, or its weight (uint8, or wider).
    trees : list of Tree
        The trees whose rows these are.
    y : ndarray of shape (n_rows, n_outputs)
        The target of all training rows.
    training : Training or None
        For questions about the training rows; a file does not keep it.
    """

    lists: list[Lists]
    trees: list[Tree]
    y: Floats
    training: Training | None = None
    _ranked: list[tuple[NDArray[np.uint32], Floats]] = field(default_factory=list)
    _native: tuple[Any, Any] | None = None  # predictor, and the lists for it

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    def of_trees(self, trees: Sequence[Tree]) -> LeafRows | None:
        """Return the lists of some of these trees; None if there are others.

        Somebody may have taken trees away from a forest.
        """
        own = list(trees)
        if len(own) == len(self.trees) and all(map(is_, own, self.trees)):
            return self
        place = {id(tree): t for t, tree in enumerate(self.trees)}
        if not all(id(tree) in place for tree in own):
            return None
        chosen = [place[id(tree)] for tree in own]
        training = self.training
        if training is not None and training.seen is not None:
            training = replace(training, seen=training.seen[chosen])
        lists = [self.lists[t] for t in chosen]
        return LeafRows(lists, own, self.y, training)

    def ranked(self) -> tuple[list[NDArray[np.uint32]], list[Floats]]:
        """Return, per output, the rank of each row and the number of each rank."""
        if not self._ranked:
            for column in self.y.T:
                value, rank = np.unique(column, return_inverse=True)
                self._ranked.append((rank.astype(np.uint32), value))
        return [rank for rank, _ in self._ranked], [value for _, value in self._ranked]

    def core(self, predictor: _core.Predictor) -> _core.LeafLists:
        """Return the lists as the engine reads them; made once."""
        if self._native is None or self._native[0] is not predictor:
            made = _core.LeafLists(predictor, list(self.lists), len(self.y))
            self._native = predictor, made
        lists: _core.LeafLists = self._native[1]
        return lists

    def quantiles(
        self,
        predictor: _core.Predictor,
        rows: tuple[NDArray[Any], bool],
        levels: Floats,
        *,
        is_lower: bool,
        skip: NDArray[np.bool_] | None = None,
        n_threads: int = 1,
    ) -> Floats:
        """Return quantiles: (n_rows, n_levels, n_outputs)."""
        rank, value = self.ranked()
        return self.core(predictor).quantiles(
            *rows, rank, value, levels, is_lower, _mask(skip), n_threads
        )

    def cdf(
        self,
        predictor: _core.Predictor,
        rows: tuple[NDArray[Any], bool],
        points: Floats,
        n_threads: int = 1,
    ) -> Floats:
        """Return the weight up to points: (n_rows, n_points, n_outputs)."""
        rank, value = self.ranked()
        return self.core(predictor).cdf(*rows, rank, value, points, None, n_threads)


def _mask(skip: NDArray[np.bool_] | None) -> Any:
    return None if skip is None else np.ascontiguousarray(skip).view(np.uint8)


def listed_rows(
    trees: Sequence[Tree],
    matrix: NDArray[Any],
    has_missing: bool,
    times: Callable[[int], NDArray[Any]],
    order: NDArray[np.uint32],
) -> list[Lists]:
    """List the rows of each leaf of each tree.

    Parameters
    ----------
    trees : sequence of Tree
        The trees.
    matrix, has_missing
        All training rows, and whether a value is missing.
    times : callable
        ``times(t)`` says how often each row counts in tree t.
    order : ndarray of uint32
        The rows by what they hold, so that the order of the table does not show.
    """
    lists = []
    for t, tree in enumerate(trees):
        begin, row, count = _core.list_leaf_rows(
            tree.walker(),
            0,
            matrix,
            has_missing,
            np.ascontiguousarray(times(t), dtype=np.float64),
            order,
            tree.parents().astype(np.int64),
        )
        lists.append((begin, row, _small(count)))
    return lists


def _small(times: Floats) -> NDArray[Any]:
    """Return how often rows count in the fewest bytes that hold it."""
    if len(times) and (times != np.trunc(times)).any():
        return times
    most = float(times.max(initial=0))
    if most < 2**8:
        return times.astype(np.uint8)
    return times.astype(np.uint32) if most < 2**32 else times


def follow(lists: Lists, old: Tree, new: Tree) -> Lists | None:
    """Return the lists of a tree of which branches were cut; None if rows have moved.

    `new` has the splits of `old`, but for nodes that have become leaves.
    """
    begin, row, times = lists
    place: dict[int, list[int]] = {}  # of each new leaf: the old leaves below it
    waiting = [(0, 0)]
    while waiting:
        one, other = waiting.pop()
        if new.children_left[other] < 0:
            place[other] = _leaves_below(old, one)
            continue
        mine, theirs = _children(old, one), _children(new, other)
        alike = (
            len(mine) == len(theirs) > 0
            and old.feature[one] == new.feature[other]
            and old.kind[one] == new.kind[other]
            and old.threshold[one] == new.threshold[other]
        )
        if not alike:
            return None
        waiting += zip(mine, theirs, strict=True)
    counts = np.zeros(new.node_count + 1, np.uint32)
    rows: list[NDArray[np.uint32]] = []
    often: list[NDArray[Any]] = []
    for leaf in sorted(place):
        parts = [slice(int(begin[i]), int(begin[i + 1])) for i in place[leaf]]
        rows += [row[part] for part in parts]
        often += [times[part] for part in parts]
        counts[leaf + 1] = sum(part.stop - part.start for part in parts)
    ends = np.cumsum(counts).astype(np.uint32)
    return ends, np.concatenate(rows), np.concatenate(often)


def _children(tree: Tree, node: int) -> list[int]:
    found, child = [], int(tree.children_left[node])
    while child >= 0:
        found.append(child)
        child = int(tree.next_sibling[child])
    return found


def _leaves_below(tree: Tree, node: int) -> list[int]:
    """Return the leaves below a node, which follow it in preorder."""
    depth = tree.depths()
    end = node + 1
    while end < tree.node_count and depth[end] > depth[node]:
        end += 1
    nodes = np.arange(node, end)
    found: list[int] = nodes[tree.children_left[node:end] < 0].tolist()
    return found
