# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees in other forms, one file per format."""

from ramify.export.text import export_text

__all__ = ["export_text"]
