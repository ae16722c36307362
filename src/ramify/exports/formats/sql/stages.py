# SPDX-License-Identifier: BSD-3-Clause
"""Trees as nested CASEs, deep ones in stages, as SQL."""

from __future__ import annotations

from ramify.exports.formats.sql.leaves import added
from ramify.exports.formats.sql.statement import Statement
from ramify.exports.walk import LEAF

__all__ = ["staged"]


def staged(statement: Statement) -> tuple[list[str], list[str] | None]:
    """Find the leaf of each tree; a stage ends at a leaf or at a node."""
    walk, d = statement.walk, statement.d
    nest = d.nest if walk.n_trees == 1 else d.nest_many
    carried, columns = statement.keys, statement.cells
    source, stage = "input", 0
    waiting: list[list[int]] = [[root] for root in walk.root.tolist()]
    while any(waiting):
        stage += 1
        items = []
        following: list[list[int]] = []
        for t, tops in enumerate(waiting):
            cut: list[int] = []
            if stage == 1:
                text = _nested(statement, tops[0], nest, cut)
                items.append(f"{text} AS t{t}")
            elif tops:
                arms = "".join(
                    f"\n      WHEN {top} THEN {_nested(statement, top, nest, cut)}"
                    for top in tops
                )
                items.append(f"CASE t{t}{arms}\n      ELSE t{t} END AS t{t}")
            else:
                items.append(f"t{t}")
            following.append(cut)
        body = "  SELECT " + ",\n    ".join([*carried, *columns, *items])
        statement.parts.append((f"stage{stage}", f"{body}\n  FROM {source}"))
        source, waiting = f"stage{stage}", following
    return added(statement, source)


def _nested(statement: Statement, node: int, depth_left: int, cut: list[int]) -> str:
    walk = statement.walk
    if walk.kind[node] == LEAF:
        return str(-1 - int(walk.leaf[node]))
    if depth_left == 0:
        cut.append(node)
        return str(node)
    arms = []
    for test, child in statement.cases(node):
        below = _nested(statement, child, depth_left - 1, cut)
        arms.append(f"WHEN {test} THEN {below}" if test else f"ELSE {below}")
    return f"CASE {' '.join(arms)} END"
