# SPDX-License-Identifier: BSD-3-Clause
"""How a threshold is shown: never on the other side of a value of the data.

12345.5, rounded to 12346, would send the row with 12346 the other way. Everything that
shows a threshold (text, rules, pictures, the viewer, comments of exports) looks here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ramify.io.number_formats import date_text
from ramify.table.schema import ColumnInfo

__all__ = ["Bound", "bound", "shortest_between", "with_values"]

_EPOCH = date(1970, 1, 1).toordinal()
_MAX_DAY = date(9999, 12, 31).toordinal() - _EPOCH


class Bound(NamedTuple):
    """A threshold in words: ``upto`` for values up to it, ``above`` for the others.

    Attributes
    ----------
    number : str
        The number, or the date.
    upto, above : str
        ``"<="`` and ``">"``; for dates ``"<"`` and ``">="``, of the day after.
    """

    number: str
    upto: str = "<="
    above: str = ">"


def bound(column: ColumnInfo, threshold: float, decimals: int | None = None) -> Bound:
    """Write a threshold of a column as briefly as the data allow.

    Up to six digits are shown as they are, so that text, pictures and `predict` agree;
    longer ones as the shortest decimal between the neighbouring values.

    Parameters
    ----------
    column : ColumnInfo
        The column; `with_values` adds what is known of its values.
    threshold : float
        Values up to it go left.
    decimals : int, optional
        Digits after the point, if a user wants them.

    Examples
    --------
    >>> from ramify.table.schema import ColumnInfo
    >>> bound(ColumnInfo("n", whole=True), 12345.5)
    Bound(number='12345', upto='<=', above='>')
    >>> bound(ColumnInfo("since", times="iso days"), 16686.5)
    Bound(number='2015-09-09', upto='<', above='>=')
    """
    if column.times and math.isfinite(threshold):
        shown = _date(threshold, column.times.rpartition(" ")[2])
        if shown is not None:
            return shown
    if decimals is not None:
        return Bound(f"{threshold:.{decimals}f}")
    if column.values is not None and math.isfinite(threshold):
        values = column.values
        k = int(np.searchsorted(values, threshold, side="right"))
        if 0 < k < len(values) and not column.whole and not _is_short(threshold):
            low, high = float(values[k - 1]), float(values[k])
            return Bound(shortest_between(low, high, threshold))
    if column.whole and abs(threshold) < 1e15:
        return Bound(str(math.floor(threshold)))
    return Bound(f"{threshold:.12g}")


def _is_short(threshold: float) -> bool:
    """Return whether a threshold, such as 2.45, is shown best as it is."""
    return float(f"{threshold:.6g}") == float(f"{threshold:.12g}")


def shortest_between(low: float, high: float, near: float) -> str:
    """Return the shortest decimal above `low` and below `high`, nearest to `near`.

    Where a threshold is a value of the data, it is that value.

    Examples
    --------
    >>> shortest_between(12345.25, 12345.75, 12345.5)
    '12345.5'
    >>> shortest_between(0.8237, 1.7462, 1.28495)
    '1'
    >>> shortest_between(12345.0, 12346.0, 12345.5)
    '12345.5'
    """
    if not low < near < high:
        return (
            repr(near)
            if near != math.floor(near) or abs(near) > 1e15
            else f"{near:.0f}"
        )
    exact = Decimal(near)
    for digits in range(-int(math.log10(max(abs(low), abs(high), 1e-300))) - 1, 330):
        shown = round(exact, digits)
        if Decimal(low) < shown < Decimal(high) and low < float(shown) < high:
            return _plain(shown)
    return repr(near)


def _plain(x: Decimal) -> str:
    size = abs(x)
    if size and (size < Decimal("1e-5") or size >= Decimal("1e15")):
        return f"{float(x):g}" if float(f"{float(x):g}") == float(x) else repr(float(x))
    text = f"{x:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_values(
    columns: Sequence[ColumnInfo], matrix: NDArray[np.float64]
) -> list[ColumnInfo]:
    """Add the values that numeric columns have in some rows."""
    found = []
    for j, column in enumerate(columns):
        if column.is_categorical:
            found.append(column)
            continue
        values = np.unique(matrix[:, j])
        values = values[np.isfinite(values)]
        is_whole = len(values) > 0 and bool((values == np.rint(values)).all())
        found.append(replace(column, values=values, whole=is_whole))
    return found


def _date(threshold: float, unit: str) -> Bound | None:
    """Write the first day, or second, above a threshold; None if there is none."""
    day_of = 1 if unit == "days" else 86400
    if not -_EPOCH * day_of < threshold < _MAX_DAY * day_of:
        return None
    return Bound(date_text(math.floor(threshold) + 1, unit), "<", ">=")
