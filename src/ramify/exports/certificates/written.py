# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a model as the text of a file, and back: for exports that read the text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.exports.certificates.rows import unseen_value
from ramify.exports.origins import Origin, missing_words, origins, used_columns
from ramify.exports.walk import Walk
from ramify.io.number_formats import PARTS, NumberManner, TimeManner, part_of

__all__ = ["FileText", "as_written", "read_back"]

Floats = NDArray[np.float64]
Fields = dict[str, list[str]]
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = 1 - _EPOCH, date(9999, 12, 31).toordinal() - _EPOCH


@dataclass(frozen=True, eq=False)
class FileText:
    """Rows of a file: what `predict` takes of it, and the text as it stands there.

    Attributes
    ----------
    X : table
        The rows as `ramify predict` reads them.
    fields : dict of list of str
        The text, by the column of the file.
    """

    X: Any
    fields: Mapping[str, list[str]]


def as_written(walk: Walk, matrix: Floats) -> Fields:
    """Write rows as text that the file could have; only what the model uses.

    Numbers have at most 15 digits and dates are of days or seconds, as in files.
    """
    words = missing_words(walk.file)
    found = origins(walk)
    used = used_columns(walk)
    fields: Fields = {}
    for name in dict.fromkeys(found[j].name for j in used):
        own = {
            found[j].part: matrix[:, j].tolist() for j in used if found[j].name == name
        }
        origin = next(found[j] for j in used if found[j].name == name)
        column = []
        for i in range(len(matrix)):
            cell = {part: values[i] for part, values in own.items()}
            text = _text(origin, cell)
            column.append(words[i % len(words)] if text is None else text)
        fields[name] = column
    return fields


def read_back(walk: Walk, fields: Mapping[str, list[str]]) -> Floats:
    """Read text as `ramify predict` does: numbers and codes, NaN missing, -1 unseen."""
    missing = set(missing_words(walk.file))
    found, used = origins(walk), set(used_columns(walk))
    n_rows = len(next(iter(fields.values()), []))
    matrix = np.full((n_rows, len(walk.columns)), math.nan)
    for j in sorted(used):
        origin = found[j]
        texts = [text.strip() for text in fields[origin.name]]
        values = {text: _value(origin, text) for text in set(texts) - missing}
        matrix[:, j] = [values.get(text, math.nan) for text in texts]
    for j in set(range(len(found))) - used:
        matrix[:, j] = 0.0  # nobody looks at it
    return matrix


def _value(origin: Origin, text: str) -> float:
    categories = origin.info.categories
    if origin.manner is not None:
        value = origin.manner.number(text)
        if value is None:
            raise ValueError(f"{text!r} of {origin.name!r} cannot be read as in fit")
        if origin.part is not None:
            assert isinstance(origin.manner, TimeManner)
            return part_of(origin.part, value, origin.manner.unit)
        return value
    known: dict[Any, float] = {each: float(k) for k, each in enumerate(categories)}
    if categories and isinstance(categories[0], bool):
        return known.get(text.lower() == "true", -1.0)
    if categories and not isinstance(categories[0], str):
        return known.get(float(text), -1.0)
    return known.get(text, -1.0)


def _text(origin: Origin, cell: Mapping[str | None, float]) -> str | None:
    """Write a cell, given by its value or by parts of its time; None if missing."""
    manner = origin.manner
    if isinstance(manner, TimeManner):
        return _time(manner, cell)
    value = cell[None]
    if value != value:
        return None
    if isinstance(manner, NumberManner):
        return _number(manner, value)
    categories = origin.info.categories
    chosen = [*categories, unseen_value(categories)][int(value)]
    return str(chosen)


def _number(manner: NumberManner, value: float) -> str:
    text = repr(float(f"{value:.15g}"))
    whole, point, rest = text.removesuffix(".0").partition(".")
    if manner.thousands and "e" not in text and len(whole.lstrip("-")) > 3:
        whole = f"{int(whole):,}".replace(",", manner.thousands)
    return f"{whole}{point.replace('.', manner.decimal)}{rest}" + (
        f" {manner.sign}" if manner.sign else ""
    )


def _time(manner: TimeManner, cell: Mapping[str | None, float]) -> str | None:
    values = list(cell.values())
    if any(value != value for value in values):
        return None
    day_of = 1 if manner.unit == "days" else 86400
    moment = cell.get(None, 16000.0 * day_of)
    moment = min(max(math.floor(moment), _FIRST * day_of), (_LAST + 1) * day_of - 1)
    day, seconds = divmod(moment, day_of)
    when = _nearest_day(date.fromordinal(int(day) + _EPOCH), cell)
    orders = {"iso": "{y:04}-{m:02}-{d:02}", "day.month": "{d}.{m}.{y:04}"}
    orders |= {"day/month": "{d}/{m}/{y:04}", "month/day": "{m}/{d}/{y:04}"}
    text = orders[manner.order].format(y=when.year, m=when.month, d=when.day)
    if manner.unit == "days":
        return text
    clock = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds))
    return f"{text} {clock:%H:%M:%S}"


def _nearest_day(day: date, cell: Mapping[str | None, float]) -> date:
    """Move a day to the year, month and weekday that are requested."""
    year = min(max(math.floor(cell.get("year", day.year)), 1), 9999)
    month = min(max(math.floor(cell.get("month", day.month)), 1), 12)
    moved = date(year, month, min(day.day, 28))
    if "weekday" in cell:
        wanted = min(max(math.floor(cell["weekday"]), 1), 7)
        week = [moved.replace(day=k) for k in range(1, 8)]
        moved = next(each for each in week if each.isoweekday() == wanted)
    return moved if set(cell) & set(PARTS) else day
