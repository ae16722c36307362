# SPDX-License-Identifier: BSD-3-Clause
"""Columns of dates and times, and of text that holds such → numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io.number_formats import ORDERS, TimeManner, time_manner
from ramify.table.columns import Column, TimeColumn, show

__all__ = ["Times", "is_times", "learn_times", "read_times"]

# How the times of a column were written and in what unit they are numbers, as text
# that a schema can keep: "iso days".
Times = str


def learn_times(column: Column) -> tuple[NDArray[np.float64], Times] | None:
    """Return a column of times as numbers, and how; None if it holds something else."""
    if isinstance(column, TimeColumn):
        unit = column.unit
        return column.since(unit), f"iso {unit}"
    if not column.holds_text:
        return None
    coded = column.coded()
    manner = time_manner(coded.categories)
    if manner is None:
        return None
    return _numbers(coded.codes, coded.categories, manner), (
        f"{manner.order} {manner.unit}"
    )


def is_times(text: Any) -> bool:
    """Return whether a text says how times became numbers."""
    order, _, unit = str(text).rpartition(" ")
    return order in ORDERS and unit in ("days", "seconds")


def read_times(column: Column, times: Times, label: str) -> NDArray[Any]:
    """Return a column of times as the numbers that fit made of them."""
    order, _, unit = times.rpartition(" ")
    if isinstance(column, TimeColumn):
        return column.since(unit)
    if not column.holds_text:
        return column.numbers()
    coded = column.coded()
    manner = TimeManner(order, unit)
    for code, value in enumerate(coded.categories):
        if manner.number(str(value)) is None:
            row = int(np.argmax(coded.codes == code))
            raise ValueError(
                f"{label} held times in fit, and has {show(value)} in row {row}; write "
                "it as a time, or leave it empty"
            )
    return _numbers(coded.codes, coded.categories, manner)


def _numbers(
    codes: NDArray[Any], values: Sequence[Any], manner: TimeManner
) -> NDArray[np.float64]:
    numbers = [manner.number(str(value)) for value in values]
    lookup: NDArray[np.float64] = np.array([*numbers, np.nan], dtype=np.float64)
    return np.asarray(lookup[codes])
