# SPDX-License-Identifier: BSD-3-Clause
"""Lines in leaves as people read them: ``y = 3.1 + 0.4 age - 2 income``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ramify.table.schema import ColumnInfo
from ramify.tree.conditions import Words
from ramify.tree.lines import Lines

__all__ = ["line_fields", "line_text"]


def line_text(
    lines: Lines, value: float, node: int, columns: Sequence[ColumnInfo], words: Words
) -> str:
    """Write the line of a node, the columns of the largest effect first.

    It holds for the rows of the node: beyond the values of training each column is
    clipped, and the sum to the range of y. The intercept gets as many digits as the
    largest term needs.
    """
    slopes = lines.slopes(node)
    effect = dict.fromkeys(slopes, 0.0)
    for term in lines.terms(node):
        effect[term.column] += abs(term.slope) * (term.high - term.low)
    order = sorted(slopes, key=lambda column: (-effect[column], column))
    shown = order[: words.max_terms]
    text = f"y = {words.rounded(value)}"
    for column in shown:
        slope = slopes[column]
        size = words.rounded(abs(slope))
        sign = "-" if slope < 0 else "+"
        name = columns[column].name
        text += f" {sign} {name if size == '1' else f'{size} {name}'}"
    if len(order) > len(shown):
        text += f" + {len(order) - len(shown)} more"
    if words.missing and shown:
        fills = [
            f"{columns[column].name} {words.rounded(_fill(lines, node, column))}"
            for column in shown
        ]
        text += f" (if missing: {', '.join(fills)})"
    return text


def _fill(lines: Lines, node: int, column: int) -> float:
    """Return what stands for a missing value: of several terms, in their sum."""
    terms = [term for term in lines.terms(node) if term.column == column]
    total = math.fsum(term.slope for term in terms)
    if total == 0 or len({term.fill for term in terms}) == 1:
        return terms[0].fill
    return math.fsum(term.slope * term.fill for term in terms) / total


def line_fields(
    lines: Lines, value: float, node: int, columns: Sequence[ColumnInfo]
) -> dict[str, Any]:
    """Return the line of a node as plain values that JSON can hold."""
    return {
        "intercept": value,
        "terms": [
            {**term._asdict(), "column": columns[term.column].name}
            for term in lines.terms(node)
        ],
        "low": lines.y_low,
        "high": lines.y_high,
    }
