# SPDX-License-Identifier: BSD-3-Clause
"""The tables of `dgmml`: three split points, three settings, and the printed ones."""

from statistics import fmean
from typing import Any

from . import dgmml
from .markdown import mean_distance, mean_ranks, percent, table
from .printed import Printed

Way = tuple[str, str]  # method and setting
WAYS: list[Way] = [(m, setting) for setting in dgmml.SETTINGS for m in dgmml.METHODS]
PRINTED = ("dGMML-DT", "CART")


class Numbers:
    """Accuracies by set: the printed ones, and ours for every way."""

    def __init__(self, results: dict[str, Any], printed: Printed) -> None:
        self.sets = results["sets"]
        self.counted = [facts for facts in self.sets if not facts["extra"]]
        self._records: dict[tuple[str, ...], dict[str, Any]] = {
            (r["set"], r["method"], r["setting"]): r for r in results["records"]
        }
        self._printed = printed

    def record(self, facts: dict[str, Any], way: Way) -> dict[str, Any]:
        return self._records[(facts["set"], *way)]

    def ours(self, facts: dict[str, Any], way: Way) -> float:
        return fmean(map(fmean, self.record(facts, way)["accuracy"]))

    def theirs(self, facts: dict[str, Any], method: str) -> float:
        return self._printed[facts["name"], method]["accuracy"]

    def columns(self) -> list[list[float]]:
        """Give a list per column of the table, with a number per counted set."""
        printed = [[self.theirs(f, name) for f in self.counted] for name in PRINTED]
        return printed + [[self.ours(f, way) for f in self.counted] for way in WAYS]

    def noise(self) -> float:
        """Give the largest standard error that the draws leave in a mean."""
        drawn = (r for r in self._records.values() if len(r["accuracy"]) > 1)
        return max(map(dgmml.spread, drawn), default=0.0)


def report(results: dict[str, Any], printed: Printed) -> str:
    numbers = Numbers(results, printed)
    how = (
        f"Accuracy in percent, 10 folds; mean of {results['draws']} runs where columns "
        "are drawn, which leaves a standard error of at most "
        f"{percent(numbers.noise())} in a cell. Rows marked * are other readings of "
        "the same data and not in the means."
    )
    settings = "\n".join(f"- {name}: {text}" for name, text in dgmml.SETTINGS.items())
    return "\n\n".join([how, settings, _accuracy(numbers), _summary(numbers)])


def _accuracy(numbers: Numbers) -> str:
    lines = []
    for facts in numbers.sets:
        size = f"{facts['rows']:,} x {facts['columns']}"
        coding = "" if facts["coding"] == "numbers" else f", {facts['coding']}"
        cells = [numbers.theirs(facts, name) for name in PRINTED]
        cells += [numbers.ours(facts, way) for way in WAYS]
        lines.append((facts["set"], size + coding, *map(percent, cells), facts["note"]))
    means = [f"**{percent(fmean(column))}**" for column in numbers.columns()]
    lines.append(("**mean**", "", *means, ""))
    headings = [f"{name} printed" for name in PRINTED] + list(map(", ".join, WAYS))
    return table(("set", "size", *headings, "note"), lines)


def _summary(numbers: Numbers) -> str:
    dgmml_printed, cart_printed, *ours = numbers.columns()
    lines = []
    for way, column, rank in zip(WAYS, ours, _ranks(ours), strict=True):
        theirs = cart_printed if way[0] == "cart" else dgmml_printed
        records = [numbers.record(facts, way) for facts in numbers.counted]
        lines.append(
            (
                ", ".join(way),
                percent(fmean(column)),
                percent(mean_distance(column, theirs)),
                f"{100 * (fmean(column) - fmean(theirs)):+.2f}",
                f"{rank:.2f}",
                f"{fmean(r['leaves'] for r in records):.1f}",
                f"{fmean(r['depth'] for r in records):.1f}",
            )
        )
    headings = (
        "method, setting",
        "mean accuracy",
        "mean abs. difference from printed",
        "mean difference",
        "mean rank of 4",
        "leaves",
        "depth",
    )
    return table(headings, lines)


def _ranks(ours: list[list[float]]) -> list[float]:
    """Rank the four methods among those in the same setting."""
    n = len(dgmml.METHODS)
    groups = [ours[i : i + n] for i in range(0, len(ours), n)]
    by_set = [list(map(list, zip(*group, strict=True))) for group in groups]
    return [rank for group in by_set for rank in mean_ranks(group)]
