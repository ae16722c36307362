# SPDX-License-Identifier: BSD-3-Clause
"""What pruning made of a tree, and how it came to that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.pruning.nodes import Floats
from ramify.table.sources import frame_backend
from ramify.tree.tree import Tree

__all__ = ["Outcome", "cut_by", "to_frame"]


@dataclass(frozen=True)
class Outcome:
    """A pruned tree.

    Attributes
    ----------
    tree : Tree
        What is left.
    path : dict of ndarray
        The columns of `pruning_path_`: the steps, or the nodes of the grown tree.
    attributes : dict
        Other attributes of the fitted model, such as ``n_rows_held_``.
    """

    tree: Tree
    path: dict[str, NDArray[Any]]
    attributes: dict[str, Any] = field(default_factory=dict)


def cut_by(
    tree: Tree,
    is_leaf: NDArray[Any],
    as_leaf: Floats,
    as_subtree: Floats,
) -> Outcome:
    """Cut a tree at some nodes, and say of each node why."""
    marked = is_leaf.astype(bool)
    has_test = tree.children_left >= 0
    is_gone = tree.is_below(marked & has_test)
    decision = np.where(marked, "cut", "kept")
    decision[is_gone] = "gone"
    return Outcome(
        tree.cut(marked), node_path(tree, as_leaf, as_subtree, None, decision)
    )


def node_path(
    tree: Tree,
    as_leaf: Floats,
    as_subtree: Floats,
    as_branch: Floats | None,
    decision: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """List what each node that had a test was worth, and what became of it."""
    inner = np.flatnonzero(tree.children_left >= 0)
    if as_branch is None:
        as_branch = np.full(tree.node_count, np.nan)
    if len(inner) == 0:  # a single leaf: one row that says so
        inner, decision = np.array([0]), np.array(["kept"])
    return {
        "node": inner,
        "depth": tree.depths()[inner],
        "n": tree.weighted_n_node_samples[inner],
        "as_leaf": as_leaf[inner],
        "as_subtree": as_subtree[inner],
        "as_branch": as_branch[inner],
        "decision": decision[inner],
    }


def to_frame(path: dict[str, NDArray[Any]], backend: str | None = None) -> Any:
    """Return a path as a data frame."""
    data = {name: column.tolist() for name, column in path.items()}
    chosen: Any = frame_backend(backend)
    return nw.from_dict(data, backend=chosen).to_native()
