# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees made smaller or calmer."""

from ramify.estimators.smaller.prune import prune
from ramify.estimators.smaller.refill import refill
from ramify.estimators.smaller.refine import refine
from ramify.estimators.smaller.shrink import shrink
from ramify.estimators.smaller.simplify import simplify

__all__ = ["prune", "refill", "refine", "shrink", "simplify"]
