# SPDX-License-Identifier: BSD-3-Clause
"""Pictures, with matplotlib, which is imported when the first one is drawn."""

from ramify.plotting.plane import plot_partition
from ramify.plotting.projection import plot_projection
from ramify.plotting.pruning import plot_pruning
from ramify.plotting.tree import plot_tree

__all__ = ["plot_partition", "plot_projection", "plot_pruning", "plot_tree"]
