# SPDX-License-Identifier: BSD-3-Clause
"""How good an edited tree is, on each part of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.comparison.metrics import METRICS, Trial, check_metrics
from ramify.editing.data import EditorData
from ramify.editing.node import Node, tree_of
from ramify.editing.state import State
from ramify.tree import Tree

__all__ = ["default_metric", "score_of", "score_tree", "usual_metric", "values_of"]


def default_metric(is_numeric: bool) -> str:
    """Return what is scored if nothing is said."""
    return "r2" if is_numeric else "accuracy"


def usual_metric(metric: Any, is_numeric: bool) -> str:
    """Return the name of a metric, which is known; None is the usual one."""
    if metric is None:
        return default_metric(is_numeric)
    task = "regression" if is_numeric else "classification"
    return check_metrics([metric], task)[0]


def values_of(state: State, leaf: Node) -> NDArray[np.float64]:
    """Return what a leaf says: what a person decided, or its rows."""
    override = state.overrides.get(leaf.number)
    return leaf.statistics.value if override is None else np.array(override.value)


class _AsModel:
    """What metrics ask a model, answered from what its rows got already."""

    def __init__(self, values: NDArray[np.float64], tree: Tree, classes: Any) -> None:
        self._values, self.tree_ = values, tree
        if classes is not None:
            self.classes_ = classes
            self.predict_proba = lambda X: self._values[:, : len(classes)]
        self.predicted: Any = None

    def predict(self, X: Any) -> Any:
        return self.predicted


def score_of(
    data: EditorData, model: Any, state: State, part: str, metric: str
) -> float | None:
    """Score the training or the validation rows; None if there are none."""
    is_train = part == "training"
    leaves = list(state.root.leaves())
    each = [leaf.rows if is_train else leaf.held for leaf in leaves]
    sizes = [0 if rows is None else len(rows) for rows in each]
    if sum(sizes) == 0:
        return None
    places = np.concatenate([rows for rows in each if rows is not None])
    value = np.array([values_of(state, leaf) for leaf in leaves])
    values = np.repeat(value, sizes, axis=0)
    target, weight = data.target, data.weight
    if not is_train:
        _, target, weight = data.held
    return _score(
        data,
        model,
        lambda: _tree(state, data),
        values,
        target,
        weight,
        places,
        metric,
    )


def score_tree(
    data: EditorData, model: Any, tree: Tree, part: str, metric: str
) -> float | None:
    """Score the rows of a part by a tree: "training", "validation" or "test"."""
    if part == "training":
        matrix, target, weight = data.matrix, data.target, data.weight
    else:
        matrix, target, weight = data.held if part == "validation" else data.sealed
    if len(matrix) == 0:
        return None
    values = tree.value[tree.apply(np.ascontiguousarray(matrix))]
    places = np.arange(len(matrix))
    return _score(data, model, lambda: tree, values, target, weight, places, metric)


def _score(
    data: EditorData,
    model: Any,
    tree_of_it: Callable[[], Tree],
    values: NDArray[np.float64],
    target: Any,
    weight: Any,
    places: NDArray[Any],
    metric: str,
) -> float | None:
    own = target.some(places.astype(np.intp))
    weights = None if weight is None else weight[places]
    found = []
    # Metrics of size look at the tree; others do not, and it takes time to make.
    needs_tree = metric in ("leaves", "depth", "path_length")
    for j in range(values.shape[1]):
        shown, w = values[:, j], weights
        classes = None
        if data.is_numeric:
            y, predicted = own.values[:, j], shown[:, 0]
        else:
            classes = data.target.classes[j]
            codes = own.codes[:, j]
            best = _best(model, shown[:, : len(classes)])
            if metric == "accuracy":
                right = best == codes
                found.append(float(np.average(right, weights=w)))
                continue
            known = codes < len(classes)  # classes that no training row has
            if not known.any():
                return None
            shown, best, codes = shown[known], best[known], codes[known]
            w = None if w is None else w[known]
            y, predicted = classes[codes], classes[best]
        tree: Any = tree_of_it() if needs_tree else None
        proxy = _AsModel(shown, tree, classes)
        proxy.predicted = predicted
        trial = Trial(
            proxy,
            np.zeros((len(y), 0)),
            np.asarray(y),
            np.asarray(predicted),
            *(0.0, 0.0),
            weight=w,
            task="regression" if data.is_numeric else "classification",
        )
        found.append(float(METRICS[metric].measure(trial)))
    return float(np.mean(found))


def _best(model: Any, shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Choose the class of each row, by costs if errors have them; as in `predict`."""
    costs = getattr(model, "cost_matrix", None)
    if costs is None or shares.shape[1] == 1:
        return np.asarray(shares.argmax(axis=1))
    return np.asarray((shares @ np.asarray(costs, dtype=np.float64)).argmin(axis=1))


def _tree(state: State, data: EditorData) -> Tree:
    from ramify.editing.engine import empty_tree

    return tree_of(state.root, empty_tree(data, state.root.statistics))
