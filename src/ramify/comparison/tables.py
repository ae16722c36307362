# SPDX-License-Identifier: BSD-3-Clause
"""A table of results as text, HTML, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import html
import importlib
import io
import re
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ramify.comparison.baseline import ALPHA, p_text
from ramify.comparison.metrics import METRICS
from ramify.comparison.statistics import average_ranks, reliable_signs

if TYPE_CHECKING:
    from ramify.comparison.result import Comparison

__all__ = [
    "Shown",
    "dataset_columns",
    "dataset_table",
    "frame_of",
    "mean_curves",
    "ranking",
    "size_columns",
    "size_table",
    "size_text",
]

_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "±": r"$\pm$",
    "\u2212": r"$-$",
}
_MARKS = {1: "+", 0: "", -1: "-"}  # reliably better and worse than the baseline
_MINUS = "\u2212"  # how the last is printed


@dataclass(frozen=True)
class Shown:
    """A table as people read it: heads, cells of text, and which are the best.

    The first column has names, the others numbers. The last ``n_foot`` rows sum up the
    others; ``note`` says how to read the table.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()
    n_foot: int = 0
    note: str = ""

    def to_text(self, width: int | None = None) -> str:
        """Align the columns; heads stand in two lines, and long names are cut."""
        width = shutil.get_terminal_size((88, 24)).columns if width is None else width
        upper, lower = zip(*(_in_two(head) for head in self.heads), strict=True)
        columns = list(zip(upper, lower, *self.rows, strict=True))
        widths = [max(map(len, column)) for column in columns]
        left = width - sum(widths[1:]) - 2 * len(widths[1:])
        widths[0] = min(widths[0], max(left, 16))  # cut names before numbers
        lines = []
        for name, *numbers in zip(*columns, strict=True):
            cut = name if len(name) <= widths[0] else f"{name[: widths[0] - 1]}…"
            cells = [f"{n:>{w}}" for n, w in zip(numbers, widths[1:], strict=True)]
            lines.append("  ".join([f"{cut:<{widths[0]}}", *cells]).rstrip())
        rule = "─" * (sum(widths) + 2 * len(widths[1:]))
        lines.insert(2, rule)
        if self.n_foot:
            lines.insert(-self.n_foot, rule)
        note = textwrap.wrap(self.note, max(width, 40))
        return "\n".join([*lines, *note])

    def to_markdown(self) -> str:
        """Return a table of Markdown; the best of each column is bold."""
        lines = [
            self.heads,
            tuple("---:" if j else "---" for j in range(len(self.heads))),
        ]
        for i, row in enumerate(self.rows):
            cells = tuple(map(_in_markdown, row))
            marked = [
                f"**{text}**" if (i, j) in self.best else text
                for j, text in enumerate(cells)
            ]
            lines.append(tuple(marked))
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{body}\n\n{self.note}" if self.note else body

    def to_latex(self) -> str:
        """Return a tabular with the rules of booktabs; the best are bold."""
        columns = "l" + "r" * (len(self.heads) - 1)
        lines = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
        heads = [_in_latex(head.replace(" /", "/")) for head in self.heads]
        lines += [_latex_row(heads), "\\midrule"]
        for i, row in enumerate(self.rows):
            if self.n_foot and i == len(self.rows) - self.n_foot:
                lines.append("\\midrule")
            cells = [
                f"\\textbf{{{_in_latex(text)}}}"
                if (i, j) in self.best
                else _in_latex(text)
                for j, text in enumerate(row)
            ]
            lines.append(_latex_row(cells))
        lines += ["\\bottomrule", "\\end{tabular}"]
        return "\n".join([*([f"% {self.note}"] if self.note else []), *lines])

    def to_html(self) -> str:
        """Return a table of HTML, with nothing but the table."""
        heads = "".join(f"<th>{html.escape(head)}</th>" for head in self.heads)
        body = []
        for i, row in enumerate(self.rows):
            cells = []
            for j, text in enumerate(row):
                inner = html.escape(text)
                inner = f"<b>{inner}</b>" if (i, j) in self.best else inner
                tag, side = ("th", "left") if j == 0 else ("td", "right")
                cells.append(f'<{tag} style="text-align:{side}">{inner}</{tag}>')
            body.append(f"<tr>{''.join(cells)}</tr>")
        return (
            f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody>"
            "</table>"
        )

    def to_csv(self) -> str:
        """Return the table as CSV text."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.heads, *self.rows])
        return text.getvalue()


def frame_of(columns: dict[str, list[Any]]) -> Any:
    """Make a data frame of pandas, or of polars where there is no pandas."""
    for library in ("pandas", "polars"):
        try:
            return importlib.import_module(library).DataFrame(columns)
        except ImportError:
            continue
    raise ImportError("to_frame() needs pandas or polars; install one.")


def ranking(comparison: Comparison) -> Shown:
    """Lay out the methods, best average rank first, with tests against a baseline."""
    metrics = comparison.metrics
    summary = comparison.summary()
    lines = {line.method: line for line in comparison.verdict.lines}
    is_one = len(comparison.datasets) == 1
    heads = ["method", *(METRICS[name].title for name in metrics), "rank"]
    if lines:
        heads += ["p"] if is_one else ["win/tie /loss", "p"]
    rows = []
    for row in summary:
        cells = [str(row["method"])]
        cells += [METRICS[name].show(float(row[name])) for name in metrics]
        cells.append(f"{row['rank']:.2f}")
        line = lines.get(cells[0])
        if lines:
            counts = [] if is_one else [str(line.counts) if line else ""]
            cells += [*counts, p_text(line.p) if line else ""]
        rows.append(tuple(cells))
    best = set()
    for j, name in enumerate(metrics, start=1):
        values = [float(row[name]) for row in summary]
        top = _top(name, values)
        best |= {(i, j) for i, v in enumerate(values) if abs(v - top) < 1e-12}
    return Shown(tuple(heads), tuple(rows), frozenset(best))


def dataset_table(comparison: Comparison, metric: str) -> Shown:
    """Lay out the data sets, one line each: mean and standard deviation by method."""
    about = METRICS[metric]
    names, n_datasets = comparison.names, len(comparison.datasets)
    found = dataset_columns(comparison, metric)
    rows, best = [], set()
    for i, data in enumerate(comparison.datasets):
        cells = [data.name]
        means = [found[f"{name} mean"][i] for name in names]
        for j, name in enumerate(names):
            mean, spread = means[j], found[f"{name} std"][i]
            sign = found.get(f"{name} mark", [""] * n_datasets)[i]
            text = about.show(mean)
            text += "" if np.isnan(spread) else f" ± {about.show(spread)}"
            cells.append(f"{text} {sign.replace('-', _MINUS)}".rstrip())
        top = _top(metric, means)
        best |= {(i, j) for j, v in enumerate(means, start=1) if abs(v - top) < 1e-12}
        rows.append(tuple(cells))
    ranks = [found[f"{name} mean"][-1] for name in names]
    best |= {(len(rows), j) for j, rank in enumerate(ranks, 1) if rank == min(ranks)}
    rows.append(("average rank", *(f"{rank:.2f}" for rank in ranks)))
    note = (
        f"{about.title}: mean ± standard deviation over {comparison.protocol.n_trials} "
        "folds."
    )
    if comparison.baseline is not None:
        counts = [
            "/".join(str(marks.count(mark)) for mark in _MARKS.values())
            for name in names
            if (marks := found.get(f"{name} mark", [])[:-1])
        ]
        at = names.index(comparison.baseline)
        rows.append(("win/tie/loss", *counts[:at], "", *counts[at:]))
        note += (
            f" + and {_MINUS}: reliably better and worse than {comparison.baseline}, "
            "by the corrected resampled t-test at 5 %."
        )
    return Shown(
        ("data set", *names),
        tuple(rows),
        frozenset(best),
        n_foot=len(rows) - n_datasets,
        note=note,
    )


def dataset_columns(comparison: Comparison, metric: str) -> dict[str, list[Any]]:
    """Return the columns of the table of data sets; its last line has average ranks.

    Of every method the mean, the standard deviation over the folds and, if there is a
    baseline, the mark: "+" where it is reliably better, "-" where it is worse.
    """
    values = comparison.values(metric)
    higher = METRICS[metric].higher_is_better
    means = values.mean(axis=2)
    n_datasets, _, n_trials = values.shape
    spreads = np.full(means.shape, np.nan)
    if n_trials > 1:
        spreads = values.std(axis=2, ddof=1)
    ranks = average_ranks(means, higher_is_better=higher)
    columns: dict[str, list[Any]] = {
        "dataset": [*(data.name for data in comparison.datasets), "average rank"]
    }
    for j, name in enumerate(comparison.names):
        columns[f"{name} mean"] = [*means[:, j].tolist(), float(ranks[j])]
        columns[f"{name} std"] = [*spreads[:, j].tolist(), float("nan")]
        if comparison.baseline not in (None, name):
            base = values[:, comparison.names.index(str(comparison.baseline))]
            signs = [0] * n_datasets
            if n_trials > 1:
                signs = reliable_signs(
                    values[:, j],
                    base,
                    test_share=comparison.protocol.test_share,
                    higher_is_better=higher,
                    alpha=ALPHA,
                )
            columns[f"{name} mark"] = [*(_MARKS[sign] for sign in signs), ""]
    return columns


def size_text(size: float) -> str:
    """Return a size of a learning curve: a share in per cent, or a number of rows.

    >>> size_text(0.25), size_text(500)
    ('25 %', '500')
    """
    return f"{100 * size:g} %" if isinstance(size, float) else f"{size}"


def size_columns(comparison: Comparison, metric: str) -> dict[str, list[Any]]:
    """Return the learning curves as columns, one row for each of their points."""
    curves = comparison.learning_curves(metric)
    datasets = [data.name for data in comparison.datasets]
    points = list(np.ndindex(curves.shape))
    return {
        "dataset": [datasets[i] for i, _, _ in points],
        "method": [comparison.names[j] for _, j, _ in points],
        "size": [comparison.sizes[s] for _, _, s in points],
        metric: [float(curves[point]) for point in points],
    }


def mean_curves(comparison: Comparison, metric: str) -> tuple[NDArray[Any], int]:
    """Return the mean of the learning curves, methods x sizes, and of how many sets.

    Of the data sets that have every size, for every method: else a mean would change
    with the data sets that it is of.
    """
    curves = comparison.learning_curves(metric)
    is_whole = ~np.isnan(curves).any(axis=(1, 2))
    n_whole = int(is_whole.sum())
    empty = np.full(curves.shape[1:], np.nan)
    return (curves[is_whole].mean(axis=0) if n_whole else empty), n_whole


def size_table(comparison: Comparison, metric: str) -> Shown:
    """Lay out the learning curves, one line per method, best average rank first."""
    about = METRICS[metric]
    means, _ = mean_curves(comparison, metric)
    rows, best = [], set()
    for i, j in enumerate(np.argsort(comparison.ranks, kind="stable")):
        rows.append((comparison.names[j], *map(about.show, means[j].tolist())))
        for s, value in enumerate(means[j]):
            if abs(value - _top(metric, means[:, s].tolist())) < 1e-12:
                best.add((i, s + 1))
    unit = "" if isinstance(comparison.sizes[0], float) else " rows"
    heads = ("method", *(f"{size_text(size)}{unit}" for size in comparison.sizes))
    return Shown(
        heads, tuple(rows), frozenset(best), note=_on_curves(comparison, metric)
    )


def _on_curves(comparison: Comparison, metric: str) -> str:
    """Describe the learning curves: what they are of, who leads, whether they rise."""
    means, n_whole = mean_curves(comparison, metric)
    about, sizes = METRICS[metric], comparison.sizes
    by = "share" if isinstance(sizes[0], float) else "number"
    said = f"Learning curves: {about.title} by the {by} of training rows"
    n_all = len(comparison.datasets)
    sets = f"{n_whole} of {n_all} data sets, which have every size"
    said += f", mean over {sets if n_whole < n_all else f'{n_all} data sets'}."
    if n_whole == 0 or len(comparison.names) < 2:
        return said
    merits = means if about.higher_is_better else -means
    leaders: dict[str, list[str]] = {}
    for s, size in enumerate(sizes):
        leader = comparison.names[int(np.argmax(merits[:, s]))]
        leaders.setdefault(leader, []).append(size_text(size))
    if len(leaders) == 1:
        return f"{said} {next(iter(leaders))} has the best mean at every size."
    parts = [f"{name} at {', '.join(where)}" for name, where in leaders.items()]
    return f"{said} The best mean has {'; '.join(parts)}."


def _top(metric: str, values: Sequence[float]) -> float:
    """Return the best of the numbers that are known, or NaN."""
    known = [value for value in values if value == value]
    choose = max if METRICS[metric].higher_is_better else min
    return choose(known, default=float("nan"))


def _in_two(head: str) -> tuple[str, str]:
    upper, _, lower = head.rpartition(" ")
    return upper, lower


def _in_markdown(text: str) -> str:
    return re.sub(r"([|*_`\\<>])", r"\\\1", text)


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _latex_row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"
