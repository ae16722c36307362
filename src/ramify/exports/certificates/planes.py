# SPDX-License-Identifier: BSD-3-Clause
"""A point in a region that hyperplanes bound, or on the edge of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ramify.exports.walk import Walk

__all__ = ["Plane", "meet_planes"]

_REACHES = (10.0, 1e3, 1e6)  # scales around the fills in which a point is looked for


class Plane(NamedTuple):
    """A side of a hyperplane, with a margin; or (0) next to it, along a column."""

    node: int
    above: bool
    margin: int
    along: int = -1


def meet_planes(
    walk: Walk,
    planes: Sequence[Plane],
    of: Mapping[int, Any],
    row: list[float],
) -> list[float] | None:
    """Change a row, within the limits of its columns, until it meets the planes.

    None if that cannot be, or was not found.
    """
    problem = _Problem(walk, planes, of, row)
    for reach in _REACHES:
        found = problem.solve(reach)
        if found is None:
            continue
        touched = planes[-1]
        if touched.margin == 0:
            found = problem.step_to(found, touched)
        if found is not None and problem.holds(found):
            return found
    return None


class _Problem:
    """A mixed-integer program: numbers are variables, categories are choices."""

    def __init__(
        self,
        walk: Walk,
        planes: Sequence[Plane],
        of: Mapping[int, Any],
        row: list[float],
    ) -> None:
        self.walk, self.planes, self.of, self.row = walk, planes, of, row
        self.terms = [walk.terms(plane.node) for plane in planes]
        self.numeric: dict[int, float] = {}  # column: size of its numbers
        self.chosen: dict[tuple[int, int], int] = {}  # (column, category): place
        for terms in self.terms:
            for column, category, _, fill in terms:
                if category >= 0:
                    self._choice(column, category)
                elif self._is_known(column):
                    self.numeric[column] = max(
                        self.numeric.get(column, 0.0), abs(fill), 1e-3
                    )
        self.places = {column: i for i, column in enumerate(self.numeric)}
        for i, key in enumerate(self.chosen):
            self.chosen[key] = len(self.places) + i
        self.n = len(self.places) + len(self.chosen) + 1  # the last: the margin

    def _is_known(self, column: int) -> bool:
        part = self.of.get(column)
        return part is None or part.low < part.high

    def _choice(self, column: int, category: int) -> None:
        part = self.of.get(column)
        if part is None or category in part.codes:
            self.chosen[column, category] = -1

    def solve(self, reach: float) -> list[float] | None:
        # Late: a tenth of a second that only hyperplanes need.
        from scipy.optimize import Bounds, LinearConstraint, milp

        lines, low, high = [], [], []
        for plane, terms in zip(self.planes, self.terms, strict=True):
            line, offset, norm = np.zeros(self.n), 0.0, 0.0
            for column, category, weight, fill in terms:
                if category >= 0:
                    place = self.chosen.get((column, category))
                    if place is not None:
                        line[place] += weight
                        norm += abs(weight)
                elif column in self.places:
                    line[self.places[column]] += weight * self.numeric[column]
                    norm += abs(weight) * self.numeric[column]
                else:
                    offset += weight * fill
            bound = float(self.walk.threshold[plane.node]) - offset
            if plane.margin:
                line[-1] = -norm if plane.above else norm
            lines.append(line)
            is_edge = plane.margin == 0
            low.append(bound if plane.above or is_edge else -np.inf)
            high.append(bound if not plane.above or is_edge else np.inf)
        self._choices(lines, low, high)
        low_bounds, high_bounds = self._bounds(reach)
        cost = np.zeros(self.n)
        cost[-1] = -1
        integrality = np.zeros(self.n)
        integrality[len(self.places) : -1] = 1
        found = milp(
            cost,
            constraints=LinearConstraint(np.array(lines), low, high),
            bounds=Bounds(low_bounds, high_bounds),
            integrality=integrality,
            options={"time_limit": 2.0},
        )
        if found.x is None:
            return None
        return self._row(found.x)

    def _choices(self, lines: list[Any], low: list[float], high: list[float]) -> None:
        """At most one category per column, and one if no other will do."""
        for column in dict.fromkeys(column for column, _ in self.chosen):
            own = {code for c, code in self.chosen if c == column}
            line = np.zeros(self.n)
            for code in own:
                line[self.chosen[column, code]] = 1
            part = self.of.get(column)
            must = part is not None and not part.missing and not part.codes - own
            lines.append(line)
            low.append(1 if must else 0)
            high.append(1)

    def _bounds(self, reach: float) -> tuple[Any, Any]:
        low_bounds, high_bounds = np.zeros(self.n), np.ones(self.n)
        for column, place in self.places.items():
            part, size = self.of.get(column), self.numeric[column]
            low = -math.inf if part is None else part.low / size
            high = math.inf if part is None else part.high / size
            middle = min(max(0.0, low), high)
            low_bounds[place] = max(low, middle - reach)
            high_bounds[place] = max(min(high, middle + reach), low_bounds[place])
        return low_bounds, high_bounds

    def _row(self, x: Any) -> list[float]:
        row = list(self.row)
        for column, place in self.places.items():
            value = float(x[place]) * self.numeric[column]
            part = self.of.get(column)
            if part is not None:
                if value <= part.low:
                    value = math.nextafter(part.low, math.inf)
                value = min(value, part.high)
            row[column] = value
        for column in dict.fromkeys(column for column, _ in self.chosen):
            taken = [
                code
                for (c, code), place in self.chosen.items()
                if c == column and x[place] > 0.5
            ]
            row[column] = float(taken[0]) if taken else self._other(column)
        return row

    def _other(self, column: int) -> float:
        """Return a value of a column that is in no term."""
        own = {code for c, code in self.chosen if c == column}
        part = self.of.get(column)
        info = self.walk.columns[column]
        codes = set(range(len(info.categories))) if part is None else set(part.codes)
        left = sorted(codes - own)
        if not left:
            return math.nan
        return -1.0 if left[0] == len(info.categories) else float(left[0])

    def holds(self, row: list[float]) -> bool:
        """Check whether the row is on the right side of every plane, as the walk is."""
        matrix = np.array([row])
        return all(
            bool(self.walk.branches(plane.node, matrix)[0]) == plane.above
            for plane in self.planes
        )

    def step_to(self, row: list[float], plane: Plane) -> list[float] | None:
        """Move along a column to the last number on a side of a plane."""
        column = plane.along
        if column not in self.places:
            return None
        sum_of = self._sum(plane.node, row, column)
        bound = float(self.walk.threshold[plane.node])
        part = self.of.get(column)
        low = -math.inf if part is None else math.nextafter(part.low, math.inf)
        high = math.inf if part is None else part.high
        x = row[column]
        step = max(abs(x), self.numeric[column]) * 1e-9
        for _ in range(60):
            ends = max(low, x - step), min(high, x + step)
            sides = [sum_of(end) > bound for end in ends]
            if sides[0] != sides[1]:
                break
            if ends == (low, high):
                return None
            step *= 4
        else:
            return None
        mine, other = ends if sides[0] == plane.above else ends[::-1]
        while True:
            middle = mine / 2 + other / 2
            if middle in (mine, other):
                break
            if (sum_of(middle) > bound) == plane.above:
                mine = middle
            else:
                other = middle
        return [*row[:column], mine, *row[column + 1 :]]

    def _sum(
        self, node: int, row: list[float], column: int
    ) -> Callable[[float], float]:
        terms = self.walk.terms(node)

        def sum_of(x: float) -> float:
            total = 0.0
            for c, category, weight, fill in terms:
                value = x if c == column else row[c]
                if category >= 0:
                    total += weight if value == category else 0.0
                else:
                    total += weight * (fill if value != value else value)
            return total

        return sum_of
