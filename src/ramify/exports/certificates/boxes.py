# SPDX-License-Identifier: BSD-3-Clause
"""Boxes: what a path through a tree demands of each column, and of sums."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ramify.exports.certificates.planes import Plane

__all__ = ["MISSING", "Box", "Members", "Span", "exactly"]


class Span(NamedTuple):
    """Known numbers in (low, high], and whether a missing value will do."""

    low: float
    high: float
    missing: bool

    def __and__(self, other: Span) -> Span:
        return Span(
            max(self.low, other.low),
            min(self.high, other.high),
            self.missing and other.missing,
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing will do."""
        return not self.low < self.high and not self.missing


class Members(NamedTuple):
    """Codes of categories (the place behind the last: unseen ones), and missing."""

    codes: frozenset[int]
    missing: bool

    def __and__(self, other: Members) -> Members:
        return Members(self.codes & other.codes, self.missing and other.missing)

    @property
    def is_empty(self) -> bool:
        """Whether nothing will do."""
        return not self.codes and not self.missing


class Box(NamedTuple):
    """What a path demands: of each column, and of sums."""

    of: dict[int, Span | Members]
    planes: tuple[Plane, ...]

    def meet(self, column: int, part: Any) -> Box | None:
        """Demand more of a column; None if nothing is left."""
        old = self.of.get(column)
        new = part if old is None else old & part
        if new.is_empty:
            return None
        return Box({**self.of, column: new}, self.planes)


MISSING = Span(math.inf, math.inf, True)


def exactly(x: float) -> Span:
    """Return the span that holds one number only."""
    return Span(math.nextafter(x, -math.inf), x, False)
