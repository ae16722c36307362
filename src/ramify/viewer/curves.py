# SPDX-License-Identifier: BSD-3-Clause
"""Kaplan-Meier curves of the nodes of a survival tree, small enough for a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify.tree import Tree
from ramify.tree.outlook import Outlook, outlook_of

__all__ = ["curves_of_nodes"]

GRID = 1000  # places on either axis
MAX_NODES = 2_000  # that have a curve; the heaviest
MAX_STEPS = 120  # of a curve
N_TICKS = 5  # at which the rows at risk are counted


def curves_of_nodes(tree: Tree) -> dict[str, Any] | None:
    """Return the curves of the nodes, and what is counted; None without curves.

    Inner nodes of trees of forests, which keep too little, have none.
    """
    if tree.curves is None:
        return None
    last = float(tree.curves.times[-1]) or 1.0
    ticks = [last * k / (N_TICKS - 1) for k in range(N_TICKS)]
    heaviest = np.argsort(-tree.weighted_n_node_samples, kind="stable")[:MAX_NODES]
    nodes: dict[int, Any] = {}
    for node in sorted(heaviest.tolist()):
        outlook = outlook_of(tree, node)
        if outlook is not None:
            nodes[node] = _of_node(outlook, last, ticks)
    return {
        "last": last,
        "ticks": [float(f"{tick:.3g}") for tick in ticks],
        "isWhole": not tree.curves.is_brief,
        "nodes": nodes,
    }


def _of_node(outlook: Outlook, last: float, ticks: list[float]) -> dict[str, Any]:
    median = outlook.median
    place = np.searchsorted(outlook.times, ticks, side="left")
    at_risk = np.append(outlook.at_risk, 0.0)[place]
    return {
        "steps": _steps(outlook, last),
        "words": outlook.to_text(),
        "events": outlook.n_events,
        "weight": outlook.weight,
        "median": None if np.isnan(median) else median,
        "atRisk": at_risk.tolist(),
    }


def _steps(outlook: Outlook, last: float) -> list[int]:
    """List where the curve falls, and to what, in turn; then where it ends."""
    falls = outlook.events > 0
    x = np.rint(outlook.times[falls] / last * GRID).astype(np.int64)
    y = np.rint(outlook.survival[falls] * GRID).astype(np.int64)
    if len(x) > MAX_STEPS:
        kept = np.unique(np.linspace(0, len(x) - 1, MAX_STEPS).astype(np.int64))
        x, y = x[kept], y[kept]
    # Of several falls at one place of the grid the last is drawn.
    is_last = np.append(x[1:] != x[:-1], True) if len(x) else np.zeros(0, dtype=bool)
    pairs = np.column_stack([x[is_last], y[is_last]])
    end = float(outlook.times[-1]) if len(outlook.times) else last
    found: list[int] = [*pairs.ravel().tolist(), round(end / last * GRID)]
    return found
