# SPDX-License-Identifier: BSD-3-Clause
"""Two methods on the folds of one data set: t-tests, and wins, ties and losses."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ramify.comparison.statistics.differences import (
    DECIMALS,
    differences,
    variance_factor,
)

__all__ = [
    "TTest",
    "WinTieLoss",
    "corrected_t_test",
    "paired_t_test",
    "reliable_signs",
    "reliable_win_tie_loss",
    "variance_factor",
    "win_tie_loss",
]


class TTest(NamedTuple):
    """The result of a t-test: the statistic (positive if ours is better), and p."""

    t: float
    p: float


class WinTieLoss(NamedTuple):
    """Data sets on which ours is better, equal and worse."""

    wins: int
    ties: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}"


def paired_t_test(
    ours: ArrayLike, theirs: ArrayLike, *, higher_is_better: bool = True
) -> TTest:
    """Test whether the mean difference over paired runs is zero (two-sided).

    t is the mean difference over its standard error, s / sqrt(n), with n - 1 degrees
    of freedom. It takes the runs for independent. Folds are not: their training rows
    overlap, and this test then finds differences that are not there. It is here because
    papers use it; prefer `corrected_t_test`.

    References
    ----------
    Dietterich, "Approximate statistical tests for comparing supervised classification
    learning algorithms", Neural Computation 10, 1998.

    Examples
    --------
    >>> test = paired_t_test([0.9, 0.8, 0.9, 0.7], [0.8, 0.8, 0.7, 0.6])
    >>> round(test.t, 3), round(test.p, 3)
    (2.449, 0.092)
    """
    return corrected_t_test(
        ours, theirs, test_share=0.0, higher_is_better=higher_is_better
    )


def corrected_t_test(
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    test_share: float,
    higher_is_better: bool = True,
) -> TTest:
    """Test a difference over resampled runs, whose training rows overlap.

    The paired t-test with the variance (1 / n + share / (1 - share)) s² in place of
    s² / n, where share is the part of the rows that each run tests. Repeating the
    cross-validation then cannot make any difference significant.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_runs,)
        Scores of the same runs, in the same order. Runs with a NaN are left out.
    test_share : float
        Part of the rows that is tested: 1 / k for k folds, however often repeated.
    higher_is_better : bool
        Which way the scores go.

    References
    ----------
    Nadeau and Bengio, "Inference for the generalization error", Machine Learning 52,
    2003.

    Examples
    --------
    >>> ours, theirs = [0.9, 0.8, 0.9, 0.7], [0.8, 0.8, 0.7, 0.6]
    >>> test = corrected_t_test(ours, theirs, test_share=1 / 4)
    >>> round(test.t, 3), round(test.p, 3)
    (1.604, 0.207)
    """
    found = differences(ours, theirs, higher_is_better)
    n = len(found)
    if n < 2:
        raise ValueError(f"a t-test needs at least 2 runs, not {n}.")
    mean, spread = float(found.mean()), float(found.std(ddof=1))
    if (found == found[0]).all():  # the same each time: no doubt either way
        return TTest(0.0, 1.0) if mean == 0 else TTest(float(np.sign(mean)) * np.inf, 0)
    t = float(mean / (spread * np.sqrt(variance_factor(n, test_share))))
    return TTest(t, float(2 * stats.t.sf(abs(t), n - 1)))


def win_tie_loss(
    ours: ArrayLike, theirs: ArrayLike, *, higher_is_better: bool = True
) -> WinTieLoss:
    """Count the data sets on which ours is better, equal and worse.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_datasets,)
        Scores. NaN (a run that failed) loses against a number.
    higher_is_better : bool
        Which way the scores go.

    Examples
    --------
    >>> print(win_tie_loss([0.9, 0.8, 0.7, 0.6], [0.8, 0.8, 0.6, 0.7]))
    2/1/1
    """
    signs = [
        _sign_of(a, b, higher_is_better)
        for a, b in zip(np.atleast_1d(ours), np.atleast_1d(theirs), strict=True)
    ]
    return _counted(signs)


def reliable_win_tie_loss(
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    test_share: float,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> WinTieLoss:
    """Count the data sets on which ours is reliably better, undecided, worse.

    See `reliable_signs`, which has the same parameters.

    Examples
    --------
    >>> ours = [[0.9, 0.8, 0.9, 0.7], [0.9, 0.8, 0.9, 0.8]]
    >>> theirs = [[0.8, 0.8, 0.7, 0.6], [0.5, 0.4, 0.4, 0.4]]
    >>> print(reliable_win_tie_loss(ours, theirs, test_share=1 / 4))
    1/1/0
    """
    return _counted(
        reliable_signs(
            ours,
            theirs,
            test_share=test_share,
            higher_is_better=higher_is_better,
            alpha=alpha,
        )
    )


def reliable_signs(
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    test_share: float,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> list[int]:
    """Return for each data set 1 if ours is reliably better, -1 if worse, else 0.

    Reliable means that `corrected_t_test` gives a p below alpha.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_datasets, n_runs)
        Scores of the same runs. A method with a NaN (a run that failed) loses the data
        set against one without.
    test_share : float
        Part of the rows that each run tests: 1 / k for k folds.
    higher_is_better : bool
        Which way the scores go.
    alpha : float
        Level of the tests. It is not corrected for their number, as is the custom.

    Examples
    --------
    >>> ours = [[0.9, 0.8, 0.9, 0.7], [0.9, 0.8, 0.9, 0.8]]
    >>> theirs = [[0.8, 0.8, 0.7, 0.6], [0.5, 0.4, 0.4, 0.4]]
    >>> reliable_signs(ours, theirs, test_share=1 / 4)
    [0, 1]
    """
    signs = []
    for a, b in zip(np.atleast_2d(ours), np.atleast_2d(theirs), strict=True):
        sign = _sign_of(a.mean(), b.mean(), higher_is_better)
        if not np.isnan([a.mean(), b.mean()]).any():
            test = corrected_t_test(
                a, b, test_share=test_share, higher_is_better=higher_is_better
            )
            sign = sign if test.p < alpha else 0
        signs.append(sign)
    return signs


def _sign_of(ours: float, theirs: float, higher_is_better: bool) -> int:
    """Return 1 where ours is better, -1 where theirs is, 0 where they are equal."""
    if np.isnan(ours) or np.isnan(theirs):
        return int(np.isnan(theirs)) - int(np.isnan(ours))
    sign = int(np.sign(np.round(ours - theirs, DECIMALS)))
    return sign if higher_is_better else -sign


def _counted(signs: list[int]) -> WinTieLoss:
    return WinTieLoss(signs.count(1), signs.count(0), signs.count(-1))
