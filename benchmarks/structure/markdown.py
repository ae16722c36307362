# SPDX-License-Identifier: BSD-3-Clause
"""Markdown tables and the few statistics that both reports need."""

from collections.abc import Sequence
from statistics import fmean

from scipy.stats import rankdata, spearmanr


def table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(headings)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, rule, *lines))


def percent(share: float) -> str:
    return f"{100 * share:.2f}"


def mean_distance(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Give the mean absolute difference."""
    return fmean(abs(a - b) for a, b in zip(ours, theirs, strict=True))


def mean_ranks(by_set: Sequence[Sequence[float]]) -> list[float]:
    """Give the mean rank of each method over the sets; 1 is the highest accuracy."""
    ranks = [rankdata([-value for value in of_methods]) for of_methods in by_set]
    return [fmean(column) for column in zip(*ranks, strict=True)]


def mean_rank_correlation(
    ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]
) -> tuple[float, int]:
    """Give Spearman's rho of the methods' order, averaged over the sets.

    A set on which all methods are equal has no order and is left out; the second
    number says how many sets are left.
    """
    rhos = [
        float(spearmanr(a, b).statistic)
        for a, b in zip(ours, theirs, strict=True)
        if len(set(a)) > 1 and len(set(b)) > 1
    ]
    return fmean(rhos), len(rhos)
