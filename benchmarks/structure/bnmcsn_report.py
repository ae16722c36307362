# SPDX-License-Identifier: BSD-3-Clause
"""The tables of `bnmcsn`: printed numbers, ours by test folds, ours nested."""

from statistics import fmean
from typing import Any

from . import bnmcsn
from .markdown import mean_distance, mean_rank_correlation, mean_ranks, percent, table
from .printed import Printed

METHODS = tuple(bnmcsn.METHODS)
SOURCES = ("printed", *bnmcsn.PROTOCOLS)


class Numbers:
    """The mean over folds by measure, source, set and method."""

    def __init__(self, results: dict[str, Any], printed: Printed) -> None:
        self.sets = results["sets"]
        self.counted = [facts for facts in self.sets if not facts["extra"]]
        self._records: dict[tuple[str, str], dict[str, Any]] = {
            (r["set"], r["method"]): r for r in results["records"]
        }
        self._printed = printed

    def record(self, facts: dict[str, Any], method: str) -> dict[str, Any]:
        return self._records[facts["set"], method]

    def of(self, key: str, source: str, facts: dict[str, Any], method: str) -> float:
        if source == "printed":
            return self._printed[facts["name"], method][key]
        return fmean(self.record(facts, method)[source][key])

    def column(self, key: str, source: str, method: str) -> list[float]:
        """Give a number per counted set."""
        return [self.of(key, source, facts, method) for facts in self.counted]

    def by_set(self, key: str, source: str) -> list[list[float]]:
        """Give, per counted set, a number per method."""
        return [
            [round(self.of(key, source, facts, method), 6) for method in METHODS]
            for facts in self.counted
        ]


def report(results: dict[str, Any], printed: Printed) -> str:
    numbers = Numbers(results, printed)
    how = (
        "*printed*: the paper's table; *paper*: our trees, parameters with the best "
        "mean test accuracy; *nested*: parameters chosen within each training fold. "
        "Rows marked * are other readings of the same data and not in the means."
    )
    kinds = (
        ("accuracy", "Accuracy in percent", percent),
        ("leaves", "Leaves", "{:.1f}".format),
        ("depth", "Depth", "{:.1f}".format),
    )
    parts = [_sets(results), how]
    for key, title, write in kinds:
        heading = f"{title}, printed / paper / nested (Gini: printed / ours):"
        parts += [heading, _measure(numbers, key, write)]
    parts += ["Over the counted sets, printed / paper / nested:", _summary(numbers)]
    parts += [_order(numbers), _leaves(numbers)]
    parts += ["Parameters with the best mean test accuracy:", _chosen(numbers)]
    return "\n\n".join(parts)


def _sets(results: dict[str, Any]) -> str:
    headings = ("set", "rows", "columns", "coding", "grid", "CPU s", "note")
    grids = list(bnmcsn.GRIDS.values())
    seconds: dict[str, float] = {}
    for record in results["records"]:
        name = record["set"]
        seconds[name] = seconds.get(name, 0) + record["CPU seconds"]
    lines = []
    for facts in results["sets"]:
        grid = chr(ord("A") + grids.index(bnmcsn.grid_for(facts["rows"])))
        size = (f"{facts['rows']:,}", str(facts["columns"]), facts["coding"])
        cost = f"{seconds[facts['set']]:.0f}"
        lines.append((facts["set"], *size, grid, cost, facts["note"]))
    legend = "\n".join(
        f"- grid {chr(ord('A') + i)} (from {least:,} rows): {grid}"
        for i, (least, grid) in enumerate(bnmcsn.GRIDS.items())
    )
    scale = f"Margin of BNM: {results['scale']} over the columns."
    return f"{table(headings, lines)}\n\n{legend}\n\n{scale}"


def _sources(method: str) -> tuple[str, ...]:
    """Gini has no parameters: both protocols are the same trees."""
    return SOURCES[:2] if method == METHODS[0] else SOURCES


def _measure(numbers: Numbers, key: str, write: Any) -> str:
    def cell(facts: dict[str, Any], method: str) -> str:
        sources = _sources(method)
        return " / ".join(write(numbers.of(key, s, facts, method)) for s in sources)

    def mean(method: str) -> str:
        columns = (numbers.column(key, s, method) for s in _sources(method))
        return " / ".join(write(fmean(column)) for column in columns)

    lines = [
        (facts["set"], *(cell(facts, method) for method in METHODS))
        for facts in numbers.sets
    ]
    lines.append(("**mean**", *(f"**{mean(method)}**" for method in METHODS)))
    return table(("set", *METHODS), lines)


def _summary(numbers: Numbers) -> str:
    """Show distance from the printed accuracy, mean rank, and gains over Gini."""
    ranks = {s: mean_ranks(numbers.by_set("accuracy", s)) for s in SOURCES}
    lines = []
    for i, method in enumerate(METHODS):
        theirs = numbers.column("accuracy", "printed", method)
        ours = [numbers.column("accuracy", s, method) for s in SOURCES[1:]]
        distance = [percent(mean_distance(o, theirs)) for o in ours]
        signed = [f"{100 * (fmean(o) - fmean(theirs)):+.2f}" for o in ours]
        lines.append(
            (
                method,
                " / ".join(distance),
                " / ".join(signed),
                " / ".join(f"{ranks[s][i]:.2f}" for s in SOURCES),
                " / ".join(_gain(numbers, s, method) for s in SOURCES),
                " / ".join(_won(numbers, s, method) for s in SOURCES),
            )
        )
    headings = (
        "method",
        "mean abs. difference from printed (paper / nested)",
        "mean difference (paper / nested)",
        "mean rank",
        "gain over Gini",
        "sets better-equal-worse than Gini",
    )
    return table(headings, lines)


def _gain(numbers: Numbers, source: str, method: str) -> str:
    gini = fmean(numbers.column("accuracy", source, METHODS[0]))
    return f"{100 * (fmean(numbers.column('accuracy', source, method)) - gini):+.2f}"


def _won(numbers: Numbers, source: str, method: str) -> str:
    own = numbers.column("accuracy", source, method)
    gini = numbers.column("accuracy", source, METHODS[0])
    gaps = [round(a - b, 6) for a, b in zip(own, gini, strict=True)]
    won, lost = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return f"{won}-{len(gaps) - won - lost}-{lost}"


def _order(numbers: Numbers) -> str:
    theirs = numbers.by_set("accuracy", "printed")
    lines = []
    for source in SOURCES[1:]:
        rho, n_sets = mean_rank_correlation(numbers.by_set("accuracy", source), theirs)
        lines.append(
            f"- {source}: Spearman's rho of the four methods' order and the printed "
            f"one is {rho:.2f}, in the mean of {n_sets} sets"
        )
    return "\n".join(lines)


def _leaves(numbers: Numbers) -> str:
    """Say on how many sets each method has fewer leaves than Gini, and where not."""
    lines = []
    for method in METHODS[1:]:
        others = {source: _not_fewer(numbers, source, method) for source in SOURCES}
        n = len(numbers.counted)
        counts = [f"{n - len(where)} of {n}" for where in others.values()]
        places = [", ".join(others[source]) or "nowhere" for source in SOURCES[1:]]
        lines.append((method, *counts, *places))
    where = [f"not fewer ({source})" for source in SOURCES[1:]]
    return table(("fewer leaves than Gini", *SOURCES, *where), lines)


def _not_fewer(numbers: Numbers, source: str, method: str) -> list[str]:
    own = numbers.column("leaves", source, method)
    gini = numbers.column("leaves", source, METHODS[0])
    return [
        facts["set"]
        for facts, mine, theirs in zip(numbers.counted, own, gini, strict=True)
        if mine >= theirs
    ]


def _chosen(numbers: Numbers) -> str:
    def cell(facts: dict[str, Any], method: str) -> str:
        chosen = numbers.record(facts, method)["paper"]["chosen"][0]
        return ", ".join(f"{key} {value:g}" for key, value in chosen.items())

    lines = [
        (facts["set"], *(cell(facts, method) for method in METHODS[1:]))
        for facts in numbers.sets
    ]
    return table(("set", *METHODS[1:]), lines)
