# SPDX-License-Identifier: BSD-3-Clause
"""The advice: what was measured, what it means, and how to repeat it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any

from ramify.advice.diagnosis import Finding
from ramify.comparison.metrics import METRICS
from ramify.comparison.tables import Shown, frame_of

__all__ = ["Advice", "Line"]

_MODELS = ("model", "small_model")


@dataclass(frozen=True)
class Line:
    """How a candidate did by cross-validation, on the same folds as all others.

    Attributes
    ----------
    name : str
        The method.
    is_oblique : bool
        Whether it cuts along weighted sums of columns.
    score : float
        The mean of the metric.
    leaves, depth : float
        Mean size of its trees.
    n_chosen : int
        How often it was the choice, inside the training rows of an outer fold.
    """

    name: str
    is_oblique: bool
    score: float
    leaves: float
    depth: float
    n_chosen: int


@dataclass(frozen=True)
class Advice:
    """What `ramify.advise` says.

    ``print(advice)`` shows all of it.

    Attributes
    ----------
    data : str
        Where the rows come from.
    n_rows, n_columns, n_classes : int
        Size of the data.
    metric : str
        What decided, such as "accuracy".
    findings : tuple of Finding
        What is unusual about the data.
    lines : tuple of Line
        The candidates, gini first.
    tuned_score, gini_score : float
        Means over the outer folds: of the method chosen inside the training rows of
        each, and of gini.
    p : float
        Of the corrected resampled t-test between those two.
    cv : str
        Outer folds, such as "3x10".
    winner : str
        What to use.
    is_gini_kept : bool
        Whether that is gini.
    verdict : str
        It, in words.
    notes : tuple of str
        What was left out or done otherwise, such as a sample in place of all rows.
    command : str or None
        The command that grows the same tree from the same file.
    python : str
        The lines that do so in Python.
    model : estimator
        The winner, fitted on all rows.
    seconds : float
        Time it took.
    smallest : str
        The method whose trees have the fewest leaves and are not reliably worse; often
        the winner itself.
    small_rules : tuple of str
        The rules of its tree, if there are at most a dozen.
    small_model : estimator
        That tree, fitted on all rows.
    small_command : str or None
        The command that grows it, if it is not the winner.
    """

    data: str
    n_rows: int
    n_columns: int
    n_classes: int
    metric: str
    findings: tuple[Finding, ...]
    lines: tuple[Line, ...]
    tuned_score: float
    gini_score: float
    p: float
    cv: str
    winner: str
    is_gini_kept: bool
    verdict: str
    notes: tuple[str, ...]
    command: str | None
    python: str
    model: Any = field(repr=False)
    seconds: float
    smallest: str = ""
    small_rules: tuple[str, ...] = ()
    small_model: Any = field(default=None, repr=False)
    small_command: str | None = None

    def __str__(self) -> str:
        what = f"{self.n_classes} classes" if self.n_classes else "numbers to learn"
        size = f"{self.n_rows} rows, {self.n_columns} columns, {what}"
        found = [f"- {finding.text}" for finding in self.findings]
        found = found or ["- nothing unusual about the data."]
        parts = [
            _wrapped(f"{self.data} {size}."),
            "\n".join(_wrapped(line, "  ") for line in found),
            "\n".join(self.table()),
            _wrapped(self.verdict),
        ]
        if self.small_rules:
            head = f"The tree of {self.smallest} in {len(self.small_rules)} rules:"
            if len(self.small_rules) == 1:
                head = f"The tree of {self.smallest} is one leaf:"
            parts.append("\n".join([head, "", *(f"  {r}" for r in self.small_rules)]))
        parts += [_wrapped(f"Note: {note}", "  ") for note in self.notes]
        if self.small_command is not None:
            parts.append(f"To grow the smallest tree:\n\n  {self.small_command}")
        if self.command is not None:
            parts.append(f"To grow this tree again:\n\n  {self.command}")
        lines = "\n".join(f"  {line}".rstrip() for line in self.python.splitlines())
        parts.append(f"In Python:\n\n{lines}")
        return "\n\n".join(parts)

    def shown(self) -> Shown:
        """Return the table of the candidates, for people.

        The smallest trees that are not reliably worse than the winner come first.
        """
        metric = METRICS[self.metric]
        lines = sorted(self.lines, key=lambda line: line.name != self.smallest)
        rows = tuple(
            (
                line.name,
                "sums" if line.is_oblique else "columns",
                metric.show(line.score),
                f"{line.leaves:.1f}",
                str(line.n_chosen),
            )
            for line in lines
        )
        choose = max if metric.higher_is_better else min
        top = choose(line.score for line in lines)
        best = {(i, 2) for i, line in enumerate(lines) if line.score == top}
        heads = ("method", "cuts along", metric.title, "leaves", "chosen")
        return Shown(heads, rows, frozenset(best))

    def _repr_html_(self) -> str:
        """Show the table and the verdict in a notebook."""
        found = "".join(f"<li>{escape(one.text)}</li>" for one in self.findings)
        verdict = f"<p>{escape(self.verdict)}</p>"
        return f"<ul>{found}</ul>{self.shown().to_html()}{verdict}"

    def to_markdown(self) -> str:
        """Return the candidates as a table of Markdown."""
        return self.shown().to_markdown()

    def to_latex(self) -> str:
        """Return the candidates as a tabular for LaTeX, with booktabs."""
        return self.shown().to_latex()

    def to_csv(self) -> str:
        """Return the candidates as CSV text."""
        return self.shown().to_csv()

    def to_frame(self) -> Any:
        """Return the candidates as a data frame of pandas, or of polars."""
        keys = [part.name for part in fields(Line)]
        return frame_of({k: [getattr(one, k) for one in self.lines] for k in keys})

    def table(self) -> list[str]:
        """Lay out the candidates, one line each, with a head."""
        width = max(len("method"), *(len(line.name) for line in self.lines))
        rows = [self.shown().heads, *self.shown().rows]
        return [
            f"{name:<{width}}  {cuts:<10}  {score:>12}  {leaves:>7}  {chosen:>6}"
            for name, cuts, score, leaves, chosen in rows
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all but the model as plain values."""
        plain = {key: value for key, value in vars(self).items() if key not in _MODELS}
        plain["findings"] = [vars(finding) for finding in self.findings]
        plain["lines"] = [vars(line) for line in self.lines]
        return plain


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        88,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
