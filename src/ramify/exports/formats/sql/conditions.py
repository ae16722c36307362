# SPDX-License-Identifier: BSD-3-Clause
"""What leads from a node to its children, as SQL."""

from __future__ import annotations

from collections.abc import Callable

from ramify.exports.formats.sql.words import Dialect
from ramify.exports.walk import CATEGORIES, HYPERPLANE, INTERVALS, KNOWN, Walk

__all__ = ["condition"]


def condition(
    walk: Walk,
    node: int,
    d: Dialect,
    category: Callable[[int, int], str],
    name: Callable[[int], str] = lambda j: f"c{j}",
) -> list[tuple[str, int]]:
    """Write what leads to each child of a node as SQL; "" is ELSE, the last.

    Missing values are NULL and are written into the conditions.
    """
    kind, first = walk.kind[node], int(walk.first[node])
    if kind == HYPERPLANE:
        terms = [d.zero()]
        for column, code, weight, fill in walk.terms(node):
            x = name(column)
            if code >= 0:
                has = f"{x} = {category(column, code)}"
                terms.append(
                    f"CASE WHEN {has} THEN {d.number(weight)} ELSE {d.number(0)} END"
                )
            else:
                terms.append(f"{d.number(weight)} * COALESCE({x}, {d.number(fill)})")
        above = f"{' + '.join(terms)} > {d.number(walk.threshold[node])}"
        return [(above, first + 1), ("", first)]
    column, missing = int(walk.column[node]), int(walk.missing_branch[node])
    x, default = name(column), int(walk.default_branch[node])
    if kind == KNOWN:
        return [(f"{x} IS NULL", first + max(missing, 0)), ("", first + default)]
    if kind == CATEGORIES:
        codes, branches = walk.listed(node)
        cases = []
        for branch in range(int(walk.n_children[node])):
            own = codes[branches == branch].tolist()
            if branch == default or (not own and missing != branch):
                continue
            tests = []
            if own:
                listed = ", ".join(category(column, int(code)) for code in own)
                tests.append(f"{x} IN ({listed})")
            if missing == branch:
                tests.append(f"{x} IS NULL")
            cases.append((" OR ".join(tests), first + branch))
        return [*cases, ("", first + default)]
    if kind == INTERVALS:
        bounds, branches = walk.listed(node)
        cases = [] if missing < 0 else [(f"{x} IS NULL", first + missing)]
        for bound, branch in zip(bounds.tolist(), branches.tolist(), strict=True):
            cases.append((f"{x} <= {d.number(bound)}", first + branch))
        return [*cases, ("", first + default)]
    low = f"{x} <= {d.number(walk.threshold[node])}"
    if missing == 0:
        low += f" OR {x} IS NULL"
    return [(low, first), ("", first + 1)]
