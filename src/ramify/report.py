# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as one HTML file that needs no network."""

from ramify.comparison.report import FORMATS, build, write

__all__ = ["FORMATS", "build", "write"]
