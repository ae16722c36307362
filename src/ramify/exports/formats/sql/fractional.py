# SPDX-License-Identifier: BSD-3-Clause
"""Rows with missing values go down every branch with a share of themselves, as SQL."""

from __future__ import annotations

import numpy as np

from ramify.exports.formats.sql.statement import Statement
from ramify.exports.formats.sql.words import Dialect
from ramify.exports.walk import LEAF

__all__ = ["fractional"]

_TERMS = 400  # of one chain of +


def fractional(statement: Statement) -> list[str]:
    """Follow every branch with its share; give the scores."""
    walk, d, vote = statement.walk, statement.d, statement.walk.vote
    carried, columns = statement.keys, statement.cells
    source = "input"
    sums = [f"CAST({d.number(x)} AS {d.real})" for x in vote.start.tolist()]
    depth = walk.depth
    for t, root in enumerate(walk.root.tolist()):
        nodes = np.arange(root, walk.end[t])
        leaves: list[int] = []
        carry = [s if s.startswith("w") else f"{s} AS w{k}" for k, s in enumerate(sums)]
        shares = {root: f"CAST(1 AS {d.real})"}
        for level in range(1, int(depth[nodes].max()) + 1):
            items, found = [], {}
            for node in nodes[depth[nodes] == level - 1].tolist():
                if walk.kind[node] == LEAF:
                    leaves.append(node)
                    continue
                for child in walk.children(node):
                    items.append(
                        f"{shares[node]} * {_part(statement, node, child)} AS p{child}"
                    )
                    found[child] = f"p{child}"
            kept = [f"p{leaf}" for leaf in leaves]
            body = "  SELECT " + ",\n    ".join(
                [*carried, *columns, *carry, *kept, *items]
            )
            name = f"tree{t}_level{level}"
            statement.parts.append((name, f"{body}\n  FROM {source}"))
            source, shares = name, found
            carry = [f"w{k}" for k in range(len(sums))]
        order = [n for n in walk.preorder(root) if walk.kind[n] == LEAF]
        source = _add_leaves(statement, t, source, order)
        sums = [f"w{k}" for k in range(len(sums))]
    statement.source = source
    return statement.scores_from("w")


def _part(statement: Statement, node: int, child: int) -> str:
    """Write the share of a row that goes to a child."""
    walk, d = statement.walk, statement.d
    arms = []
    if walk.missing_branch[node] < 0:
        share = d.number(walk.share[child])
        arms.append(f"WHEN c{walk.column[node]} IS NULL THEN {share}")
    one, zero = d.number(1), d.number(0)
    for test, to in statement.cases(node):
        said = one if to == child else zero
        arms.append(f"WHEN {test} THEN {said}" if test else f"ELSE {said}")
    return f"CAST(CASE {' '.join(arms)} END AS {d.real})"


def _add_leaves(statement: Statement, tree: int, source: str, order: list[int]) -> str:
    """Add leaves in their order, some hundred at a time; then the tree."""
    walk, d = statement.walk, statement.d
    carried, columns = statement.keys, statement.cells
    first = int(walk.vote.first[tree])
    scores = [f"w{k}" for k in range(len(walk.vote.start))]
    own = [d.zero() for _ in range(walk.width)]
    for begin in range(0, len(order), _TERMS):
        part = order[begin : begin + _TERMS]
        is_last = begin + _TERMS >= len(order)
        items = []
        for k in range(walk.width):
            terms = [
                f"{_share_name(leaf, len(order), d)} * "
                f"{d.number(walk.value[walk.leaf[leaf], k])}"
                for leaf in part
            ]
            items.append(f"{' + '.join([own[k], *terms])} AS o{k}")
        kept = [] if is_last else [f"p{leaf}" for leaf in order[begin + _TERMS :]]
        keep_w = (
            scores
            if tree or begin or len(order) > 1
            else [
                f"CAST({d.number(x)} AS {d.real}) AS w{k}"
                for k, x in enumerate(walk.vote.start.tolist())
            ]
        )
        body = "  SELECT " + ",\n    ".join(
            [*carried, *columns, *keep_w, *kept, *items]
        )
        name = f"tree{tree}_leaves{begin // _TERMS}"
        statement.parts.append((name, f"{body}\n  FROM {source}"))
        source, own = name, [f"o{k}" for k in range(walk.width)]
    items = [
        f"w{k} + o{k - first} AS w{k}" if 0 <= k - first < walk.width else f"w{k}"
        for k in range(len(scores))
    ]
    body = "  SELECT " + ",\n    ".join([*carried, *columns, *items])
    statement.parts.append((f"tree{tree}_added", f"{body}\n  FROM {source}"))
    return f"tree{tree}_added"


def _share_name(leaf: int, n_leaves: int, d: Dialect) -> str:
    return f"p{leaf}" if n_leaves > 1 else f"CAST(1 AS {d.real})"
