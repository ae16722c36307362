# SPDX-License-Identifier: BSD-3-Clause
"""The power of a comparison: which differences its data sets can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.comparison.baseline import ALPHA, rope_of
from ramify.comparison.metrics import METRICS, in_words
from ramify.comparison.statistics import (
    datasets_needed,
    detectable_by_t_test,
    detectable_by_wilcoxon,
)

if TYPE_CHECKING:
    from ramify.comparison.result import Comparison

__all__ = ["Power", "power_of"]


@dataclass(frozen=True)
class Power:
    """Which difference between two methods a comparison finds in 80 % of cases.

    Over several data sets by Wilcoxon's signed-rank test, over the folds of a single
    one by the corrected resampled t-test; at 5 %, with Holm's correction.

    Attributes
    ----------
    metric : str
        The metric that ranks.
    reference : str
        The method that the others are held against: the baseline, or the best.
    n_datasets, n_trials : int
        Number of data sets, and of folds on each.
    n_tests : int
        Number of methods that are held against the reference.
    spread : float
        Standard deviation of the differences to the reference over the data sets (on a
        single one, over its folds): the median over the methods.
    difference : float
        The smallest difference that is found in 80 % of cases; infinite if there are
        too few data sets to find any.
    small_difference : float
        A difference that barely matters: 0.01 of a score; 0 of other metrics.
    n_needed : int or None
        The number of data sets that would show the small difference in 80 % of cases;
        None if that is more than 1,000, or not known.
    """

    metric: str
    reference: str
    n_datasets: int
    n_trials: int
    n_tests: int
    spread: float
    difference: float
    small_difference: float
    n_needed: int | None

    @property
    def words(self) -> str:
        """The power in a sentence or two."""
        holm = ""
        if self.n_tests > 1:
            holm = f" with Holm's correction for {self.n_tests} methods"
        if self.n_datasets == 1:
            where, test = f"these {self.n_trials} folds", "corrected resampled t-test"
        else:
            where = f"{self.n_datasets} data sets"
            test = "Wilcoxon's signed-rank test"
        if np.isinf(self.difference):
            fewest = ""
            if self.n_datasets > 1:  # where p can be below 5 %, divided by the methods
                n = int(np.floor(np.log2(2 * self.n_tests / ALPHA))) + 1
                fewest = f", which needs at least {n} data sets"
            return (
                f"Power: with {where} no difference can be found by {test}{holm}"
                f"{fewest}."
            )
        said = (
            f"Power: with {where} a difference of {self._shown(self.difference)} to "
            f"{self.reference} is found in 80 % of cases ({test}{holm})"
        )
        if self.n_needed is not None and self.n_needed > self.n_datasets:
            few = self._shown(self.small_difference)
            said += f"; {few} would need about {self.n_needed} data sets"
        return f"{said}."

    def _shown(self, difference: float) -> str:
        about = METRICS[self.metric]
        if about.title.endswith("%"):
            points = f"{about.scale * difference:.1f}".removesuffix(".0")
            return f"{points} point{'' if points == '1' else 's'}"
        return f"{about.scale * difference:.2g} in {in_words(self.metric)}"


def power_of(comparison: Comparison) -> Power | None:
    """Return the power of a comparison; None if no two methods differ anywhere."""
    names, metric = comparison.names, comparison.rank_metric
    if len(names) < 2:
        return None
    best = names[int(np.argmin(comparison.ranks))]
    reference = comparison.baseline or best
    values = comparison.values(metric)
    scores = values[0] if len(values) == 1 else values.mean(axis=2).T
    spreads = []
    for name, ours in zip(names, scores, strict=True):
        by = ours - scores[names.index(reference)]
        by = by[~np.isnan(by)]
        if name != reference and len(by) > 1 and by.std() > 1e-12:
            spreads.append(by.std(ddof=1))
    if not spreads:
        return None
    spread = float(np.median(spreads))
    n_datasets, _, n_trials = values.shape
    n_tests = len(names) - 1
    alpha = ALPHA / n_tests
    small, needed = rope_of(metric), None
    if n_datasets == 1:
        effect = detectable_by_t_test(n_trials, comparison.protocol.test_share, alpha)
    else:
        effect = detectable_by_wilcoxon(n_datasets, alpha)
        needed = datasets_needed(small / spread, alpha)
    return Power(
        metric,
        reference,
        n_datasets,
        n_trials,
        n_tests,
        spread,
        effect * spread,
        small,
        needed,
    )
