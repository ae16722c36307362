# SPDX-License-Identifier: BSD-3-Clause
"""A SQL statement in the making: the table, its cells and categories, named parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ramify.exports.formats.sql.conditions import condition
from ramify.exports.formats.sql.raw import RawTable
from ramify.exports.formats.sql.words import Dialect
from ramify.exports.origins import used_columns
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
        self.used = used_columns(walk)
        self.cells = [f"c{j}" for j in self.used]
        self.refuses = ""  # the condition under which a row is refused
        self.source = "input"  # the part that scores are read from

    def read_table(self) -> None:
        """Add the part that reads the table."""
        walk, d = self.walk, self.d
        keys = [f"{d.identifier(name)} AS k{i}" for i, name in enumerate(self.key)]
        table = ".".join(
            d.identifier(part) for part in self.options["table"].split(".")
        )
        refusals = []
        if self.options["raw_table"]:
            raw = RawTable(walk, d)
            unread = " OR ".join(raw.unread)
            source, keys = self._read_text(raw, keys, table), self.keys
            written: list[str] = [
                f"{self._known(j, raw.cells[j])} AS c{j}" for j in self.used
            ]
            if unread:
                written.append(f"CASE WHEN {unread} THEN 1 ELSE 0 END AS unread")
                self.cells = [*self.cells, "unread"]
                refusals.append("unread = 1")
        else:
            source = table
            written = [f"{self._known(j, self._cell(j))} AS c{j}" for j in self.used]
        shown = [*keys, *written] or ["1 AS nothing"]
        body = "  SELECT " + ",\n    ".join(shown) + f"\n  FROM {source}"
        self.parts.append(("input", body))
        if walk.missing == "error":
            refusals += [f"c{j} IS NULL" for j in self.used]
        if walk.unseen == "error":
            refusals += [
                f"c{j} NOT IN ({self._members(j)})"
                for j in self.used
                if walk.columns[j].is_categorical and walk.columns[j].categories
            ]
        self.refuses = " OR ".join(refusals)

    def _read_text(self, raw: RawTable, keys: list[str], table: str) -> str:
        """Add the parts that read text; return the last."""
        source = table
        for n, steps in enumerate(raw.levels):
            items = [f"{text} AS {name}" for name, text in steps]
            first = keys if n == 0 else ["*"]
            body = "  SELECT " + ",\n    ".join([*first, *items])
            self.parts.append((f"read{n}", f"{body}\n  FROM {source}"))
            source = f"read{n}"
        return source

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
        return cast

    def _known(self, j: int, cell: str) -> str:
        """Write a cell so that an unseen category is NULL, if it counts as missing."""
        info = self.walk.columns[j]
        if not info.is_categorical or self.walk.unseen != "missing":
            return cell
        if not info.categories:
            return f"CAST(NULL AS {self.d.text})"
        return f"CASE WHEN {cell} IN ({self._members(j)}) THEN {cell} END"

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
