# SPDX-License-Identifier: BSD-3-Clause
"""What pruning reads in the nodes of a tree: weights of classes, errors, answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.tree.tree import Tree

__all__ = ["Nodes", "Rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Rows that a tree learnt from, or is judged by.

    Attributes
    ----------
    X : ndarray of float64, of shape (n_rows, n_columns)
        Numbers, and codes of categories as the tree lists them; NaN where missing.
    target : ndarray of shape (n_rows, n_outputs)
        Codes of classes (uint32), or numbers (float64).
    weight : ndarray of float64
        Of each row.
    """

    X: Floats
    target: NDArray[Any]
    weight: Floats

    def __len__(self) -> int:
        return len(self.weight)

    def some(self, places: NDArray[Any]) -> Rows:
        """Return some of them."""
        return Rows(
            np.ascontiguousarray(self.X[places]),
            self.target[places],
            self.weight[places],
        )

    def order(self) -> NDArray[np.intp]:
        """Return the places of the rows, sorted by what they hold.

        Sums over rows in this order are the same to the last digit, whatever the order
        of the rows was.
        """
        return np.lexsort([self.weight, *self.target.T, *self.X.T])

    def sorted(self) -> Rows:
        """Return the rows in the order of what they hold."""
        return self.some(self.order())

    def unit(self, level: Floats) -> float:
        """Return the power of two that the numbers are apart from a level, or less.

        Squares of numbers in this unit neither overflow nor vanish, and a power of two
        rounds nothing.
        """
        farthest = float(np.abs(self.target - level).max(initial=0.0))
        return float(np.ldexp(1.0, np.frexp(farthest)[1])) if farthest > 0 else 1.0

    @property
    def n_effective(self) -> float:
        """How many rows of equal weight these are worth."""
        return float(self.weight.sum() ** 2 / (self.weight**2).sum())


@dataclass(frozen=True)
class Nodes:
    """The nodes of a tree, as rules of pruning count them.

    Attributes
    ----------
    tree : Tree
        The tree.
    is_numeric : bool
        Whether it predicts numbers.
    costs : ndarray or None
        Of errors, [true][predicted] class, if they differ.
    factor : float
        What weights are multiplied by to be numbers of rows.
    is_multiway : bool
        Whether two branches of categories are one for each, and not two subsets.
    """

    tree: Tree
    is_numeric: bool = False
    costs: Floats | None = None
    factor: float = 1.0
    is_multiway: bool = False

    @cached_property
    def weight(self) -> Floats:
        """The weight of each node."""
        return self.tree.weighted_n_node_samples * self.factor

    @cached_property
    def share(self) -> Floats:
        """The weight of each node as a share of the whole."""
        return np.asarray(self.weight / self.weight[0])

    @cached_property
    def counts(self) -> Floats:
        """The weights of classes, (n_nodes, n_outputs, n_classes)."""
        return np.ascontiguousarray(self.tree.value * self.weight[:, None, None])

    @property
    def of_one_output(self) -> Floats:
        """The weights of classes, (n_nodes, n_classes)."""
        return np.ascontiguousarray(self.counts[:, 0])

    @cached_property
    def predicted(self) -> NDArray[np.intp]:
        """The class that each node predicts, (n_nodes, n_outputs)."""
        return self.best(self.tree.value)

    def best(self, shares: Floats) -> NDArray[np.intp]:
        """Choose the class of the largest share, or of the least cost; ties first."""
        if self.costs is None:
            return np.asarray(shares.argmax(axis=2))
        return np.asarray((shares @ self.costs).argmin(axis=2))

    @cached_property
    def errors(self) -> Floats:
        """The weight of training rows that a node would get wrong; mean over outputs.

        With costs, what these errors cost.
        """
        return self.lost(self.counts)

    def lost(self, counts: Floats) -> Floats:
        """Return what each node gets wrong of some weights of classes, as `counts`."""
        if self.costs is not None:
            expected = counts @ self.costs
            chosen = np.take_along_axis(expected, self.predicted[:, :, None], axis=2)
            return np.asarray(chosen[:, :, 0].mean(axis=1))
        right = np.take_along_axis(counts, self.predicted[:, :, None], axis=2)
        return np.asarray((counts.sum(axis=2) - right[:, :, 0]).mean(axis=1))

    @property
    def has_test(self) -> NDArray[np.bool_]:
        """Which nodes are no leaves."""
        return np.asarray(self.tree.children_left >= 0)
