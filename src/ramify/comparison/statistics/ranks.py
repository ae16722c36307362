# SPDX-License-Identifier: BSD-3-Clause
"""Average ranks, and the tests on them: Friedman, Iman-Davenport, Nemenyi."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from ramify.comparison.statistics.differences import DECIMALS

__all__ = [
    "Friedman",
    "average_ranks",
    "friedman",
    "friedman_of_ranks",
    "friedman_permutation_p",
    "nemenyi_critical_difference",
    "nemenyi_p",
    "rank_groups",
    "ranks_per_row",
]


def ranks_per_row(
    scores: ArrayLike, *, higher_is_better: bool = True
) -> NDArray[np.float64]:
    """Rank the methods within each row (data set): 1 is best, ties share the mean.

    A NaN (a run that failed) ranks last.

    Examples
    --------
    >>> ranks_per_row([[0.9, 0.8, 0.9], [0.5, np.nan, 0.7]])
    array([[1.5, 3. , 1.5],
           [2. , 3. , 1. ]])
    """
    table = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    cost = np.round(-table if higher_is_better else table, DECIMALS)
    cost[np.isnan(cost)] = np.inf
    return np.asarray(stats.rankdata(cost, axis=1), dtype=np.float64)


def average_ranks(
    scores: ArrayLike, *, higher_is_better: bool = True
) -> NDArray[np.float64]:
    """Average rank of each method (column) over the data sets (rows).

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.7], [0.6, 0.9, 0.6]])
    array([1.75, 1.5 , 2.75])
    """
    ranks = ranks_per_row(scores, higher_is_better=higher_is_better)
    return np.asarray(ranks.mean(axis=0))


@dataclass(frozen=True)
class Friedman:
    """Do the methods differ at all? Friedman's test and its F form.

    Attributes
    ----------
    chi_square, p_chi_square : float
        Friedman's statistic, and its p-value.
    f, p : float
        The statistic of Iman and Davenport 1980, which is less conservative, and its
        p-value.
    tie_correction : float
        What the plain chi-square was divided by: 1 without ties, or uncorrected.
    """

    chi_square: float
    p_chi_square: float
    f: float
    p: float
    tie_correction: float = 1.0


def friedman(
    scores: ArrayLike, *, higher_is_better: bool = True, correct_ties: bool = True
) -> Friedman:
    """Test whether any of the methods (columns) differ over the data sets (rows).

    Friedman's chi-square is 12 N / (k (k + 1)) times the sum, over the k methods, of
    the squared distance of the average rank from (k + 1) / 2; N is the number of data
    sets. With ties, ranks vary less than this formula assumes, so it is divided by
    1 - T / (N k (k² - 1)), where T is the sum of t³ - t over all groups of t methods
    that share a rank on a data set. Iman and Davenport's F is
    (N - 1) chi² / (N (k - 1) - chi²), with k - 1 and (k - 1)(N - 1) degrees of freedom.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Mean scores; NaN (a run that failed) ranks last.
    higher_is_better : bool
        Which way the scores go.
    correct_ties : bool
        False gives the plain statistic of Demšar 2006, which many papers print.

    References
    ----------
    Conover, "Practical Nonparametric Statistics", 3rd edition, 1999 (ties).
    Friedman, "The use of ranks to avoid the assumption of normality", JASA 32, 1937.
    Iman and Davenport, "Approximations of the critical region of the Friedman
    statistic", Communications in Statistics A9, 1980.

    Examples
    --------
    >>> friedman([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]]).chi_square
    4.5
    >>> tied = [[3, 1, 1], [3, 2, 2], [3, 2, 1], [2, 3, 1]]
    >>> corrected, plain = friedman(tied), friedman(tied, correct_ties=False)
    >>> round(corrected.chi_square, 3), round(plain.chi_square, 3)
    (5.143, 4.5)
    """
    ranks = ranks_per_row(scores, higher_is_better=higher_is_better)
    correction = _tie_correction(ranks) if correct_ties else 1.0
    return friedman_of_ranks(ranks.mean(axis=0), len(ranks), tie_correction=correction)


def _tie_correction(ranks: NDArray[np.float64]) -> float:
    """Return how much ranks with ties vary, as a share of ranks without."""
    n, k = ranks.shape
    if k < 2:
        return 1.0
    same = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2).astype(np.float64)
    ties = (same**2 - 1).sum()  # each of t methods adds t² - 1: in all t³ - t
    return float(1 - ties / (n * k * (k**2 - 1)))


def friedman_of_ranks(
    ranks: ArrayLike, n_datasets: int, *, tie_correction: float = 1.0
) -> Friedman:
    """Run Friedman's test, given the average ranks of the methods.

    Average ranks do not say how many ties there were: without `tie_correction`, what
    `friedman` divides by, the statistic is the plain one.

    Examples
    --------
    The example of Demšar 2006, four methods on 14 data sets:

    >>> test = friedman_of_ranks([3.143, 2.000, 2.893, 1.964], 14)
    >>> round(test.chi_square, 2), round(test.f, 2)
    (9.28, 3.69)
    """
    r = np.asarray(ranks, dtype=np.float64)
    k, n = len(r), n_datasets
    if k < 2 or n < 2:
        raise ValueError(
            "Friedman's test needs at least 2 methods and 2 data sets, "
            f"not {k} and {n}."
        )
    # The sum of squared deviations from the mean rank: no cancellation.
    plain = float(12 * n / (k * (k + 1)) * ((r - (k + 1) / 2) ** 2).sum())
    # Where all methods are tied on all data sets nothing differs.
    chi_square = plain / tie_correction if tie_correction > 0 else 0.0
    rest = n * (k - 1) - chi_square
    f = (n - 1) * chi_square / rest if rest > 1e-9 else float("inf")
    return Friedman(
        chi_square,
        float(stats.chi2.sf(chi_square, k - 1)),
        f,
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        tie_correction,
    )


def friedman_permutation_p(
    scores: ArrayLike, *, higher_is_better: bool = True, n_permutations: int = 9999
) -> float:
    """Return how often shuffled ranks differ as much as those of the methods do.

    The chi-square and F distributions are good for many data sets. For few they are
    not (three methods, four data sets and a chi-square of 6: F says 0.016, the truth is
    0.069), nor with many ties. Shuffling the ranks within each data set is right for
    both. The shuffles are the same each time, and for any order of the data sets.

    Examples
    --------
    >>> p = friedman_permutation_p([[1, 3, 2], [1, 2, 3]] * 2)
    >>> abs(p - 0.069) < 0.01
    True
    """
    ranks = ranks_per_row(scores, higher_is_better=higher_is_better)
    rng = np.random.RandomState(0)
    shuffled = np.zeros((n_permutations, ranks.shape[1]))
    # Only the ranks that a row holds matter, so sort them: the order of data sets and
    # methods then changes nothing.
    rows = np.sort(ranks, axis=1)
    for row in rows[np.lexsort(rows.T)]:
        shuffled += row[rng.rand(*shuffled.shape).argsort(axis=1)]
    # For given ranks chi-square grows with the sum of the squared rank sums.
    observed = (ranks.sum(axis=0) ** 2).sum()
    n_as_large = np.count_nonzero((shuffled**2).sum(axis=1) >= observed - 1e-9)
    return (1 + int(n_as_large)) / (1 + n_permutations)


def nemenyi_critical_difference(
    n_methods: int, n_datasets: int, alpha: float = 0.05
) -> float:
    """Difference of average ranks above which two methods differ reliably.

    The quantile of the studentized range for k methods, over the square root of 2,
    times the standard error of a difference of ranks, sqrt(k (k + 1) / (6 N)).

    References
    ----------
    Nemenyi, "Distribution-free multiple comparisons", Princeton, 1963.

    Examples
    --------
    >>> round(nemenyi_critical_difference(4, 14), 2)
    1.25
    """
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * _rank_error(n_methods, n_datasets))


def nemenyi_p(
    scores: ArrayLike, *, higher_is_better: bool = True
) -> NDArray[np.float64]:
    """Test every pair of methods by Nemenyi's test.

    Returns
    -------
    ndarray of shape (n_methods, n_methods)
        p-values, symmetric, 1 on the diagonal; already corrected for the number of
        pairs.

    Examples
    --------
    >>> nemenyi_p([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]] * 3)[0].round(3)
    array([1.   , 0.158, 0.001])
    """
    ranks = ranks_per_row(scores, higher_is_better=higher_is_better)
    n, k = ranks.shape
    mean = ranks.mean(axis=0)
    q = np.abs(mean[:, None] - mean) / _rank_error(k, n) * np.sqrt(2)
    p = np.asarray(stats.studentized_range.sf(q, k, np.inf))
    np.fill_diagonal(p, 1.0)
    return np.asarray(np.clip(p, 0.0, 1.0))


def _rank_error(k: int, n: int) -> float:
    if k < 2 or n < 1:
        raise ValueError(
            f"Nemenyi's test needs at least 2 methods and 1 data set, not {k} and {n}."
        )
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def rank_groups(
    ranks: ArrayLike, critical_difference: float
) -> list[tuple[float, float]]:
    """Find the bars of a critical-difference diagram.

    Each pair is the lowest and highest rank of a largest group of methods without a
    reliable difference inside it.

    Examples
    --------
    >>> rank_groups([1.0, 1.5, 2.2, 3.3], 1.3)
    [(1.0, 2.2), (2.2, 3.3)]
    """
    ordered = np.sort(np.asarray(ranks, dtype=np.float64))
    groups: list[tuple[float, float]] = []
    for i, low in enumerate(ordered):
        high = ordered[ordered <= low + critical_difference][-1]
        is_inside_last = groups and high <= groups[-1][1]
        if high > ordered[i] and not is_inside_last:
            groups.append((float(low), float(high)))
    return groups
