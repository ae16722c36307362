# SPDX-License-Identifier: BSD-3-Clause
"""What codes stand for, and all that is needed to make them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.checksums import Checksums
from ramify.distributed.core.summaries import DataSummary, RegressionTarget
from ramify.table.schema import Schema

__all__ = ["Codebook", "Extent", "WeightSummary"]


@dataclass(frozen=True)
class Codebook:
    """All that is needed to encode a partition; plain values, so that it travels.

    Attributes
    ----------
    schema : Schema
        Columns, and the categories of all partitions.
    bins : list of ndarray or None
        The lowest value of each bin, by column; None of categories.
    classes : list of ndarray
        The labels of each output.
    by_class : list of ndarray or None
        By what the weight of a row is multiplied, by output and class.
    cost_weight : ndarray or None
        By what besides, by class: what errors cost.
    is_weighted : bool
        Whether rows have weights, of their own or of their class.
    numbers : RegressionTarget or None
        Numbers that are learnt, instead of labels.
    keeps_rows : bool
        Whether the numbers of rows are kept where some are left out: rows are
        sampled by them.
    counts_classes : bool
        Whether rows that have weights are counted by class, too.
    renews : bool
        Whether rows get other weights after each tree.
    """

    schema: Schema
    bins: list[NDArray[np.float64] | None]
    classes: list[NDArray[Any]]
    by_class: list[NDArray[np.float64]] | None = None
    cost_weight: NDArray[np.float64] | None = None
    is_weighted: bool = False
    numbers: RegressionTarget | None = None
    keeps_rows: bool = False
    counts_classes: bool = False
    renews: bool = False

    @property
    def n_codes(self) -> list[int]:
        """Number of codes of each column, without that of missing values."""
        return [
            len(info.categories) if bins is None else len(bins)
            for info, bins in zip(self.schema.columns, self.bins, strict=True)
        ]

    @property
    def n_classes(self) -> list[int]:
        """Number of classes of each output; of numbers one."""
        if self.numbers is not None:
            return [1] * self.numbers.n_outputs
        return [len(classes) for classes in self.classes]

    @property
    def n_stats(self) -> int:
        """Number of sums of each output of numbers."""
        return 0 if self.numbers is None else self.numbers.n_stats

    @property
    def label_type(self) -> Any:
        """The type of numbers, or the smallest that holds the codes of labels."""
        if self.numbers is not None:
            return np.float64
        most = max(self.n_classes, default=1)
        return np.uint8 if most <= 2**8 else np.uint16 if most <= 2**16 else np.uint32

    def layout(self) -> _core.Layout:
        """Return how codes and sums lie."""
        classes = self.n_classes or [1]  # none: labels are not looked at
        return _core.Layout(
            self.n_codes, classes, self.is_weighted, self.n_stats, self.counts_classes
        )


@dataclass
class WeightSummary:
    """What has to be known of all weights to count them exactly."""

    n: int = 0
    total: float = 0.0
    largest: float = 0.0
    smallest: float = np.inf
    is_whole: bool = True

    def add(self, weight: NDArray[np.float64]) -> None:
        """Look at weights above zero."""
        if len(weight) == 0:
            return
        other = WeightSummary(
            len(weight),
            float(weight.sum()),
            float(weight.max()),
            float(weight.min()),
            bool((weight == np.trunc(weight)).all()),
        )
        self.merge(other)

    def merge(self, other: WeightSummary) -> None:
        """Put the weights of other rows to these."""
        self.n += other.n
        self.total += other.total
        self.largest = max(self.largest, other.largest)
        self.smallest = min(self.smallest, other.smallest)
        self.is_whole = self.is_whole and other.is_whole

    @property
    def unit(self) -> float:
        """Of which all weights are taken as whole multiples."""
        if self.is_whole and self.total <= 2.0**53:
            return 1.0
        return _core.exact_unit(self.largest, self.n)


@dataclass
class Extent:
    """What the codes of some rows stand for; `merge` puts others to it.

    Attributes
    ----------
    n_rows, n_used : int
        All rows, and those that have a weight.
    low, high : list of ndarray
        The least and the largest value of each bin, by column.
    has_missing : ndarray of bool
        Whether a column has missing values.
    seen : list of ndarray of bool
        Which categories rows with a weight have, by column; empty for numbers.
    weights : WeightSummary
        Of the rows that have one.
    checksums : Checksums
        Of what was read.
    """

    n_rows: int
    n_used: int
    low: list[NDArray[np.float64]]
    high: list[NDArray[np.float64]]
    has_missing: NDArray[np.bool_]
    seen: list[NDArray[np.bool_]]
    weights: WeightSummary
    checksums: Checksums = field(default_factory=Checksums)

    @classmethod
    def empty(cls, book: Codebook) -> Extent:
        """Return that of no rows."""
        sizes = [0 if bins is None else len(bins) for bins in book.bins]
        return cls(
            0,
            0,
            [np.full(n, np.inf) for n in sizes],
            [np.full(n, -np.inf) for n in sizes],
            np.zeros(len(sizes), bool),
            [np.zeros(len(c.categories), bool) for c in book.schema.columns],
            WeightSummary(),
        )

    def merge(self, other: Extent) -> None:
        """Put what other rows have to this."""
        self.n_rows += other.n_rows
        self.n_used += other.n_used
        for j in range(len(self.low)):
            np.minimum(self.low[j], other.low[j], out=self.low[j])
            np.maximum(self.high[j], other.high[j], out=self.high[j])
            self.seen[j] |= other.seen[j]
        self.has_missing |= other.has_missing
        self.weights.merge(other.weights)
        self.checksums.merge(other.checksums)

    def check(self, summary: DataSummary) -> None:
        """Refuse rows that are not those that `summary` describes."""
        names = [summary.label(j) for j in range(len(summary.columns))]
        summary.checksums.check(self.checksums, names)

    def codebooks(self, book: Codebook) -> _core.Table:
        """Return the engine what the codes stand for."""
        low, high = [], []
        for j, bins in enumerate(book.bins):
            lowest = np.empty(0) if bins is None else bins
            low.append(np.where(np.isinf(self.low[j]), lowest, self.low[j]))
            high.append(np.where(np.isinf(self.high[j]), lowest, self.high[j]))
        n_categories = [
            len(info.categories) if info.is_categorical else -1
            for info in book.schema.columns
        ]
        return _core.codebooks(low, high, n_categories, self.has_missing.tolist())
