# SPDX-License-Identifier: BSD-3-Clause
"""Which values a parameter may have: a test, and the words for what would be right."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ramify.table.columns import show

__all__ = [
    "FLAG",
    "FROM_ZERO",
    "Rule",
    "check_rules",
    "is_flag",
    "is_real",
    "is_share",
    "is_whole",
    "listed",
    "one_of",
    "or_none",
    "whole",
]

Rule = tuple[Callable[[Any], bool], str]

# Values that were found good together, by rules, types and values: to look at each
# takes as long as to grow a small tree.
_GOOD: dict[Any, Mapping[str, Rule]] = {}
_MAX_KNOWN = 1000
_PLAIN = {type(None), bool, int, float, str}


def check_rules(model: Any, rules: Mapping[str, Rule]) -> None:
    """Refuse parameters that mean nothing; say what would be right.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from ramify.estimators.validation.rules import check_rules, whole
    >>> check_rules(SimpleNamespace(depth=0), {"depth": whole(1)})
    Traceback (most recent call last):
    ValueError: depth=0 is not allowed; use a whole number of at least 1
    """
    values = tuple([getattr(model, name) for name in rules])
    types = tuple(map(type, values))  # 1 and True are equal, and not the same
    known = (id(rules), types, values) if _PLAIN.issuperset(types) else None
    if known in _GOOD:
        return
    for (name, (is_good, right)), value in zip(rules.items(), values, strict=True):
        if not is_good(value):
            raise ValueError(f"{name}={_shown(value)} is not allowed; use {right}")
    if known is not None and len(_GOOD) < _MAX_KNOWN:
        _GOOD[known] = rules  # which stay as long as their id means them


def _shown(value: Any) -> str:
    """Write a value; a huge whole number in short."""
    return show(value) if type(value) is int else repr(value)


def is_whole(x: Any, least: int) -> bool:
    """Return whether this is a whole number, and large enough."""
    return isinstance(x, numbers.Integral) and not is_flag(x) and int(x) >= least


def is_real(x: Any, low: float, high: float = math.inf) -> bool:
    """Return whether this is a number in a range, and one that a float holds."""
    is_number = isinstance(x, numbers.Real) and not is_flag(x)
    # A whole number of Python may be larger than all floats and still finite.
    return is_number and low <= x <= high and not sys.float_info.max < x < math.inf


def is_share(x: Any) -> bool:
    """Return whether this is a fraction in (0, 1]; a whole number is a count."""
    return is_real(x, 0, 1) and not isinstance(x, numbers.Integral) and x > 0


def is_flag(x: Any) -> bool:
    """Return whether this is True or False."""
    return isinstance(x, (bool, np.bool_))


def listed(words: tuple[Any, ...]) -> str:
    """Write a choice: 'a', 'b' or 'c'."""
    return ", ".join(map(repr, words[:-1])) + f" or {words[-1]!r}"


def one_of(*words: str) -> Rule:
    """Allow some words."""
    return lambda x: isinstance(x, str) and x in words, listed(words)


def whole(least: int) -> Rule:
    """Allow whole numbers from one on."""
    return lambda x: is_whole(x, least), f"a whole number of at least {least}"


def or_none(rule: Rule, meaning: str = "") -> Rule:
    """Allow None, too."""
    is_good, right = rule
    return lambda x: x is None or is_good(x), f"{right}, or None{meaning}"


FLAG: Rule = (is_flag, "True or False")
FROM_ZERO: Rule = (lambda x: is_real(x, 0), "a number of at least 0")
