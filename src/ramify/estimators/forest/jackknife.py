# SPDX-License-Identifier: BSD-3-Clause
"""Intervals by the trees that left a training row out (Kim, Xu, Barber 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.estimators.conformal.ranks import rank_of, warn_of_too_few

__all__ = ["LeftOut", "jackknife_plus"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LeftOut:
    """Training rows that some trees have not seen.

    Attributes
    ----------
    rows : ndarray of intp
        Their numbers.
    error : ndarray of shape (n_rows, n_outputs)
        How far the mean of these trees is off.
    weight : ndarray or None
        Of each row.
    """

    rows: NDArray[np.intp]
    error: Floats
    weight: Floats | None

    @property
    def n(self) -> float:
        """The total weight."""
        return float(len(self.rows) if self.weight is None else self.weight.sum())


def jackknife_plus(
    left_out: LeftOut,
    votes: Floats,
    seen: NDArray[np.bool_],
    level: float,
    n_threads: int,
) -> Floats:
    """Return the ends of intervals: (n_rows, 2, n_outputs).

    `votes` is what each tree predicts, (n_rows, n_trees, n_outputs), `seen` says which
    training rows it has seen, (n_trees, n_training_rows).
    """
    unseen: Any = np.ascontiguousarray(~seen[:, left_out.rows]).view(np.uint8)
    rank = rank_of(level, left_out.n)
    ends = [
        _core.jackknife_plus(
            np.ascontiguousarray(votes[:, :, j]),
            unseen,
            np.ascontiguousarray(left_out.error[:, j]),
            left_out.weight,
            rank,
            n_threads,
        )
        for j in range(votes.shape[2])
    ]
    if rank > left_out.n:
        warn_of_too_few(level, left_out.n, "its intervals are infinite", stacklevel=4)
    return np.stack(ends, axis=2)
