# SPDX-License-Identifier: BSD-3-Clause
"""Trees of two branches per node, for runtimes that know no others.

A node of many branches becomes a chain of tests; each sends some rows to their branch
and the rest on. Thresholds that only NaN passes stand for tests of a missing value.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from ramify.exports.walk import CATEGORIES, HYPERPLANE, INTERVALS, KNOWN, Walk

__all__ = ["Link", "chain"]

_LARGEST = sys.float_info.max


@dataclass(frozen=True)
class Link:
    """A test with two ways: on if it holds, off if not.

    Attributes
    ----------
    node : int
        The node of the walk that it is part of.
    at_most : float or None
        Holds for numbers up to it.
    members : tuple of int or None
        Holds for these codes.
    missing : bool
        Whether it holds for missing values.
    on, off : int
        Where rows go: a node of the walk, or, `off` only, -1: to the next link.
    """

    node: int
    at_most: float | None
    members: tuple[int, ...] | None
    missing: bool
    on: int
    off: int


def chain(walk: Walk, node: int, every: int = -1) -> list[Link]:
    """Return the tests of a node.

    `every` is where rows go whose missing value goes down every branch, if that may be.
    """
    kind, first = walk.kind[node], int(walk.first[node])
    missing, default = int(walk.missing_branch[node]), int(walk.default_branch[node])
    to_missing = every if missing < 0 else first + missing
    cut = float(walk.threshold[node])
    if kind == HYPERPLANE:
        return [Link(node, cut, None, False, first, first + 1)]
    if kind == KNOWN:
        is_same = to_missing == first + default
        return [
            Link(
                *(node, _LARGEST, None, is_same),
                *(first + default, to_missing),
            )
        ]
    tests: list[tuple[Any, Any, int]] = []
    if kind == CATEGORIES:
        codes, branches = walk.listed(node)
        for branch in range(int(walk.n_children[node])):
            own = tuple(int(code) for code in codes[branches == branch].tolist())
            if own and branch != default:
                tests.append((None, own, first + branch))
        last = first + default
    elif kind == INTERVALS:
        bounds, branches = walk.listed(node)
        tests = [
            (bound, None, first + branch)
            for bound, branch in zip(bounds.tolist(), branches.tolist(), strict=True)
        ]
        last = first + default
    else:
        tests, last = [(cut, None, first)], first + 1
    # Gaps leave at the test of their own branch, at the end, or at one of their own.
    found: list[Link] = []
    waiting = to_missing != last
    if waiting and to_missing not in [to for _, _, to in tests]:
        found.append(Link(node, -_LARGEST, None, True, to_missing, -1))
        waiting = False
    for at_most, members, to in tests:
        is_own = waiting and to == to_missing
        waiting = waiting and not is_own
        found.append(Link(node, at_most, members, is_own, to, -1))
    if not found:  # one branch only: everything goes there
        found.append(Link(node, _LARGEST, None, True, last, -1))
    end = found[-1]
    found[-1] = Link(
        *(end.node, end.at_most, end.members, end.missing, end.on), off=last
    )
    return found
