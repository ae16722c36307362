# SPDX-License-Identifier: BSD-3-Clause
"""A reproduction as a page of Markdown."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date

import numpy as np

from ramify.reproduce.figure import Figure, Shown
from ramify.reproduce.paper import Measure, Row
from ramify.reproduce.results import Pair, Reproduction

__all__ = ["figure_file", "page", "short"]

N_LARGEST = 8

_KEPT_ONLY = (
    "The page was written from folds that earlier runs of this command kept, without "
    "new fits (`--minutes 0`)."
)


def page(
    found: Reproduction,
    command: str,
    day: date,
    note: str = "",
    pictures: Sequence[str] = (),
) -> str:
    """Return the whole page.

    Parameters
    ----------
    found : Reproduction
        What was found.
    command : str
        The line that repeats it.
    day : date
        When it was run.
    note : str
        A sentence about this run.
    pictures : sequence of str
        Files of pictures of the ranks, as `ramify.reproduce.pictures` draws them.
    """
    paper = found.paper
    made = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    parts = [
        f"# {paper.title}",
        f"{paper.reference}.",
        f"Run on {day.isoformat()} with {made}:",
        f"```sh\n{command}\n```",
        _KEPT_ONLY if found.plan.minutes == 0 else "",
        note,
        "## In short",
        "\n".join(f"- {line}" for line in short(found)),
        "## What was done",
        f"The paper: {paper.protocol}",
        f"Here: {_amount(found)}",
        _choices(found),
        _readings(found),
        "## Claims",
        _claims(found),
    ]
    parts += [f"![Average ranks here, {name}]({name})" for name in pictures]
    for figure, shown in found.shown.items():
        parts += _figure(found, figure, shown)
    if paper.differences and found.plan.is_full:
        parts += ["## Where we differ, and why", paper.differences]
    parts += ["Largest mean differences of a data set:", _largest(found)]
    for measure in paper.measures:
        parts += [f"## {measure.table}: {_lower(measure.title)}", _legend(found)]
        parts += [_table(found, measure), "Means over the same cells:"]
        parts += [_means(found, measure)]
    parts += ["## What was not run", _not_run(found)]
    parts += ["## Data sets", _sets(found)]
    return "\n\n".join(part for part in parts if part) + "\n"


def short(found: Reproduction) -> list[str]:
    """Say in a few sentences how near we are and which claims hold."""
    lines = []
    for measure in found.paper.measures:
        if measure.is_judged:
            lines.append(_nearness(found, measure))
    holds = [ours.holds for _, _, ours in found.judged()]
    lines.append(
        f"Of {len(holds)} claims, {holds.count(True)} hold here, "
        f"{holds.count(False)} do not, {holds.count(None)} cannot be judged."
    )
    judged = [one.ours.holds for s in found.shown.values() for one in s.findings]
    if judged:
        lines.append(
            f"Of {len(judged)} findings of {len(found.shown)} figures and further "
            f"experiments, {judged.count(True)} are found here as well."
        )
    return lines


def _nearness(found: Reproduction, measure: Measure) -> str:
    near = found.agreement(measure)
    name = f"{measure.table}, {_lower(measure.title)}"
    if not near.n_cells:
        return f"{name}: nothing to compare."
    unit = " points" if measure.higher_is_better else ""
    text = (
        f"{name}: {near.n_cells} cells, mean absolute difference "
        f"{measure.show(near.distance)}{unit}"
    )
    if not measure.higher_is_better:
        text += f", ours over printed {near.ratio:.2f} (geometric mean)"
    text += f"; clear differences (over three standard errors): {near.n_clear}"
    if not math.isnan(near.correlation):
        text += (
            f"; rank correlation of the methods {near.correlation:.2f} "
            f"(average ranks on {near.n_ranked} sets)"
        )
    return f"{text}."


def _lower(title: str) -> str:
    return title if title.startswith("AUC") else title[0].lower() + title[1:]


def _amount(found: Reproduction) -> str:
    plan, n_folds = found.plan, found.paper.n_folds
    times = "once" if plan.n_repeats == 1 else f"{plan.n_repeats} times"
    extent = "all data sets" if plan.is_full else "the smaller data sets"
    n_cells = sum(len(run.trials) for run in found.runs)
    return f"{n_folds} folds, drawn {times}, on {extent}: {n_cells:,} fits measured."


def _readings(found: Reproduction) -> str:
    if len(found.paper.readings) == 1:
        return ""
    lines = [f"- *{name}*: {text}" for name, text in found.paper.readings.items()]
    return "\n".join(["The methods are read in these ways:", "", *lines])


def _choices(found: Reproduction) -> str:
    lines = [
        [one.point, one.says, one.leaves_open or "-", one.chosen]
        for one in found.paper.choices
    ]
    return _markdown(["point", "the paper says", "it leaves open", "done here"], lines)


def _figure(found: Reproduction, figure: Figure, shown: Shown) -> list[str]:
    """Return the section of a figure: sentence, picture, findings, numbers."""
    name = figure_file(found, figure)
    findings = [
        [one.text, f"**{one.ours.word}**: {one.ours.figures}"] for one in shown.findings
    ]
    return [
        f"## {figure.place}: {figure.title}",
        f"The paper: {figure.says}",
        f"Here: {shown.note}" if shown.note else "",
        f"![{figure.place}: {figure.title}]({name})",
        _markdown(["what the paper reads off it", "here"], findings),
        _markdown(shown.headings, shown.lines),
    ]


def figure_file(found: Reproduction, figure: Figure) -> str:
    """Name the picture of a figure."""
    return f"{found.paper.name}_{figure.key}.svg"


def _markdown(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(headings)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, rule, *lines))


def _claims(found: Reproduction) -> str:
    names = list(found.paper.readings)
    by_reading = [found.judged(reading) for reading in names]
    lines = []
    for i, (claim, theirs, _) in enumerate(by_reading[0]):
        first, *others = [judged[i][2] for judged in by_reading]
        cells = [f"**{one.word}**: {one.figures}" for one in (theirs, first)]
        cells += [
            f"as {names[0]}" if one == first else f"**{one.word}**: {one.figures}"
            for one in others
        ]
        lines.append([claim.text, *cells])
    here = ["here"] if len(names) == 1 else [f"here, {name}" for name in names]
    return _markdown(["claim", "printed table", *here], lines)


def _first(found: Reproduction, measure: Measure) -> list[Pair]:
    """Return the pairs of a measure under the paper's own reading."""
    first = next(iter(found.paper.readings))
    return [p for p in found.pairs if p.measure is measure and p.reading == first]


def _legend(found: Reproduction) -> str:
    first = next(iter(found.paper.readings))
    reading = f", reading *{first}*" if len(found.paper.readings) > 1 else ""
    return (
        f"Printed / ours{reading}; bold: a difference of more than three standard "
        "errors. Rows marked * are other readings or parts of a row's data: not in "
        "means, ranks and claims."
    )


def _table(found: Reproduction, measure: Measure) -> str:
    pairs = {(p.row, p.method): p for p in _first(found, measure)}
    methods = list(dict.fromkeys(p.method for p in pairs.values()))
    order = found.printed[measure.key].methods
    methods.sort(key=order.index)
    lines = []
    for row in found.sizes:
        if not any((row, method) in pairs for method in methods):
            continue
        cells = [_cell(pairs.get((row, method)), measure) for method in methods]
        lines.append([_label(row), *cells])
    return _markdown(["data set", *methods], lines)


def _cell(pair: Pair | None, measure: Measure) -> str:
    if pair is None:
        return "..."
    ours = measure.show(pair.ours)
    is_bold = measure.is_judged and pair.is_clear
    return f"{measure.show(pair.printed)} / {f'**{ours}**' if is_bold else ours}"


def _label(row: Row) -> str:
    return f"{row.label} *" if row.is_extra else row.label


def _means(found: Reproduction, measure: Measure) -> str:
    """Show means, mean difference and mean absolute difference by method."""
    readings = list(found.paper.readings)
    by_method: dict[str, dict[str, list[Pair]]] = defaultdict(dict)
    for pair in found.pairs:
        is_counted = not pair.row.is_extra and not math.isnan(pair.difference)
        if pair.measure is measure and is_counted:
            by_method[pair.method].setdefault(pair.reading, []).append(pair)
    lines = []
    for method in found.printed[measure.key].methods:
        own = by_method.get(method, {})
        if not own:
            continue
        counted = next(iter(own.values()))
        cells = [method, str(len(counted)), _mean(counted, lambda p: p.printed)]
        for reading in readings:
            pairs = own.get(reading, [])
            cells += [
                _mean(pairs, lambda p: p.ours),
                _mean(pairs, lambda p: p.difference, signed=True),
                _mean(pairs, lambda p: abs(p.difference)),
            ]
        lines.append(cells)
    headings = ["method", "sets", "printed"]
    for reading in readings:
        name = "ours" if len(readings) == 1 else reading
        headings += [name, "difference", "abs. difference"]
    return _markdown(headings, lines)


def _mean(
    pairs: Sequence[Pair], value: Callable[[Pair], float], signed: bool = False
) -> str:
    if not pairs:
        return ""
    mean = float(np.mean([value(pair) for pair in pairs]))
    return pairs[0].measure.show(mean, signed=signed)


def _largest(found: Reproduction) -> str:
    """List the rows whose methods differ most from the printed numbers, in one way."""
    by_row: dict[tuple[Row, Measure], list[Pair]] = defaultdict(list)
    for measure in found.paper.measures:
        if measure.higher_is_better:
            for pair in _first(found, measure):
                if not math.isnan(pair.difference):
                    by_row[pair.row, measure].append(pair)
    lines = []
    for (row, measure), pairs in by_row.items():
        mean = float(np.mean([pair.difference for pair in pairs]))
        n_clear = sum(pair.is_clear for pair in pairs)
        shown = measure.show(mean, signed=True)
        cells = [_label(row), _lower(measure.title), shown]
        lines.append((abs(mean), [*cells, f"{n_clear} of {len(pairs)}", row.note]))
    lines.sort(key=lambda line: -line[0])
    headings = ["data set", "measure", "mean difference", "clear cells", "note"]
    return _markdown(headings, [cells for _, cells in lines[:N_LARGEST]])


def _not_run(found: Reproduction) -> str:
    lines = [
        *found.not_run,
        *(
            (f"{figure.place}, {figure.title}", "its data sets were not run")
            for figure in found.paper.figures
            if figure not in found.shown
        ),
    ]
    return _markdown(["data set or figure", "why"], lines) if lines else "None."


def _sets(found: Reproduction) -> str:
    lines = []
    for row, (n_rows, n_columns) in found.sizes.items():
        size = f"{n_rows:,} x {n_columns}"
        lines.append([_label(row), row.file, size, row.coding, row.note])
    return _markdown(["data set", "file", "size", "coding", "note"], lines)
