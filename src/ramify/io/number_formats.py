# SPDX-License-Identifier: BSD-3-Clause
"""Manners of writing numbers and times: 2,252.81, 1.234,5 €, 12 %, 31.12.2024."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from ramify.io.base import number

__all__ = [
    "ORDERS",
    "PARTS",
    "THOUSANDS",
    "Manner",
    "NumberManner",
    "TimeManner",
    "date_text",
    "manner_from",
    "number_manner",
    "part_of",
    "time_manner",
]

THOUSANDS = (",", ".", " ", "'")
PARTS = ("year", "month", "weekday")

_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u202f\u2009", " "))
_SIGNS = re.compile(r"[$€£¥₹₽₩₺]|%|\b(?:USD|EUR|GBP|CHF|JPY|INR|CNY|SEK|NOK|DKK)\b")
_EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class NumberManner:
    """How the numbers of a column are written, where that is not plain.

    Attributes
    ----------
    decimal, thousands : str
        The decimal point, and what stands between thousands, or nothing.
    sign : str
        A currency or ``%`` that all fields may have; nothing if there is none.
    """

    decimal: str
    thousands: str
    sign: str

    def number(self, field: str) -> float | None:
        """Return the number that a field stands for, or None.

        Examples
        --------
        >>> NumberManner(".", ",", "$").number("-$2,252.81")
        -2252.81
        >>> NumberManner(",", ".", "").number("2252.81") is None
        True
        """
        plain = field.translate(_BLANKS)
        if self.sign:
            plain = plain.replace(self.sign, "", 1)
        plain = re.sub(r"^([+-]?)\s+", r"\1", plain.strip())
        if self.thousands and self.thousands in plain:
            whole, point, rest = plain.partition(self.decimal)
            blocks = whole.lstrip("+-").split(self.thousands)
            is_right = 1 <= len(blocks[0]) <= 3 and all(len(b) == 3 for b in blocks[1:])
            if not is_right or not all(map(str.isdecimal, blocks)):
                return None
            if blocks[0][0] == "0":  # 0,123 has a decimal comma
                return None
            plain = whole.replace(self.thousands, "") + point + rest
        return number(plain, self.decimal)

    @property
    def words(self) -> str:
        """What was found, for a line of the summary."""
        names = {",": "','", ".": "'.'", " ": "blanks", "'": "apostrophes"}
        said = []
        if self.thousands:
            said.append(f"{names[self.thousands]} between thousands")
        if self.decimal != ".":
            said.append("a decimal comma")
        if self.sign:
            said.append(self.sign)
        return f"read as numbers with {' and '.join(said)}"

    def to_list(self) -> list[str]:
        """Return it as JSON can hold it."""
        return ["number", self.decimal, self.thousands, self.sign]


def number_manner(
    fields: Sequence[str], decimal: str | None, thousands: str | None, likely: str
) -> NumberManner | None:
    """Find how all fields are written as numbers; None if some are none.

    Parameters
    ----------
    fields : sequence of str
        The distinct fields that are not missing.
    decimal, thousands : str or None
        As given; None to find out.
    likely : str
        The decimal point that fields such as 1,234, which could be both, speak for.

    Examples
    --------
    >>> number_manner(["2,252.81", "13"], None, None, ".")
    NumberManner(decimal='.', thousands=',', sign='')
    >>> number_manner(["1,5", "2"], None, None, ".")
    NumberManner(decimal=',', thousands='', sign='')
    >>> number_manner(["yes", "1,5"], None, None, ".") is None
    True
    """
    if not fields:
        return None
    sign = _sign_of(fields)
    if sign is None:
        return None
    points = (likely, *{".", ","} - {likely}) if decimal is None else (decimal,)
    between = ("", *THOUSANDS) if thousands is None else (thousands,)
    for point in points:
        for separator in between:
            if separator == point:
                continue
            manner = NumberManner(point, separator, sign)
            if all(manner.number(field) is not None for field in fields):
                return manner
    return None


def _sign_of(fields: Iterable[str]) -> str | None:
    """Return the one currency or percent of the fields; None if there are several."""
    signs = {found[0] for field in fields if (found := _SIGNS.search(field))}
    if len(signs) > 1:
        return None
    return next(iter(signs), "")


# --- times ------------------------------------------------------------------------

ORDERS = {
    "iso": re.compile(r"(?P<y>\d{4})([-/])(?P<m>\d\d?)\2(?P<d>\d\d?)"),
    "day.month": re.compile(r"(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})"),
    "day/month": re.compile(r"(?P<d>\d\d?)([-/])(?P<m>\d\d?)\2(?P<y>\d{4})"),
    "month/day": re.compile(r"(?P<m>\d\d?)([-/])(?P<d>\d\d?)\2(?P<y>\d{4})"),
}
_CLOCK = re.compile(
    r"[T ]\s*(\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?\s*"
)


@dataclass(frozen=True)
class TimeManner:
    """How the times of a column are written, and in what unit they become numbers.

    Attributes
    ----------
    order : {"iso", "day.month", "day/month", "month/day"}
        In what order day, month and year stand.
    unit : {"days", "seconds"}
        Since the start of 1970: days if no field has a time of day.
    """

    order: str
    unit: str

    def number(self, field: str) -> float | None:
        """Return the days or seconds since 1970, or None.

        Examples
        --------
        >>> TimeManner("iso", "days").number("1970-01-31")
        30.0
        """
        when = _moment(field, self.order)
        if when is None:
            return None
        day, seconds = when
        return day + seconds / 86400 if self.unit == "days" else day * 86400.0 + seconds

    @property
    def words(self) -> str:
        """What was found, for a line of the summary."""
        how = "" if self.order == "iso" else f", {self.order.replace('/', ' before ')}"
        how = how.replace("day.month", "day before month")
        return f"times, read as {self.unit} since 1970{how}"

    def to_list(self) -> list[str]:
        """Return it as JSON can hold it."""
        return ["time", self.order, self.unit]


Manner = NumberManner | TimeManner


def date_text(number: float, unit: str) -> str:
    """Return days or seconds since 1970 as a date, with the time of day if it has one.

    Examples
    --------
    >>> date_text(16687, "days"), date_text(1449057600 + 61, "seconds")
    ('2015-09-09', '2015-12-02 12:01:01')
    """
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(**{unit: number})
    is_midnight = when.time() == datetime.min.time()
    return when.date().isoformat() + ("" if is_midnight else f" {when:%H:%M:%S}")


def time_manner(fields: Sequence[str]) -> TimeManner | None:
    """Find how all fields are written as times; None if some are none.

    Where day and month cannot be distinguished, as in 01/02/2024, there is none.

    Examples
    --------
    >>> time_manner(["31.12.2024", "1.1.2025"])
    TimeManner(order='day.month', unit='days')
    >>> time_manner(["2024-12-31 10:15", "2025-01-01 00:00"])
    TimeManner(order='iso', unit='seconds')
    >>> time_manner(["01/02/2024"]) is None
    True
    """
    found = []
    for order in ORDERS:
        moments = []
        for field in fields:
            moments.append(_moment(field, order))
            if moments[-1] is None:
                break
        else:
            has_clock = any(when is not None and when[1] for when in moments)
            found.append(TimeManner(order, "seconds" if has_clock else "days"))
    return found[0] if fields and len(found) == 1 else None


def _moment(field: str, order: str) -> tuple[int, float] | None:
    """Return the day since 1970 and the seconds of the day, in UTC if it has a zone."""
    found = ORDERS[order].match(field)
    if found is None:
        return None
    try:
        day = date(int(found["y"]), int(found["m"]), int(found["d"])).toordinal()
    except ValueError:
        return None
    rest = field[found.end() :]
    if not rest.strip():
        return day - _EPOCH, 0.0
    clock = _CLOCK.fullmatch(rest)
    if clock is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in clock.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    since = hours * 3600 + minutes * 60 + seconds + float(clock[4] or 0)
    zone = clock[5]
    if zone and zone != "Z":
        east = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
        since -= east if zone[0] == "+" else -east
    return day - _EPOCH, since


def part_of(part: str, value: float, unit: str) -> float:
    """Return the year, month (1 to 12) or weekday (1 is Monday) of a time.

    Examples
    --------
    >>> [part_of(part, 30.0, "days") for part in PARTS]
    [1970.0, 1.0, 6.0]
    """
    if value != value:
        return value
    day = int(value // (1 if unit == "days" else 86400))
    when = datetime.fromordinal(day + _EPOCH).replace(tzinfo=UTC)
    return float(when.isoweekday() if part == "weekday" else getattr(when, part))


def manner_from(plain: Any) -> Manner:
    """Read what `to_list` gave."""
    kind, *settings = plain
    if kind == "time" and len(settings) == 2 and settings[0] in ORDERS:
        return TimeManner(*settings)
    if kind == "number" and len(settings) == 3:
        return NumberManner(*settings)
    raise ValueError(f"{plain!r} is no manner of writing numbers")
