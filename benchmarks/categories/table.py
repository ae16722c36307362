# SPDX-License-Identifier: BSD-3-Clause
"""The results as Markdown tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from statistics import fmean, geometric_mean, stdev
from typing import Any

CODINGS = ("native", "one-hot")


@dataclass(frozen=True)
class Measure:
    """What is compared, how a number is written and averaged over the sets."""

    key: str
    title: str
    write: Callable[[float], str]
    average: Callable[[Sequence[float]], float]
    average_name: str


ACCURACY = Measure(
    "accuracy", "Accuracy in percent", lambda x: f"{100 * x:.2f}", fmean, "mean"
)
# Sets differ in size by factors, so only the geometric mean hears the small ones.
LEAVES = Measure(
    "leaves", "Leaves", lambda x: f"{x:,.1f}", geometric_mean, "geometric mean"
)


def accuracy_report(results: dict[str, Any]) -> str:
    """Show the sets, both measures (sets down, criteria across) and what they say."""
    parts = [_sets(results["sets"])]
    for measure in (ACCURACY, LEAVES):
        parts += [f"{measure.title}, native / one-hot:", _pairs(measure, results)]
    return "\n\n".join([*parts, _summary(results)])


def levels_report(results: dict[str, Any]) -> str:
    headings = ("levels", "as categories", "as numbers", "ratio", "growth", "leaves")
    lines = []
    for line in results["lines"]:
        as_categories, as_numbers = line["categories"], line["numbers"]
        growth = as_categories.get("growth")
        lines.append(
            (
                f"{line['levels']:,}",
                f"{as_categories['seconds']:.3g} s",
                f"{as_numbers['seconds']:.3g} s",
                f"{line['ratio']:.2f}",
                f"{growth:.2f}" if growth else "",
                f"{as_categories['leaves']:,} / {as_numbers['leaves']:,}",
            )
        )
    size = f"{results['rows']:,} rows x {results['columns']} columns"
    facts = f"{size}, {results['criterion']}, full depth, one thread"
    return f"{facts}; *growth*: times the line above.\n\n{_table(headings, lines)}"


def _sets(sets: Sequence[dict[str, Any]]) -> str:
    headings = tuple(sets[0])
    return _table(headings, [[str(facts[h]) for h in headings] for facts in sets])


def _pairs(measure: Measure, results: dict[str, Any]) -> str:
    criteria, names = _criteria(results), [facts["name"] for facts in results["sets"]]
    cells = {
        criterion: list(
            zip(*(_means(results, measure, criterion, c) for c in CODINGS), strict=True)
        )
        for criterion in criteria
    }

    def pair(values: Sequence[float]) -> str:
        return " / ".join(map(measure.write, values))

    lines = [
        (name, *(pair(cells[criterion][i]) for criterion in criteria))
        for i, name in enumerate(names)
    ]
    averages = [
        pair(
            [measure.average(column) for column in zip(*cells[criterion], strict=True)]
        )
        for criterion in criteria
    ]
    lines.append((f"**{measure.average_name}**", *averages))
    return _table(("set", *criteria), lines)


def _summary(results: dict[str, Any]) -> str:
    """Say per criterion how often native wins, and its share of the leaves.

    After ± stands the standard error over the sets.
    """
    lines = []
    for criterion in _criteria(results):
        native, one_hot = (_means(results, ACCURACY, criterion, c) for c in CODINGS)
        gaps = [a - b for a, b in zip(native, one_hot, strict=True)]
        won, lost = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
        leaves = [
            geometric_mean(_means(results, LEAVES, criterion, c)) for c in CODINGS
        ]
        lines.append(
            (
                criterion,
                f"{100 * fmean(gaps):+.2f} ± {100 * _standard_error(gaps):.2f}",
                f"{won} / {len(gaps) - won - lost} / {lost}",
                f"{leaves[0] / leaves[1]:.2f}",
            )
        )
    headings = ("native against one-hot", "accuracy", "won / equal / lost", "leaves")
    return _table(headings, lines)


def _means(
    results: dict[str, Any], measure: Measure, criterion: str, coding: str
) -> list[float]:
    """Return the mean over the folds, one number per set, in the order of the sets."""
    return [
        fmean(record[measure.key])
        for record in results["records"]
        if (record["criterion"], record["coding"]) == (criterion, coding)
    ]


def _standard_error(values: Sequence[float]) -> float:
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else nan


def _criteria(results: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(record["criterion"] for record in results["records"]))


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(headings)
    rows = [headings, rule, *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
