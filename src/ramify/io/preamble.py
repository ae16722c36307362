# SPDX-License-Identifier: BSD-3-Clause
"""Lines above the header: the title, the date and the filters of a report."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from ramify.io.base import Source, number
from ramify.io.lines import text_lines
from ramify.io.sheets import first_rows, is_workbook
from ramify.io.text import DELIMITERS

__all__ = ["preamble_of"]

_N_LINES = 100


def preamble_of(source: Source) -> tuple[int, str]:
    """Return how many lines stand above the header, and the first of them with text.

    The header is the first line with a name for each of the columns that most lines
    have; no name is a number.
    """
    if is_workbook(source, source.shown.lower()):
        return _above_header(list(enumerate(first_rows(source, _N_LINES))))
    with text_lines(source) as lines:
        head = list(islice(lines, _N_LINES))
    best: tuple[int, str] = (0, "")
    widest = 1
    for delimiter in DELIMITERS:
        try:
            rows = _records(head, delimiter)
        except csv.Error:
            continue
        width = _usual_width([row for _, row in rows])
        if width > widest:
            widest, best = width, _above_header(rows)
    return best


def _records(head: Sequence[str], delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the fields of each record, and the number of lines above it."""
    reader = csv.reader(head, delimiter=delimiter, skipinitialspace=True)
    found, above = [], 0
    for row in reader:
        found.append((above, [field.strip() for field in row]))
        above = reader.line_num
    return found


def _usual_width(rows: Sequence[Sequence[str]]) -> int:
    widths = Counter(len(row) for row in rows if len(row) > 1)
    return widths.most_common(1)[0][0] if widths else 0


def _above_header(rows: Sequence[tuple[int, list[str]]]) -> tuple[int, str]:
    width = _usual_width([row for _, row in rows])
    first = ""
    for above, row in rows:
        is_named = len(row) == width and all(row)
        if is_named and all(number(name) is None for name in row):
            return above, first
        text = " ".join(field for field in row if field)
        if len(list(filter(None, row))) == width:
            return 0, ""  # data, and no header above them
        first = first or text
    return 0, ""
