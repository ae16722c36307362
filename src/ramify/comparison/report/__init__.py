# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as one HTML file that needs no network."""

from ramify.comparison.report.build import build
from ramify.comparison.report.write import FORMATS, write

__all__ = ["FORMATS", "build", "write"]
