# SPDX-License-Identifier: BSD-3-Clause
"""The sections of a report, from the results of a comparison."""

import platform
from collections.abc import Mapping
from html import escape
from math import isnan

import numpy as np

from ramify.comparison.baseline import BaselineLine, p_text, rope_of
from ramify.comparison.metrics import METRICS, in_words
from ramify.comparison.pictures import Picture
from ramify.comparison.repeat import python_of
from ramify.comparison.report.elements import (
    cell,
    figure,
    head,
    link,
    link_cell,
    note,
    row_head,
    section,
    table,
    terms,
)
from ramify.comparison.result import Comparison, MethodFacts
from ramify.comparison.tables import mean_curves, size_table

Pages = Mapping[tuple[str, str], str]  # where the tree of a method and data set is

__all__ = [
    "Pages",
    "baseline",
    "datasets",
    "failures",
    "leagues",
    "methods",
    "per_dataset",
    "picture",
    "ranking",
    "repeat",
    "sizes",
]


def _anchor(comparison: Comparison, name: str) -> str:
    return f"method-{comparison.names.index(name)}"


def _first(metric: str) -> str:
    """Return the direction that shows the best on top."""
    return "descending" if METRICS[metric].higher_is_better else "ascending"


def _tree_head(pages: Pages) -> list[str]:
    return [head("tree", "descending")] if pages else []


def _tree_cell(comparison: Comparison, name: str, pages: Pages) -> list[str]:
    """Return the way to the trees of a method; of several by way of its card."""
    if not pages:
        return []
    places = [place for (method, _), place in pages.items() if method == name]
    if not places:
        return [cell(0, "none")]
    if len(comparison.datasets) == 1:
        return [link_cell(1, "see it", places[0], f"the tree of {name}")]
    words = "1 tree" if len(places) == 1 else f"{len(places)} trees"
    to = f"#{_anchor(comparison, name)}"
    return [link_cell(len(places), words, to, f"{words} of {name}")]


def _about_trees(comparison: Comparison, pages: Pages) -> str:
    """Describe what the pages of trees show, if there are any."""
    if not pages:
        return ""
    n_all, n_shown = len(comparison.datasets), len({data for _, data in pages})
    where = f" There are pages for {n_shown} of the {n_all} data sets."
    return (
        " A tree opens as a page of its own: grown on all rows, not on those of a "
        "fold. Ensembles, models of other libraries, and trees that are large or slow "
        "to grow have none." + where * (n_shown < n_all)
    )


def ranking(comparison: Comparison, pages: Pages) -> str:
    """Return the table of all methods, best average rank first."""
    heads = [
        head("method", "ascending", css="text"),
        head("rank", "ascending", is_sorted=True),
    ]
    heads += [head(METRICS[name].title, _first(name)) for name in comparison.metrics]
    heads += _tree_head(pages)
    summary = comparison.summary()
    best = {
        name: _best(name, [row[name] for row in summary]) for name in comparison.metrics
    }
    rows = []
    for row in summary:
        name, rank = str(row["method"]), float(row["rank"])
        # A full bar is rank 1 everywhere, an empty one the last place everywhere.
        share = (len(summary) - rank) / max(len(summary) - 1, 1)
        bar = f'<span class="bar" style="--share:{share:.0%}"></span>'
        mark = " (baseline)" if name == comparison.baseline else ""
        cells = [
            row_head(name + mark, _anchor(comparison, name)),
            cell(rank, f"{rank:.2f}", before=bar),
        ]
        for key in comparison.metrics:
            value = float(row[key])
            css = "best" if abs(value - best[key]) < 1e-12 else ""
            cells.append(cell(value, METRICS[key].show(value), css))
        rows.append(cells + _tree_cell(comparison, name, pages))
    return section(
        "ranking",
        "Ranking",
        note(
            "Means over all data sets and folds; the best of each column is bold. The "
            "rank is the average, over the data sets, of the place by "
            f"{in_words(comparison.rank_metric)} (1 is best, ties share). Choose a "
            "column head to sort." + _about_trees(comparison, pages)
        ),
        table("Ranking of the methods", heads, rows),
    )


def leagues(comparison: Comparison, pages: Pages) -> str:
    """Return a verdict for each kind of method; nothing if all are of one kind."""
    found = comparison.leagues()
    if len(found) < 2:
        return ""
    parts = []
    for league, part in found.items():
        best = part.summary()[0]
        key = part.rank_metric
        unit = " %" if METRICS[key].title.endswith("%") else ""
        score = f"{in_words(key)} {METRICS[key].show(float(best[key]))}{unit}"
        rows = [
            [
                row_head(str(row["method"]), _anchor(comparison, str(row["method"]))),
                cell(float(row["rank"]), f"{row['rank']:.2f}"),
                *(
                    cell(float(row[name]), METRICS[name].show(float(row[name])))
                    for name in part.metrics
                ),
                *_tree_cell(comparison, str(row["method"]), pages),
            ]
            for row in part.summary()
        ]
        heads = [head("method", "ascending", css="text")]
        heads += [head("rank", "ascending", is_sorted=True)]
        heads += [head(METRICS[name].title, _first(name)) for name in part.metrics]
        heads += _tree_head(pages)
        verdict = part.verdict.headline
        if len(part.methods) == 1:
            verdict = f"{best['method']} is alone here, with {score}"
        parts += [
            f"<h3>{escape(league[0].upper() + league[1:])}</h3>",
            note(f"{verdict}."),
            table(f"Ranking of the {league}", heads, rows),
        ]
    return section(
        "leagues",
        "Leagues",
        note(
            "Methods of one kind among themselves, ranked anew: a forest beats a "
            "single tree by its size, and an oblique tree one along columns by its "
            "freedom."
        ),
        *parts,
    )


def _best(metric: str, values: list[str | float]) -> float:
    known = [float(value) for value in values if not isnan(float(value))]
    choose = max if METRICS[metric].higher_is_better else min
    return choose(known, default=float("nan"))


def baseline(comparison: Comparison) -> str:
    """Return how every method does against the baseline; nothing without one."""
    if not comparison.verdict.lines:
        return ""
    rope = rope_of(comparison.rank_metric)
    is_one = len(comparison.datasets) == 1
    region = f"; differences up to {rope:g} count as the same" if rope else ""
    heads = [
        head("method", "ascending", css="text"),
        head("verdict", "ascending", css="text"),
        *([] if is_one else [head("win / tie / loss", "descending")]),
        head("p, t-test-Holm" if is_one else "p, Wilcoxon-Holm", "ascending"),
        head("better / same / worse, %", "descending"),
    ]
    rows = []
    for line in comparison.verdict.lines:
        margin, counts = line.counts.wins - line.counts.losses, map(str, line.counts)
        rows.append(
            [
                row_head(line.method, _anchor(comparison, line.method)),
                cell(None, line.words, "text"),
                *([] if is_one else [cell(margin, " / ".join(counts))]),
                cell(line.p, p_text(line.p)),
                _probabilities(line),
            ]
        )
    words = (
        "All tests are over the folds of the one data set, and say nothing of others. "
        "p is that of the corrected resampled t-test, with Holm's correction for the "
        "number of methods. The probabilities are those of the Bayesian correlated "
        f"t-test{region}. The verdict names what has at least 95 %."
        if is_one
        else "Win, tie and loss count data sets, by the corrected resampled t-test "
        "over the folds at 5 %. p is that of Wilcoxon's signed-rank test over the data "
        "sets, with Holm's correction for the number of methods. The probabilities "
        f"are those of the Bayesian signed-rank test{region}. The verdict names what "
        "has at least 95 %, given six data sets or more; it says reliably where p "
        "confirms it."
    )
    return section(
        "baseline",
        f"Against {comparison.baseline}",
        note(words),
        table(f"All methods against {comparison.baseline}", heads, rows),
    )


def _probabilities(line: BaselineLine) -> str:
    p = line.posterior
    if isnan(p.better):
        return cell(p.better, "n/a")
    bar = "".join(
        f'<i class="{word}" style="--share:{share:.1%}"></i>'
        for word, share in zip(("better", "same", "worse"), p, strict=True)
    )
    text = " / ".join(f"{share:.0%}".removesuffix("%") for share in p)
    return cell(p.better - p.worse, text, before=f'<span class="parts">{bar}</span>')


def picture(one: Picture) -> str:
    """Return a picture with its words."""
    return section(
        f"picture-{one.name}",
        one.title,
        note(one.note),
        figure(one.svg, one.title),
    )


def per_dataset(comparison: Comparison, pages: Pages) -> str:
    """Return the table of the means, methods by data sets; one is in the ranking."""
    if len(comparison.datasets) == 1:
        return ""
    name = comparison.rank_metric
    metric = METRICS[name]
    means = comparison.means(name)
    best = [_best(name, list(row)) for row in means]
    heads = [head("method", "ascending", css="text")]
    heads += [head(data.name, _first(name)) for data in comparison.datasets]
    rows = []
    for j in np.argsort(comparison.ranks, kind="stable"):
        cells = [row_head(comparison.names[j], f"method-{j}")]
        for i, value in enumerate(means[:, j].tolist()):
            css = "best" if abs(value - best[i]) < 1e-12 else ""
            pair = comparison.names[j], comparison.datasets[i].name
            label = f"{metric.show(value)}, the tree of {pair[0]} on {pair[1]}"
            place = pages.get(pair, "")
            cells.append(link_cell(value, metric.show(value), place, label, css))
        rows.append(cells)
    title = f"{metric.title[0].upper()}{metric.title[1:]} in numbers"
    return section(
        "numbers",
        title,
        note(
            "Mean over the folds; the best of each data set is bold."
            + " A number opens the tree." * bool(pages)
        ),
        table(title, heads, rows),
    )


def sizes(comparison: Comparison) -> str:
    """Return the table of the learning curves; nothing without them."""
    if not comparison.sizes:
        return ""
    name = comparison.rank_metric
    shown = size_table(comparison, name)
    heads = [head("method", "ascending", css="text")]
    heads += [head(title, _first(name)) for title in shown.heads[1:]]
    means, _ = mean_curves(comparison, name)
    rows = []
    for i, (method, *texts) in enumerate(shown.rows):
        j = comparison.names.index(method)
        cells = [
            cell(means[j, s], text, "best" if (i, s + 1) in shown.best else "")
            for s, text in enumerate(texts)
        ]
        rows.append([row_head(method, f"method-{j}"), *cells])
    title = "Learning curves in numbers"
    return section("sizes", title, note(shown.note), table(title, heads, rows))


def methods(comparison: Comparison, pages: Pages) -> str:
    """Return what is known of each method."""
    cards = "".join(
        _card(method, f"method-{j}", pages)
        for j, method in enumerate(comparison.methods)
    )
    return section("methods", "Methods", f'<dl class="methods">{cards}</dl>')


def _card(of: MethodFacts, anchor: str, pages: Pages) -> str:
    lines = {
        "": of.summary,
        "formula": of.formula,
        "reference": of.reference,
        "code": of.settings,
    }
    body = "".join(
        f'<dd class="{css}">{escape(text)}</dd>' for css, text in lines.items() if text
    )
    trees = " · ".join(
        link(dataset, place, f"the tree of {method} on {dataset}")
        for (method, dataset), place in pages.items()
        if method == of.name
    )
    body += f'<dd class="trees">{trees}</dd>' if trees else ""
    return f'<div id="{anchor}"><dt>{escape(of.name)}</dt>{body}</div>'


_OF_CLASSES = ("classes", "smallest class")
_AUC_OF_TIMES = (
    "of events up to a time against rows that get beyond it, the mean over times from "
    "the 10th to the 80th percentile of the training rows; so is the integrated Brier "
    "score"
)


def datasets(comparison: Comparison) -> str:
    """Return the table of the data sets."""
    heads = [head("data set", "ascending", css="text")]
    is_survival = any(data.n_events is not None for data in comparison.datasets)
    what, share = ("events", "censored") if is_survival else _OF_CLASSES
    heads += [
        head(title, "descending") for title in ("rows", "columns", "categorical", what)
    ]
    heads += [head(share, "ascending"), head("missing", "descending")]
    heads.append(head("source", css="text"))
    rows = []
    for data in comparison.datasets:
        counts = data.class_counts
        n_classes, n_fewest = len(counts), min(counts.values(), default=0)
        if data.n_events is not None:
            n_classes, n_fewest = data.n_events, data.n_rows - data.n_events
        smallest = n_fewest / max(data.n_rows, 1)
        missing = data.n_missing / max(data.n_rows * data.n_columns, 1)
        numbers = (data.n_rows, data.n_columns, data.n_categorical, n_classes)
        rows.append(
            [
                row_head(data.name),
                *(cell(number, f"{number}") for number in numbers),
                cell(smallest, f"{smallest:.1%}"),
                cell(missing, f"{missing:.1%}" if missing else "none"),
                cell(None, data.source, "text prose"),
            ]
        )
    return section("data", "Data sets", table("Data sets", heads, rows))


def failures(comparison: Comparison) -> str:
    """Return what failed, and why; nothing if all went well."""
    failed = comparison.failures
    if not failed:
        return ""
    reasons: dict[str, int] = {}
    for record in failed:
        reason = f"{record.method} on {record.dataset}: {record.error}"
        reasons[reason] = reasons.get(reason, 0) + 1
    items = "".join(
        f"<li>{escape(reason)}{f' ({n} folds)' if n > 1 else ''}</li>"
        for reason, n in reasons.items()
    )
    return section(
        "failures",
        f"{len(failed)} of {len(comparison.records)} runs failed",
        "<p>A method ranks last on a data set where a run failed, and has no mean.</p>",
        f"<ul>{items}</ul>",
        css="failures",
    )


def repeat(comparison: Comparison, command: str | None) -> str:
    """Return how to run it again, and the settings and versions of this run."""
    lines = f"<pre><code>{escape(command)}</code></pre>" if command else ""
    return section(
        "repeat",
        "How to repeat this",
        lines,
        f"<pre><code>{escape(python_of(comparison))}</code></pre>",
        terms(_settings(comparison), "settings"),
    )


def _settings(comparison: Comparison) -> dict[str, str]:
    protocol = comparison.protocol
    repeats = f", {protocol.n_repeats} times" if protocol.n_repeats > 1 else ""
    has_strata = any(
        data.class_counts or data.n_events is not None for data in comparison.datasets
    )
    kind = "stratified folds" if has_strata else "folds"
    how = (
        f"{protocol.n_folds} {kind}{repeats}, shuffled with seed "
        f"{comparison.random_state}"
        if protocol.splitter is None
        else protocol.words
    )
    details = {
        "Protocol": f"{how}, the same for every method",
        "Fit time": "processor time of all threads, on the training rows of one fold; "
        "each data set is encoded once for all methods of Ramify",
        "AUC": _AUC_OF_TIMES
        if any(data.n_events is not None for data in comparison.datasets)
        else "of Hand and Till 2001, the mean over pairs of classes",
        "Duration": f"{comparison.seconds:.1f} s",
    }
    n_cells = len(comparison.records) + len(comparison.curve_records)
    if comparison.n_cached:
        details["Duration"] += (
            f"; {comparison.n_cached} of {n_cells} results were there "
            "from an earlier run"
        )
    if comparison.notes:
        details["Notes"] = " ".join(comparison.notes)
    if comparison.versions:
        details["Versions"] = ", ".join(
            f"{package} {version}" for package, version in comparison.versions.items()
        )
    return details | {"System": f"{platform.system()} {platform.machine()}"}
