# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of built-in criteria: their names, ranges and defaults."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ramify.criteria.score import is_number

__all__ = ["Parameter", "checked_params", "encoded"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a criterion.

    Attributes
    ----------
    name : str
        What to write in ``criterion_params={name: value}`` or ``tsallis(name=value)``.
    kind : {"number", "word", "flag", "shares", "any"}
        A number of a range, one of some words, True or False, one share per class, or
        whatever a registered function takes.
    default
        What holds if nothing is said.
    range : str
        What is allowed, in words.
    """

    name: str
    kind: str
    default: Any
    min: float = 0
    max: float = 0
    min_is_allowed: bool = True
    words: tuple[str, ...] = ()
    also: float | None = None

    @classmethod
    def from_engine(cls, described: Mapping[str, Any]) -> Parameter:
        """Read what the engine says of a parameter."""
        kind, words = described["kind"], tuple(described["words"].split())
        default: Any = described["default"]
        if kind == "word":
            default = words[int(default)]
        elif kind == "flag":
            default = bool(default)
        elif kind == "shares":
            default = None
        low, high = described["min"], described["max"]
        also = described["also"]
        return cls(
            described["name"],
            kind,
            default,
            low,
            high,
            described["min_is_allowed"],
            words,
            None if low <= also <= high or kind != "number" else also,
        )

    @property
    def range(self) -> str:
        """What is allowed, in words."""
        if self.kind == "word":
            return " or ".join(map(repr, self.words))
        if self.kind == "flag":
            return "True or False"
        if self.kind == "shares":
            return "None, or one share between 0 and 1 for each class of classes_"
        if self.kind == "any":
            return "whatever the function takes"
        low = f"{'from' if self.min_is_allowed else 'above'} {self.min:g}"
        high = f"{self.max:g}"
        high = f"to {high}" if float(high) <= self.max else f"and below {high}"
        only = "" if self.also is None else f"{self.also:g}, or "
        return f"{only}a number {low} {high}"

    def check(self, value: Any) -> Any:
        """Return the value as it is kept, or refuse it."""
        plain = value.item() if isinstance(value, np.generic) else value
        if self.kind == "any":
            return plain
        if self.kind == "flag" and isinstance(plain, bool):
            return plain
        if self.kind == "word" and plain in self.words:
            return plain
        if self.kind == "number" and is_number(plain) and self._allows(plain):
            return float(plain)
        if self.kind == "shares":
            if plain is None:
                return None
            is_list = np.iterable(plain) and not isinstance(plain, (str, Mapping))
            shares = tuple(plain) if is_list else ()
            if len(shares) > 1 and all(is_number(p) and 0 < p < 1 for p in shares):
                return tuple(map(float, shares))
        raise ValueError(
            f"criterion_params[{self.name!r}]={value!r} must be {self.range}"
        )

    def _allows(self, value: float) -> bool:
        if self.also is not None and value == self.also:
            return True
        above = value >= self.min if self.min_is_allowed else value > self.min
        return above and value <= self.max and value <= sys.float_info.max

    def number(self, value: Any) -> float:
        """Return the value as the engine reads it."""
        if self.kind == "word":
            return float(self.words.index(value))
        return 0.0 if self.kind == "shares" else float(value)


def checked_params(
    name: str, known: tuple[Parameter, ...], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Get the parameters that differ from their defaults, in the order of `known`."""
    by_name = {parameter.name: parameter for parameter in known}
    for key in given:
        if key not in by_name:
            listing = ", ".join(by_name) or "none"
            raise ValueError(
                f"criterion_params has {key!r}, which criterion={name!r} does not "
                f"take; it takes: {listing}"
            )
    checked = {
        key: each.check(given[key]) for key, each in by_name.items() if key in given
    }
    return {
        key: value for key, value in checked.items() if value != by_name[key].default
    }


def encoded(
    known: tuple[Parameter, ...], given: Mapping[str, Any]
) -> tuple[list[float], list[float]]:
    """Return values and shares as the engine reads them."""
    values = [each.number(given.get(each.name, each.default)) for each in known]
    shares = [given.get(each.name) for each in known if each.kind == "shares"]
    return values, list(next((each for each in shares if each is not None), ()))
