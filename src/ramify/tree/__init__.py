# SPDX-License-Identifier: BSD-3-Clause
"""What was grown: the arrays of a tree, and how to read them."""

from ramify.tree.tree import Terms, Tree

__all__ = ["Terms", "Tree"]
