# SPDX-License-Identifier: BSD-3-Clause
"""A tree that a person grows and edits, with every criterion at hand."""

from ramify.studio.editor import TreeEditor, edit

__all__ = ["TreeEditor", "edit"]
