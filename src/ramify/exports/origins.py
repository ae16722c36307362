# SPDX-License-Identifier: BSD-3-Clause
"""How the columns of a model stood in the file that ``ramify fit`` read.

`predict` takes numbers, but a file holds text: ``1.549,34 EUR``, ``31.12.2018``, ``?``.
What became of it is in the model, is stated in every export, and is written into SQL
with ``raw_table=True``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ramify.exports.walk import Walk
from ramify.io.kinds import Notation
from ramify.io.number_formats import (
    PARTS,
    Manner,
    NumberManner,
    TimeManner,
    manner_from,
)
from ramify.table.schema import ColumnInfo

__all__ = ["Origin", "column_notes", "missing_words", "origins", "translated"]

PLAIN = NumberManner(".", "", "")


@dataclass(frozen=True)
class Origin:
    """Where a column of the model comes from.

    Attributes
    ----------
    name : str
        The column of the file.
    info : ColumnInfo
        The column of the model.
    manner : NumberManner, TimeManner or None
        How its numbers or times are written; None for categories.
    part : {"year", "month", "weekday"} or None
        What of a time it is.
    """

    name: str
    info: ColumnInfo
    manner: Manner | None
    part: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is in the model as it stands in the file, blanks aside."""
        return self.part is None and self.manner in (None, PLAIN)

    @property
    def note(self) -> str:
        """What it is, in a few words."""
        if self.part is not None:
            day = " (1 is Monday)" if self.part == "weekday" else ""
            return f"the {self.part} of {self.name!r}{day}"
        if isinstance(self.manner, TimeManner):
            return self.manner.words
        if self.manner is not None:
            return "numbers" if self.is_plain else self.manner.words
        first = self.info.categories[0] if self.info.categories else ""
        return "text" if isinstance(first, str) else "categories that are numbers"


def origins(walk: Walk) -> list[Origin]:
    """Return where each column comes from; for a model of a table, from itself."""
    file = walk.file or {}
    manners = {name: manner_from(how) for name, how in file.get("manners", {}).items()}
    default = NumberManner(file.get("decimal") or ".", "", "")
    made_of = {
        f"{name}.{part}": (name, part)
        for name, manner in manners.items()
        for part in PARTS
        if isinstance(manner, TimeManner) and file.get("dates") == "parts"
    }
    found = []
    for info in walk.columns:
        name, part = made_of.get(info.name, (info.name, None))
        has_numbers = not info.is_categorical
        manner = manners.get(name, default) if has_numbers else None
        found.append(Origin(name, info, manner, part))
    return found


def missing_words(file: Mapping[str, Any] | None) -> list[str]:
    """Return the fields that stand for a missing value, the empty one first."""
    words = Notation.from_options((file or {}).get("missing_values")).missing
    return sorted(words)


def translated(walk: Walk) -> list[str]:
    """Name the columns of the file that are other values in the model than there."""
    found = origins(walk)
    merged = (walk.file or {}).get("spellings", {})
    names = (
        found[j].name
        for j in used_columns(walk)
        if not found[j].is_plain or found[j].name in merged
    )
    return list(dict.fromkeys(names)) if walk.file else []


def column_notes(walk: Walk) -> list[str]:
    """Write how each column that the model uses was read, a line for each."""
    found = origins(walk)
    merged = (walk.file or {}).get("spellings", {})
    lines = []
    for j in used_columns(walk):
        spelt = ", one spelling of each" if found[j].name in merged else ""
        lines.append(f"{found[j].info.name}: {found[j].note}{spelt}")
    if walk.file and lines:
        words = ", ".join(word for word in missing_words(walk.file) if word)
        lines.append(f"missing: an empty field{', ' if words else ''}{words}")
    return lines


def used_columns(walk: Walk) -> list[int]:
    """Return the places of the columns that some node, or line, looks at."""
    looked_at = walk.column[(walk.kind > 0) & (walk.column >= 0)]
    found = np.union1d(looked_at, walk.term_column)
    if walk.lines is not None:
        found = np.union1d(found, walk.lines.column)
    return [int(j) for j in found]
