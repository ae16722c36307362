# SPDX-License-Identifier: BSD-3-Clause
"""The page on which a tree is edited, and the small server behind it."""

from ramify.serving.serving import Studio, studio

__all__ = ["Studio", "studio"]
