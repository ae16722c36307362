# SPDX-License-Identifier: BSD-3-Clause
"""Columns of Python values, as workbooks and databases hold them."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io.base import DataFile, FileColumn, as_field

__all__ = ["CellColumn", "CellFile", "choose_table"]


class CellColumn(FileColumn):
    """One value per row: a number, text, a date, a boolean, or None.

    All numbers, and all dates, are declared so; anything else is looked at like the
    text of a CSV file, since people write ``1.549,34 EUR`` into cells of text.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        known = [value for value in values if value is not None and value != ""]
        self._values = values
        if known and all(map(_is_number, known)):
            self.declared = "numeric"
        elif known and all(isinstance(value, datetime.date) for value in known):
            self.declared = "time"
        self._is_date = all(map(_is_midnight, known))

    def as_floats(self) -> NDArray[np.float64]:
        """Return the numbers of a column that is declared numeric."""
        return np.array([_as_float(value) for value in self._values])

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields that the codes stand for."""
        index: dict[str, int] = {}
        codes = [
            index.setdefault(self._field(value), len(index)) for value in self._values
        ]
        return np.array(codes, dtype=np.intp), list(index)

    def _field(self, value: Any) -> str:
        if self._is_date and isinstance(value, datetime.datetime):
            return value.date().isoformat()
        return as_field(float(value) if _is_decimal(value) else value)


def choose_table(
    path: str, what: str, names: Sequence[str], requested: str | None
) -> str:
    """Return the requested table (or sheet) of a file, or the only one that it has."""
    listed = ", ".join(map(repr, names))
    if requested is not None:
        if requested not in names:
            raise ValueError(f"{path} has no {what} {requested!r}; it has {listed}.")
        return requested
    if len(names) > 1:
        raise ValueError(
            f"{path} has {len(names)} {what}s, {listed}; choose one by "
            f"from_table={names[0]!r}."
        )
    return names[0]


class CellFile(DataFile):
    """A file that holds Python values, column by column."""

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a column."""
        raise NotImplementedError

    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""
        return {name: CellColumn(self.column(name)) for name in names}


def _is_decimal(value: Any) -> bool:
    return isinstance(value, decimal.Decimal)


def _is_number(value: Any) -> bool:
    is_plain = isinstance(value, int | float) and not isinstance(value, bool)
    return is_plain or _is_decimal(value)


def _as_float(value: Any) -> float:
    return float("nan") if value is None or value == "" else float(value)


def _is_midnight(value: Any) -> bool:
    if isinstance(value, datetime.datetime):
        return value.time() == datetime.time() and value.tzinfo is None
    return True
