# SPDX-License-Identifier: BSD-3-Clause
"""A SQL statement in the making: the table, its cells and categories, named parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ramify.exports.formats.sql.conditions import condition
from ramify.exports.formats.sql.words import Dialect
from ramify.exports.walk import Walk

__all__ = ["Statement"]


class Statement:
    """A statement in the making: its parts so far, and how cells are written."""

    def __init__(
        self, walk: Walk, dialect: Dialect, options: Mapping[str, Any]
    ) -> None:
        self.walk, self.d, self.options = walk, dialect, options
        self.key = (
            [options["key"]] if isinstance(options["key"], str) else [*options["key"]]
        )
        self.parts: list[tuple[str, str]] = []  # names and bodies of CTEs
        self.names: dict[str, Any] = {}
        self.notes: list[str] = []
        self.keys = [f"k{i}" for i in range(len(self.key))]
        self.cells = [f"c{j}" for j in range(len(walk.columns))]
        self.refuses = ""  # the condition under which a row is refused
        self.source = "input"  # the part that scores are read from

    def read_table(self) -> None:
        """Add the part that reads the table."""
        walk, d = self.walk, self.d
        keys = [f"{d.identifier(name)} AS k{i}" for i, name in enumerate(self.key)]
        cells = [f"{self._cell(j)} AS c{j}" for j in range(len(walk.columns))]
        table = ".".join(
            d.identifier(part) for part in self.options["table"].split(".")
        )
        body = "  SELECT " + ",\n    ".join([*keys, *cells]) + f"\n  FROM {table}"
        self.parts.append(("input", body))
        gaps = []
        if walk.missing == "error":
            gaps = [f"c{j} IS NULL" for j in range(len(walk.columns))]
        if walk.unseen == "error":
            gaps += [
                f"c{j} NOT IN ({self._members(j)})"
                for j, info in enumerate(walk.columns)
                if info.is_categorical and info.categories
            ]
        self.refuses = " OR ".join(gaps)

    def _cell(self, j: int) -> str:
        info, d = self.walk.columns[j], self.d
        name = d.identifier(info.name)
        if not info.is_categorical:
            real = f"CAST({name} AS {d.real})"
            return f"NULLIF({real}, CAST('NaN' AS {d.real}))" if d.has_nan else real
        kind = d.text
        if info.categories and isinstance(info.categories[0], bool):
            kind = "INTEGER"
        elif info.categories and not isinstance(info.categories[0], str):
            kind = d.real
        cast = f"CAST({name} AS {kind})"
        if kind == d.real and d.has_nan:
            cast = f"NULLIF({cast}, CAST('NaN' AS {d.real}))"
        if self.walk.unseen != "missing":
            return cast
        if not info.categories:
            return f"CAST(NULL AS {kind})"
        return f"CASE WHEN {cast} IN ({self._members(j)}) THEN {cast} END"

    def category(self, j: int, code: int) -> str:
        """Write a category of a column."""
        value = self.walk.columns[j].categories[code]
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, int):
            if abs(value) > 2**53:
                raise ValueError(
                    f"SQL compares numbers as doubles, which cannot hold the category "
                    f"{value} of {self.walk.columns[j].name!r}; use text"
                )
            value = float(value)
        return self.d.value(value)

    def _members(self, j: int) -> str:
        codes = range(len(self.walk.columns[j].categories))
        return ", ".join(self.category(j, code) for code in codes)

    def cases(self, node: int) -> list[tuple[str, int]]:
        """Write what leads to each child; "" is ELSE, the last."""
        return condition(self.walk, node, self.d, self.category)

    def scores_from(self, letter: str) -> list[str]:
        """Return the scores by the sums of this letter."""
        vote = self.walk.vote
        names = [f"{letter}{k}" for k in range(len(vote.start))]
        if vote.divide == 1:
            return names
        return [f"{name} / {self.d.number(vote.divide)}" for name in names]
