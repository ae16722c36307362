# SPDX-License-Identifier: BSD-3-Clause
"""How probable it is that a method is better, worse or practically the same.

Differences inside the region of practical equivalence, from -rope to rope, count as
none. Follows Benavoli, Corani, Demšar and Zaffalon, "Time for a change: a tutorial for
comparing multiple classifiers through Bayesian analysis", JMLR 18, 2017.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from ramify.comparison.statistics.differences import (
    DECIMALS,
    differences,
    variance_factor,
)

Weights = NDArray[np.float64]

__all__ = ["Posterior", "bayesian_correlated_t_test", "bayesian_signed_rank_test"]


class Posterior(NamedTuple):
    """Probabilities that ours is better, practically the same, and worse."""

    better: float
    same: float
    worse: float

    def decision(
        self, threshold: float = 0.95
    ) -> Literal["better", "same", "worse", "undecided"]:
        """Name what has at least that probability, if anything does.

        Examples
        --------
        >>> Posterior(0.97, 0.02, 0.01).decision()
        'better'
        >>> Posterior(0.50, 0.45, 0.05).decision()
        'undecided'
        """
        if self.better >= threshold:
            return "better"
        if self.worse >= threshold:
            return "worse"
        return "same" if self.same >= threshold else "undecided"


def bayesian_signed_rank_test(
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    rope: float = 0.01,
    higher_is_better: bool = True,
    prior_strength: float = 0.5,
    edge: Literal["rounded", "baycomp"] = "rounded",
    n_draws: int = 50_000,
    random_state: int = 0,
) -> Posterior:
    """Compare two methods over many data sets.

    The prior is a Dirichlet process with one made-up data set of difference 0 and of
    weight ``prior_strength``; each real data set has weight 1. The differences so get
    random weights from a Dirichlet distribution. A draw weighs all pairs of
    differences by whether their mean lies above, inside or below the region; a mean at
    an edge of the region counts half inside and half outside. The probability of
    "better" is the share of draws in which "above" weighs most. The draws are the same
    each time, and do not depend on the order of the data sets.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_datasets,)
        Mean scores. Data sets where one of them is NaN are left out.
    rope : float
        Half width of the region of practical equivalence, in units of the score:
        0.01 is one percent point of accuracy. With 0 nothing is practically the same.
    higher_is_better : bool
        Which way the scores go.
    prior_strength : float
        Weight of the made-up data set of difference 0.
    edge : {"rounded", "baycomp"}
        What lies at an edge of the region. "rounded": differences are rounded to 12
        decimals, so that 0.81 and 0.80 are 0.01 apart, and draws in which two sides
        weigh the same are shared or go to the better. "baycomp" does as that package
        (1.0.3) does, draw by draw: floating-point numbers count as they are, by which
        0.81 - 0.80 is above 0.01; the data sets are drawn for in the order given; a
        draw in which sides weigh the same goes to "worse", then to "same".
    n_draws, random_state : int
        Number of draws, and their seed.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon and Ruggeri, "A Bayesian Wilcoxon signed-rank
    test based on the Dirichlet process", ICML 2014.

    Examples
    --------
    >>> ours = [0.95, 0.91, 0.84, 0.77, 0.93, 0.88]
    >>> theirs = [0.90, 0.85, 0.80, 0.77, 0.89, 0.82]
    >>> bayesian_signed_rank_test(ours, theirs).better > 0.95
    True
    >>> bayesian_signed_rank_test(ours, ours).same
    1.0
    """
    _check_rope(rope)
    if edge not in ("rounded", "baycomp"):
        raise ValueError(f"edge={edge!r} is unknown; use 'rounded' or 'baycomp'")
    decimals = DECIMALS if edge == "rounded" else None
    found = differences(ours, theirs, higher_is_better, decimals=decimals)
    if len(found) == 0:
        raise ValueError("the two methods have no data set in common.")
    if edge == "baycomp":
        draws = _draws(len(found), prior_strength, n_draws, random_state)
        return _as_baycomp(np.append(0.0, found), draws, rope)
    # By size, so that the order in which the data sets come changes nothing.
    found = np.append(0.0, found[np.lexsort([found, np.abs(found)])])
    draws = _draws(len(found) - 1, prior_strength, n_draws, random_state)
    sums = found[:, None] + found
    above = _share(draws, sums - 2 * rope)
    below = _share(draws, -sums - 2 * rope)
    inside = 1 - above - below if rope > 0 else np.full(n_draws, -1.0)
    winner = np.argmax([above, inside, below], axis=0)
    better, same, worse = np.bincount(winner, minlength=3) / n_draws
    if rope == 0:  # equal weights, as of equal methods, speak for neither
        even = float((above == below).mean()) / 2
        return Posterior(float(better) - even, 0.0, float(worse) + even)
    return Posterior(float(better), float(same), float(worse))


def _as_baycomp(found: NDArray[np.float64], draws: Weights, rope: float) -> Posterior:
    sums = found[:, None] + found
    above = _share(draws, np.sign(sums - 2 * rope))
    if rope > 0:
        below = _share(draws, np.sign(-sums - 2 * rope))
        inside = 1 - above - below
    else:
        below, inside = 1 - above, np.zeros(len(draws))
    winner = np.argmax([below, inside, above], axis=0)
    worse, same, better = np.bincount(winner, minlength=3) / len(draws)
    return Posterior(float(better), float(same), float(worse))


@lru_cache(maxsize=1)  # many methods are compared on the same number of data sets
def _draws(n: int, prior_strength: float, n_draws: int, seed: int) -> Weights:
    weights = np.append(prior_strength, np.ones(n))
    return np.random.RandomState(seed).dirichlet(weights, n_draws)


def _share(draws: Weights, distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh the pairs at a positive distance; those at 0 count half."""
    counts = np.heaviside(np.round(distance, DECIMALS), 0.5)
    return np.asarray(np.einsum("di,di->d", draws @ counts, draws))


def bayesian_correlated_t_test(
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    test_share: float,
    rope: float = 0.01,
    higher_is_better: bool = True,
) -> Posterior:
    """Compare two methods on the runs of one data set.

    The posterior of the mean difference is Student's t with n - 1 degrees of freedom
    around the mean, with the variance (1 / n + share / (1 - share)) s² of
    `corrected_t_test`, because the training rows of folds overlap.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_runs,)
        Scores of the same runs, in the same order. Runs with a NaN are left out.
    test_share : float
        Part of the rows that each run tests: 1 / k for k folds.
    rope : float
        Half width of the region of practical equivalence, in units of the score.
    higher_is_better : bool
        Which way the scores go.

    References
    ----------
    Corani and Benavoli, "A Bayesian approach for comparing cross-validated algorithms
    on multiple data sets", Machine Learning 100, 2015.

    Examples
    --------
    >>> ours, theirs = [0.91, 0.88, 0.93, 0.90], [0.90, 0.89, 0.92, 0.89]
    >>> found = bayesian_correlated_t_test(ours, theirs, test_share=1 / 4)
    >>> [round(p, 3) for p in found]
    [0.28, 0.648, 0.072]
    """
    _check_rope(rope)
    found = differences(ours, theirs, higher_is_better)
    n = len(found)
    if n < 2:
        raise ValueError(f"a t-test needs at least 2 runs, not {n}.")
    mean = found.mean()
    if (found == found[0]).all():  # the same each time: no doubt either way
        at_edge = 0.5 if rope == 0 else 0.0
        better = float(np.heaviside(found[0] - rope, at_edge))
        worse = float(np.heaviside(-found[0] - rope, at_edge))
        return Posterior(better, 1 - better - worse, worse)
    scale = found.std(ddof=1) * np.sqrt(variance_factor(n, test_share))
    better = float(stats.t.sf(rope, n - 1, mean, scale))
    worse = float(stats.t.cdf(-rope, n - 1, mean, scale))
    return Posterior(better, max(0.0, 1 - better - worse), worse)


def _check_rope(rope: float) -> None:
    if not 0 <= rope < np.inf:
        raise ValueError(
            f"rope={rope} is no width; give the difference that is too small to "
            "matter, such as 0.01, or 0."
        )
