# SPDX-License-Identifier: BSD-3-Clause
"""How large a difference must be for a test to find it, or how many data sets.

An effect is a difference in units of its spread: the standard deviation, over the data
sets or over the folds, of the difference between two methods.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from ramify.comparison.statistics.paired import variance_factor
from ramify.comparison.statistics.signed_ranks import MAX_COUNTED

__all__ = [
    "datasets_needed",
    "detectable_by_t_test",
    "detectable_by_wilcoxon",
    "t_test_power",
    "wilcoxon_power",
]

POWER = 0.8
_N_DRAWS = 4000
_LARGEST = 50.0  # no effect that one would look for
_MAX_DATASETS = 1000


def wilcoxon_power(effect: float, n_datasets: int, alpha: float = 0.05) -> float:
    """Return how often Wilcoxon's signed-rank test finds an effect.

    By 4,000 simulated experiments, whose differences are normal with spread 1. The same
    ones are used for every effect.

    Parameters
    ----------
    effect : float
        The mean difference, in units of its spread over the data sets.
    n_datasets : int
        Number of data sets.
    alpha : float
        Level of the two-sided test; divide it by the number of tests if there are many.

    Examples
    --------
    >>> wilcoxon_power(1.0, 5)  # 5 data sets never give a p below 5 %
    0.0
    >>> wilcoxon_power(1.0, 10) > 0.75
    True
    """
    most = _largest_sum(n_datasets, alpha)
    if most < 0:
        return 0.0
    found = effect + _noise(n_datasets)
    ranks = np.abs(found).argsort(axis=1).argsort(axis=1) + 1
    plus = np.where(found > 0, ranks, 0).sum(axis=1)
    minus = n_datasets * (n_datasets + 1) // 2 - plus
    return float((np.minimum(plus, minus) <= most).mean())


def detectable_by_wilcoxon(
    n_datasets: int, alpha: float = 0.05, power: float = POWER
) -> float:
    """Return the smallest effect that Wilcoxon's test finds with that power.

    Infinite if there are too few data sets to find any.

    Examples
    --------
    >>> detectable_by_wilcoxon(5)
    inf
    >>> 0.9 < detectable_by_wilcoxon(10) < 1.1
    True
    """
    if wilcoxon_power(_LARGEST, n_datasets, alpha) < power:
        return np.inf
    low, high = 0.0, _LARGEST
    while high - low > 1e-3:
        middle = (low + high) / 2
        if wilcoxon_power(middle, n_datasets, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def datasets_needed(
    effect: float, alpha: float = 0.05, power: float = POWER
) -> int | None:
    """Return how many data sets Wilcoxon's test needs to find an effect.

    By simulation, or if there are more than 50 by the formula for large samples; None
    if there are more than 1,000.

    Examples
    --------
    >>> datasets_needed(0.0) is None
    True
    >>> 9 <= datasets_needed(1.0) <= 12
    True
    """
    if effect == 0:
        return None
    # That of the t-test, by the normal distribution; Wilcoxon's is 3 / pi as efficient.
    z = stats.norm.isf(alpha / 2) + stats.norm.isf(1 - power)
    guess = (z / effect) ** 2 * np.pi / 3
    if guess > MAX_COUNTED:
        return None if guess > _MAX_DATASETS else int(np.ceil(guess))
    low, high = int(0.7 * guess), int(1.4 * guess) + 10
    while high - low > 1:
        middle = (low + high) // 2
        if wilcoxon_power(effect, middle, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def t_test_power(
    effect: float, n_runs: int, test_share: float, alpha: float = 0.05
) -> float:
    """Return how often the corrected resampled t-test finds an effect.

    By the noncentral t distribution, integrated over the estimated spread, as if the
    correction for the rows that runs share were exact.

    Parameters
    ----------
    effect : float
        The mean difference, in units of its spread over the runs.
    n_runs : int
        Number of folds, over all repeats.
    test_share : float
        Part of the rows that each run tests: 1 / k for k folds.
    alpha : float
        Level of the two-sided test.

    Examples
    --------
    >>> round(t_test_power(0.0, 10, 0.1), 3)
    0.05
    """
    limit = stats.t.isf(alpha / 2, n_runs - 1)
    shift = effect / np.sqrt(variance_factor(n_runs, test_share))
    reach = limit * _spreads(n_runs - 1)
    return float((stats.norm.sf(reach - shift) + stats.norm.cdf(-reach - shift)).mean())


def detectable_by_t_test(
    n_runs: int, test_share: float, alpha: float = 0.05, power: float = POWER
) -> float:
    """Return the smallest effect that the t-test over runs finds with that power.

    Examples
    --------
    >>> round(detectable_by_t_test(10, 0.1), 2)
    1.45
    """

    def missing(effect: float) -> float:
        return t_test_power(effect, n_runs, test_share, alpha) - power

    high = 1.0
    while missing(high) < 0:
        high *= 2
        if high > _LARGEST:
            return np.inf
    return float(optimize.brentq(missing, 0.0, high))


@cache
def _largest_sum(n: int, alpha: float) -> int:
    """Return the largest rank sum of the smaller side whose p is below alpha, or -1."""
    total = n * (n + 1) // 2
    if n > MAX_COUNTED:
        spread = np.sqrt(total * (2 * n + 1) / 12)
        limit = total / 2 - stats.norm.isf(alpha / 2) * spread
        return int(np.ceil(limit)) - 1
    counts = np.zeros(total + 1)
    counts[0] = 1
    for rank in range(1, n + 1):  # each rank is on one side or the other
        counts[rank:] = counts[rank:] + counts[:-rank]
    p = 2 * counts.cumsum() / 2.0**n
    return int(np.searchsorted(p, alpha)) - 1


@cache
def _noise(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).normal(size=(_N_DRAWS, n))


@cache
def _spreads(degrees: int) -> NDArray[np.float64]:
    """Return 4,000 quantiles of the estimated spread where the true one is 1.

    scipy's noncentral t is NaN for large effects and few degrees of freedom.
    """
    levels = (np.arange(_N_DRAWS) + 0.5) / _N_DRAWS
    return np.asarray(np.sqrt(stats.chi2.ppf(levels, degrees) / degrees))
