# SPDX-License-Identifier: BSD-3-Clause
"""Lines in leaves: what a leaf of a model tree adds to its value for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lines", "Term"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Term(NamedTuple):
    """A multiple of a column, between two bounds; `fill` stands for a missing value."""

    column: int
    slope: float
    low: float
    high: float
    fill: float


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of all nodes of a tree, one entry per term.

    A node says ``clip(value + sum(slope * clip(x, low, high)), y_low, y_high)``, where
    `x` is the column of a term, or its `fill` if the row has no value there. Products
    are rounded, and added in the order of the terms.

    Attributes
    ----------
    begin : ndarray of int64, of shape (node_count + 1,)
        The terms of node i are those from ``begin[i]`` to ``begin[i + 1]``.
    mean : ndarray of float64, of shape (node_count,)
        The mean of what was learnt in each node, for pictures.
    column : ndarray of int64
        The column that a term looks at; numbers only.
    slope, low, high, fill : ndarray of float64
        Its multiple, the least and the largest value that it multiplies (those of the
        node in which it was made), and what stands for a missing value.
    gain : ndarray of float64
        How much of the mean squared error the term took, where it was made.
    y_low, y_high : float
        The range of the answers: that of the numbers which were learnt.
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        *("begin", "mean", "column", "slope", "low", "high", "fill", "gain"),
    )
    OF_TERMS: ClassVar[tuple[str, ...]] = NAMES[2:]

    begin: Ints
    mean: Floats
    column: Ints
    slope: Floats
    low: Floats
    high: Floats
    fill: Floats
    gain: Floats
    y_low: float
    y_high: float

    def __post_init__(self) -> None:
        for name in self.NAMES:
            getattr(self, name).flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.column)

    def arrays(self) -> dict[str, Any]:
        """Return arrays and range by name."""
        return dict(self.__dict__)

    def terms(self, node: int) -> list[Term]:
        """Return the terms of a node, in the order in which they are added."""
        part = slice(self.begin[node], self.begin[node + 1])
        return [
            Term(*each)
            for each in zip(
                self.column[part].tolist(),
                self.slope[part].tolist(),
                self.low[part].tolist(),
                self.high[part].tolist(),
                self.fill[part].tolist(),
                strict=True,
            )
        ]

    def slopes(self, node: int) -> dict[int, float]:
        """Return the slope of each column between the bounds of all its terms.

        Training rows of the node lie between them.
        """
        found: dict[int, float] = {}
        for term in self.terms(node):
            found[term.column] = found.get(term.column, 0.0) + term.slope
        return dict(sorted(found.items()))

    def at(self, value: Floats, nodes: Ints, X: NDArray[Any]) -> Floats:
        """Return what nodes say of rows, one node per row; in plain NumPy."""
        answers = np.array(value, dtype=np.float64)[nodes]
        for node in np.unique(nodes).tolist():
            rows = np.flatnonzero(nodes == node)
            for term in self.terms(node):
                x = np.asarray(X[rows, term.column], dtype=np.float64)
                known = np.where(np.isnan(x), term.fill, x)
                answers[rows] += term.slope * np.clip(known, term.low, term.high)
        return np.clip(answers, self.y_low, self.y_high)

    def kept(self, keep: NDArray[np.bool_]) -> Lines:
        """Return the lines of some nodes."""
        length = np.diff(self.begin)
        own = np.repeat(keep, length)
        begin = np.concatenate([[0], np.cumsum(length[keep])]).astype(np.int64)
        rest = {name: getattr(self, name)[own] for name in self.OF_TERMS}
        return Lines(
            begin=begin,
            mean=self.mean[keep],
            **rest,
            y_low=self.y_low,
            y_high=self.y_high,
        )
