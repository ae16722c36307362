# SPDX-License-Identifier: BSD-3-Clause
"""Facts of a comparison in, one HTML page out."""

import platform
from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from importlib import resources
from importlib.metadata import version
from string import Template

import numpy as np

import ramify
from ramify import criteria as registry
from ramify.compare import METRICS, Comparison, DatasetFacts
from ramify.compare.diagram import critical_difference, scatter
from ramify.table import n_threads

__all__ = ["build"]


def build(comparison: Comparison, command: str | None = None) -> str:
    """Make the report of a comparison: one HTML page that needs no other file.

    Parameters
    ----------
    comparison : Comparison
        The result of `ramify.compare.run`.
    command : str, optional
        What to type to repeat the run; the call in Python if not given.

    Examples
    --------
    >>> import ramify.compare, ramify.report
    >>> result = ramify.compare.run(["gini", "ihd"], ["iris", "wine"], cv=5)
    >>> ramify.report.build(result)[:15]
    '<!DOCTYPE html>'
    """
    verdict = comparison.verdict
    title = METRICS[comparison.rank_metric].title
    return Template(_file("page.html")).substitute(
        title=f"Ramify comparison: {escape(verdict.headline)}",
        headline=escape(verdict.headline),
        details=escape(verdict.details),
        facts=escape(_one_line(comparison)),
        style=_file("page.css"),
        script=_file("page.js"),
        failures=_failures(comparison),
        ranking_note=escape(_ranking_note(comparison)),
        ranking=_ranking(comparison),
        pictures=_pictures(comparison),
        per_dataset_title=f"{title[0].upper()}{title[1:]} on each data set",
        per_dataset=_per_dataset(comparison),
        criteria="".join(map(_criterion, comparison.criteria)),
        datasets=_datasets(comparison.datasets),
        command=escape(command or _python_call(comparison)),
        settings=_settings(comparison),
    )


def _file(name: str) -> str:
    return resources.files("ramify.report").joinpath(name).read_text("utf-8").strip()


def _one_line(comparison: Comparison) -> str:
    return " · ".join(
        [
            _count(len(comparison.criteria), "criterion", "criteria"),
            _count(len(comparison.datasets), "data set", "data sets"),
            f"{comparison.cv}-fold cross-validation",
            f"{datetime.now():%d %B %Y}",
        ]
    )


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _ranking_note(comparison: Comparison) -> str:
    metric = METRICS[comparison.rank_metric].title.removesuffix(" %")
    return (
        "Means over all data sets and folds. The rank is the average, over the data "
        f"sets, of the place by {metric} (1 is best, ties share). Choose a column "
        "head to sort."
    )


def _ranking(comparison: Comparison) -> str:
    heads = [_head("criterion", "ascending", css="text"), _head("rank", "ascending")]
    for name in comparison.metrics:
        metric = METRICS[name]
        first = "descending" if metric.higher_is_better else "ascending"
        heads.append(_head(metric.title, first))
    heads[1] = heads[1].replace("<th", '<th aria-sort="ascending"', 1)
    n_criteria = len(comparison.criteria)
    rows = []
    for row in comparison.summary():
        name, rank = str(row["criterion"]), float(row["rank"])
        # A full bar is rank 1 everywhere, an empty one the last place everywhere.
        share = (n_criteria - rank) / max(n_criteria - 1, 1)
        cells = [
            f'<th scope="row"><a href="#{escape(name)}">{escape(name)}</a></th>',
            f'<td data-value="{rank}"><span class="bar" style="--share:{share:.0%}">'
            f'</span><span class="rank">{rank:.2f}</span></td>',
        ]
        cells += [_number(m, float(row[m])) for m in comparison.metrics]
        rows.append(cells)
    return _table(heads, rows)


def _per_dataset(comparison: Comparison) -> str:
    metric = METRICS[comparison.rank_metric]
    means = comparison.means(comparison.rank_metric)
    sign = 1 if metric.higher_is_better else -1
    best = np.nanmax(sign * means, axis=1, initial=-np.inf) - 1e-12
    first = "descending" if metric.higher_is_better else "ascending"
    heads = [_head("criterion", "ascending", css="text")]
    heads += [_head(facts.name, first) for facts in comparison.datasets]
    rows = []
    for j in np.argsort(comparison.ranks, kind="stable"):
        cells = [f'<th scope="row">{escape(comparison.criteria[j])}</th>']
        for i, value in enumerate(means[:, j]):
            is_best = sign * value >= best[i]
            cells.append(
                _number(comparison.rank_metric, value, "best" if is_best else "")
            )
        rows.append(cells)
    return _table(heads, rows)


def _pictures(comparison: Comparison) -> str:
    difference = comparison.verdict.critical_difference
    sections = []
    if difference is not None:
        ranks = dict(zip(comparison.criteria, comparison.ranks, strict=True))
        sections.append(
            _figure(
                "Critical differences",
                "Average ranks, best on the left. A thick bar joins criteria whose "
                "ranks are closer than the critical difference of Nemenyi's test: "
                "these data do not tell them apart.",
                critical_difference(ranks, difference),
            )
        )
    if {"accuracy", "leaves"} <= set(comparison.metrics):
        leaves = comparison.means("leaves").mean(axis=0)
        accuracy = comparison.means("accuracy").mean(axis=0)
        sections.append(
            _figure(
                "Accuracy and size",
                "Up is more accurate, left is smaller. No other criterion is at once "
                "more accurate and smaller than a filled one.",
                scatter(comparison.criteria, leaves, accuracy),
            )
        )
    return "\n".join(sections)


def _figure(title: str, note: str, svg: str) -> str:
    return (
        f'<section><h2>{title}</h2><p class="note">{note}</p>'
        f'<figure class="scroll">{svg}</figure></section>'
    )


def _criterion(name: str) -> str:
    try:
        known = registry.get(name.partition("(")[0])
    except ValueError:  # a function given by the user has no entry
        body = '<dd class="reference">A function of the user.</dd>'
        return f'<div id="{escape(name)}"><dt>{escape(name)}</dt>{body}</div>'
    aliases = f"also {', '.join(known.aliases)}" if known.aliases else ""
    return (
        f'<div id="{escape(name)}"><dt>{escape(name)} '
        f'<span class="aliases">{escape(aliases)}</span></dt>'
        f"<dd>{escape(known.summary)}</dd>"
        f'<dd class="formula">{escape(known.formula)}</dd>'
        f'<dd class="reference">{escape(known.reference)}</dd></div>'
    )


def _datasets(datasets: Sequence[DatasetFacts]) -> str:
    heads = [_head("data set", "ascending", css="text")]
    heads += [
        _head(title, "descending")
        for title in ("rows", "columns", "classes", "smallest class", "missing")
    ]
    heads.append('<th class="text" scope="col">source</th>')
    rows = []
    for facts in datasets:
        counts = facts.class_counts
        smallest = min(counts.values()) / facts.n_rows
        missing = facts.n_missing / (facts.n_rows * facts.n_columns)
        rows.append(
            [
                f'<th scope="row">{escape(facts.name)}</th>',
                _cell(facts.n_rows, str(facts.n_rows)),
                _cell(facts.n_columns, str(facts.n_columns)),
                _cell(len(counts), str(len(counts))),
                _cell(smallest, f"{smallest:.1%}"),
                _cell(missing, f"{missing:.1%}" if missing else "none"),
                f'<td class="text prose">{escape(facts.source)}</td>',
            ]
        )
    return _table(heads, rows)


def _failures(comparison: Comparison) -> str:
    failed = comparison.failures
    if not failed:
        return ""
    reasons = dict.fromkeys(f"{r.criterion} on {r.dataset}: {r.error}" for r in failed)
    items = "".join(f"<li>{escape(reason)}</li>" for reason in reasons)
    total = len(comparison.records)
    return (
        f'<section class="failures"><h2>{len(failed)} of {total} runs failed</h2>'
        "<p>A failed run ranks last on its data set, and its criterion has no mean.</p>"
        f"<ul>{items}</ul></section>"
    )


def _settings(comparison: Comparison) -> str:
    packages = ("numpy", "scipy", "scikit-learn")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    facts = {
        "Protocol": f"{comparison.cv} stratified folds, shuffled with seed "
        f"{comparison.random_state}, the same for every criterion; trees grown in "
        "full, without pruning",
        "Fit time": "growing the tree; each data set is encoded once for all fits. "
        f"Threads per fit: {n_threads(comparison.n_jobs)}",
        "AUC": "of Hand and Till 2001, the mean over pairs of classes",
        "Duration": f"{comparison.seconds:.1f} s",
        "Versions": f"ramify {ramify.__version__}, {versions}, "
        f"Python {platform.python_version()}",
        "System": f"{platform.system()} {platform.machine()}",
    }
    return "".join(
        f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>"
        for key, value in facts.items()
    )


def _python_call(comparison: Comparison) -> str:
    return (
        "import ramify.compare\n\n"
        "ramify.compare.run(\n"
        f"    criteria={list(comparison.criteria)},\n"
        f"    datasets={[facts.name for facts in comparison.datasets]},\n"
        f"    cv={comparison.cv},\n"
        f"    metrics={list(comparison.metrics)},\n"
        f"    random_state={comparison.random_state},\n"
        ")"
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    body = "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return (
        f"<table><thead><tr>{''.join(heads)}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table>"
    )


def _head(title: str, first: str, css: str = "") -> str:
    return (
        f'<th class="{css}" scope="col" data-first="{first}">'
        f'<button type="button">{escape(title)}</button></th>'
    )


def _number(metric: str, value: float, css: str = "") -> str:
    return _cell(value, METRICS[metric].show(value), css)


def _cell(value: float, text: str, css: str = "") -> str:
    return f'<td class="{css}" data-value="{value}">{escape(text)}</td>'
