# SPDX-License-Identifier: BSD-3-Clause
"""Numbers by data set and method: what claims are judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ramify.reproduce.paper import Measure

__all__ = ["Grid", "Numbers"]


@dataclass(frozen=True, eq=False)
class Grid:
    """The numbers of one measure, printed or ours.

    Attributes
    ----------
    measure : Measure
        What they are.
    rows, methods : tuple of str
        Data sets and methods, as printed.
    values : ndarray of shape (n_rows, n_methods)
        NaN where there is none.
    marks : ndarray of the same shape
        1 where the paper's own method, the first, is better than this one by a test on
        the folds, -1 where it is worse, else 0.
    """

    measure: Measure
    rows: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]
    marks: NDArray[np.float64]

    def columns(self, methods: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Get the columns of some methods, or all, on the rows that have them all."""
        chosen = self.methods if methods is None else methods
        part = self.values[:, [self.methods.index(name) for name in chosen]]
        return np.asarray(part[~np.isnan(part).any(axis=1)])

    def goodness(self, methods: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Get the same so that more is better, without the noise of the last bits."""
        sign = 1 if self.measure.higher_is_better else -1
        return np.asarray(np.round(sign * self.columns(methods), 9))

    def marks_of(self, method: str) -> NDArray[np.float64]:
        """Return the marks of a method on the rows that it and the first one have."""
        at = self.methods.index(method)
        has_both = ~np.isnan(self.values[:, [0, at]]).any(axis=1)
        # A printed mark without a number says that the method could not be run.
        has_both |= np.isnan(self.values[:, at]) & (self.marks[:, at] != 0)
        return np.asarray(self.marks[has_both, at])


Numbers = Mapping[str, Grid]
