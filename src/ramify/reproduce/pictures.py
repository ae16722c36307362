# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a reproduction: the average ranks of the methods."""

import numpy as np

from ramify.comparison.pictures import critical_difference, standalone
from ramify.comparison.statistics import average_ranks, nemenyi_critical_difference
from ramify.reproduce.results import Reproduction

__all__ = ["pictures"]

MIN_ROWS = 3


def pictures(found: Reproduction) -> dict[str, str]:
    """Draw our average ranks by accuracy and by AUC, as SVG by measure."""
    pictures_ = {}
    for measure in found.paper.measures:
        if not measure.higher_is_better:
            continue
        grid = found.ours()[measure.key]
        has_any = ~np.isnan(grid.values).all(axis=0)
        methods = [grid.methods[j] for j in np.flatnonzero(has_any)]
        scores = grid.goodness(methods)
        if len(methods) > 1 and len(scores) >= MIN_ROWS:
            ranks = dict(zip(methods, average_ranks(scores).tolist(), strict=True))
            difference = nemenyi_critical_difference(len(methods), len(scores))
            pictures_[measure.key] = standalone(critical_difference(ranks, difference))
    return pictures_
