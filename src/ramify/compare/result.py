# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison found: one record per cell, means, ranks and a verdict."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ramify.compare.metrics import METRICS
from ramify.compare.statistics import (
    Friedman,
    average_ranks,
    friedman,
    friedman_permutation_p,
    nemenyi_critical_difference,
)

__all__ = ["Comparison", "DatasetFacts", "Record", "Verdict"]

ALPHA = 0.05


@dataclass(frozen=True)
class Record:
    """One cell: a criterion on one fold of a data set.

    ``values`` holds one number per metric; it is empty when the cell failed, and
    ``error`` says why.
    """

    dataset: str
    criterion: str
    fold: int
    values: dict[str, float] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True)
class DatasetFacts:
    """What a reader wants to know of a data set."""

    name: str
    n_rows: int
    n_columns: int
    n_missing: int
    class_counts: dict[str, int]
    source: str


@dataclass(frozen=True)
class Verdict:
    """The two tests, and what they say in plain words.

    Attributes
    ----------
    metric : str
        The metric that was ranked.
    headline, details : str
        A sentence without its full stop, and a few more.
    test : Friedman or None
        The statistics; None if there are not two criteria and two data sets.
    p : float or None
        p-value of Friedman's test by permutation, which holds for few data sets too;
        the verdict rests on it.
    critical_difference : float or None
        Nemenyi's, of average ranks.
    """

    metric: str
    headline: str
    details: str
    test: Friedman | None = None
    p: float | None = None
    critical_difference: float | None = None


@dataclass(frozen=True)
class Comparison:
    """The result of `ramify.compare.run`.

    Attributes
    ----------
    criteria : tuple of str
        Names, in the order given.
    datasets : tuple of DatasetFacts
        Facts, in the order given.
    metrics : tuple of str
        Names of the metrics. Ranks are taken by the first.
    records : tuple of Record
        One per criterion, data set and fold.
    cv, random_state, n_jobs : int
        The settings of the run.
    seconds : float
        How long the run took.
    """

    criteria: tuple[str, ...]
    datasets: tuple[DatasetFacts, ...]
    metrics: tuple[str, ...]
    records: tuple[Record, ...]
    cv: int
    random_state: int
    n_jobs: int | None
    seconds: float

    @property
    def failures(self) -> tuple[Record, ...]:
        """The cells that failed."""
        return tuple(record for record in self.records if record.error is not None)

    @property
    def rank_metric(self) -> str:
        """The metric by which the criteria are ranked."""
        return self.metrics[0]

    def means(self, metric: str) -> NDArray[np.float64]:
        """Mean over the folds, one row per data set and one column per criterion.

        NaN where a fold failed.
        """
        shape = (len(self.datasets), len(self.criteria), self.cv)
        row = {facts.name: i for i, facts in enumerate(self.datasets)}
        column = {name: j for j, name in enumerate(self.criteria)}
        values = np.full(shape, np.nan)
        for record in self.records:
            cell = row[record.dataset], column[record.criterion], record.fold
            values[cell] = record.values.get(metric, np.nan)
        return np.asarray(values.mean(axis=2))

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """Average rank of each criterion; a failed run ranks last on its data set."""
        higher = METRICS[self.rank_metric].higher_is_better
        return average_ranks(self.means(self.rank_metric), higher_is_better=higher)

    def summary(self) -> list[dict[str, str | float]]:
        """One row per criterion, best rank first: means over all data sets, and rank.

        A mean is NaN if one of its runs failed.
        """
        means = {metric: self.means(metric).mean(axis=0) for metric in self.metrics}
        rows = []
        for j in np.argsort(self.ranks, kind="stable"):
            row: dict[str, str | float] = {"criterion": self.criteria[j]}
            row |= {metric: float(mean[j]) for metric, mean in means.items()}
            rows.append(row | {"rank": float(self.ranks[j])})
        return rows

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the ranks differ reliably: Friedman's test, then Nemenyi's."""
        k, n = len(self.criteria), len(self.datasets)
        if k < 2 or n < 2:
            lack = "one criterion" if k < 2 else "one data set"
            return Verdict(
                self.rank_metric,
                f"With {lack} there is nothing to test",
                "The Friedman test needs at least two criteria and two data sets; "
                "about ten data sets make it worth reading.",
            )
        scores = self.means(self.rank_metric)
        higher = METRICS[self.rank_metric].higher_is_better
        test = friedman(scores, higher_is_better=higher)
        p = friedman_permutation_p(scores, higher_is_better=higher)
        difference = nemenyi_critical_difference(k, n, ALPHA)
        opening = (
            f"Friedman's test over {n} data sets (Iman-Davenport F = {test.f:.2f}, "
            f"p {_p_value(p)} by permutation)"
        )
        headline, details = _in_words(
            self.criteria, self.ranks, opening, p < ALPHA, difference
        )
        return Verdict(self.rank_metric, headline, details, test, p, difference)

    def to_csv(self) -> str:
        """Give all records as CSV text, one line per cell."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["dataset", "criterion", "fold", *self.metrics, "error"])
        for r in self.records:
            values = [r.values.get(metric, "") for metric in self.metrics]
            writer.writerow([r.dataset, r.criterion, r.fold, *values, r.error or ""])
        return text.getvalue()


def _in_words(
    names: Sequence[str],
    ranks: NDArray[np.float64],
    opening: str,
    is_different: bool,
    difference: float,
) -> tuple[str, str]:
    order = np.argsort(ranks, kind="stable")
    lead = f"{names[order[0]]} has the best average rank ({ranks[order[0]]:.2f})"
    if not is_different:
        return (
            f"No reliable difference between the {len(names)} criteria",
            f"{opening} does not show that the criteria differ. {lead}, which may well "
            "be chance.",
        )
    nemenyi = f"critical difference {difference:.2f} at {ALPHA:.0%}"
    n_reliable = int((ranks[:, None] - ranks > difference).sum())
    if n_reliable == 0:
        return (
            "The criteria differ, but no two of them reliably",
            f"{opening} shows that the criteria are not all alike, yet no two average "
            f"ranks are further apart than Nemenyi's {nemenyi}. {lead}.",
        )
    best = names[order[0]]
    is_worse = ranks > ranks[order[0]] + difference
    worse = [names[j] for j in order if is_worse[j]]
    equal = [names[j] for j in order[1:] if not is_worse[j]]
    details = (
        f"{opening} shows that the criteria differ. By Nemenyi's test ({nemenyi}) "
        f"{n_reliable} of {len(names) * (len(names) - 1) // 2} pairs differ reliably."
    )
    if equal:
        details += f" No reliable difference between {best} and {_and(equal)}."
    return f"{best} is reliably better than {_and(worse)}", details


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _p_value(p: float) -> str:
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"
