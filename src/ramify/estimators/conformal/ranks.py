# SPDX-License-Identifier: BSD-3-Clause
"""Scores of rows in order: the one that a level of confidence asks for.

A weight w is a row that is there w times: n is the total weight.
"""

from __future__ import annotations

import math
import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scores", "check_level", "rank_of", "rows_needed", "warn_of_too_few"]

Floats = NDArray[np.float64]

_SLACK = 1e-12  # (n + 1) * 0.9 may be a little more than the whole number it stands for


def check_level(level: Any) -> float:
    """Refuse what is no share between 0 and 1."""
    is_real = isinstance(level, numbers.Real) and not isinstance(level, bool)
    if not (is_real and 0 < float(level) < 1):
        raise ValueError(
            f"level={level!r} is not allowed; use a share between 0 and 1, such as 0.9"
        )
    return float(level)


def rank_of(level: float, n: float) -> float:
    """Return (n + 1) level: the weight that must lie up to the score asked for.

    >>> rank_of(0.9, 9) <= 9 < rank_of(0.95, 9)
    True
    """
    return (n + 1) * level * (1 - _SLACK)


def rows_needed(level: float) -> int:
    """Return the fewest rows for which an interval of that level is finite.

    >>> rows_needed(0.9), rows_needed(0.95)
    (9, 19)
    """
    return math.ceil(level / (1 - level) * (1 - _SLACK))


def warn_of_too_few(level: float, n: float, what: str, stacklevel: int = 3) -> None:
    """Say that too few rows were scored for a level."""
    warnings.warn(
        f"level={level:g} needs at least {rows_needed(level)} scored rows, and there "
        f"are {n:g}: {what}; calibrate with more rows, or ask for a lower level",
        UserWarning,
        stacklevel=stacklevel + 1,
    )


@dataclass(frozen=True)
class Scores:
    """Scores of rows, ascending.

    Attributes
    ----------
    value : ndarray
        The scores.
    weight : ndarray or None
        Of each; None if all rows count once.
    """

    value: Floats
    weight: Floats | None = None

    @classmethod
    def sorted_from(cls, value: Floats, weight: Floats | None) -> Scores:
        """Sort scores; rows without weight are left out.

        Equal scores are one, so that the order of rows does not matter.
        """
        if weight is None:
            return cls(np.sort(value))
        kept = weight > 0
        value, weight = value[kept], weight[kept]
        order = np.lexsort((weight, value))
        return cls(value[order], weight[order])

    @property
    def n(self) -> float:
        """The total weight."""
        return float(len(self.value) if self.weight is None else self.weight.sum())

    def critical(self, level: float) -> float:
        """Return the ceil((n + 1) level)-th smallest score; infinite if there is none.

        >>> Scores(np.array([0.1, 0.2, 0.7])).critical(0.5)
        0.2
        >>> Scores(np.array([0.1, 0.2, 0.7])).critical(0.9)
        inf
        """
        rank = rank_of(level, self.n)
        if self.weight is None:
            place = math.ceil(rank) - 1
        else:
            place = int(np.searchsorted(np.cumsum(self.weight), rank))
        return float(self.value[place]) if place < len(self.value) else math.inf
