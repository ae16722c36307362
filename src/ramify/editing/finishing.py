# SPDX-License-Identifier: BSD-3-Clause
"""A version of an edited tree as an ordinary fitted estimator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify.editing.data import EditorData
from ramify.editing.engine import empty_tree
from ramify.editing.growing import unfitted
from ramify.editing.node import tree_of
from ramify.editing.state import State
from ramify.estimators.tree.base import _looks_at_rows
from ramify.estimators.tree.uplift import set_uplift
from ramify.estimators.validation.reading import forget_fit

__all__ = ["model_of"]

# What says how a whole tree was made; not true of one that was edited since.
_OF_GROWTH = {"prune": None, "prune_params": None, "ccp_alpha": 0.0}


def model_of(data: EditorData, state: State) -> Any:
    """Return the fitted estimator of a version."""
    model = unfitted(data, state.model)
    if state.is_by_hand:
        forget_fit(model)
        for name, plain in {**_OF_GROWTH, "monotonic_cst": None}.items():
            if hasattr(model, name):
                setattr(model, name, plain)
    tree = tree_of(state.root, empty_tree(data, state.root.statistics))
    if state.overrides:
        decided = tree.value.copy()
        for i, node in enumerate(state.root.walk()):
            if node.number in state.overrides:
                decided[i] = np.array(state.overrides[node.number].value)
        arrays = {**tree.arrays(), "value": decided}
        tree = type(tree)(arrays, tree.n_features, tree.n_classes.tolist())
    model.tree_ = tree
    if not data.is_numeric:
        model._needs_values = _looks_at_rows(model)
        if data.extra.treatment is not None:
            _add_uplift(data, state, model)
    return model


def _add_uplift(data: EditorData, state: State, model: Any) -> None:
    leaf = np.zeros(len(data), dtype=np.int64)
    for i, node in enumerate(state.root.walk()):
        if node.rows is not None:
            leaf[node.rows] = i
    is_second = data.target.codes[:, 0] == 1
    set_uplift([model], leaf[:, None], is_second, data.extra.treatment, data.weight)
