# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of boosting that an interrupted fit has kept, as blocks of codes want them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.boosting import Grown
from ramify.distributed.core.fitting import Encoded
from ramify.tree import Tree

__all__ = ["grown_of"]

_CODES = 256


def grown_of(
    tree: Tree, rows: Encoded, renumber: dict[int, NDArray[np.int64]]
) -> Grown:
    """Say by codes where a tree sends rows.

    `renumber` has the numbers of categories in the tree, where these are others than
    in the codes.
    """
    order = [0]  # children side by side, after their parents
    first_child = []
    for node in order:
        children = [int(child) for child in tree.children(node)]
        first_child.append(len(order) if children else -1)
        order += children
    goes = np.zeros((len(order), _CODES), np.uint8)
    for place, node in enumerate(order):
        if first_child[place] >= 0:
            goes[place] = _goes_left(tree, node, rows, renumber)
    ways = (
        np.maximum(tree.feature[order], 0).astype(np.uint32),
        np.array(first_child, np.int32),
        np.packbits(goes, axis=1, bitorder="little").ravel(),
    )
    return Grown(ways, np.ascontiguousarray(tree.value.reshape(-1)[order]))


def _goes_left(
    tree: Tree, node: int, rows: Encoded, renumber: dict[int, NDArray[np.int64]]
) -> NDArray[np.bool_]:
    """Return which codes of the column of a node go left."""
    column = int(tree.feature[node])
    goes = np.full(_CODES, tree.default_branch[node] == 0)
    n_codes = rows.book.n_codes[column]
    if rows.book.bins[column] is not None:
        goes[:n_codes] = rows.extent.high[column] <= tree.threshold[node]
    else:
        part = slice(tree.split_begin[node], tree.split_begin[node + 1])
        listed = tree.split_value[part].astype(np.int64)
        number = renumber.get(column, np.arange(n_codes))
        for value, branch in zip(listed, tree.split_branch[part], strict=True):
            goes[:n_codes][number == value] = branch == 0
    goes[n_codes] = tree.missing_branch[node] == 0
    return goes
