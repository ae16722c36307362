# SPDX-License-Identifier: BSD-3-Clause
"""Which rows a tree of a forest sees, where no one sees all rows."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core

__all__ = ["Draw", "n_draws_of", "poisson_times"]


@dataclass(frozen=True)
class Draw:
    """What one tree of a forest sees.

    Attributes
    ----------
    seed : int
        Of the forest.
    tree : int
        Its number.
    rate : float or None
        How often a row is sampled in the mean; None if all rows are seen once.
    oldest : int
        The first tree that still grows.
    """

    seed: int
    tree: int
    rate: float | None = None
    oldest: int = 0

    def times(self, rows: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return how often rows are seen, by their numbers among all rows."""
        assert self.rate is not None
        return poisson_times(self.seed, self.tree, rows, self.rate)


def poisson_times(
    seed: int, tree: int, rows: NDArray[np.uint64], rate: float
) -> NDArray[np.float64]:
    """Draw each row by itself: a Poisson number of (seed, tree, row)."""
    return _core.poisson_times(rows, seed, tree, _poisson_bounds(rate))


@cache
def _poisson_bounds(rate: float) -> NDArray[np.uint64]:
    """Return 2^64 P(X <= k) for k = 0, 1, ... until nothing is left.

    In decimal arithmetic, whose bits do not depend on the machine.
    """
    bounds: list[int] = []
    with localcontext() as context:
        context.prec = 60
        term = (-Decimal(rate)).exp()
        total = Decimal(0)
        while term * 2**64 >= 1 or len(bounds) <= rate:
            total += term
            bounds.append(min(int(total * 2**64), 2**64 - 1))
            term *= Decimal(rate) / len(bounds)
    return np.array(bounds, np.uint64)


def n_draws_of(max_samples: Any, n_rows: int) -> int:
    """Turn a number or a share of rows into a number of draws."""
    if max_samples is None:
        return n_rows
    if not isinstance(max_samples, numbers.Integral):
        return max(1, round(float(max_samples) * n_rows))
    return int(max_samples)
