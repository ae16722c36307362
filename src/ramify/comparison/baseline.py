# SPDX-License-Identifier: BSD-3-Clause
"""Every method held against one of them, the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ramify.comparison.metrics import METRICS
from ramify.comparison.statistics import (
    Posterior,
    WinTieLoss,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    corrected_t_test,
    holm,
    reliable_win_tie_loss,
    wilcoxon_to_baseline,
)

if TYPE_CHECKING:
    from ramify.comparison.result import Comparison

__all__ = [
    "ALPHA",
    "FEWEST",
    "BaselineLine",
    "against_baseline",
    "decide",
    "p_text",
    "rope_of",
]

ALPHA = 0.05
# The smallest number of data sets for which Wilcoxon's p can be below 5 %. With fewer,
# nothing is decided, whatever the prior of a Bayesian test makes of it.
FEWEST = 6
# Scores that a difference of 0.01 does not change for any practical purpose.
SCORES = (
    *("accuracy", "auc", "balanced_accuracy", "f1", "log_loss"),
    *("mcc", "pr_auc", "brier", "r2", "c_index", "c_index_ipcw"),
)


@dataclass(frozen=True)
class BaselineLine:
    """One method held against the baseline.

    Attributes
    ----------
    method : str
        Its name.
    counts : WinTieLoss
        Data sets on which it is reliably better, undecided and worse, by the corrected
        resampled t-test at 5 %.
    p : float
        Of Wilcoxon's signed-rank test over the data sets; on a single data set, of the
        corrected resampled t-test over its folds. With Holm's correction.
    posterior : Posterior
        Probabilities of better, practically the same and worse: by the Bayesian
        signed-rank test, or on a single data set by the Bayesian correlated t-test. NaN
        if the two have no data set in common.
    decision : {"better", "same", "worse", "undecided"}
        What has a probability of at least 95 %. Undecided on 2 to 5 data sets, which
        are too few.
    n_datasets : int
        How many data sets there were. One says something of its folds, and of nothing
        else.
    """

    method: str
    counts: WinTieLoss
    p: float
    posterior: Posterior
    decision: str
    n_datasets: int

    @property
    def words(self) -> str:
        """The decision in words: reliable is what p confirms, else it is probable."""
        if self.decision in ("better", "worse"):
            is_sure = self.p < ALPHA and self.n_datasets > 1
            how = "reliably" if is_sure else "probably"
            return f"{how} {self.decision}"
        return "practically the same" if self.decision == "same" else "undecided"


def against_baseline(comparison: Comparison) -> list[BaselineLine]:
    """Hold every method against the baseline, best average rank first.

    Examples
    --------
    >>> import ramify
    >>> result = ramify.compare(
    ...     ["gini", "ihd"], ["iris", "wine"], cv=3, baseline="gini"
    ... )
    >>> [line.method for line in result.against_baseline()]
    ['ihd']
    """
    metric, baseline = comparison.rank_metric, comparison.baseline
    if baseline is None:
        raise ValueError(
            "there is no baseline; name one, as in compare(..., baseline='gini')."
        )
    base = comparison.names.index(baseline)
    higher = METRICS[metric].higher_is_better
    values = comparison.values(metric)
    means = values.mean(axis=2)
    n_datasets = len(comparison.datasets)
    if n_datasets > 1:
        p = wilcoxon_to_baseline(means, base, higher_is_better=higher)
    else:
        p = _over_folds(values[0], base, comparison)
    lines = []
    for j in np.argsort(comparison.ranks, kind="stable"):
        if j == base:
            continue
        counts = reliable_win_tie_loss(
            values[:, j],
            values[:, base],
            test_share=comparison.protocol.test_share,
            higher_is_better=higher,
            alpha=ALPHA,
        )
        posterior, decision = decide(values[:, j], values[:, base], comparison)
        name = comparison.names[j]
        lines.append(
            BaselineLine(name, counts, float(p[j]), posterior, decision, n_datasets)
        )
    return lines


def _over_folds(
    values: NDArray[np.float64], base: int, comparison: Comparison
) -> NDArray[np.float64]:
    """Test each method, methods x trials, against the baseline on one data set's folds.

    NaN where there are no two folds that both have a number for.
    """
    p = np.full(len(values), np.nan)
    for j, ours in enumerate(values):
        both = ~np.isnan(ours - values[base])
        if j != base and both.sum() > 1:
            test_share = comparison.protocol.test_share
            test = corrected_t_test(
                ours[both], values[base][both], test_share=test_share
            )
            p[j] = test.p
    known = ~np.isnan(p)
    p[known] = holm(p[known])
    return p


def p_text(p: float) -> str:
    """Write p for a table; nothing where it could not be had.

    Examples
    --------
    >>> p_text(0.04321), p_text(1e-9), p_text(float("nan"))
    ('0.043', '< 0.001', '')
    """
    if np.isnan(p):
        return ""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def rope_of(metric: str) -> float:
    """Return the difference of a metric that is too small to matter.

    0.01 (one percent point) of a score, and nothing of leaves, depth and times.

    Examples
    --------
    >>> rope_of("accuracy"), rope_of("leaves")
    (0.01, 0.0)
    """
    return 0.01 if metric in SCORES else 0.0


def decide(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], comparison: Comparison
) -> tuple[Posterior, str]:
    """Compare the scores of two methods, data sets x trials, by a Bayesian test."""
    metric = comparison.rank_metric
    higher, rope = METRICS[metric].higher_is_better, rope_of(metric)
    if len(ours) == 1 and np.count_nonzero(~np.isnan(ours - theirs)) > 1:
        posterior = bayesian_correlated_t_test(
            ours[0],
            theirs[0],
            test_share=comparison.protocol.test_share,
            rope=rope,
            higher_is_better=higher,
        )
        return posterior, posterior.decision()
    a, b = ours.mean(axis=1), theirs.mean(axis=1)
    n_common = np.count_nonzero(~np.isnan(a - b))
    if len(ours) == 1 or n_common == 0:
        return Posterior(np.nan, np.nan, np.nan), "undecided"
    posterior = bayesian_signed_rank_test(a, b, rope=rope, higher_is_better=higher)
    return posterior, posterior.decision() if n_common >= FEWEST else "undecided"
