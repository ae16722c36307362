# SPDX-License-Identifier: BSD-3-Clause
"""Trees as interactive HTML pages: one alone, or two side by side."""

from ramify.viewer.page import Page
from ramify.viewer.viewing import view

__all__ = ["Page", "view"]
