# SPDX-License-Identifier: BSD-3-Clause
"""Trees as pages: one to walk around in, or two face to face."""

from ramify.viewer.page import Page
from ramify.viewer.viewing import view

__all__ = ["Page", "view"]
