# SPDX-License-Identifier: BSD-3-Clause
"""The training rows in the leaves of trees: quantiles, distributions, weights."""

from ramify.estimators.leaf_rows.intervals import LeafIntervals
from ramify.estimators.leaf_rows.lists import LeafRows
from ramify.estimators.leaf_rows.quantiles import PredictsQuantiles

__all__ = ["LeafIntervals", "LeafRows", "PredictsQuantiles"]
