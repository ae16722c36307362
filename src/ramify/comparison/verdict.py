# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of a comparison say, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.comparison.baseline import (
    ALPHA,
    FEWEST,
    BaselineLine,
    against_baseline,
    decide,
    rope_of,
)
from ramify.comparison.metrics import METRICS, in_words
from ramify.comparison.statistics import (
    Friedman,
    friedman,
    friedman_permutation_p,
    nemenyi_critical_difference,
)

if TYPE_CHECKING:
    from ramify.comparison.result import Comparison

__all__ = ["BaselineLine", "Verdict", "against_baseline", "judge"]

MAX_NAMED = 6


@dataclass(frozen=True)
class Verdict:
    """What the tests say.

    Attributes
    ----------
    metric : str
        The metric that was ranked.
    headline, details : str
        A sentence without its full stop, and a few more, in one to three lines.
    test : Friedman or None
        The statistics; None if there are not two methods and two data sets.
    p : float or None
        p-value of Friedman's test by permutation, which holds for few data sets too;
        the verdict rests on it.
    critical_difference : float or None
        Nemenyi's, of average ranks.
    lines : tuple of BaselineLine
        Every method held against the baseline, if there is one.
    """

    metric: str
    headline: str
    details: str
    test: Friedman | None = None
    p: float | None = None
    critical_difference: float | None = None
    lines: tuple[BaselineLine, ...] = ()


def judge(comparison: Comparison) -> Verdict:
    """Return whether the methods differ reliably, and if so, which.

    By Friedman's test and Nemenyi's over the data sets. If there is a baseline, the
    others are held against it first. On a single data set, its folds are looked at.
    Better is by the first metric, which is named unless it is the accuracy.

    Examples
    --------
    >>> import ramify
    >>> ramify.compare(["gini"], ["iris"], cv=3).verdict.headline
    'With one method there is nothing to compare'
    """
    metric = comparison.rank_metric
    if len(comparison.names) < 2:
        return Verdict(
            metric,
            "With one method there is nothing to compare",
            "Name two or more, and about ten data sets.",
        )
    if len(comparison.datasets) < 2:
        return _on_one_data_set(comparison)
    scores = comparison.means(metric)
    higher = METRICS[metric].higher_is_better
    n, k = scores.shape
    test = friedman(scores, higher_is_better=higher)
    p = friedman_permutation_p(scores, higher_is_better=higher)
    difference = nemenyi_critical_difference(k, n, ALPHA)
    # Infinite where the ranks are the same on every data set.
    statistic = f"Iman-Davenport F = {test.f:.2f}, " if np.isfinite(test.f) else ""
    opening = (
        f"Friedman's test of {in_words(metric)} over {n} data sets ({statistic}"
        f"p {_p_value(p)} by permutation)"
    )
    headline, details = _by_ranks(comparison, opening, p < ALPHA, difference)
    lines: tuple[BaselineLine, ...] = ()
    if comparison.baseline is not None:
        lines = tuple(against_baseline(comparison))
        headline, to_baseline = _to_baseline(comparison, lines)
        details = f"{to_baseline}\n{details}"
    headline += _by(metric)
    details += _about_power(comparison) + _about_failures(comparison)
    return Verdict(metric, headline, details, test, p, difference, lines)


# --- words ------------------------------------------------------------------------


def _by_ranks(
    comparison: Comparison, opening: str, is_different: bool, difference: float
) -> tuple[str, str]:
    names, ranks = comparison.names, comparison.ranks
    order = np.argsort(ranks, kind="stable")
    best = names[order[0]]
    lead = f"{best} has the best average rank ({ranks[order[0]]:.2f})"
    if not is_different:
        return (
            f"No reliable difference between the {len(names)} methods",
            f"{opening} does not show that the methods differ. {lead}, which may well "
            "be chance.",
        )
    nemenyi = f"critical difference {difference:.2f} at 5 %"
    n_reliable = int((ranks[:, None] - ranks > difference).sum())
    if n_reliable == 0:
        return (
            "The methods differ, but no two of them reliably",
            f"{opening} shows that the methods are not all alike, yet no two average "
            f"ranks are further apart than Nemenyi's {nemenyi}. {lead}.",
        )
    is_worse = ranks > ranks[order[0]] + difference
    worse = [names[j] for j in order if is_worse[j]]
    equal = [names[j] for j in order[1:] if not is_worse[j]]
    details = (
        f"{opening} shows that the methods differ. By Nemenyi's test ({nemenyi}) "
        f"{n_reliable} of {len(names) * (len(names) - 1) // 2} pairs differ reliably."
    )
    if equal:
        details += f" No reliable difference between {best} and {_listed(equal)}."
    if worse:
        return (
            f"{best} is reliably better than {_counted(worse, len(names) - 1)}",
            details,
        )
    return f"Some methods differ reliably, but none from the best, {best}", details


def _to_baseline(
    comparison: Comparison, lines: Sequence[BaselineLine]
) -> tuple[str, str]:
    """Return what is better than the baseline, practically the same, and worse."""
    baseline = comparison.baseline
    n = len(comparison.datasets)
    found = {
        decision: [line.method for line in lines if line.decision == decision]
        for decision in ("better", "same", "worse", "undecided")
    }
    sure = [line.method for line in lines if line.words == "reliably better"]
    if better := sure or found["better"]:
        verb = "is" if len(better) == 1 else "are"
        how = "reliably" if sure else "probably"
        headline = f"{_counted(better, len(lines))} {verb} {how} better than {baseline}"
    else:
        headline = f"No method is reliably better than {baseline}"
    if n < FEWEST:
        return headline, (
            f"With {n} data sets nothing can be called better or worse than "
            f"{baseline}; {FEWEST} are the fewest that can show it."
        )
    words = {"better": "probably better", "same": "practically the same"}
    words |= {"worse": "probably worse", "undecided": "undecided"}
    parts = [f"{words[key]}: {_listed(names)}" for key, names in found.items() if names]
    rope = rope_of(comparison.rank_metric)
    region = f"; differences up to {rope:g} count as none" if rope else ""
    return headline, (
        f"Against {baseline}, by the Bayesian signed-rank test over {n} data sets "
        f"(probably means at least 95 %{region}): {'; '.join(parts)}. "
        + _confirmed(lines, n, baseline)
    )


def _confirmed(lines: Sequence[BaselineLine], n: int, baseline: str | None) -> str:
    """Describe what Wilcoxon's test makes of it, which minds the number of methods."""
    m = len(lines)
    test = "Wilcoxon's signed-rank test"
    if m > 1:
        test += f" with Holm's correction for {m} methods"
    if m * 2 / 2**n >= ALPHA:
        return (
            f"{test} could confirm nothing on so few data sets; take more, or "
            "fewer methods."
        )
    sure = [line.method for line in lines if line.words.startswith("reliably")]
    small = [
        line
        for line in lines
        if line.p < ALPHA and line.decision in ("same", "undecided")
    ]
    claims = [line for line in lines if line.decision in ("better", "worse")]
    if sure:
        said = f"{test} confirms {_listed(sure)}."
    elif claims:
        said = f"{test} does not confirm that at 5 %, so it is no more than probable."
    elif not small:
        return f"{test} finds no difference, either."
    else:
        said = ""
    if not small:
        return said
    p = max(line.p for line in small)
    differ = "differs" if len(small) == 1 else "differ"
    also = "It also finds" if said else f"{test} finds"
    found = (
        f"{also} that {_listed([line.method for line in small])} {differ} from "
        f"{baseline} (p {'=' if len(small) == 1 else 'at most'} {p:.2g}): most data "
        "sets lean the same way, but the differences are too small or too uncertain to "
        "call it better or worse."
    )
    return f"{said} {found}".strip()


def _on_one_data_set(comparison: Comparison) -> Verdict:
    """Compare the leader, or the baseline, with the rest on the folds of one data set.

    The folds of one data set say what holds on this data set, and of no other.
    """
    name = comparison.datasets[0].name
    names, metric = comparison.names, comparison.rank_metric
    order = np.argsort(comparison.ranks, kind="stable")
    leader = comparison.baseline or names[order[0]]
    values, lead = comparison.values(metric), names.index(leader)
    found: dict[str, list[str]] = {"better": [], "same": [], "worse": []}
    for j in order:
        if names[j] != leader:
            _, decision = decide(values[:, j], values[:, lead], comparison)
            found.get(decision, []).append(names[j])
    if comparison.baseline is not None:
        better, n_others = found["better"], len(names) - 1
        verb = "is" if len(better) == 1 else "are"
        who = f"{_counted(better, n_others)} {verb} probably"
        headline = f"{who if better else 'No method is reliably'} better than {leader}"
    elif worse := found["worse"]:
        whom = _counted(worse, len(names) - 1)
        headline = f"{leader} is probably better than {whom}"
    else:
        headline = f"No reliable difference between the {len(names)} methods"
    headline += f" on {name}{_by(metric)}"
    details = (
        f"By the Bayesian correlated t-test of {in_words(metric)} over the "
        f"{comparison.protocol.n_trials} folds of the one data set (probably means at "
        "least 95 %)."
    )
    if found["same"]:
        details += f" Practically the same as {leader}: {_listed(found['same'])}."
    lines = tuple(against_baseline(comparison)) if comparison.baseline else ()
    if lines:
        sure = [line.method for line in lines if line.p < ALPHA]
        holm = f" with Holm's correction for {len(lines)}" if len(lines) > 1 else ""
        which = f"{_listed(sure)} from" if sure else "none from"
        details += (
            f" The corrected resampled t-test over the folds{holm} tells {which} "
            f"{leader} at 5 %."
        )
    if len(names) > 2:
        details += " The more methods are compared, the more seem better by chance."
    details += " The test says nothing about other data sets; about ten would."
    details += _about_power(comparison) + _about_failures(comparison)
    return Verdict(metric, headline, details, lines=lines)


def _about_power(comparison: Comparison) -> str:
    """Return which difference the comparison could have found."""
    power = comparison.power
    return "" if power is None else f"\n{power.words}"


def _about_failures(comparison: Comparison) -> str:
    """Name the methods that rank last because they failed, or have no such number."""
    metric = comparison.rank_metric
    failed, late, lacking = (
        list(dict.fromkeys(record.method for record in records))
        for records in (
            [r for r in comparison.failures if r.limit is None],
            [r for r in comparison.failures if r.limit is not None],
            [r for r in comparison.records if np.isnan(r.values.get(metric, 0.0))],
        )
    )
    words = ""
    if failed:
        verb = "ranks" if len(failed) == 1 else "rank"
        words += f"\n{_listed(failed)} failed on some data sets and {verb} last there."
    if late:
        verb = "ranks" if len(late) == 1 else "rank"
        words += f"\n{_listed(late)} hit the time limit on some data sets and {verb} "
        words += "last there."
    if lacking:
        has, ranks = ("has", "ranks") if len(lacking) == 1 else ("have", "rank")
        words += f"\n{_listed(lacking)} {has} no {in_words(metric)} and {ranks} last "
        words += "for that reason alone."
    return words


def _by(metric: str) -> str:
    """Say by what a method is better, where one would not expect it."""
    return "" if metric == "accuracy" else f" by {in_words(metric)}"


def _counted(chosen: Sequence[str], n_others: int) -> str:
    """Name a few, count many."""
    if len(chosen) <= MAX_NAMED:
        return _listed(chosen)
    return f"{len(chosen)} of the other {n_others} methods"


def _listed(words: Sequence[str]) -> str:
    if len(words) > MAX_NAMED + 1:
        words = [*words[:MAX_NAMED], f"{len(words) - MAX_NAMED} more"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _p_value(p: float) -> str:
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"
