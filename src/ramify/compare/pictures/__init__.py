# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a comparison, as SVG that is right on light and on dark paper."""

from ramify.compare.pictures.critical import critical_difference
from ramify.compare.pictures.dots import dots
from ramify.compare.pictures.draw import NAMES, Picture, draw
from ramify.compare.pictures.heat_map import heat_map
from ramify.compare.pictures.svg import standalone
from ramify.compare.pictures.trade_off import trade_off

__all__ = [
    "NAMES",
    "Picture",
    "critical_difference",
    "dots",
    "draw",
    "heat_map",
    "standalone",
    "trade_off",
]
