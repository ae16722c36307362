# SPDX-License-Identifier: BSD-3-Clause
"""What a column holds, in a line for people, and what may be wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io import number
from ramify.io.number_formats import date_text
from ramify.io.pandas_index import is_unnamed

__all__ = ["ColumnSummary", "describe", "describe_labels", "summary_lines"]

_N_FREQUENT = 5
_MANY_ROWS = 50  # in fewer rows, nearly all distinct says little
_NEARLY_ALL = 0.9
_MAX_LINES = 60
_WIDEST_NAME = 24
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
_WITH_DECIMAL_COMMA = re.compile(r"-?\d+(,\d+)?")


@dataclass(frozen=True)
class ColumnSummary:
    """A summary of one column.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        "numeric", "categorical" or "target".
    n_distinct, n_missing : int
        Distinct values, and rows without one.
    low, high : float or None
        Range of a numeric column.
    unit : str
        "days" or "seconds" if the numbers are dates, counted since 1970.
    frequent : tuple of (value, count)
        The most frequent categories, at most five.
    hint : str
        What the user may want to change, or nothing.
    """

    name: str
    kind: str
    n_distinct: int
    n_missing: int
    low: float | None = None
    high: float | None = None
    unit: str = ""
    frequent: tuple[tuple[Any, int], ...] = ()
    hint: str = ""

    @property
    def tells_rows_apart(self) -> bool:
        """Whether it looks like an id or a row number."""
        return self.hint.startswith("looks like a")


def describe(name: str, values: NDArray[Any]) -> ColumnSummary:
    """Summarise a column: float64 with NaN, or objects with None, where missing.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.table.describe import describe
    >>> found = describe("city", np.array(["Oslo", None, "Bergen", "Oslo"], object))
    >>> found.kind, found.n_distinct, found.n_missing
    ('categorical', 2, 1)
    >>> found.frequent
    (('Oslo', 2), ('Bergen', 1))
    """
    if values.dtype == object:
        return _describe_categories(name, values)
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    return ColumnSummary(
        name,
        "numeric",
        len(distinct),
        len(values) - len(known),
        low=float(distinct[0]) if len(distinct) else None,
        high=float(distinct[-1]) if len(distinct) else None,
        hint=_hint_on_few(len(distinct), len(values) - len(known))
        or _hint_on_numbers(name, distinct, len(values)),
    )


def describe_labels(name: str, y: NDArray[Any], n_missing: int = 0) -> ColumnSummary:
    """Summarise the labels that are there, and say how many were missing."""
    summary = _describe_categories(name, y.astype(object))
    few = len(y) > _MANY_ROWS and summary.n_distinct > len(y) / 2
    return replace(
        summary,
        kind="target",
        n_missing=n_missing,
        hint="has few rows per class; is it a number or an id?" if few else "",
    )


def summary_lines(
    summary: Sequence[ColumnSummary], n_rows: int, width: int = 80
) -> list[str]:
    r"""Lay out columns as a table: name, kind, distinct and missing values, examples.

    Examples
    --------
    >>> import numpy as np
    >>> from ramify.table.describe import describe, summary_lines
    >>> city = describe("city", np.array(["Oslo", None, "Bergen", "Oslo"], object))
    >>> print(*summary_lines([city], n_rows=4), sep="\n")
    column  kind         distinct  missing  values
    city    categorical         2      25%  Oslo 50%, Bergen 25%
    """
    shown = summary[:_MAX_LINES]
    widest = max(len("column"), *(len(one.name) for one in shown))
    name_width = min(widest, _WIDEST_NAME)
    for_values = width - name_width - 34  # for the values

    def line(name: str, kind: str, distinct: str, missing: str, values: str) -> str:
        name = f"{_cut(name, name_width):<{name_width}}"
        values = _cut(values, for_values)
        text = f"{name}  {kind:<11}  {distinct:>8}  {missing:>7}  {values}"
        return text.rstrip()

    lines = [line("column", "kind", "distinct", "missing", "values")]
    for one in shown:
        of = n_rows + (one.n_missing if one.kind == "target" else 0)
        missing = _share(one.n_missing, of) if one.n_missing else ""
        examples = _examples(one, n_rows, for_values)
        lines.append(line(one.name, one.kind, str(one.n_distinct), missing, examples))
    if len(summary) > len(shown):
        lines.append(f"and {len(summary) - len(shown)} columns more")
    return lines


def _examples(summary: ColumnSummary, n_rows: int, for_values: int) -> str:
    """Show a range, or as many frequent categories as fit."""
    if summary.low is not None and summary.high is not None:
        if summary.unit:
            ends = (date_text(end, summary.unit) for end in (summary.low, summary.high))
            return " to ".join(ends)
        return f"{_number(summary.low)} to {_number(summary.high)}"
    text = ""
    for i, (value, count) in enumerate(summary.frequent):
        longer = f"{text}{', ' if text else ''}{value} {_share(count, n_rows)}"
        n_more = summary.n_distinct - i - 1
        if text and len(longer) + (len(f", +{n_more}") if n_more else 0) > for_values:
            return f"{text}, +{n_more + 1}"
        text = longer
    n_more = summary.n_distinct - len(summary.frequent)
    return f"{text}, +{n_more}" if n_more else text


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) < 1e15 else f"{value:g}"


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole
    return "<1%" if percent < 1 else f"{min(percent, 99 if part < whole else 100):.0f}%"


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())  # a line break would break the table
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _describe_categories(name: str, values: NDArray[np.object_]) -> ColumnSummary:
    counts: dict[Any, int] = {}
    for value in values.tolist():
        counts[value] = counts.get(value, 0) + 1
    n_missing = counts.pop(None, 0)
    most_first = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ColumnSummary(
        name,
        "categorical",
        len(counts),
        n_missing,
        frequent=tuple(most_first[:_N_FREQUENT]),
        hint=_hint_on_few(len(counts), n_missing)
        or _hint_on_categories(name, counts, len(values)),
    )


def _hint_on_few(n_distinct: int, n_missing: int) -> str:
    if n_distinct == 0:
        return "has no values"
    return "has one value only" if n_distinct == 1 and n_missing == 0 else ""


def _hint_on_numbers(name: str, distinct: NDArray[np.float64], n_rows: int) -> str:
    is_count = len(distinct) == n_rows and (np.diff(distinct) == 1).all()
    if is_unnamed(name) and is_count and n_rows > 1:
        return f"looks like a row number; leave it out by ignore={[name]!r}"
    if len(distinct) < n_rows or n_rows <= _MANY_ROWS:
        return ""
    is_dense = distinct[-1] - distinct[0] < n_rows / _NEARLY_ALL
    if is_dense and (distinct == np.round(distinct)).all():
        return f"looks like a row number; leave it out by ignore={[name]!r}"
    return ""


def _hint_on_categories(name: str, counts: dict[Any, int], n_rows: int) -> str:
    text = [value for value in counts if isinstance(value, str)]
    if text and _is_decimal_comma(text):
        return "holds numbers with a decimal comma; read them as such"
    if len(counts) > _NEARLY_ALL * n_rows and n_rows > _MANY_ROWS:
        return f"looks like an id; leave it out by ignore={[name]!r}"
    odd = [value for value in text if number(value) is None]
    if text and not odd:
        return "holds numbers, taken as text"
    if len(odd) < len(text):
        example = max(odd, key=lambda value: (counts[value], value))
        return f"mixes numbers and text, such as {example!r}; taken as text"
    return ""


def _is_decimal_comma(text: Sequence[str]) -> bool:
    return all(map(_WITH_DECIMAL_COMMA.fullmatch, text)) and any(
        map(_DECIMAL_COMMA.fullmatch, text)
    )
