# SPDX-License-Identifier: BSD-3-Clause
"""A tree that a person grows and edits, with every criterion at hand."""

from ramify.editing.editor import TreeEditor, edit

__all__ = ["TreeEditor", "edit"]
