# SPDX-License-Identifier: BSD-3-Clause
"""Two trees side by side: which of them does better, where they differ, and why."""

from ramify.viewer.pair.page import pair_page

__all__ = ["pair_page"]
