# SPDX-License-Identifier: BSD-3-Clause
"""One column: its values as numbers, or as codes of categories."""

from __future__ import annotations

import datetime
import math
import numbers
import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from itertools import repeat
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DATES_TO_NUMBERS",
    "ENCODE_IT",
    "TOO_LARGE",
    "Coded",
    "Column",
    "DictionaryColumn",
    "NumberColumn",
    "ObjectColumn",
    "TimeColumn",
    "column_of",
    "native",
    "object_column",
    "plain_values",
    "seconds_of",
    "show",
    "sort_of",
]

DATES_TO_NUMBERS = (
    "turn dates into numbers first, by ramify.Table(X, dates='numeric') or as you "
    "like, such as into a year or a weekday"
)
ENCODE_IT = "encode it as numbers first, or name the column in categorical_features"
_PLURAL = {"text": "text", "number": "numbers", "boolean": "booleans"}

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 80
TOO_LARGE = "beyond the largest float, 1.8e308; divide by some number first"
_LONG_BITS = 14_000  # Python refuses to write whole numbers of more than 4300 digits


def show(value: Any) -> str:
    """Write a value in an error message: in one line, and all of it if it is short."""
    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) is int and plain.bit_length() > _LONG_BITS:
        return f"a whole number of {plain.bit_length()} bits"
    return _short.repr(plain).replace("\n", " ")


@dataclass(frozen=True)
class Coded:
    """The category of every row, as a code; categories are distinct and sorted."""

    codes: NDArray[np.int32]  # -1 where the value is missing
    categories: tuple[Any, ...]  # all text, all numbers or all booleans

    @property
    def first(self) -> tuple[int, Any]:
        """The first row that has a category, and the category."""
        row = int(np.argmax(self.codes >= 0))
        return row, self.categories[self.codes[row]]


class Column(Protocol):
    """A column that can be read either way; the schema says which."""

    @property
    def is_categorical(self) -> bool:
        """Whether the type of the column says that it holds categories."""

    @property
    def holds_text(self) -> bool:
        """Whether any of its values is text."""

    def numbers(self, advice: str = ENCODE_IT) -> NDArray[Any]:
        """Return its numbers, NaN where missing; refuse text, with some advice."""

    def coded(self) -> Coded:
        """Return its categories; refuse a mixture of types."""


def column_of(array: NDArray[Any], label: str) -> Column:
    """Wrap one column of an array; errors will call it by its label."""
    kind = array.dtype.kind
    if kind in "fiub":
        return NumberColumn(label, array)
    if kind == "c":
        raise ValueError(f"Complex data not supported: {label} has dtype {array.dtype}")
    if kind in "mM":
        return TimeColumn(label, _seconds(array), str(array.dtype))
    return object_column(label, array.astype(object))


def object_column(label: str, values: NDArray[np.object_]) -> Column:
    """Wrap Python objects, which may all be times."""
    column = ObjectColumn(label, values)
    return column.as_times() or column


class NumberColumn:
    """Numbers or booleans; NaN is missing, and so is what the mask says."""

    is_categorical = False
    holds_text = False

    def __init__(
        self,
        label: str,
        values: NDArray[Any],
        is_missing: NDArray[np.bool_] | None = None,
    ) -> None:
        self._label = label
        self._values = native(values)
        self._is_missing = is_missing

    def numbers(self, advice: str = ENCODE_IT) -> NDArray[Any]:
        """Return the values; a mask makes them floats."""
        if self._is_missing is None:
            return self._values
        values = self._values.astype(np.float64)
        values[self._is_missing] = np.nan
        return values

    def coded(self) -> Coded:
        """Take every distinct number for a category."""
        is_missing = np.isnan(self._values)
        if self._is_missing is not None:
            is_missing |= self._is_missing
        codes = np.full(len(self._values), -1)
        distinct, codes[~is_missing] = np.unique(
            self._values[~is_missing], return_inverse=True
        )
        return _settle(self._label, codes, distinct.tolist())


class TimeColumn:
    """Dates, times or durations, which are numbers only on request."""

    is_categorical = False
    holds_text = False

    def __init__(
        self,
        label: str,
        seconds: NDArray[np.float64],
        dtype: str,
        refusal: str = "",
    ) -> None:
        self._label = label
        self._seconds = seconds
        self._refusal = refusal or f"{label} has dtype {dtype}; {DATES_TO_NUMBERS}"

    @property
    def unit(self) -> str:
        """Days if no value has a time of day, else seconds."""
        known = self._seconds[~np.isnan(self._seconds)]
        return "days" if (known % 86400 == 0).all() else "seconds"

    def since(self, unit: str) -> NDArray[np.float64]:
        """Return the days or seconds since the start of 1970, NaN where missing."""
        return self._seconds / 86400 if unit == "days" else self._seconds

    def numbers(self, advice: str = ENCODE_IT) -> NDArray[Any]:
        """Refuse, as nobody has said in what unit."""
        raise TypeError(self._refusal)

    def coded(self) -> Coded:
        """Refuse: every row would be a category of its own."""
        raise TypeError(self._refusal)


def _seconds(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return the seconds since 1970, or those of a duration; NaN for NaT."""
    seconds = array.astype(f"{array.dtype.kind}8[us]").astype(np.int64) / 1e6
    seconds[np.isnat(array)] = np.nan
    return seconds


class ObjectColumn:
    """Python objects: text or numbers, with None and its like for missing."""

    def __init__(self, label: str, values: NDArray[np.object_]) -> None:
        self._label = label
        self._values = values

    @cached_property
    def _sorts(self) -> set[str]:
        return {_sort_of_type(kind) for kind in set(map(type, self._values))}

    @property
    def holds_text(self) -> bool:
        """Whether there is text among the objects."""
        return "text" in self._sorts

    is_categorical = holds_text

    def as_times(self) -> TimeColumn | None:
        """Return the column as one of times, if all its objects are such."""
        if "date" not in self._sorts or not self._sorts <= {"date", "missing"}:
            return None
        row, value = self._first({"date"}, inside=True)
        if not isinstance(value, (datetime.date, datetime.timedelta)):
            return None
        seconds = np.array([seconds_of(value) for value in self._values])
        refusal = f"{self._label} has {show(value)} in row {row}; {DATES_TO_NUMBERS}"
        return TimeColumn(self._label, seconds, "object", refusal)

    def numbers(self, advice: str = ENCODE_IT) -> NDArray[np.float64]:
        """Return the objects as floats; text is not read, even if it holds digits."""
        allowed = {"number", "boolean", "missing"}
        if not self._sorts <= allowed:
            row, value = self._first(allowed, inside=False)
            _refuse_as_number(self._label, value, row, advice)
        try:
            return self._values.astype(np.float64)
        except (TypeError, ValueError, OverflowError):  # perhaps the NA of pandas
            return np.array(
                [
                    _as_float(self._label, value, row)
                    for row, value in enumerate(self._values)
                ]
            )

    def coded(self) -> Coded:
        """Take every distinct object for a category."""
        allowed = {"text", "number", "boolean", "missing"}
        if not self._sorts <= allowed:
            row, value = self._first(allowed, inside=False)
            _refuse(self._label, value, row)
        if {"number", "boolean"} <= self._sorts:  # 1 == True: tell them apart by type
            self._refuse_numbers_among_booleans()
        values = [value for value in set(self._values) if not _is_missing(value)]
        index = {value: code for code, value in enumerate(values)}
        codes = np.fromiter(
            map(index.get, self._values, repeat(-1)), np.intp, len(self._values)
        )
        return _settle(self._label, codes, values)

    def _first(self, sorts: set[str], *, inside: bool) -> tuple[int, Any]:
        """Find the first value whose sort is (or is not) one of these."""
        return next(
            (row, value)
            for row, value in enumerate(self._values)
            if (sort_of(value) in sorts) is inside
        )

    def _refuse_numbers_among_booleans(self) -> None:
        for row, value in enumerate(self._values):
            if sort_of(value) == "number" and not _is_missing(value):
                first = self._first({"boolean"}, inside=True)
                _refuse_mixture(self._label, [first, (row, value)])


class DictionaryColumn:
    """Categories that came numbered, or that their library numbers on request."""

    is_categorical = True

    def __init__(
        self, label: str, encode: Callable[[], tuple[NDArray[Any], list[Any]]]
    ) -> None:
        self._label = label
        self._encode = encode

    @property
    def holds_text(self) -> bool:
        """Whether the categories are text; they may be numbers."""
        categories = self.coded().categories
        return bool(categories) and isinstance(categories[0], str)

    def numbers(self, advice: str = ENCODE_IT) -> NDArray[np.float64]:
        """Return the categories of the rows, if they are numbers."""
        coded = self.coded()
        if self.holds_text:
            row, value = coded.first
            _refuse_as_number(self._label, value, row, advice)
        return np.array([*coded.categories, np.nan], dtype=np.float64)[coded.codes]

    def coded(self) -> Coded:
        """Return the categories that occur."""
        return self._coded

    @cached_property
    def _coded(self) -> Coded:
        return _settle(self._label, *self._encode())


def seconds_of(value: Any) -> float:
    """Return the seconds since 1970 of a date, a time or nothing (NaN).

    Examples
    --------
    >>> import datetime
    >>> seconds_of(datetime.date(1970, 1, 2)), seconds_of(None)
    (86400.0, nan)
    """
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.UTC)
        return float(value.timestamp())
    if isinstance(value, datetime.date):
        return (value.toordinal() - datetime.date(1970, 1, 1).toordinal()) * 86400.0
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return float("nan")


def native(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers in a type that the engine reads: no half floats."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    if any(stride % array.dtype.itemsize for stride in array.strides):
        return np.ascontiguousarray(array)  # a field of records, between other fields
    return array


# --- what a value is ------------------------------------------------------------------


def sort_of(value: Any) -> str:
    """Name the sort of a value: "text", "number", "boolean", "missing" or others."""
    kind: Any = type(value)
    return _sort_of_type(kind)


@cache
def _sort_of_type(kind: Any) -> str:
    """Name the sort of value that a type holds."""
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, (bool, np.bool_)):
        return "boolean"
    if kind is type(None) or kind.__name__ in ("NAType", "NaTType"):  # of pandas
        return "missing"
    dates = (datetime.date, datetime.time, datetime.timedelta)
    if issubclass(kind, (*dates, np.datetime64, np.timedelta64)):
        return "date"
    if issubclass(kind, (bytes, bytearray)):
        return "bytes"
    if issubclass(kind, (numbers.Real, Decimal)):
        return "number"
    if issubclass(kind, (complex, np.complexfloating)):
        return "complex"
    is_number = hasattr(kind, "__float__") and not issubclass(kind, np.ndarray)
    return "number" if is_number else "other"


def _is_missing(value: Any) -> bool:
    sort = sort_of(value)
    return sort == "missing" or (sort == "number" and bool(value != value))


def _settle(label: str, codes: NDArray[Any], values: Sequence[Any]) -> Coded:
    """Return codes to the values that occur, in order; refuse a mixture of types."""
    is_used = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
    used = [k for k in np.flatnonzero(is_used).tolist() if not _is_missing(values[k])]
    sorts = {sort_of(values[k]) for k in used}
    if len(sorts) > 1 or not sorts <= _PLURAL.keys():
        _refuse_values(label, codes, values, used)
    plain = plain_values([values[k] for k in used])
    for k, value in zip(used, plain, strict=True):
        if isinstance(value, float) and math.isinf(value):
            row = int(np.argmax(codes == k))
            raise ValueError(
                f"Input X contains infinity: {label} is {value} in row {row}; use NaN "
                "for a missing value, or a large finite number"
            )
    categories = sorted(set(plain))
    position = {value: code for code, value in enumerate(categories)}
    lookup = np.full(len(values) + 1, -1, dtype=np.int32)  # the last one for code -1
    lookup[used] = [position[value] for value in plain]
    return Coded(lookup[codes], tuple(categories))


def plain_values(values: list[Any]) -> list[Any]:
    """Turn values of one sort into Python's own: str, bool, int if all whole, float."""
    if not values:
        return []
    sort = sort_of(values[0])
    if sort == "text":
        return [str(value) for value in values]
    if sort == "boolean":
        return [bool(value) for value in values]
    if all(isinstance(value, numbers.Integral) for value in values):
        return [int(value) for value in values]
    floats = [float(value) + 0.0 for value in values]  # -0.0 is 0.0
    if all(value.is_integer() for value in floats):
        return [int(value) for value in values]
    return floats


# --- errors ---------------------------------------------------------------------------


def _refuse(label: str, value: Any, row: int) -> NoReturn:
    """Refuse a value that is neither text nor a number."""
    where = f"{label} has {show(value)} in row {row}"
    sort = sort_of(value)
    if sort == "date":
        raise TypeError(f"{where}; {DATES_TO_NUMBERS}")
    if sort == "complex":
        raise ValueError(f"Complex data not supported: {where}")
    if sort == "bytes":
        raise ValueError(
            f"{where}, which is bytes, not text; decode it, or encode it as numbers"
        )
    raise TypeError(
        f"{where}, which is neither a number nor text (the argument must be a string "
        f"or a real number, not {type(value).__name__!r}); turn it into one of them"
    )


def _refuse_as_number(label: str, value: Any, row: int, advice: str) -> NoReturn:
    if not isinstance(value, str):
        _refuse(label, value, row)
    raise ValueError(
        f"{label} has {show(value)} in row {row}, which is not a number; {advice}"
    )


def _as_float(label: str, value: Any, row: int) -> float:
    """Read one object; say which one only looks like a number."""
    if _is_missing(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        raise ValueError(
            f"{label} has {show(value)} in row {row}, which is {TOO_LARGE}"
        ) from None
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{label} has {show(value)} in row {row}, which is not a number ({error})"
        ) from None


def _refuse_values(
    label: str, codes: NDArray[Any], values: Sequence[Any], used: Iterable[int]
) -> NoReturn:
    """Name the first value of each sort, or the first that is of no allowed sort."""
    rows = np.full(len(values), len(codes))
    np.minimum.at(rows, codes[codes >= 0], np.flatnonzero(codes >= 0))
    first: dict[str, tuple[int, Any]] = {}
    for k in sorted(used, key=rows.__getitem__):
        sort = sort_of(values[k])
        if sort not in _PLURAL:
            _refuse(label, values[k], int(rows[k]))
        first.setdefault(sort, (int(rows[k]), values[k]))
    _refuse_mixture(label, list(first.values()))


def _refuse_mixture(label: str, examples: list[tuple[int, Any]]) -> NoReturn:
    (row, value), (other_row, other) = sorted(examples, key=lambda pair: pair[0])[:2]
    one, two = (_PLURAL[sort_of(each)] for each in (value, other))
    raise ValueError(
        f"{label} mixes {one} and {two}: {show(value)} in row {row} and {show(other)} "
        f"in row {other_row}; use one type for all its values"
    )
