# SPDX-License-Identifier: BSD-3-Clause
"""Rows that distinguish an artefact from its model: each leaf, border, missing value.

A row at a border is "telling": its other columns are chosen so that the wrong branch
would end in a leaf of another value. Rows of a test set lie on no border and show
nothing about them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ramify.exports.certificates.boxes import MISSING, Box, Members, Span, exactly
from ramify.exports.certificates.planes import Plane, meet_planes
from ramify.exports.certificates.rows import Rows
from ramify.exports.walk import (
    CATEGORIES,
    HYPERPLANE,
    INTERVALS,
    KNOWN,
    LEAF,
    THRESHOLD,
    Walk,
)

__all__ = ["make_rows"]

_MAX_PAIRS = 40  # leaves looked at before a row is taken that shows less
_MAX_CATEGORIES = 64  # of a node that get a row each; the rest by turns of the rows


class _Wish(NamedTuple):
    """A row to be made: what it demands, and how urgent it is."""

    urgency: int
    purpose: str
    box: Box


def make_rows(walk: Walk, n_rows: int, seed: int = 0) -> Rows:
    """Make at most so many rows that reach all there is to reach.

    One per leaf comes first, then one per node and purpose, then the rest.
    """
    maker = _Maker(walk, seed)
    wishes = sorted(maker.wishes(n_rows), key=lambda wish: wish.urgency)
    matrix: list[list[float]] = []
    purpose: list[str] = []
    for wish in wishes:
        if len(matrix) >= n_rows:
            break
        row = maker.row(wish.box)
        if row is not None:
            matrix.append(row)
            purpose.append(wish.purpose)
    rows = Rows(
        np.array(matrix).reshape(-1, len(walk.columns)),
        np.array(purpose, dtype=object),
    )
    if walk.missing != "error":
        missing = np.full((1, len(walk.columns)), math.nan)
        rows = rows.first(max(0, n_rows - 1)).and_(missing, "all missing")
    return rows


class _Maker:
    """Makes rows for a walk."""

    def __init__(self, walk: Walk, seed: int) -> None:
        self.walk = walk
        self.rng = np.random.default_rng(seed)
        self.kind: list[int] = walk.kind.tolist()
        self.column: list[int] = walk.column.tolist()
        self.threshold: list[float] = walk.threshold.tolist()
        self.first: list[int] = walk.first.tolist()
        self.n_children: list[int] = walk.n_children.tolist()
        self.missing: list[int] = walk.missing_branch.tolist()
        self.default: list[int] = walk.default_branch.tolist()
        self.leaf: list[int] = walk.leaf.tolist()
        self.takes_missing = walk.missing != "error"
        self.takes_new = walk.unseen in ("heavier", "parent")
        self.every = [
            Members(
                frozenset(range(len(info.categories) + self.takes_new)),
                self.takes_missing,
            )
            if info.is_categorical
            else Span(-math.inf, math.inf, self.takes_missing)
            for info in walk.columns
        ]
        self.typical = [self._typical(j) for j in range(len(walk.columns))]
        self.parts: dict[tuple[int, int], Any] = {}
        self.value_of = [bytes(line.tobytes()) for line in walk.value]
        if walk.lines is not None:  # no two leaves say the same
            self.value_of = [str(leaf).encode() for leaf in range(walk.n_leaves)]

    def _typical(self, j: int) -> list[float]:
        """Return values that a column may take where nothing else restricts it."""
        walk = self.walk
        if walk.columns[j].is_categorical:
            return [float(code) for code in sorted(self.every[j].codes)]  # type: ignore[union-attr]  # a column of categories
        here = (walk.column == j) & (walk.kind == THRESHOLD)
        marks = walk.threshold[here].tolist()
        for node in np.flatnonzero((walk.column == j) & (walk.kind == INTERVALS)):
            marks += walk.listed(int(node))[0].tolist()
        marks += walk.term_fill[
            (walk.term_column == j) & (walk.term_category < 0)
        ].tolist()
        if walk.lines is not None:
            here = walk.lines.column == j
            for ends in (walk.lines.low, walk.lines.high, walk.lines.fill):
                marks += ends[here].tolist()
        cuts = np.unique(np.array(marks, dtype=np.float64))
        if len(cuts) == 0:
            return [0.0]
        wide = float(cuts[-1] - cuts[0]) or abs(float(cuts[0])) or 1.0
        ends = np.concatenate([[cuts[0] - wide / 7], cuts, [cuts[-1] + wide / 7]])
        with np.errstate(over="ignore"):
            middle = ends[:-1] / 2 + ends[1:] / 2
        return [float(x) for x in middle if math.isfinite(x)] or [0.0]

    # --- going down ---------------------------------------------------------------

    def part(self, node: int, branch: int) -> Any:
        """Say what a branch demands of the node's column; None if nothing will do."""
        key = (node, branch)
        if key not in self.parts:
            self.parts[key] = self._part(node, branch)
        return self.parts[key]

    def _part(self, node: int, branch: int) -> Any:
        kind, column = self.kind[node], self.column[node]
        missing = self.takes_missing and self.missing[node] in (branch, -1)
        if kind == THRESHOLD:
            cut = self.threshold[node]
            return (
                Span(-math.inf, cut, missing)
                if branch == 0
                else Span(cut, math.inf, missing)
            )
        is_default = self.default[node] == branch
        is_set = self.walk.columns[column].is_categorical
        if kind == KNOWN:
            if not is_default:
                return (
                    Members(frozenset(), missing)
                    if is_set
                    else MISSING._replace(missing=missing)
                )
            every = self.every[column]
            return every._replace(missing=missing)
        values, branches = self.walk.listed(node)
        if kind == CATEGORIES:
            own = {
                int(code)
                for code, b in zip(values.tolist(), branches.tolist(), strict=True)
                if b == branch
            }
            if is_default:
                every_code = self.every[column].codes  # type: ignore[union-attr]
                own |= every_code - {int(code) for code in values.tolist()}
            return Members(frozenset(own), missing)
        edges = [-math.inf, *values.tolist(), math.inf]
        owners = [*branches.tolist(), self.default[node]]
        mine = [i for i, b in enumerate(owners) if b == branch]
        if not mine:
            return MISSING._replace(missing=missing)
        last = mine[0]
        while last + 1 < len(owners) and owners[last + 1] == branch:
            last += 1
        return Span(edges[mine[0]], edges[last + 1], missing)

    def below(self, box: Box, node: int, branch: int) -> Box | None:
        """Return the box of a branch; None if no row can take it."""
        if self.kind[node] == HYPERPLANE:
            return Box(box.of, (*box.planes, Plane(node, bool(branch), 1)))
        return box.meet(self.column[node], self.part(node, branch))

    def leaves(self, box: Box, node: int) -> Iterator[tuple[int, Box]]:
        """Yield the leaves below a node that rows of the box reach, with their boxes.

        The first branch to be followed changes, so that the first few differ.
        """
        stack = [(node, box)]
        while stack:
            at, own = stack.pop()
            if self.kind[at] == LEAF:
                yield self.leaf[at], own
                continue
            turn = int(self.rng.integers(self.n_children[at]))
            for k in range(self.n_children[at]):
                branch = (k + turn) % self.n_children[at]
                inside = self.below(own, at, branch)
                if inside is not None:
                    stack.append((self.first[at] + branch, inside))

    def telling(self, box: Box, node: int, right: int, wrong: int) -> Box:
        """Narrow a box at a node so that taking a wrong branch would be seen.

        Both subtrees are searched for leaves that a row of the box would reach, and the
        first two of different value are taken.
        """
        first = self.first[node]
        n_looked, fallback = 0, box
        for leaf, own in self.leaves(box, first + right):
            if fallback is box:
                fallback = own
            for other, both in self.leaves(own, first + wrong):
                n_looked += 1
                if self.value_of[leaf] != self.value_of[other]:
                    return both
                if n_looked >= _MAX_PAIRS:
                    return fallback
        return fallback

    # --- what is wanted -----------------------------------------------------------

    def wishes(self, n_rows: int) -> Iterable[_Wish]:
        """Return which rows are wanted; stops early when there are far too many."""
        leaf_wishes: list[_Wish] = []
        others: list[_Wish] = []
        reached: list[tuple[int, Box]] = []
        empty = Box({}, ())
        for root in self.walk.root.tolist():
            stack = [(root, empty)]
            while stack:
                node, box = stack.pop()
                if self.kind[node] == LEAF:
                    leaf_wishes.append(_Wish(0, "leaf", box))
                    continue
                reached.append((node, box))
                for branch in range(self.n_children[node]):
                    inside = self.below(box, node, branch)
                    if inside is not None:
                        stack.append((self.first[node] + branch, inside))
        n_left = max(0, n_rows - len(leaf_wishes))
        self.rng.shuffle(reached)
        for node, box in reached:
            if len(others) > n_left:
                break
            others += self._at(node, box)
        return [*leaf_wishes, *others]

    def _at(self, node: int, box: Box) -> list[_Wish]:
        """Return which rows test one node."""
        kind = self.kind[node]
        if kind == HYPERPLANE:
            return self._at_plane(node, box)
        column = self.column[node]
        tests: list[tuple[str, Any]] = []
        if kind in (THRESHOLD, INTERVALS):
            cuts = [self.threshold[node]]
            if kind == INTERVALS:
                cuts = self.walk.listed(node)[0].tolist()
            for cut in cuts:
                for x in (
                    *(cut, math.nextafter(cut, math.inf)),
                    math.nextafter(cut, -math.inf),
                ):
                    tests.append(("boundary", exactly(x)))
        elif kind == CATEGORIES:
            tests += self._category_tests(node, column)
        elif not self.walk.columns[column].is_categorical:
            tests.append(("known", Span(-math.inf, math.inf, False)))
        else:
            tests.append(("known", self.every[column]._replace(missing=False)))
        if self.takes_missing:
            tests.append(("missing", self.every[column] & self._missing_in(column)))
        found = []
        seen: set[str] = set()
        for purpose, part in tests:
            inside = box.meet(column, part)
            if inside is None:
                continue
            right = self._branch_of(node, part)
            wrong = self._wrong(node, right, part)
            urgency = 2 if purpose in seen else 1
            seen.add(purpose)
            if right < 0:  # it goes everywhere: every branch is right
                found.append(_Wish(urgency, purpose, inside))
                continue
            found.append(
                _Wish(urgency, purpose, self.telling(inside, node, right, wrong))
            )
        return found

    def _missing_in(self, column: int) -> Any:
        is_set = self.walk.columns[column].is_categorical
        return Members(frozenset(), True) if is_set else MISSING

    def _category_tests(self, node: int, column: int) -> list[tuple[str, Any]]:
        listed = [int(code) for code in self.walk.listed(node)[0].tolist()]
        every = self.every[column].codes  # type: ignore[union-attr]
        unseen = len(self.walk.columns[column].categories)
        unlisted = sorted(every - set(listed) - {unseen})
        some = listed
        if len(listed) > _MAX_CATEGORIES:
            some = sorted(
                self.rng.choice(listed, _MAX_CATEGORIES, replace=False).tolist()
            )
        tests = [("category", Members(frozenset([code]), False)) for code in some]
        if unlisted:
            code = int(self.rng.choice(unlisted))
            tests.append(("unlisted", Members(frozenset([code]), False)))
        if self.takes_new:
            tests.append(("unseen", Members(frozenset([unseen]), False)))
        return tests

    def _branch_of(self, node: int, part: Any) -> int:
        if isinstance(part, Members):
            n = len(self.walk.columns[self.column[node]].categories)
            code = min(part.codes, default=math.nan)
            x = -1.0 if code == n else float(code)
        else:
            x = part.high if part.low < part.high else math.nan
            x = 0.0 if x == math.inf else x
        row = np.full((1, len(self.walk.columns)), x)
        return int(self.walk.branches(node, row)[0])

    def _wrong(self, node: int, right: int, part: Any) -> int:
        """Choose a branch that would be an error; at a bound, that across it."""
        n = self.n_children[node]
        if n == 2 or right < 0:
            return 1 - max(right, 0)
        if self.kind[node] == INTERVALS and part.low < part.high:
            for x in (
                *(math.nextafter(part.high, math.inf), part.high),
                math.nextafter(part.high, -math.inf),
            ):
                other = self._branch_of(node, exactly(x))
                if other != right:
                    return other
        if self.kind[node] == CATEGORIES and right != self.default[node]:
            return self.default[node]
        return (right + 1 + int(self.rng.integers(n - 1))) % n

    def _at_plane(self, node: int, box: Box) -> list[_Wish]:
        """Request points on both sides of a hyperplane, complete and incomplete."""
        terms = self.walk.terms(node)
        numeric = [column for column, category, _, _ in terms if category < 0]
        found = []
        along = numeric[:4]
        for i, column in enumerate(along):
            for above in (False, True):
                touch = Plane(node, above, 0, column)
                found.append(_Wish(1 if i == 0 else 2, "plane", self._with(box, touch)))
        if self.takes_missing:
            for column in dict.fromkeys(column for column, *_ in terms):
                missing = box.meet(column, self._missing_in(column))
                if missing is None:
                    continue
                others = [c for c in numeric if c != column]
                for c in others[:1]:
                    for above in (False, True):
                        wish = self._with(missing, Plane(node, above, 0, c))
                        found.append(_Wish(2, "missing in a sum", wish))
                if not others:
                    found.append(_Wish(2, "missing in a sum", missing))
        for column in dict.fromkeys(c for c, category, *_ in terms if category >= 0):
            codes = [category for c, category, *_ in terms if c == column]
            if self.takes_new:
                codes.append(len(self.walk.columns[column].categories))
            for code in codes[:_MAX_CATEGORIES]:
                inside = box.meet(column, Members(frozenset([code]), False))
                if inside is None:
                    continue
                for c in numeric[:1]:
                    for above in (False, True):
                        wish = self._with(inside, Plane(node, above, 0, c))
                        found.append(_Wish(2, "category in a sum", wish))
                if not numeric:
                    found.append(_Wish(2, "category in a sum", inside))
        return found

    def _with(self, box: Box, plane: Plane) -> Box:
        return Box(box.of, (*box.planes, plane))

    # --- making -------------------------------------------------------------------

    def row(self, box: Box) -> list[float] | None:
        """Return a row of a box; None if there is none, or none was found."""
        row = [self._free(j, box.of.get(j)) for j in range(len(self.typical))]
        if not box.planes:
            return row
        return meet_planes(self.walk, box.planes, box.of, row)

    def _free(self, j: int, part: Any) -> float:
        typical = self.typical[j]
        if part is None:
            return self._coded(j, typical[int(self.rng.integers(len(typical)))])
        if isinstance(part, Members):
            codes = sorted(part.codes)
            if not codes:
                return math.nan
            return self._coded(j, float(codes[int(self.rng.integers(len(codes)))]))
        low, high = float(part.low), float(part.high)
        if not low < high:
            return math.nan
        inside = [x for x in typical if low < x <= high]
        if inside:
            return inside[int(self.rng.integers(len(inside)))]
        if math.isinf(low) and math.isinf(high):
            return 0.0
        if math.isinf(low):
            return high
        if math.isinf(high):
            above = low + max(1.0, abs(low) / 8)
            return above if math.isfinite(above) else math.nextafter(low, math.inf)
        middle = low / 2 + high / 2
        return middle if low < middle <= high else high

    def _coded(self, j: int, x: float) -> float:
        """Return a code; that behind the last stands for what was never seen."""
        info = self.walk.columns[j]
        return -1.0 if info.is_categorical and x == len(info.categories) else x
