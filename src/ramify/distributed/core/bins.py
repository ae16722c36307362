# SPDX-License-Identifier: BSD-3-Clause
"""Bins of numeric columns that do not depend on how rows are cut into partitions.

A column of few values has a bin for each. Of others the rows of least hash are looked
at: which these are depends on the numbers of the rows alone, so that samples of
partitions, merged in any order, are the sample of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ramify import _core

__all__ = ["Sketch", "row_hashes", "sample_size"]

_MAX, _MIN, _CELLS = 65_536, 8_192, 2**24
_ALL = np.uint64(2**64 - 1)


def sample_size(n_columns: int) -> int:
    """Return how many rows of each column are looked at.

    >>> sample_size(10), sample_size(1000), sample_size(100_000)
    (65536, 16777, 8192)
    """
    return max(_MIN, min(_MAX, _CELLS // max(1, n_columns)))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def row_hashes(first_row: int, n_rows: int) -> NDArray[np.uint64]:
    """Hash the numbers of some rows, one to one.

    >>> [hex(h) for h in row_hashes(0, 2).tolist()]
    ['0xa706dd2f4d197e6f', '0x8b4fda8c892b50e']
    """
    with np.errstate(over="ignore"):
        seed = _mix(np.zeros(1, np.uint64))
        rows = np.arange(first_row, first_row + n_rows, dtype=np.uint64)
        return _mix(seed ^ rows)


@dataclass
class _OfColumn:
    """What is kept of one column."""

    distinct: NDArray[np.float64] | None = field(
        default_factory=lambda: np.empty(0)
    )  # None: too many
    hashes: list[NDArray[np.uint64]] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)
    n: int = 0
    limit: np.uint64 = _ALL

    def offer(
        self, hashes: NDArray[np.uint64], values: NDArray[np.float64], k: int
    ) -> None:
        known = ~np.isnan(values)
        if not known.all():
            hashes, values = hashes[known], values[known]
        if len(values) == 0:
            return
        self.hashes.append(hashes)
        self.values.append(values)
        self.n += len(values)
        if self.n > k + k // 4:
            self.cut(k)

    def cut(self, k: int) -> None:
        """Keep the k rows of least hash."""
        if len(self.hashes) > 1 or self.n > k:
            hashes, values = np.concatenate(self.hashes), np.concatenate(self.values)
            if self.n > k:
                least = np.argpartition(hashes, k - 1)[:k]
                hashes, values = hashes[least], values[least]
                self.limit = hashes.max()
            self.hashes, self.values, self.n = [hashes], [values], len(values)

    def know(self, new: NDArray[np.float64], max_bins: int) -> None:
        assert self.distinct is not None
        if len(new) > 0:
            self.distinct = np.union1d(self.distinct, new)
            if len(self.distinct) > max_bins:
                self.distinct = None


class Sketch:
    """The distinct values of columns while they are few, and their rows of least hash.

    Parameters
    ----------
    n_columns : int
        How many columns there are.
    max_bins : int
        Columns of more distinct values are sampled.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.distributed.core.bins import Sketch
    >>> sketch = Sketch(1, max_bins=4)
    >>> sketch.add([np.array([3.0, 1.0, np.nan, 1.0])], first_row=0)
    >>> sketch.bins(0).tolist()
    [1.0, 3.0]
    """

    def __init__(self, n_columns: int, max_bins: int) -> None:
        self.k = sample_size(n_columns)
        self.max_bins = max_bins
        self._columns = [_OfColumn() for _ in range(n_columns)]

    def __len__(self) -> int:
        return len(self._columns)

    def expect(self, n_values: NDArray[np.int64]) -> None:
        """Leave out rows that cannot be among the k of least hash, of so many values.

        Six standard deviations more; `is_short` says whether that was too little.
        """
        for own, n in zip(self._columns, n_values.tolist(), strict=True):
            share = (self.k + 6 * self.k**0.5) / max(n, 1)
            if share < 1:
                own.limit = np.uint64(int(share * 2**64))

    def is_short(self, n_values: NDArray[np.int64]) -> bool:
        """Return whether too many rows of some column were left out."""
        return any(
            own.distinct is None and own.n < min(self.k, n)
            for own, n in zip(self._columns, n_values.tolist(), strict=True)
        )

    def add(self, columns: list[NDArray[np.generic] | None], first_row: int) -> None:
        """Look at some rows of all columns; None for one that is not numeric."""
        n_rows = next((len(x) for x in columns if x is not None), 0)
        if n_rows == 0:
            return
        hashes = row_hashes(first_row, n_rows)
        limits = [
            own.limit
            for own, x in zip(self._columns, columns, strict=True)
            if x is not None
        ]
        few = np.flatnonzero(hashes <= max(limits))
        least = hashes[few]
        for own, values in zip(self._columns, columns, strict=True):
            if values is None:
                continue
            if own.distinct is not None:
                own.know(
                    _core.new_values(values, own.distinct, self.max_bins), self.max_bins
                )
            here = least <= own.limit
            rows = few[here]
            picked = values if len(rows) == len(values) else values[rows]
            own.offer(least[here], picked.astype(np.float64), self.k)

    def merge(self, other: Sketch) -> None:
        """Put what was seen of other rows to this."""
        for own, theirs in zip(self._columns, other._columns, strict=True):
            if theirs.distinct is None:
                own.distinct = None
            elif own.distinct is not None:
                own.know(theirs.distinct, self.max_bins)
            for hashes, values in zip(theirs.hashes, theirs.values, strict=True):
                own.offer(hashes, values, self.k)
            own.limit = min(own.limit, theirs.limit)

    def bins(self, j: int) -> NDArray[np.float64]:
        """Return the lowest value of each bin of a column."""
        own = self._columns[j]
        if own.distinct is not None:
            return own.distinct
        own.cut(self.k)
        return _core.learn_bins(own.values[0], self.max_bins)

    def is_sampled(self, j: int) -> bool:
        """Return whether not all values of a column were looked at."""
        own = self._columns[j]
        return own.distinct is None and bool(own.limit < _ALL)
