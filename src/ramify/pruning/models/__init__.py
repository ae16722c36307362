# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees made smaller or calmer."""

from ramify.pruning.models.prune import prune
from ramify.pruning.models.refill import refill
from ramify.pruning.models.refine import refine
from ramify.pruning.models.shrink import shrink
from ramify.pruning.models.simplify import simplify

__all__ = ["prune", "refill", "refine", "shrink", "simplify"]
