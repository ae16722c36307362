# SPDX-License-Identifier: BSD-3-Clause
"""The nearest row that a tree predicts otherwise: what would have to change.

Distance is Euclidean in scaled columns: a number counts by its change over the scale of
its column, another category counts 1, and so does a value where there was none. Known
values are never taken away, and categories are those that training saw.

Without hyperplanes a leaf requires an interval or a set of each column, and the nearest
row in a leaf moves each column to the edge that it violates: exact. With hyperplanes a
leaf is a polytope, and the nearest point of it is a least-distance problem, solved by
non-negative least squares (Lawson and Hanson 1974, chapter 23).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from ramify.explanations.one_tree import OneTree
from ramify.tree.conditions import Condition, HalfSpace, Interval, Subset, branches

__all__ = ["Found", "Spread", "nearest_row"]

Floats = NDArray[np.float64]
# Of categories that hyperplanes weigh, and of missing values to fill in, per leaf.
_MAX_COMBINATIONS = 4096
_MAX_MISSING = 6


@dataclass(frozen=True)
class Spread:
    """What a change of a column is measured by.

    Attributes
    ----------
    scale : float
        A change of a number by so much counts 1.
    middle : float
        What a missing number starts from when it is filled in.
    whole : bool
        Whether only whole numbers make sense.
    frequent : tuple of int
        Codes of categories, the most frequent first.
    """

    scale: float = 1.0
    middle: float = 0.0
    whole: bool = False
    frequent: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Found:
    """A row, as it is read, the leaf it reaches, how far it is, and if all was tried.

    Where `whole` is False, some combinations of categories or fills were left out.
    """

    leaf: int
    row: Floats
    distance: float
    whole: bool = True


@dataclass(frozen=True, eq=False)
class _Leaf:
    """What a leaf demands, and the least that it can cost."""

    node: int
    plain: dict[int, Interval | Subset]
    planes: tuple[HalfSpace, ...]
    bound: float


def nearest_row(
    one: OneTree,
    x: Floats,
    goals: NDArray[np.bool_],
    locked: set[int],
    spreads: Sequence[Spread],
) -> Found | None:
    """Find the nearest row in a leaf that is a goal; None if there is none."""
    leaves = [
        _Leaf(leaf, plain, planes, bound)
        for leaf, plain, planes in _leaves(one, goals)
        if (bound := _min_distance(plain, x, locked, spreads)) is not None
    ]
    leaves.sort(key=lambda leaf: (leaf.bound, leaf.node))
    best: Found | None = None
    is_whole = True
    if leaves and leaves[0].bound == math.inf:
        raise ValueError(
            "the row is so far from other predictions that no float holds the "
            "distance; divide the column of its largest number, and fit again"
        )
    for leaf in leaves:
        # A hair below: rounding must not hide a leaf as near as the best so far.
        if best is not None and leaf.bound * (1 - 1e-12) >= best.distance:
            break
        for found in _rows_in(leaf, one, x, locked, spreads):
            is_whole = is_whole and found.whole
            if found.distance >= (math.inf if best is None else best.distance):
                continue
            if one.tree.apply(found.row[None])[0] == leaf.node:
                best = found
    return best if best is None else replace(best, whole=is_whole)


def _leaves(
    one: OneTree, goals: NDArray[np.bool_]
) -> Iterator[tuple[int, dict[int, Interval | Subset], tuple[HalfSpace, ...]]]:
    """Yield the conditions of each leaf that is a goal, one per column."""
    tree = one.tree
    stack: list[tuple[int, dict[int, Any], tuple[HalfSpace, ...]]] = [(0, {}, ())]
    while stack:
        node, plain, planes = stack.pop()
        if tree.children_left[node] < 0:
            if goals[node]:
                yield node, plain, planes
            continue
        j = int(tree.feature[node])
        parts: list[Condition] = branches(tree, node, one.columns)
        for child, condition in zip(tree.children(node), parts, strict=True):
            if isinstance(condition, HalfSpace):
                stack.append((child, plain, (*planes, condition)))
                continue
            if tree.missing_branch[node] < 0:  # it goes everywhere: not here alone
                condition = _without_missing(condition)
            old = plain.get(j)
            both = condition if old is None else old & condition
            stack.append((child, {**plain, j: both}, planes))


def _without_missing(condition: Interval | Subset) -> Interval | Subset:
    if isinstance(condition, Interval):
        return Interval(condition.column, condition.low, condition.high, False)
    return Subset(condition.column, condition.codes, condition.excluded, False)


def _min_distance(
    plain: dict[int, Interval | Subset],
    x: Floats,
    locked: set[int],
    spreads: Sequence[Spread],
) -> float | None:
    """Return the least distance to what a leaf demands, hyperplanes aside.

    None if no row will do; infinity if no float holds the distance.
    """
    costs = []
    for j, demand in plain.items():
        move = _move(demand, float(x[j]), spreads[j])
        if move is None or (move[1] > 0 and j in locked):
            return None
        costs.append(move[1])
    return math.hypot(*costs)


def _move(
    demand: Interval | Subset, x: float, spread: Spread
) -> tuple[float, float] | None:
    """Return the nearest value that meets a demand, and its cost; None if none does."""
    if math.isnan(x) and demand.missing:
        return x, 0.0
    if isinstance(demand, Subset):
        if not math.isnan(x) and bool(demand.holds(np.array([x]))[0]):
            return x, 0.0
        seen = demand.members.tolist()
        if not seen:
            return None
        # Of equally near categories the most frequent one is the most natural.
        return float(next((c for c in spread.frequent if c in seen), seen[0])), 1.0
    start = spread.middle if math.isnan(x) else x
    value = _clipped(start, demand, spread.whole)
    if value is None:
        return None
    return value, 1.0 if math.isnan(x) else abs(value - x) / spread.scale


def _clipped(start: float, demand: Interval, whole: bool) -> float | None:
    """Move a number into an interval as little as possible."""
    if not demand.low < demand.high:
        return None
    value = start
    if not start > demand.low:
        value = math.nextafter(demand.low, math.inf)
        if whole:
            value = math.floor(demand.low) + 1.0
    elif start > demand.high:
        value = float(math.floor(demand.high)) if whole else demand.high
    return value if demand.low < value <= demand.high else None


def _rows_in(
    leaf: _Leaf,
    one: OneTree,
    x: Floats,
    locked: set[int],
    spreads: Sequence[Spread],
) -> Iterator[Found]:
    """Yield rows in a leaf among which the nearest one is."""
    if leaf.planes:
        weighed = {int(j) for plane in leaf.planes for j in plane.terms.column}
        missing = [
            j
            for j in sorted(weighed - locked)
            if math.isnan(x[j]) and not one.columns[j].is_categorical
        ]
        sizes = (
            range(len(missing) + 1)
            if len(missing) <= _MAX_MISSING
            else (0, len(missing))
        )
        for size in sizes:
            for fills in itertools.combinations(missing, size):
                for found in _rows_in_polytope(
                    leaf, one, x, locked, spreads, weighed, set(fills)
                ):
                    whole = found.whole and len(missing) <= _MAX_MISSING
                    yield replace(found, whole=whole)
        return
    moved = x.copy()
    for j, demand in leaf.plain.items():
        move = _move(demand, float(x[j]), spreads[j])
        if move is not None:
            moved[j] = move[0]
    yield Found(leaf.node, moved, leaf.bound)


def _rows_in_polytope(
    leaf: _Leaf,
    one: OneTree,
    x: Floats,
    locked: set[int],
    spreads: Sequence[Spread],
    weighed: set[int],
    fills: set[int],
) -> Iterator[Found]:
    """Move numbers and choose categories; `fills` are missing values to fill in."""
    start, far = x.copy(), 0.0
    free: list[int] = []
    choices: list[tuple[int, list[float]]] = []
    for j in sorted(weighed | set(leaf.plain)):
        demand, now = leaf.plain.get(j), float(x[j])
        if j in weighed and one.columns[j].is_categorical:
            choices.append((j, _codes_for(one, j, demand, now, j not in locked)))
            continue
        if j not in weighed:
            move = None if demand is None else _move(demand, now, spreads[j])
            if move is None:
                return
            start[j] = move[0]
            far = math.hypot(far, move[1])
            continue
        is_missing = math.isnan(now)
        takes_missing = demand is None or demand.missing
        if is_missing and takes_missing and j not in fills:
            continue
        if j in locked:
            if demand is not None and not bool(demand.holds(np.array([now]))[0]):
                return
            continue
        if is_missing:
            start[j] = spreads[j].middle
            far = math.hypot(far, 1.0)
        free.append(j)
    n_choices = math.prod(len(codes) for _, codes in choices)
    is_whole = n_choices <= _MAX_COMBINATIONS
    missing = [j for j in free if math.isnan(x[j])]
    for codes in itertools.islice(
        itertools.product(*(codes for _, codes in choices)), _MAX_COMBINATIONS
    ):
        own, at = far, start.copy()
        for (j, _), code in zip(choices, codes, strict=True):
            at[j] = code
            is_same = code == x[j] or (math.isnan(code) and math.isnan(x[j]))
            own = math.hypot(own, 0.0 if is_same else 1.0)
        found = _projected(leaf, at, free, missing, spreads)
        if found is not None:
            moved, more = found
            yield Found(leaf.node, moved, math.hypot(own, more), is_whole)


def _codes_for(
    one: OneTree,
    j: int,
    demand: Interval | Subset | None,
    now: float,
    may_move: bool,
) -> list[float]:
    """List the codes that a column may take in a leaf, its own first."""
    codes = [now]
    if may_move:
        every = range(len(one.columns[j].categories))
        codes += [float(code) for code in every if code != now]
    if demand is None:
        return codes
    return [code for code in codes if bool(demand.holds(np.array([code]))[0])]


def _projected(
    leaf: _Leaf,
    start: Floats,
    free: Sequence[int],
    missing: Sequence[int],
    spreads: Sequence[Spread],
) -> tuple[Floats, float] | None:
    """Move the free columns as little as possible so that all demands are met.

    Gives the row and the distance. Filling in a value costs the same whatever
    the number is: such a column moves nearly for nothing.
    """
    scale = np.array([spreads[j].scale * (1e6 if j in missing else 1.0) for j in free])
    place = {j: k for k, j in enumerate(free)}
    normals, sides, sizes = [], [], []
    for plane in leaf.planes:
        sign = 1.0 if plane.above else -1.0
        normal, size = np.zeros(len(free)), abs(plane.bound)
        terms = plane.terms
        for j, category, weight in zip(
            terms.column.tolist(),
            terms.category.tolist(),
            terms.weight.tolist(),
            strict=True,
        ):
            if category < 0 and j in place:
                normal[place[j]] += sign * weight * scale[place[j]]
                size += abs(weight * start[j])
        normals.append(normal)
        sides.append(sign * (plane.bound - float(terms.project(start[None])[0])))
        sizes.append(size)
    for j in free:
        demand = leaf.plain.get(j)
        if not isinstance(demand, Interval):
            continue
        for sign, bound in ((1.0, demand.low), (-1.0, demand.high)):
            if math.isfinite(bound):
                normal = np.zeros(len(free))
                normal[place[j]] = sign * scale[place[j]]
                normals.append(normal)
                sides.append(sign * (bound - start[j]))
                sizes.append(abs(bound) + abs(start[j]))
    G, h = np.array(normals).reshape(len(sides), len(free)), np.array(sides)
    if not (np.isfinite(G).all() and np.isfinite(h).all()):
        return None  # no float holds how far that is
    # Strict sides, and rounding: step over the edge by a hair, and by more if need be.
    for margin in (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5):
        step = _least_step(G, h + margin * np.maximum(sizes, 1e-300))
        if step is None:
            return None
        moved = start.copy()
        moved[list(free)] += step * scale
        if _is_inside(leaf, moved, free):
            paid = [k for k, j in enumerate(free) if j not in missing]
            return moved, math.hypot(*step[paid].tolist())
    return None


def _is_inside(leaf: _Leaf, row: Floats, free: Sequence[int]) -> bool:
    return all(bool(plane.holds(row[None])[0]) for plane in leaf.planes) and all(
        bool(leaf.plain[j].holds(row[[j]])[0]) for j in free if j in leaf.plain
    )


def _least_step(G: Floats, h: Floats) -> Floats | None:
    """Return the shortest z with ``G z >= h``; None if there is none."""
    n = G.shape[1]
    if (h <= 0).all():
        return np.zeros(n)
    size = np.linalg.norm(G, axis=1)
    if n == 0 or (h[size == 0] > 0).any():
        return None
    G, h = G[size > 0] / size[size > 0, None], h[size > 0] / size[size > 0]
    top = max(float(np.abs(h).max()), 1e-300)
    E = np.vstack([G.T, h / top])
    target = np.zeros(n + 1)
    target[n] = 1.0
    u, _ = nnls(E, target, maxiter=100 * max(E.shape))
    rest = E @ u - target
    # The last entry tends to zero exactly if nothing meets all sides.
    if rest[n] > -1e-12:
        return None
    return np.asarray(-rest[:n] / rest[n] * top)
