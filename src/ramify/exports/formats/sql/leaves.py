# SPDX-License-Identifier: BSD-3-Clause
"""What leaves hold, looked up and added tree by tree, as SQL."""

from __future__ import annotations

from typing import Any

from ramify.exports.formats.sql.statement import Statement
from ramify.exports.walk import LeafLines

__all__ = ["added"]

_JOINS = 40  # SQLite joins at most 64 tables


def added(statement: Statement, source: str) -> tuple[list[str], list[str] | None]:
    """Look up leaves, tree by tree, and add what they hold."""
    walk, d, vote = statement.walk, statement.d, statement.walk.vote
    decisions = walk.leaf_decisions()
    joins_leaves = not d.arrays and walk.lines is None
    n_scores, n_decided = len(vote.start), 0
    if decisions is not None:
        n_scores, n_decided = vote.n_answers, len(vote.outputs)
    if joins_leaves:
        _leaf_table(statement, n_scores if walk.width > 1 else 1, decisions)
    sums = [f"CAST({d.number(x)} AS {d.real})" for x in vote.start[:n_scores].tolist()]
    needs_cells = statement.refuses or walk.lines is not None
    keep = [*statement.keys, *(statement.cells if needs_cells else [])]
    for begin in range(0, walk.n_trees, _JOINS):
        trees = range(begin, min(begin + _JOINS, walk.n_trees))
        chains = [[each] for each in sums]
        for t in trees:
            for k in range(n_scores if walk.width > 1 else 1):
                chains[int(vote.first[t]) + k].append(_of_leaf(statement, t, k))
        items = [f"{' + '.join(chain)} AS w{k}" for k, chain in enumerate(chains)]
        items += [
            f"{_of_leaf(statement, 0, j, decisions)} AS d{j}" for j in range(n_decided)
        ]
        later = [f"t{t}" for t in range(trees[-1] + 1, walk.n_trees)]
        joins = (
            ""
            if not joins_leaves
            else "".join(f"\n  JOIN leaf l{t} ON l{t}.id = s.t{t}" for t in trees)
        )
        body = "  SELECT " + ",\n    ".join([*keep, *later, *items])
        name = f"added{begin // _JOINS}"
        statement.parts.append((name, f"{body}\n  FROM {source} s{joins}"))
        source = name
        sums = [f"w{k}" for k in range(n_scores)]
    statement.source = source
    decided = [f"d{j}" for j in range(n_decided)] or None
    return statement.scores_from("w")[:n_scores], decided


def _leaf_table(statement: Statement, n_values: int, decisions: Any) -> None:
    """Write what leaves hold as a list of values."""
    walk, d = statement.walk, statement.d
    names = [f"v{k}" for k in range(n_values)]
    if decisions is not None:
        names += [f"d{j}" for j in range(decisions.shape[1])]
    rows = []
    for leaf, line in enumerate(walk.value[:, :n_values].tolist()):
        cells = [d.number(x) for x in line]
        if decisions is not None:
            cells += map(str, decisions[leaf].tolist())
        rows.append(f"    ({', '.join([str(-1 - leaf), *cells])})")
    header = f"leaf (id, {', '.join(names)})"
    statement.parts.append((header, "  VALUES\n" + ",\n".join(rows)))


def _of_leaf(statement: Statement, tree: int, k: int, decisions: Any = None) -> str:
    """Write number k of the leaf of a tree, or what the leaf decides."""
    walk, d = statement.walk, statement.d
    if walk.lines is not None and decisions is None:
        return _line(statement, walk.lines, tree)
    if not d.arrays:
        return f"l{tree}.{'v' if decisions is None else 'd'}{k}"
    own = walk.leaf[walk.root[tree] : walk.end[tree]]
    leaves = own[own >= 0]
    if decisions is None:
        items, kind = map(d.number, walk.value[leaves, k].tolist()), d.real
    else:
        items, kind = map(str, decisions[leaves, k].tolist()), "INTEGER"
    # Leaf n of all is place n + 1 - the first, and t holds -1 - n.
    return f"(CAST(ARRAY[{', '.join(items)}] AS {kind}[]))[-t{tree} - {leaves[0]}]"


def _line(statement: Statement, lines: LeafLines, tree: int) -> str:
    """Write what the leaf of a tree says: its line, clipped."""
    walk, d = statement.walk, statement.d
    own = walk.leaf[walk.root[tree] : walk.end[tree]]
    arms = []
    for leaf in own[own >= 0].tolist():
        total = f"CAST({d.number(walk.value[leaf, 0])} AS {d.real})"
        for column, slope, low, high, fill in lines.terms(leaf):
            x = f"COALESCE(c{column}, {d.number(fill)})"
            total += f" + {d.number(slope)} * {_clipped(statement, x, low, high)}"
        ends = float(lines.bottom[leaf]), float(lines.top[leaf])
        says = _clipped(statement, total, *ends)
        arms.append(f"\n      WHEN {-1 - leaf} THEN {says}")
    return f"CASE t{tree}{''.join(arms)} END"


def _clipped(statement: Statement, x: str, low: float, high: float) -> str:
    d = statement.d
    return f"{d.least}({d.greatest}({x}, {d.number(low)}), {d.number(high)})"
