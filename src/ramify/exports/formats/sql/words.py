# SPDX-License-Identifier: BSD-3-Clause
"""How dialects of SQL write names, text, numbers and types, and what they bear."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = ["DIALECTS", "Dialect"]


_MAX_PARTS = 1_000_000


@dataclass(frozen=True)
class Dialect:
    """What one database understands.

    Attributes
    ----------
    name : str
        As in ``dialect="duckdb"``.
    real, text : str
        Types of doubles and of text.
    nest, nest_many : int
        Levels of CASE in one expression, of a single tree and of many.
    fence : str
        Keeps a CTE from being copied to each place that reads it.
    has_nan : bool
        Whether columns may hold NaN, which then counts as missing.
    greatest, least : str
        The largest and smallest of several values.
    longest_name : int or None
        Bytes after which names are cut.
    folds_case : bool
        Whether quoted names that differ in case only are the same.
    max_columns : int
        Columns of a SELECT.
    booleans : bool
        Whether there are TRUE and FALSE.
    arrays : bool
        Whether leaves are looked up in constant arrays. PostgreSQL expects so little
        of a list of values that it joins a forest with it row by row: 20 trees took
        4.6 ms a row.
    """

    name: str
    real: str
    text: str
    nest: int
    nest_many: int
    fence: str = " MATERIALIZED"
    has_nan: bool = True
    greatest: str = "GREATEST"
    least: str = "LEAST"
    longest_name: int | None = None
    folds_case: bool = True
    max_columns: int = 1600
    booleans: bool = True
    arrays: bool = False

    def identifier(self, name: str) -> str:
        """Quote a name; refuse one that the database would change."""
        if "\0" in name or not name:
            raise ValueError(
                f"dialect={self.name!r} cannot hold the name {name!r}; rename the "
                "column, or pass feature_names"
            )
        if self.longest_name and len(name.encode()) > self.longest_name:
            raise ValueError(
                f"dialect={self.name!r} cuts names at {self.longest_name} bytes, and "
                f"{name!r} is longer; rename the column, or pass feature_names"
            )
        escaped = name.replace('"', '""')
        return f'"{escaped}"'

    def check_distinct(self, names: Iterable[str]) -> None:
        """Refuse names that the database takes for one."""
        seen: dict[str, str] = {}
        for name in names:
            key = name.lower() if self.folds_case else name
            if key in seen:
                raise ValueError(
                    f"dialect={self.name!r} takes {seen[key]!r} and {name!r} for one "
                    "column; rename one of them, or pass feature_names"
                )
            seen[key] = name

    def value(self, value: Any) -> str:
        """Write a category or a label."""
        if isinstance(value, bool):
            if self.booleans:
                return "TRUE" if value else "FALSE"
            return str(int(value))
        if isinstance(value, str):
            if "\0" in value:
                raise ValueError(f"SQL cannot hold {value!r}: it has a NUL")
            escaped = value.replace("'", "''")
            return f"'{escaped}'"
        return str(value) if isinstance(value, int) else self.number(value)

    def number(self, x: float) -> str:
        """Write a double so that it is read back to the bit."""
        if self.name == "sqlite":
            return _for_sqlite(x)
        text = repr(float(x))
        # DuckDB reads 0.1 as a decimal, and 0.1e0 as a double.
        return text if "e" in text else f"{text}e0"

    def zero(self) -> str:
        """Write a double with which a sum begins, so that it is one of doubles."""
        return f"CAST(0 AS {self.real})"


def _for_sqlite(x: float) -> str:
    """Write a double by its digits if they are exact, as a share, or by its bits.

    SQLite 3.40 reads one in some thousand doubles one ulp off; a quotient is exact.
    """
    text = repr(float(x))
    if len(Decimal(x).as_tuple().digits) <= 15 and abs(x) < 1e15:
        return text if "." in text or "e" in text else f"{text}.0"
    share = Fraction(x).limit_denominator(_MAX_PARTS)
    if share.numerator / share.denominator == x:  # rows of rows
        return f"({share.numerator}.0 / {share.denominator})"
    fraction, exponent = math.frexp(abs(x))
    whole, exponent = int(fraction * 2**53), exponent - 53
    text = f"CAST({whole} AS REAL)"
    sign = "-" if x < 0 else ""
    step = "/" if exponent < 0 else "*"
    exponent = abs(exponent)
    while exponent:
        part = min(exponent, 62)
        text += f" {step} {2**part}"
        exponent -= part
    return f"({sign}{text})"


DIALECTS = {
    each.name: each
    for each in (
        Dialect(
            "sqlite",
            real="REAL",
            text="TEXT",
            nest=8,
            nest_many=8,
            has_nan=False,
            greatest="max",
            least="min",
            max_columns=1900,
            booleans=False,
        ),
        Dialect("duckdb", real="DOUBLE", text="VARCHAR", nest=60, nest_many=8),
        Dialect(
            "postgres",
            real="DOUBLE PRECISION",
            text="TEXT",
            nest=100,
            nest_many=30,
            longest_name=63,
            folds_case=False,
            arrays=True,
        ),
        Dialect(
            "plain",
            real="DOUBLE PRECISION",
            text="VARCHAR",
            nest=8,
            nest_many=8,
            fence="",
            has_nan=False,
            longest_name=128,
            max_columns=900,
        ),
    )
}
