# SPDX-License-Identifier: BSD-3-Clause
"""Sums of numbers that are never rounded, so that they know no order of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core

__all__ = ["Total"]


class Total:
    """A sum to which numbers, and sums of other rows, can be added.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.estimators.inputs.totals import Total
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
