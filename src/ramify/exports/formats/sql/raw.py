# SPDX-License-Identifier: BSD-3-Clause
"""The text of a file → numbers, categories and dates, as SQL.

Each step is a name for an expression over the steps before it. Steps of one level make
one SELECT, so that nothing is written, or computed, twice.
"""

from __future__ import annotations

import re

from ramify.exports.base import ExportRefused
from ramify.exports.formats.sql.words import Dialect
from ramify.exports.origins import Origin, missing_words, origins, used_columns
from ramify.exports.walk import Walk
from ramify.io.number_formats import NumberManner, TimeManner

__all__ = ["RawTable"]

_BLANKS = (32, 9, 10, 13, 160, 0x2009, 0x202F)
_DIGITS = "NOT GLOB '*[^0-9]*'"
_EXPONENT = "([eE][+-]?[0-9]+)?"


class RawTable:
    """How the cells of a model are computed from a table of text."""

    def __init__(self, walk: Walk, dialect: Dialect) -> None:
        if walk.file is None:
            raise ExportRefused(
                "raw_table=True needs a model that knows how the text of its file was "
                "read, as `ramify fit` saves it (and no feature_names); this one was "
                "fitted on a table"
            )
        if dialect.name == "plain":
            raise ExportRefused(
                "raw_table=True needs functions that plain SQL lacks; use dialect="
                "'sqlite', 'duckdb' or 'postgres'"
            )
        self.d, self.is_sqlite = dialect, dialect.name == "sqlite"
        words = ", ".join(dialect.value(word) for word in missing_words(walk.file))
        self.levels: list[list[tuple[str, str]]] = []
        self.level: dict[str, int] = {}
        self.cells: dict[int, str] = {}
        self.unread: list[str] = []  # conditions: text that is nothing of the kind
        self.names: list[str] = []
        found = origins(walk)
        times: dict[str, str] = {}
        for j in used_columns(walk):
            origin = found[j]
            if origin.name in walk.file.get("spellings", {}):
                raise ExportRefused(
                    f"the spellings of column {origin.name!r} were merged on reading, "
                    "which SQL does not do alike for all letters; leave out "
                    "raw_table=True, and give the merged text"
                )
            if origin.name not in self.names:
                self.names.append(origin.name)
            text = f"r{self.names.index(origin.name)}"
            field = f"TRIM(CAST({dialect.identifier(origin.name)} AS {dialect.text})"
            field = self._let(f"{text}raw", f"{field}, {self._blanks()})", level=0)
            known = f"CASE WHEN {field} IN ({words}) THEN NULL ELSE {field} END"
            self._let(text, known)
            self.cells[j] = self._cell(origin, text, times)

    def _let(self, name: str, expression: str, level: int | None = None) -> str:
        """Name an expression, a level above the names in it; once is enough."""
        if name in self.level:
            return name
        if level is None:
            used = re.findall(r"\br\d+[a-z0-9]*", expression)
            level = 1 + max(self.level[each] for each in used)
        while len(self.levels) <= level:
            self.levels.append([])
        self.levels[level].append((name, expression))
        self.level[name] = level
        return name

    def _cell(self, origin: Origin, text: str, times: dict[str, str]) -> str:
        if isinstance(origin.manner, TimeManner):
            if origin.name not in times:
                times[origin.name] = self._time(text, origin.manner)
            value = times[origin.name]
            return self._part(value, origin) if origin.part else value
        if origin.manner is not None:
            return self._number(text, origin.manner)
        first = origin.info.categories[0] if origin.info.categories else ""
        if isinstance(first, str):
            return text
        if isinstance(first, bool):
            value = f"CASE LOWER({text}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
            return self._checked(self._let(f"{text}v", value), text)
        return self._number(text, NumberManner(".", "", ""))

    def _checked(self, value: str, text: str) -> str:
        """Refuse rows whose text has no value."""
        self.unread.append(f"({text} IS NOT NULL AND {value} IS NULL)")
        return value

    def _blanks(self) -> str:
        if self.is_sqlite:
            return f"char({', '.join(map(str, _BLANKS))})"
        return " || ".join(f"chr({code})" for code in _BLANKS)

    def _one(self, code: int) -> str:
        return f"{'char' if self.is_sqlite else 'chr'}({code})"

    # --- numbers -----------------------------------------------------------------

    def _number(self, text: str, manner: NumberManner) -> str:
        d, point, between = self.d, manner.decimal, manner.thousands
        plain = text
        if manner.sign or between == " ":
            for code in _BLANKS[4:]:
                plain = f"REPLACE({plain}, {self._one(code)}, ' ')"
        if manner.sign:
            plain = f"REPLACE({plain}, {d.value(manner.sign)}, '')"
        a = self._let(f"{text}a", f"TRIM({plain})")
        if manner.sign:  # - $ 5
            a = self._let(
                f"{text}b",
                f"CASE WHEN SUBSTR({a}, 1, 1) IN ('-', '+') THEN SUBSTR({a}, 1, 1) || "
                f"TRIM(SUBSTR({a}, 2)) ELSE {a} END",
            )
        bare = f"REPLACE({a}, {d.value(between)}, '')" if between else a
        if point != ".":
            bare = f"REPLACE({bare}, {d.value(point)}, '.')"
        is_number = (
            self._is_number_sqlite(text, a, manner)
            if self.is_sqlite
            else f"{a} ~ {d.value(_number_pattern(manner))}"
        )
        if manner.sign:  # once
            without = f"LENGTH(REPLACE({text}, {d.value(manner.sign)}, ''))"
            is_number += f" AND LENGTH({text}) - {without} <= {len(manner.sign)}"
        value = f"CASE WHEN {is_number} THEN CAST({bare} AS {d.real}) END"
        return self._checked(self._let(f"{text}v", value), text)

    def _is_number_sqlite(self, text: str, a: str, manner: NumberManner) -> str:
        """Test that text is a number; SQLite would read others as 0."""
        point = f"'{manner.decimal}'"
        u = self._let(f"{text}u", f"SUBSTR({a}, 1 + {_signed(a)})")
        e = self._let(f"{text}e", f"INSTR(LOWER({u}), 'e')")
        m = self._let(
            f"{text}m", f"CASE {e} WHEN 0 THEN {u} ELSE SUBSTR({u}, 1, {e} - 1) END"
        )
        x = f"CASE {e} WHEN 0 THEN '0' ELSE SUBSTR({u}, {e} + 1) END"
        x = self._let(f"{text}x", x)
        p = self._let(f"{text}p", f"INSTR({m}, {point})")
        w = f"CASE {p} WHEN 0 THEN {m} ELSE SUBSTR({m}, 1, {p} - 1) END"
        w = self._let(f"{text}w", w)
        f = self._let(
            f"{text}f", f"CASE {p} WHEN 0 THEN '' ELSE SUBSTR({m}, {p} + 1) END"
        )
        whole = f"{w} {_DIGITS}"
        if manner.thousands:
            between = self.d.value(manner.thousands)
            digits = f"REPLACE({w}, {between}, '')"
            grouped = f"PRINTF('%,d', CAST({digits} AS INTEGER))"
            whole = (
                f"({whole} OR ({e} = 0 OR {p} > 0) AND {digits} {_DIGITS} "
                f"AND REPLACE({grouped}, ',', {between}) = {w})"
            )
        power = f"SUBSTR({x}, 1 + {_signed(x)})"
        return (
            f"{whole} AND {f} {_DIGITS} AND {w} || {f} <> '' AND {power} {_DIGITS} "
            f"AND {power} <> ''"
        )

    # --- times -------------------------------------------------------------------

    def _time(self, text: str, manner: TimeManner) -> str:
        d = self.d
        read = self._clock_sqlite if self.is_sqlite else self._clock_by_pattern
        is_time = read(text, manner.order)
        last = (
            f"CASE WHEN {text}m IN (4, 6, 9, 11) THEN 30 WHEN {text}m <> 2 THEN 31 "
            f"WHEN {text}y % 4 = 0 AND ({text}y % 100 <> 0 OR {text}y % 400 = 0) "
            "THEN 29 ELSE 28 END"
        )
        valid = (
            f"{is_time} AND {text}y > 0 AND {text}m BETWEEN 1 AND 12 AND {text}d "
            f"BETWEEN 1 AND {last} AND {text}h < 24 AND {text}i < 60 AND {text}s < 60"
        )
        if self.is_sqlite:
            iso = f"PRINTF('%04d-%02d-%02d', {text}y, {text}m, {text}d)"
            day = f"CAST(JULIANDAY({iso}) - 2440587.5 AS INTEGER)"
        else:
            day = f"(MAKE_DATE({text}y, {text}m, {text}d) - DATE '1970-01-01')"
        day = self._let(f"{text}n", f"CASE WHEN {valid} THEN {day} END")
        clock = f"({text}h * 3600 + {text}i * 60 + {text}s + {text}q - {text}z)"
        value = f"CAST({day} AS {d.real}) + {clock} / 86400.0"
        if manner.unit == "seconds":
            value = f"CAST({day} AS {d.real}) * 86400 + {clock}"
        value = self._let(f"{text}v", f"CAST({value} AS {d.real})")
        return self._checked(value, text)

    def _clock_by_pattern(self, text: str, order: str) -> str:
        """Name year, month, day, hours, minutes, seconds, fraction and zone."""
        d = self.d
        pattern = d.value(_time_pattern(order))
        place = {part: k + 1 for k, part in enumerate(_ORDERS[order][1])}
        place |= {"h": 4, "i": 5, "s": 6, "q": 7}
        for part, k in place.items():
            group = f"REGEXP_REPLACE({text}, {pattern}, '\\{k}')"
            kind = d.real if part == "q" else "INTEGER"
            self._let(
                f"{text}{part}",
                f"CASE WHEN {text} ~ {pattern} THEN CAST('0' || {group} AS {kind}) END",
            )
        zone = f"REGEXP_REPLACE({text}, {pattern}, '\\8')"
        zone = f"CASE WHEN {text} ~ {pattern} THEN {zone} ELSE '' END"
        zone = self._let(f"{text}o", zone)
        self._let(f"{text}z", _east(zone, f"RIGHT({zone}, 2)"))
        return f"{text} ~ {pattern}"

    def _clock_sqlite(self, text: str, order: str) -> str:
        r = self._let(f"{text}r", f"LTRIM({text}, '0123456789./-')")
        a = self._let(
            f"{text}a",
            f"REPLACE(SUBSTR({text}, 1, LENGTH({text}) - LENGTH({r})), '/', '-')",
        )
        c = self._let(f"{text}c", f"TRIM(SUBSTR({r}, 2))")
        point, parts = _ORDERS[order]
        t = self._let(f"{text}t", f"LTRIM({c}, '0123456789:.')")
        p = self._let(f"{text}p", f"INSTR({a}, '{point}')")
        b = self._let(f"{text}b", f"SUBSTR({a}, {p} + 1)")
        g = self._let(f"{text}g", f"SUBSTR({c}, 1, LENGTH({c}) - LENGTH({t}))")
        o = self._let(f"{text}o", f"TRIM({t})")
        e = self._let(f"{text}e", f"INSTR({b}, '{point}')")
        k = self._let(
            f"{text}k", f"CASE WHEN {g} GLOB '[0-9]:*' THEN '0' || {g} ELSE {g} END"
        )
        fields = [
            self._let(f"{text}f1", f"SUBSTR({a}, 1, {p} - 1)"),
            self._let(f"{text}f2", f"SUBSTR({b}, 1, {e} - 1)"),
            self._let(f"{text}f3", f"SUBSTR({b}, {e} + 1)"),
        ]
        tests = []
        for part, field in zip(parts, fields, strict=True):
            self._let(f"{text}{part}", f"CAST({field} AS INTEGER)")
            long = "= 4" if part == "y" else "BETWEEN 1 AND 2"
            tests.append(f"{field} {_DIGITS} AND LENGTH({field}) {long}")
        self._let(f"{text}h", f"CAST(SUBSTR({k}, 1, 2) AS INTEGER)")
        self._let(f"{text}i", f"CAST(SUBSTR({k}, 4, 2) AS INTEGER)")
        self._let(f"{text}s", f"CAST(SUBSTR({k}, 7, 2) AS INTEGER)")
        self._let(f"{text}q", f"CAST('0' || SUBSTR({k}, 9) AS REAL)")
        self._let(f"{text}z", _east(o, f"SUBSTR({o}, -2)"))
        two = "[0-9][0-9]"
        clock = [
            f"TRIM({r}) = ''",
            f"{k} GLOB '{two}:{two}'",
            f"{k} GLOB '{two}:{two}:{two}'",
            f"({k} GLOB '{two}:{two}:{two}.[0-9]*' AND SUBSTR({k}, 10) {_DIGITS})",
        ]
        zone = [f"{o} IN ('', 'Z')", f"{o} GLOB '[+-]{two}{two}'"]
        zone.append(f"{o} GLOB '[+-]{two}:{two}'")
        tests.append(f"({' OR '.join(clock)}) AND ({' OR '.join(zone)})")
        tests.append(f"SUBSTR({r}, 1, 1) IN ('', ' ', 'T')")
        return " AND ".join(tests)

    def _part(self, value: str, origin: Origin) -> str:
        assert isinstance(origin.manner, TimeManner)
        days = value if origin.manner.unit == "days" else f"{value} / 86400"
        if self.is_sqlite:
            whole = f"(CAST({days} AS INTEGER) - ({days} < CAST({days} AS INTEGER)))"
        else:
            whole = f"CAST(FLOOR({days}) AS INTEGER)"
        n = self._let(f"{value}f", whole)
        if origin.part == "weekday":
            part = f"(({n} + 3) % 7 + 7) % 7 + 1"
        elif self.is_sqlite:
            sign = {"year": "%Y", "month": "%m"}[str(origin.part)]
            part = f"CAST(STRFTIME('{sign}', {n} + 2440587.5) AS INTEGER)"
        else:
            part = f"EXTRACT({origin.part} FROM DATE '1970-01-01' + {n})"
        named = self._let(f"{value}{origin.part}", part)
        return f"CAST({named} AS {self.d.real})"


_ORDERS = {
    "iso": ("-", "ymd"),
    "day.month": (".", "dmy"),
    "day/month": ("-", "dmy"),
    "month/day": ("-", "mdy"),
}


def _signed(text: str) -> str:
    return f"(SUBSTR({text}, 1, 1) IN ('-', '+'))"


def _number_pattern(manner: NumberManner) -> str:
    point = "[.]" if manner.decimal == "." else ","
    plain = f"([0-9]+({point}[0-9]*)?|{point}[0-9]+){_EXPONENT}"
    if not manner.thousands:
        return f"^[+-]?{plain}$"
    grouped = f"[1-9][0-9]{{0,2}}([{manner.thousands}][0-9]{{3}})+"
    return f"^[+-]?({plain}|{grouped}({point}[0-9]*{_EXPONENT})?)$"


def _time_pattern(order: str) -> str:
    """Write the groups: three of the date, hours, minutes, seconds, fraction, zone."""
    point, parts = _ORDERS[order]
    between = "[.]" if point == "." else "[-/]"
    date = between.join("([0-9]{4})" if p == "y" else "([0-9]{1,2})" for p in parts)
    clock = "[T ] *([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})([.][0-9]+)?)?"
    return f"^{date}(?:{clock} *(Z|[+-][0-9]{{2}}:?[0-9]{{2}})? *)?$"


def _east(zone: str, minutes: str) -> str:
    """Write the seconds by which a zone is ahead of UTC."""
    ahead = (
        f"(CAST(SUBSTR({zone}, 2, 2) AS INTEGER) * 3600 + CAST({minutes} AS INTEGER) "
        "* 60)"
    )
    return (
        f"CASE WHEN {zone} LIKE '+%' THEN {ahead} WHEN {zone} LIKE '-%' THEN -{ahead} "
        "ELSE 0 END"
    )
