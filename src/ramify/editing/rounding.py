# SPDX-License-Identifier: BSD-3-Clause
"""Thresholds that people can say: the shortest decimal between two values."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.editing import cuts
from ramify.editing.edits import Context, moved
from ramify.editing.node import Node
from ramify.editing.state import State
from ramify.tree.tree import Tree

__all__ = ["round_thresholds", "rounded"]

_MOST_DIGITS = 17


def rounded(threshold: float, low: float, high: float, digits: int) -> float:
    """Round to so many significant digits, or to more if it must stay in an interval.

    >>> rounded(7073.5, 7000.0, 7298.0, 2), rounded(7073.5, 7060.0, 7080.0, 2)
    (7100.0, 7070.0)
    """
    for n in range(digits, _MOST_DIGITS + 1):
        found = float(f"{threshold:.{n - 1}e}")
        if low < found < high:
            return found
    return threshold


def round_thresholds(
    context: Context,
    state: State,
    digits: Any = 2,
    below: Any = 0,
    tolerance: Any = 0.0,
) -> State:
    """Round the thresholds at a node and below."""
    is_whole = isinstance(digits, int | np.integer) and not isinstance(digits, bool)
    if not is_whole or not 1 <= digits <= _MOST_DIGITS:
        raise ValueError(
            f"digits={digits!r} is not allowed; use a whole number from 1 to "
            f"{_MOST_DIGITS}: significant digits"
        )
    allowed = cuts.number_of("tolerance", tolerance)
    if allowed < 0:
        raise ValueError(f"tolerance={tolerance!r} is not allowed; use 0 or more")
    here = state.find(below)
    for number in [node.number for node in here.walk()]:
        node = next((n for n in state.root.walk() if n.number == number), None)
        if node is None or number in state.locked:
            continue
        state, allowed = _round_one(context, state, node, int(digits), allowed)
    return state


def _round_one(
    context: Context, state: State, node: Node, digits: int, allowed: float
) -> tuple[State, float]:
    """Round one threshold; return what is left of the tolerance, too."""
    test = node.test
    if test is None or test.kind not in (Tree.THRESHOLD, Tree.HYPERPLANE):
        return state, allowed
    low, high = _between(context, node)
    far = float(f"{test.threshold:.{digits - 1}e}")
    if allowed > 0 and not low < far < high:
        tried, rise = _tried(context, state, node, far)
        if tried is not None and rise <= allowed:
            return tried, allowed - max(rise, 0.0)
    near = rounded(test.threshold, low, high, digits)
    if near == test.threshold:
        return state, allowed
    # No training row changes sides; validation rows between the values may.
    new = replace(test, threshold=near)
    parts = context.data.route(new, node.all_rows(), node.all_held())
    children = tuple(
        child
        if np.array_equal(child.all_held(), held)
        else _with_held(context, child, held)
        for child, (_, held) in zip(node.children, parts, strict=True)
    )
    made = replace(node, test=new, children=children)
    return state.with_root(state.root.replaced(node.number, lambda _: made)), allowed


def _with_held(context: Context, node: Node, held: Any) -> Node:
    """Give a node other validation rows; its training rows stay."""
    if node.test is None:
        return replace(node, held=held)
    parts = context.data.route(node.test, node.all_rows(), held)
    children = tuple(
        _with_held(context, child, part)
        for child, (_, part) in zip(node.children, parts, strict=True)
    )
    return replace(node, children=children)


def _between(context: Context, node: Node) -> tuple[float, float]:
    """Return the training values on either side of a cut."""
    test, rows = node.test, node.all_rows()
    assert test is not None
    x = context.data.matrix[rows, test.feature]
    if test.terms is not None:
        x = test.terms.project(context.data.matrix[rows])
    left, right = x[x <= test.threshold], x[x > test.threshold]
    low = float(left.max()) if len(left) else -math.inf
    high = float(right.min()) if len(right) else math.inf
    return low, high


def _tried(
    context: Context, state: State, node: Node, threshold: float
) -> tuple[State | None, float]:
    """Move a cut beyond its interval; return by how much the training loss rises."""
    assert node.test is not None
    new = replace(node.test, threshold=threshold)
    try:
        tried = moved(context, state, node, new, None, False)
    except ValueError:  # it would leave a side empty
        return None, math.inf
    return tried, _loss(context, tried) - _loss(context, state)


def _loss(context: Context, state: State) -> float:
    """Return the mean Brier score, or the mean squared error, of the training rows."""
    total = 0.0
    weight_of_all = 0.0
    data = context.data
    for leaf in state.root.leaves():
        rows = leaf.rows
        if rows is None or len(rows) == 0:
            continue
        weight: NDArray[np.float64] = np.ones(len(rows))
        if context.engine.weight is not None:
            weight = context.engine.weight[rows]
        places = rows.astype(np.intp)
        if data.is_numeric:
            away = data.target.values[places] - leaf.statistics.value[:, 0]
            lost = (away**2).mean(axis=1)
        else:
            codes = data.target.codes[places].astype(np.intp)
            value = leaf.statistics.value
            right = value[np.arange(codes.shape[1]), codes]
            lost = ((value**2).sum(axis=1) - 2 * right + 1).mean(axis=1)
        total += float(weight @ lost)
        weight_of_all += float(weight.sum())
    return total / weight_of_all
