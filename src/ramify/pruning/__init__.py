# SPDX-License-Identifier: BSD-3-Clause
"""Trees made smaller or calmer: pruning, simplification, shrinkage, refinement."""

from ramify.pruning.sequence import collapse_alphas

__all__ = ["collapse_alphas"]
