# SPDX-License-Identifier: BSD-3-Clause
"""Wilcoxon's signed-rank test over data sets, and Holm's correction for many tests."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from ramify.comparison.statistics.differences import differences

__all__ = [
    "Wilcoxon",
    "holm",
    "wilcoxon_all_pairs",
    "wilcoxon_signed_rank",
    "wilcoxon_to_baseline",
]

# Up to here p is counted exactly; beyond, the normal distribution is close enough.
MAX_COUNTED = 50


@dataclass(frozen=True)
class Wilcoxon:
    """The result of a signed-rank test.

    Attributes
    ----------
    plus, minus : float
        Sums of the ranks of the data sets where ours is better, and worse. Ranks of
        equal results are shared between both.
    p : float
        How probable sums at least as unequal are if both methods are alike
        (two-sided).
    n : int
        Data sets on which the methods differ.
    """

    plus: float
    minus: float
    p: float
    n: int


def wilcoxon_signed_rank(
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    higher_is_better: bool = True,
    zeros: Literal["split", "drop"] = "split",
) -> Wilcoxon:
    """Test whether one of two methods is better over many data sets.

    The absolute differences are ranked, and the ranks of the gains and of the losses
    are summed; if the methods are alike, each sign is a coin flip. The p-value counts
    all patterns of signs for the ranks at hand, so it is exact with ties, too; for
    more than 50 differences it is that of the normal distribution (corrected for ties,
    without continuity correction).

    Parameters
    ----------
    ours, theirs : array-like of shape (n_datasets,)
        Scores. Data sets where one of them is NaN are left out.
    higher_is_better : bool
        Which way the scores go.
    zeros : {"split", "drop"}
        What to do with data sets on which both methods are equal. "split" ranks them
        with the others and gives each side half of their ranks, as Demšar 2006 does;
        its p-value is that of Pratt 1959 (scipy's ``zero_method="pratt"``). "drop"
        leaves them out before ranking, as Wilcoxon 1945 did (``"wilcox"``).

    References
    ----------
    Wilcoxon, "Individual comparisons by ranking methods", Biometrics 1, 1945.

    Examples
    --------
    >>> wilcoxon_signed_rank([0.9, 0.8, 0.7, 0.9], [0.7, 0.7, 0.4, 0.5])
    Wilcoxon(plus=10.0, minus=0.0, p=0.125, n=4)
    """
    if zeros not in ("split", "drop"):
        raise ValueError(f"zeros={zeros!r} is unknown; use 'split' or 'drop'.")
    found = differences(ours, theirs, higher_is_better)
    if zeros == "drop":
        found = found[found != 0]
    ranks = stats.rankdata(np.abs(found))
    shared = ranks[found == 0].sum() / 2
    plus, minus = ranks[found > 0].sum(), ranks[found < 0].sum()
    moving = ranks[found != 0]
    return Wilcoxon(
        float(plus + shared),
        float(minus + shared),
        _two_sided_p(moving, float(min(plus, minus))),
        len(moving),
    )


def _two_sided_p(ranks: NDArray[np.float64], smaller: float) -> float:
    """Return how often a sum of ranks with random signs is as far from its middle."""
    if len(ranks) == 0:
        return 1.0
    if len(ranks) > MAX_COUNTED:
        spread = np.sqrt((ranks**2).sum()) / 2
        return float(2 * stats.norm.sf((ranks.sum() / 2 - smaller) / spread))
    doubled = np.round(2 * ranks).astype(int)  # ties have halves
    n_ways = np.zeros(doubled.sum() + 1)  # below 2^53, so exact
    n_ways[0] = 1
    for rank in doubled:
        n_ways[rank:] += n_ways[:-rank].copy()
    as_small = n_ways[: round(2 * smaller) + 1].sum()
    return float(min(1.0, 2 * as_small / 2.0 ** len(doubled)))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Correct p-values of several tests by Holm's step-down method.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none may fall
    below an earlier one. Rejecting where the corrected p is below alpha keeps the
    chance of any false rejection below alpha.

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
    Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
        raise ValueError(f"p must be a list of numbers from 0 to 1, not {p!r}.")
    order = np.argsort(given, kind="stable")
    steps = given[order] * np.arange(len(given), 0, -1)
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


def wilcoxon_to_baseline(
    scores: ArrayLike, baseline: int, *, higher_is_better: bool = True
) -> NDArray[np.float64]:
    """Test every method against one of them: p by Wilcoxon, corrected by Holm.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Scores; NaN where a run failed.
    baseline : int
        Column of the baseline.
    higher_is_better : bool
        Which way the scores go.

    Returns
    -------
    ndarray of shape (n_methods,)
        Corrected p-values; 1 for the baseline itself, which is not counted as a test.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.8], [0.7, 0.5, 0.6], [0.9, 0.5, 0.9]]
    >>> wilcoxon_to_baseline(scores * 2, baseline=0)
    array([1.      , 0.015625, 0.125   ])
    """
    table = _table(scores)
    others = [j for j in range(table.shape[1]) if j != baseline]
    tests = [
        wilcoxon_signed_rank(
            table[:, j], table[:, baseline], higher_is_better=higher_is_better
        )
        for j in others
    ]
    corrected = np.ones(table.shape[1])
    corrected[others] = holm([test.p for test in tests])
    return corrected


def wilcoxon_all_pairs(
    scores: ArrayLike, *, higher_is_better: bool = True
) -> NDArray[np.float64]:
    """Test every pair of methods: p by Wilcoxon, corrected by Holm.

    With k methods there are k (k - 1) / 2 tests. For more than a few methods that
    leaves little power: choose a baseline instead.

    Returns
    -------
    ndarray of shape (n_methods, n_methods)
        Corrected p-values, symmetric, 1 on the diagonal.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.5, 0.6], [0.9, 0.5, 0.9]]
    >>> wilcoxon_all_pairs(scores * 2)[0].round(3)
    array([1.   , 0.023, 0.062])
    """
    table = _table(scores)
    pairs = list(combinations(range(table.shape[1]), 2))
    p = [
        wilcoxon_signed_rank(
            table[:, i], table[:, j], higher_is_better=higher_is_better
        ).p
        for i, j in pairs
    ]
    corrected = np.ones((table.shape[1], table.shape[1]))
    for (i, j), value in zip(pairs, holm(p), strict=True):
        corrected[i, j] = corrected[j, i] = value
    return corrected


def _table(scores: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(
            "scores need one row per data set and one column per method; these have "
            f"the shape {table.shape}."
        )
    return table
