# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a comparison, as SVG that is right on light and on dark paper."""

from ramify.comparison.pictures.critical import critical_difference
from ramify.comparison.pictures.curves import curves
from ramify.comparison.pictures.dots import dots
from ramify.comparison.pictures.draw import NAMES, Picture, draw
from ramify.comparison.pictures.heat_map import heat_map
from ramify.comparison.pictures.streams import stream_curves
from ramify.comparison.pictures.svg import Drawing, standalone
from ramify.comparison.pictures.trade_off import trade_off

__all__ = [
    "NAMES",
    "Drawing",
    "Picture",
    "critical_difference",
    "curves",
    "dots",
    "draw",
    "heat_map",
    "standalone",
    "stream_curves",
    "trade_off",
]
