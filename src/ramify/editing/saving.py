# SPDX-License-Identifier: BSD-3-Clause
"""An editor as plain JSON in the file of its model, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.editing.state import Override, State
from ramify.editing.versions import Version, Versions
from ramify.tree import Tree

__all__ = ["arrays_of", "read_state", "read_versions", "said", "tree_from"]

FORMAT = 1


def said(state: State, path_names: list[str]) -> dict[str, Any]:
    """Return what a model file says of a version: handles, and what people said.

    Nodes are named by their place in the tree of the file.
    """
    place = {node.number: i for i, node in enumerate(state.root.walk())}
    return {
        "numbers": list(place),
        "next_number": state.next_number,
        "is_by_hand": state.is_by_hand,
        "locked": sorted(place[n] for n in state.locked),
        "notes": {str(place[n]): text for n, text in sorted(state.notes.items())},
        "overrides": {
            str(place[n]): {
                "value": [list(row) for row in each.value],
                "note": each.note,
                # What the rows say, which comes back when the override goes.
                "rows_say": _node(state, n).statistics.value.tolist(),
            }
            for n, each in sorted(state.overrides.items())
        },
        "forbidden": {
            str(place[n]): sorted(path_names[j] for j in columns)
            for n, columns in sorted(state.forbidden.items())
        },
    }


def _node(state: State, number: int) -> Any:
    return next(node for node in state.root.walk() if node.number == number)


def arrays_of(tree: Tree) -> dict[str, Any]:
    """Return the arrays of a tree as JSON can hold them; it has no NaN."""
    return {
        name: [_plain(x) for x in array.ravel().tolist()]
        for name, array in tree.arrays().items()
    }


def _plain(x: Any) -> Any:
    return None if isinstance(x, float) and x != x else x


def tree_from(stored: dict[str, Any], n_features: int, n_classes: list[int]) -> Tree:
    """Return the tree of `arrays_of`."""
    arrays: dict[str, NDArray[Any]] = {}
    real = {"threshold", "split_value", "term_weight", "term_fill", "term_share"}
    real |= {"gain", "impurity", "weighted_n_node_samples", "value"}
    for name in Tree.ARRAYS:
        values = [np.nan if x is None else x for x in stored[name]]
        dtype: Any = np.float64 if name in real else np.int64
        if name in ("kind", "optimal"):
            dtype = np.uint8
        arrays[name] = np.array(values, dtype=dtype)
    n_nodes = len(arrays["feature"])
    arrays["value"] = arrays["value"].reshape(n_nodes, len(n_classes), -1)
    return Tree(arrays, n_features, n_classes)


def read_versions(stored: Any) -> Versions:
    """Read the versions of a file, without their trees."""
    every = [
        Version(
            i,
            int(each["parent"]),
            str(each["operation"]),
            dict(each["arguments"]),
            int(each["n_leaves"]),
            int(each["depth"]),
            each["training"],
            each["validation"],
            str(each["name"]),
        )
        for i, each in enumerate(stored["versions"])
    ]
    current = int(stored["current"])
    for version in every:
        if not -1 <= version.parent < version.number:
            raise ValueError(f"version {version.number} of its edits has no parent")
    if not 0 <= current < len(every):
        raise ValueError("its edits name a version that is not there")
    ahead = {int(k): int(v) for k, v in stored.get("ahead", {}).items()}
    if any(not 0 <= each < len(every) for each in (*ahead, *ahead.values())):
        raise ValueError("its edits name a version that is not there")
    return Versions(every, current, ahead)


def read_state(here: Any, state: State, place_of: dict[str, int]) -> State:
    """Return a state with what a file says of it; its nodes have their places."""
    numbers = [int(n) for n in here["numbers"]]

    def by_node(said_of: Any) -> dict[int, Any]:
        return {numbers[int(i)]: each for i, each in said_of.items()}

    overrides = {
        n: Override(
            tuple(tuple(map(float, row)) for row in each["value"]), each["note"]
        )
        for n, each in by_node(here["overrides"]).items()
    }
    forbidden = {
        n: frozenset(place_of[name] for name in names)
        for n, names in by_node(here["forbidden"]).items()
    }
    return State(
        state.root,
        int(here["next_number"]),
        state.model,
        frozenset(numbers[i] for i in here["locked"]),
        by_node(here["notes"]),
        overrides,
        forbidden,
        bool(here["is_by_hand"]),
    )
