# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a file → numbers or categories: as they look, as given, as a model needs.

Numbers become float64 with NaN where missing; categories become an object array of text
or whole numbers with None where missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ramify.io import DataFile, FileColumn, number
from ramify.io.number_formats import (
    THOUSANDS,
    Manner,
    NumberManner,
    TimeManner,
    number_manner,
    time_manner,
)

__all__ = [
    "MISSING_WORDS",
    "Notation",
    "Taken",
    "as_categories",
    "as_guessed",
    "as_in_model",
    "as_numbers",
    "known_fields",
]

# Fields that stand for "no value", besides the empty one.
MISSING_WORDS = (
    *("NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None"),
    *("?", "-"),
)
DATES = ("numeric", "parts")

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,14})(\.0)?")  # exact as float64, and "007" not
_BOOLEAN = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Notation:
    """How a file writes its missing values and its numbers.

    Attributes
    ----------
    missing : frozenset of str
        The fields that stand for a missing value.
    decimal : str or None
        The decimal point, ``"."`` or ``","``; None to find out.
    given : frozenset of str
        Those of the missing fields that a user named; they count even in a file that
        has a mark of its own for a missing value.
    thousands : str or None
        What stands between thousands, perhaps nothing; None to find out.
    dates : {"numeric", "parts"} or None
        What becomes of dates and times: numbers, or these and year, month and weekday;
        None refuses them.
    """

    missing: frozenset[str] = frozenset(("", *MISSING_WORDS))
    decimal: str | None = None
    given: frozenset[str] = frozenset()
    thousands: str | None = None
    dates: str | None = None

    @classmethod
    def from_options(
        cls,
        missing_values: Sequence[str] | None,
        decimal: str | None = None,
        thousands: str | None = None,
        dates: str | None = None,
    ) -> Notation:
        """Check what a user gave; an empty field is always missing."""
        if decimal not in (None, ".", ","):
            raise ValueError(f"decimal={decimal!r} is not allowed; use '.' or ','.")
        if thousands not in (None, "", *THOUSANDS):
            raise ValueError(
                f"thousands={thousands!r} is not allowed; use one of "
                f"{', '.join(map(repr, THOUSANDS))}, or '' for none."
            )
        if thousands and thousands == decimal:
            raise ValueError(
                f"decimal={decimal!r} and thousands={thousands!r} are the same."
            )
        if dates not in (None, *DATES):
            raise ValueError(
                f"dates={dates!r} is not allowed; use 'numeric', or 'parts' for year, "
                "month and weekday, too."
            )
        missing, given = cls.missing, cls.given
        if missing_values is not None:
            words = [word.strip() for word in missing_values]
            added = [word[1:] for word in words if len(word) > 1 and word[0] == "+"]
            if added and len(added) < len(words):
                raise ValueError(
                    f"missing_values={words!r} mixes words with + and without; write + "
                    "before each to add them to the usual ones, or before none to have "
                    "no others."
                )
            given = frozenset(added or words)
            missing = given | (cls.missing if added else {""})
        return cls(missing, decimal, given, thousands, dates)

    def in_labels(self) -> Notation:
        """Return that of labels, where - and None may be the names of classes."""
        names_of_classes = {"-", "None"} - self.given
        return replace(self, missing=self.missing - names_of_classes)

    def number(self, field: str) -> float | None:
        """Return the number that a field stands for, NaN if missing, None if none."""
        return np.nan if field in self.missing else number(field, self.decimal or ".")

    def manner(self, fields: Sequence[str], file: DataFile) -> NumberManner | None:
        """Find how a column writes its numbers, where that is not plain."""
        # Whose columns part at commas has none in its numbers.
        likely = "," if file.delimiter == ";" else "."
        return number_manner(fields, self.decimal, self.thousands, likely)


class Taken(NamedTuple):
    """The values of a column, how they were written, and what to say of it."""

    values: NDArray[Any]
    manner: Manner | None = None
    note: str = ""


def as_guessed(
    file: DataFile, name: str, column: FileColumn, notation: Notation
) -> Taken:
    """Take a column for numbers if all its fields are, else for categories of text."""
    if column.declared == "numeric":
        return as_numbers(file, name, column, notation)
    numbers = None
    if column.declared is None:
        numbers = column.numbers(notation.missing, notation.decimal or ".")
    is_code = numbers is not None and column.has_leading_zeros()
    if numbers is not None and not is_code:
        return Taken(_finite(file, name, numbers))
    codes, fields = known_fields(column, notation)
    if not fields:
        return Taken(np.full(len(codes), np.nan))
    if is_code:
        note = f"has leading zeros, taken as text; numeric={[name]!r} takes numbers"
        return Taken(_taken(fields, codes), note=note)
    times = None if column.declared == "text" else time_manner(fields)
    if times is not None or column.declared == "time":
        if notation.dates is None or times is None:
            raise ValueError(
                f"column {name!r} of {file.path} holds dates, such as {fields[0]!r}; "
                f"take them as numbers by dates='numeric', or leave them out by "
                f"ignore={[name]!r}."
            )
        return Taken(_read(fields, codes, times), times, times.words)
    if column.declared is None:
        manner = notation.manner(fields, file)
        if manner is not None:
            note = f"{manner.words}; categorical={[name]!r} takes text"
            return Taken(_read(fields, codes, manner), manner, note)
    return Taken(_taken(fields, codes))


def as_numbers(
    file: DataFile,
    name: str,
    column: FileColumn,
    notation: Notation,
    known: Manner | None = None,
) -> Taken:
    """Take a column for numbers; refuse a field that is none, saying where it is.

    ``known`` is how a model has learnt that they are written.
    """
    if known is not None:  # 1.549 is 1549 where fit found a decimal comma
        codes, fields = known_fields(column, notation)
        if all(known.number(field) is not None for field in fields):
            return Taken(_read(fields, codes, known), known, known.words)
    numbers = None
    if not isinstance(known, TimeManner):
        numbers = column.numbers(notation.missing, notation.decimal or ".")
    if numbers is not None:
        return Taken(_finite(file, name, numbers))
    codes, fields = known_fields(column, notation)
    manner = known or notation.manner(fields, file)
    if manner is None or any(manner.number(field) is None for field in fields):
        reads = notation.number if manner is None else manner.number
        place = file.place(
            name, lambda field: field not in notation.missing and reads(field) is None
        )
        what = "a time as in fit" if isinstance(manner, TimeManner) else "numeric"
        raise ValueError(
            f"column {name!r} of {file.path} is not {what}: {place}; write numbers, "
            "and an empty field for a missing value."
        )
    return Taken(_read(fields, codes, manner), manner, manner.words)


def _read(
    fields: Sequence[str], codes: NDArray[np.intp], manner: Manner
) -> NDArray[np.float64]:
    """Return the number of every row; code -1 is NaN."""
    numbers = [manner.number(field) for field in fields]
    return np.array([*numbers, np.nan], dtype=np.float64)[codes]


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
    manner: Manner | None = None,
) -> NDArray[Any]:
    """Take a column as a model has learnt it: its categories, None for numbers."""
    if categories is None:
        booleans = _booleans(column, notation)
        if booleans is not None:
            return booleans
        return as_numbers(file, name, column, notation, manner).values
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
    numbers = as_numbers(file, name, column, notation).values
    values, codes = np.unique(numbers, return_inverse=True)
    return _taken([_whole_if_so(value) for value in values.tolist()], codes)


def known_fields(
    column: FileColumn, notation: Notation
) -> tuple[NDArray[np.intp], list[str]]:
    """Return a code per row, -1 where missing, and the sorted fields they stand for."""
    codes, fields = column.fields()
    missing = (
        notation.missing
        if column.missing_words is None
        else column.missing_words | notation.given
    )
    known = sorted(set(fields) - missing)
    place = {field: code for code, field in enumerate(known)}
    lookup = np.array([place.get(field, -1) for field in fields], dtype=np.intp)
    return lookup[codes], known


def _taken(values: Sequence[Any], codes: NDArray[np.intp]) -> NDArray[np.object_]:
    """Return the value of every row; code -1 is None."""
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


def _booleans(column: FileColumn, notation: Notation) -> NDArray[np.float64] | None:
    """Read True and False as 1 and 0; None if there is anything else."""
    codes, fields = known_fields(column, notation)
    if not fields or not all(field.lower() in _BOOLEAN for field in fields):
        return None
    return np.array([*(_BOOLEAN[field.lower()] for field in fields), np.nan])[codes]


def _is_boolean(field: str, notation: Notation) -> bool:
    return field in notation.missing or field.lower() in _BOOLEAN
