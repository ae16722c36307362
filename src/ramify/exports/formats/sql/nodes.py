# SPDX-License-Identifier: BSD-3-Clause
"""Nodes as a table, and a recursive query that leads rows through it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify.exports.base import ExportRefused
from ramify.exports.formats.sql.leaves import added
from ramify.exports.formats.sql.statement import Statement
from ramify.exports.walk import CATEGORIES, KIND_NAMES, KNOWN, LEAF, THRESHOLD

__all__ = ["looked_up"]


def looked_up(statement: Statement) -> tuple[list[str], list[str] | None]:
    """Walk by a recursive query over tables of nodes and of categories.

    A node has a number, a leaf -1 - its own. Rows are numbered, and one that has
    come to a leaf of a tree finds no node there, and stays.
    """
    walk, d = statement.walk, statement.d
    carried, columns = statement.keys, statement.cells
    to = np.where(walk.kind == LEAF, -1 - walk.leaf, np.arange(walk.n_nodes))
    nodes, members = _node_tables(statement, to)
    roots = [f"    ({t}, {to[root]})" for t, root in enumerate(walk.root.tolist())]
    for header, lines in (
        ("tree (t, place)", roots),
        ("node (id, col, cuts, cut, low, high, gap)", nodes),
        ("listed (node, code, child)", members),
    ):
        if lines:
            statement.parts.append((header, "  VALUES\n" + ",\n".join(lines)))
    order = ", ".join(carried)
    own = ", ".join([*carried, *columns])
    statement.parts.append(
        (
            "numbered",
            f"  SELECT ROW_NUMBER() OVER (ORDER BY {order}) AS r,\n    {own}"
            "\n  FROM input",
        )
    )
    source = "numbered"
    if nodes:
        arms = " ".join(
            f"WHEN {j} THEN {_coded(statement, j)}" for j in _used(statement)
        )
        x = f"CASE n.col {arms} END"
        found = f"\n  LEFT JOIN listed m ON m.node = n.id AND m.code = {x}"
        low = "COALESCE(m.child, n.low)" if members else "n.low"
        statement.parts.append(
            (
                f"walked (r, {own}, t, place)",
                f"  SELECT r, {own}, t, place\n  FROM numbered CROSS JOIN tree\n"
                f"  UNION ALL\n  SELECT r, {own}, t, CASE\n"
                f"    WHEN {x} IS NULL THEN n.gap\n    WHEN n.cuts = 1 AND {x}\n"
                f"      > CAST(n.cut AS {d.real}) THEN n.high\n    ELSE {low} END\n"
                f"  FROM walked w JOIN node n ON n.id = w.place"
                f"{found if members else ''}",
            )
        )
        ends = [
            f"MIN(CASE WHEN t = {t} THEN place END) AS t{t}"
            for t in range(walk.n_trees)
        ]
        group, source = f"\n  GROUP BY r, {own}", "walked"
    else:
        ends = [f"{to[root]} AS t{t}" for t, root in enumerate(walk.root.tolist())]
        group = ""
    body = f"  SELECT {own},\n    " + ",\n    ".join(ends)
    statement.parts.append(("ended", f"{body}\n  FROM {source}{group}"))
    return added(statement, "ended")


def _used(statement: Statement) -> list[int]:
    """Return the columns that some node looks at."""
    column = statement.walk.column[statement.walk.kind != LEAF]
    return sorted(set(column.tolist()))


def _coded(statement: Statement, j: int) -> str:
    """Write a cell as a number: a category as its code, another one as -1."""
    info, d = statement.walk.columns[j], statement.d
    if not info.is_categorical:
        return f"c{j}"
    arms = "".join(
        f" WHEN c{j} = {statement.category(j, code)} THEN {code}"
        for code in range(len(info.categories))
    )
    return f"CAST(CASE WHEN c{j} IS NULL THEN NULL{arms} ELSE -1 END AS {d.real})"


def _node_tables(statement: Statement, to: Any) -> tuple[list[str], list[str]]:
    walk, d = statement.walk, statement.d
    nodes, members = [], []
    for node in np.flatnonzero(walk.kind != LEAF).tolist():
        first, kind = int(walk.first[node]), int(walk.kind[node])
        if kind not in (THRESHOLD, CATEGORIES, KNOWN):
            raise ExportRefused(
                f"layout='nodes' cannot say node {node} (a {KIND_NAMES[kind]}); "
                "use layout='case'"
            )
        cuts = kind == THRESHOLD
        low = first if cuts else first + int(walk.default_branch[node])
        gap = first + int(walk.missing_branch[node])
        high = first + 1 if cuts else low
        cells = [
            *(node, int(walk.column[node]), int(cuts)),
            *(d.number(walk.threshold[node]), to[low], to[high], to[gap]),
        ]
        nodes.append(f"    ({', '.join(map(str, cells))})")
        if kind == CATEGORIES:
            members += [
                f"    ({node}, {int(code)}, {to[first + int(branch)]})"
                for code, branch in zip(*walk.listed(node), strict=True)
            ]
    return nodes, members
