# SPDX-License-Identifier: BSD-3-Clause
"""An experiment that is a figure: what is run for it, and what is read off it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ramify.comparison.metrics import Metric
from ramify.reproduce.paper import Entries, Judgement

if TYPE_CHECKING:
    from ramify.reproduce.results import Reproduction

__all__ = ["Figure", "Finding", "Shown"]


@dataclass(frozen=True)
class Finding:
    """A sentence that the paper reads off its figure, judged by our numbers."""

    text: str
    ours: Judgement


@dataclass(frozen=True)
class Shown:
    """What came of a figure.

    Attributes
    ----------
    headings, lines : sequence
        The numbers as a table.
    picture : str
        SVG, as a file of its own.
    findings : tuple of Finding
        What the paper reads off the figure, and whether our numbers say so.
    note : str
        What a reader should know of these numbers.
    """

    headings: Sequence[str]
    lines: Sequence[Sequence[str]]
    picture: str
    findings: tuple[Finding, ...] = ()
    note: str = ""

    def to_csv(self) -> str:
        """Write the table as CSV."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.headings, *self.lines])
        return text.getvalue()


@dataclass(frozen=True)
class Figure:
    """An experiment of a paper that is not one of its tables by data set and method.

    It may need runs of its own; else it reads the runs of the tables, or the data.

    Attributes
    ----------
    key : str
        Names its files, ``PAPER_KEY.svg`` and ``PAPER_KEY.csv``.
    place, title : str
        Where it is printed, and what it shows.
    says : str
        What the paper says of it.
    show : callable
        What came of it, given the reproduction; None if its data were not run.
    entries : callable or None
        What is run for it on a row of a given size.
    rows : tuple of str or None
        The rows on which that is run, by their names; None for all but extra ones.
    n_folds : int or None
        How many of the paper's folds are run, once; None for all of them, as often as
        the plan says.
    metrics : mapping
        Numbers that are measured on its folds, besides the usual ones.
    """

    key: str
    place: str
    title: str
    says: str
    show: Callable[[Reproduction], Shown | None] = field(compare=False)
    entries: Entries | None = field(default=None, compare=False)
    rows: tuple[str, ...] | None = None
    n_folds: int | None = None
    metrics: Mapping[str, Metric] = field(default_factory=dict, compare=False)
