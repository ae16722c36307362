# SPDX-License-Identifier: BSD-3-Clause
"""What rows reach in a walk, of what there is to reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.exports.walk import (
    CATEGORIES,
    HYPERPLANE,
    INTERVALS,
    KNOWN,
    LEAF,
    THRESHOLD,
    Walk,
)

__all__ = ["Coverage", "coverage_of"]


@dataclass(frozen=True)
class Coverage:
    """What replayed rows reached, of what there is."""

    leaves: tuple[int, int]
    thresholds_at: tuple[int, int]
    thresholds_1_ulp_above: tuple[int, int]
    hyperplanes_from_both_sides: tuple[int, int]
    listed_categories: tuple[int, int]
    nodes_with_missing: int
    nodes_with_unseen: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
        }


def coverage_of(walk: Walk, matrix: NDArray[np.float64]) -> Coverage:
    """Count what rows reach, by walking them."""
    leaves = at = above = sides = listed = n_listed = with_missing = with_new = 0
    n_cuts = 0
    with np.errstate(invalid="ignore"):
        for visit in walk.visits(matrix):
            node, kind = visit.node, walk.kind[visit.node]
            if kind == LEAF:
                leaves += 1
                continue
            if kind == HYPERPLANE:
                sides += len(np.unique(visit.branch)) == 2
                continue
            x = matrix[visit.rows, walk.column[node]]
            with_missing += bool(np.isnan(x).any())
            if kind == CATEGORIES:
                codes = walk.listed(node)[0]
                listed += int(np.isin(codes, x).sum())
                with_new += bool((x < 0).any())
            elif kind != KNOWN:
                cuts = walk.threshold[node : node + 1]
                if kind == INTERVALS:
                    cuts = walk.listed(node)[0]
                at += int(np.isin(cuts, x).sum())
                above += int(np.isin(np.nextafter(cuts, np.inf), x).sum())
    is_interval = walk.kind == INTERVALS
    lengths = np.diff(walk.list_begin)
    n_cuts = int((walk.kind == THRESHOLD).sum() + lengths[is_interval].sum())
    n_listed = int(lengths[walk.kind == CATEGORIES].sum())
    return Coverage(
        leaves=(leaves, walk.n_leaves),
        thresholds_at=(at, n_cuts),
        thresholds_1_ulp_above=(above, n_cuts),
        hyperplanes_from_both_sides=(sides, int((walk.kind == HYPERPLANE).sum())),
        listed_categories=(listed, n_listed),
        nodes_with_missing=with_missing,
        nodes_with_unseen=with_new,
    )
