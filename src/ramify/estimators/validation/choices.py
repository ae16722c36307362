# SPDX-License-Identifier: BSD-3-Clause
"""The words that string parameters allow, as types: editors complete them."""

from typing import Literal

__all__ = [
    "BoostedUnseen",
    "Categories",
    "LeafRule",
    "Missing",
    "Splitter",
    "Threshold",
    "Unseen",
    "ZeroGain",
]

Splitter = Literal[
    "best", "random", "central", "chaid", "quest", "ctree", "guide", "dgmml"
]
Missing = Literal["both", "left", "right", "fractional", "error"]
Unseen = Literal["heavier", "parent", "error", "missing"]
BoostedUnseen = Literal["heavier", "error", "missing"]
Categories = Literal["subset", "one_vs_rest", "multiway", "multiway_all"]
LeafRule = Literal["restrict", "give_up"]
ZeroGain = Literal["split", "stop"]
Threshold = Literal["midpoint", "value", "data"]
