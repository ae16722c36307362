# SPDX-License-Identifier: BSD-3-Clause
"""A table of results as text, HTML, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import html
import importlib
import io
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ramify.comparison.baseline import p_text
from ramify.comparison.metrics import METRICS

if TYPE_CHECKING:
    from ramify.comparison.result import Comparison

__all__ = ["Shown", "frame_of", "ranking"]

_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
}


@dataclass(frozen=True)
class Shown:
    """A table as people read it: heads, cells of text, and which are the best.

    The first column has names, the others numbers.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()

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
        lines.insert(2, "─" * (sum(widths) + 2 * len(widths[1:])))
        return "\n".join(lines)

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
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def to_latex(self) -> str:
        """Return a tabular with the rules of booktabs; the best of a column is bold."""
        columns = "l" + "r" * (len(self.heads) - 1)
        lines = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
        heads = [_in_latex(head.replace(" /", "/")) for head in self.heads]
        lines += [_latex_row(heads), "\\midrule"]
        for i, row in enumerate(self.rows):
            cells = [
                f"\\textbf{{{_in_latex(text)}}}"
                if (i, j) in self.best
                else _in_latex(text)
                for j, text in enumerate(row)
            ]
            lines.append(_latex_row(cells))
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])

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
        known = [value for value in values if value == value]
        if known:
            top = max(known) if METRICS[name].higher_is_better else min(known)
            best |= {(i, j) for i, v in enumerate(values) if abs(v - top) < 1e-12}
    return Shown(tuple(heads), tuple(rows), frozenset(best))


def _in_two(head: str) -> tuple[str, str]:
    upper, _, lower = head.rpartition(" ")
    return upper, lower


def _in_markdown(text: str) -> str:
    return re.sub(r"([|*_`\\<>])", r"\\\1", text)


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _latex_row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"
