# SPDX-License-Identifier: BSD-3-Clause
"""Rows that equal other rows, and the folds that they lie in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ramify.datasets.dataset import Dataset

__all__ = ["are_by_chance", "first_copies", "leak_of"]

_MANY = 0.02  # of the tested rows, from which on a warning is due


def first_copies(columns: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
    """Return for every row the first row that equals it in all columns.

    Missing values are equal. Rows are grouped column by column, so that what is
    returned is exact, and not a matter of hashes.

    >>> import numpy as np
    >>> from ramify.datasets.copies import first_copies
    >>> first_copies([np.array([1.0, np.nan, np.nan]), np.array(["a", "b", "b"])])
    array([0, 1, 1])
    """
    group = np.zeros(len(columns[0]), dtype=np.int64)
    for values in columns:
        codes = _codes(values)
        group = group * (int(codes.max(initial=0)) + 1) + codes
        group = np.unique(group, return_inverse=True)[1]
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    return np.asarray(first[group], dtype=np.intp)


def leak_of(data: Dataset, folds: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> str:
    """Say how many tested rows are copies of training rows; nothing if next to none.

    Copies that columns of few values explain do not count.

    >>> import numpy as np, ramify.datasets
    >>> from ramify.datasets.copies import leak_of
    >>> data = ramify.datasets.load("iris")
    >>> leak_of(data, [(np.arange(75), np.arange(75, 150))])
    ''
    """
    first, by_chance = are_by_chance([*data.columns.values(), data.y])
    if by_chance:
        return ""
    found = [int(np.isin(first[test], first[train]).sum()) for train, test in folds]
    n_tested = sum(len(test) for _, test in folds)
    if sum(found) < max(1, _MANY * n_tested):
        return ""
    return (
        f"{sum(found)} of {n_tested} tested rows ({sum(found) / n_tested:.1%}) are "
        "copies of training rows in other folds: if they are mistakes, the score is "
        "too good; drop_duplicates=True leaves them out"
    )


def are_by_chance(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], bool]:
    """Find copies, and whether columns of few values explain as many of them.

    They do if independent columns would make a tenth of them, or if more than half of
    the rows are copies: then rows are cases that happen to be alike.

    Returns
    -------
    first : ndarray of shape (n_rows,)
        As by `first_copies`.
    by_chance : bool
        Whether the copies are no mistake, as far as is known.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.datasets.copies import are_by_chance
    >>> are_by_chance([np.repeat([1.0, 2.0], 50)])[1]
    True
    """
    first = first_copies(columns)
    n_rows = len(first)
    sizes = np.bincount(first, minlength=n_rows)
    pairs = float((sizes * (sizes - 1.0)).sum() / 2)
    n_copies = int((first != np.arange(n_rows)).sum())
    chance = n_rows * (n_rows - 1) / 2
    for values in columns:
        shares = np.bincount(_codes(values)) / n_rows
        chance *= float((shares**2).sum())
    return first, 2 * n_copies > n_rows or 10 * chance > pairs


def _codes(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return a number for each distinct value; one for all that are missing."""
    if values.dtype != object:
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    index: dict[Any, int] = {}
    codes = [index.setdefault(value, len(index)) for value in values.tolist()]
    return np.array(codes, dtype=np.int64)
