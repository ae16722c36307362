# SPDX-License-Identifier: BSD-3-Clause
"""Sums of numbers that are never rounded, so that they know no order of rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core

__all__ = ["Total", "scores_of", "totals_of"]

Floats = NDArray[np.float64]


class Total:
    """A sum to which numbers, and sums of other rows, can be added.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.estimators.validation.totals import Total
    >>> total = Total().add(np.array([1e17, 1.0, -1e17]))
    >>> total.value
    1.0
    """

    def __init__(self) -> None:
        self.digits = np.zeros(_core.n_total_digits(), np.int64)

    def add(self, numbers: NDArray[Any], weight: NDArray[Any] | None = None) -> Total:
        """Add numbers, each times its weight."""
        weight = None if weight is None else np.ascontiguousarray(weight, np.float64)
        plain = np.ascontiguousarray(numbers, np.float64)
        _core.add_exactly(plain, weight, self.digits)
        return self

    def merge(self, other: Total) -> None:
        """Add the sum of other rows."""
        self.digits += other.digits

    @property
    def value(self) -> float:
        """The sum as a number."""
        return _core.exact_total(self.digits)


def totals_of(
    loss: str, y: Floats, weight: Floats | None, n_scores: int
) -> list[Total]:
    """Sum up weights by class; or what numbers come to, and their weights."""
    ones = np.ones(len(y)) if weight is None else weight
    if loss not in ("log_loss", "multinomial"):
        return [Total().add(y, weight), Total().add(ones)]
    # Sorted once: to look for each of thousands of classes takes classes x rows.
    order = np.argsort(y, kind="stable")
    ends = np.searchsorted(y[order], np.arange(max(n_scores, 2) + 1))
    by_class = ones[order]
    return [Total().add(by_class[i:j]) for i, j in pairwise(ends)]


def scores_of(loss: str, totals: list[Total]) -> Floats:
    """Return the best constant scores, from such sums of all rows."""
    sums = np.array([total.value for total in totals])
    if loss not in ("log_loss", "multinomial"):
        mean = sums[0] / sums[1]
        return np.array([mean if loss == "squared_error" else np.log(mean)])
    logs = np.log(sums / sums.sum())
    return np.array([logs[1] - logs[0]]) if len(sums) == 2 else logs
