# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a file → numbers or categories: as they look, as asked, as a model needs.

Numbers become float64 with NaN where missing; categories become an object array of text
or whole numbers with None where missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.files import DataFile, FileColumn, number

__all__ = [
    "MISSING_WORDS",
    "Notation",
    "as_categories",
    "as_guessed",
    "as_in_model",
    "as_numbers",
    "known_fields",
]

# Fields that stand for "no value", besides the empty one.
MISSING_WORDS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "-")

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,14})(\.0)?")  # exact as float64, and "007" not
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BOOLEAN = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Notation:
    """How a file writes its gaps and its numbers.

    Attributes
    ----------
    missing : frozenset of str
        The fields that stand for a missing value.
    decimal : str
        The decimal point, ``"."`` or ``","``.
    asked : frozenset of str
        Those of the missing fields that a user named; they count even in a file that
        has a mark of its own for a missing value.
    """

    missing: frozenset[str] = frozenset(("", *MISSING_WORDS))
    decimal: str = "."
    asked: frozenset[str] = frozenset()

    @classmethod
    def of(cls, missing_values: Sequence[str] | None, decimal: str) -> Notation:
        """Check what a user asked for; an empty field is always missing."""
        if decimal not in (".", ","):
            raise ValueError(f"decimal {decimal!r} is not allowed; use '.' or ','.")
        if missing_values is None:
            return cls(decimal=decimal)
        asked = frozenset(word.strip() for word in missing_values)
        return cls(asked | {""}, decimal, asked)

    def number(self, field: str) -> float | None:
        """Give the number that a field stands for, NaN if missing, None if none."""
        return np.nan if field in self.missing else number(field, self.decimal)


def as_guessed(
    file: DataFile, name: str, column: FileColumn, notation: Notation
) -> NDArray[Any]:
    """Take a column for numbers if all its fields are, else for categories of text."""
    if column.declared == "numeric":
        return as_numbers(file, name, column, notation)
    numbers = None
    if column.declared is None:
        numbers = column.numbers(notation.missing, notation.decimal)
    if numbers is not None:
        return _finite(file, name, numbers)
    codes, fields = known_fields(column, notation)
    if not fields:
        return np.full(len(codes), np.nan)
    if column.declared == "time" or all(map(_is_date, fields)):
        raise ValueError(
            f"column {name!r} of {file.path} holds dates, such as {fields[0]!r}; "
            f"leave it out by ignore={[name]!r}, or turn it into numbers first, such "
            "as a year, a weekday or the days since some date."
        )
    return _taken(fields, codes)


def as_numbers(
    file: DataFile, name: str, column: FileColumn, notation: Notation
) -> NDArray[np.float64]:
    """Take a column for numbers; refuse a field that is none, saying where it is."""
    numbers = column.numbers(notation.missing, notation.decimal)
    if numbers is None:
        place = file.place(name, lambda field: notation.number(field) is None)
        raise ValueError(
            f"column {name!r} of {file.path} is not numeric: {place}; write numbers, "
            "and an empty field for a missing value."
        )
    return _finite(file, name, numbers)


def as_categories(column: FileColumn, notation: Notation) -> NDArray[np.object_]:
    """Take a column for categories: whole numbers if all are, else text as it is."""
    codes, fields = known_fields(column, notation)
    if all(map(_WHOLE.fullmatch, fields)):
        return _taken([int(float(field)) for field in fields], codes)
    return _taken(fields, codes)


def as_in_model(
    file: DataFile,
    name: str,
    column: FileColumn,
    notation: Notation,
    categories: Sequence[Any] | None,
) -> NDArray[Any]:
    """Take a column as a model has learnt it: its categories, None for numbers."""
    if categories is None:
        booleans = _booleans(column, notation)
        if booleans is not None:
            return booleans
        return as_numbers(file, name, column, notation)
    codes, fields = known_fields(column, notation)
    if all(isinstance(category, str) for category in categories):
        return _taken(fields, codes)
    if isinstance(categories[0], bool):
        booleans = _booleans(column, notation)
        if booleans is None:
            place = file.place(name, lambda field: not _is_boolean(field, notation))
            raise ValueError(
                f"column {name!r} of {file.path} is not boolean: {place}; write True "
                "or False, and an empty field for a missing value."
            )
        return _taken([False, True], np.nan_to_num(booleans, nan=-1).astype(np.intp))
    numbers = as_numbers(file, name, column, notation)
    values, codes = np.unique(numbers, return_inverse=True)
    return _taken([_whole_if_so(value) for value in values.tolist()], codes)


def known_fields(
    column: FileColumn, notation: Notation
) -> tuple[NDArray[np.intp], list[str]]:
    """Give a code per row, -1 where missing, and the sorted fields they stand for."""
    codes, fields = column.fields()
    missing = notation.missing if column.gaps is None else column.gaps | notation.asked
    known = sorted(set(fields) - missing)
    place = {field: code for code, field in enumerate(known)}
    lookup = np.array([place.get(field, -1) for field in fields], dtype=np.intp)
    return lookup[codes], known


def _taken(values: Sequence[Any], codes: NDArray[np.intp]) -> NDArray[np.object_]:
    """Give the value of every row; code -1 is None."""
    table = np.empty(len(values) + 1, dtype=object)
    table[:-1] = values
    return table[codes]


def _finite(
    file: DataFile, name: str, numbers: NDArray[np.float64]
) -> NDArray[np.float64]:
    if not np.isinf(numbers).any():
        return numbers

    place = file.place(name, lambda field: number(field) in (np.inf, -np.inf))
    raise ValueError(
        f"column {name!r} of {file.path} is infinite: {place}; write a finite number, "
        "or an empty field for a missing value."
    )


def _whole_if_so(value: float) -> int | float | None:
    if value != value:
        return None
    return int(value) if value.is_integer() else value


def _is_date(field: str) -> bool:
    if _DATE.match(field) is None:
        return False
    try:
        datetime.fromisoformat(field)
    except ValueError:
        return False
    return True


def _booleans(column: FileColumn, notation: Notation) -> NDArray[np.float64] | None:
    """Read True and False as 1 and 0; None if there is anything else."""
    codes, fields = known_fields(column, notation)
    if not fields or not all(field.lower() in _BOOLEAN for field in fields):
        return None
    return np.array([*(_BOOLEAN[field.lower()] for field in fields), np.nan])[codes]


def _is_boolean(field: str, notation: Notation) -> bool:
    return field in notation.missing or field.lower() in _BOOLEAN
