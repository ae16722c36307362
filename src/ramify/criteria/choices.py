# SPDX-License-Identifier: BSD-3-Clause
"""Two-step criteria: keep the best cuts by one score, choose among them by another.

>>> from ramify.criteria import bnm, csn, gini, top
>>> top(3, gini + 0.01 * bnm).smallest(csn)
top(3, gini + 0.01 * bnm).smallest(csn)
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import NoReturn

from ramify.criteria.score import (
    Composite,
    Expression,
    NoNumber,
    Program,
    Score,
    as_score,
)

__all__ = ["Choice", "Top", "top"]

_MAX_KEPT = 2**31 - 1


@dataclass(frozen=True, repr=False)
class Top(NoNumber):
    """The k best cuts by a score, of which `smallest` or `largest` chooses one."""

    k: int | None
    score: Score

    def smallest(self, measure: Score) -> Choice:
        """Choose the cut with the smallest value of a measure."""
        return Choice(self, ((False, as_score(measure, ".smallest()")),))

    def largest(self, measure: Score) -> Choice:
        """Choose the cut with the largest value of a measure."""
        return Choice(self, ((True, as_score(measure, ".largest()")),))

    def refuse(self, other: object = None) -> NoReturn:
        """Say that it is no criterion yet."""
        raise TypeError(
            f"{self!r} does not choose a cut yet; add .smallest(...) or .largest(...)"
        )

    def __repr__(self) -> str:
        return f"top({self.k!r}, {self.score!r})"


def top(k: int | None, score: Score) -> Top:
    """Keep the k best cuts of a node by a score, to choose among them by a measure.

    Parameters
    ----------
    k : int or None
        How many; None for all cuts. A node with fewer cuts keeps what it has.
    score : criterion, measure, or sum or product of them
        Larger is better. Cuts without gain are not kept, unless `bnm` or `csn` takes
        part.

    Returns
    -------
    Top
        With the methods ``smallest(measure)`` and ``largest(measure)``. Both give a
        criterion, and can be chained: the next decides where the former are equal.

    Examples
    --------
    >>> from ramify.criteria import gain_ratio, segments, top
    >>> top(5, gain_ratio).smallest(segments).largest(gain_ratio)
    top(5, gain_ratio).smallest(segments).largest(gain_ratio)
    """
    if k is not None:
        is_whole = isinstance(k, numbers.Integral) and not isinstance(k, bool)
        if not is_whole or k < 1:
            raise ValueError(
                f"top(k, ...) got k={k!r}; use a whole number of at least 1, or None "
                "for all cuts"
            )
        k = int(k)
    return Top(k, as_score(score, "top(k, ...)"))


@dataclass(frozen=True, repr=False)
class Choice(NoNumber, Composite):
    """One of the best cuts by a score, chosen by other measures in their order."""

    best: Top
    steps: tuple[tuple[bool, Score], ...]  # is the largest chosen, and of what

    def smallest(self, measure: Score) -> Choice:
        """Where the former are equal, choose the smallest value of this measure."""
        step = (False, as_score(measure, ".smallest()"))
        return Choice(self.best, (*self.steps, step))

    def largest(self, measure: Score) -> Choice:
        """Where the former are equal, choose the largest value of this measure."""
        step = (True, as_score(measure, ".largest()"))
        return Choice(self.best, (*self.steps, step))

    def parts(self) -> tuple[Expression, ...]:
        """Return what it is made of."""
        return self.best.score, *(measure for _, measure in self.steps)

    def program(self) -> Program:
        """Return the expression as the engine reads it."""
        k = self.best.k
        return Program(
            self.best.score.node(),
            -1 if k is None else min(k, _MAX_KEPT),
            [(is_largest, measure.node()) for is_largest, measure in self.steps],
            None,
            self.tests_gain,
        )

    def __repr__(self) -> str:
        steps = "".join(
            f".{'largest' if is_largest else 'smallest'}({measure!r})"
            for is_largest, measure in self.steps
        )
        return f"{self.best!r}{steps}"
