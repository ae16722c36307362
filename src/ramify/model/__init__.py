# SPDX-License-Identifier: BSD-3-Clause
"""What is in a model file, and how it becomes a model again."""

from ramify.model.file import load, save

__all__ = ["load", "save"]
