# SPDX-License-Identifier: BSD-3-Clause
"""What was grown: flat read-only arrays under scikit-learn's names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ramify import _core

__all__ = ["Tree"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Tree:
    """A grown tree: one entry per node in each array, in preorder.

    Attributes
    ----------
    children_left, children_right : ndarray of int64
        The children of each node; -1 in a leaf.
    feature, threshold : ndarray
        Rows with ``x[feature] <= threshold`` go left; -2 in a leaf.
    missing_go_to_left : ndarray of uint8
        Whether rows without a value go left.
    gain : ndarray
        Score of each split under the criterion it was chosen by; NaN in a leaf.
    impurity, n_node_samples, weighted_n_node_samples : ndarray
        As in scikit-learn; the impurity is Gini unless the criterion has its own.
    value : ndarray of shape (node_count, n_outputs, max_n_classes)
        Shares of the classes.
    """

    ARRAYS = (
        "children_left",
        "children_right",
        "feature",
        "threshold",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
        "gain",
        "missing_go_to_left",
        "value",
    )
    children_left: Ints
    children_right: Ints
    feature: Ints
    threshold: Floats
    impurity: Floats
    n_node_samples: Ints
    weighted_n_node_samples: Floats
    gain: Floats
    missing_go_to_left: NDArray[np.uint8]
    value: Floats

    def __init__(
        self, arrays: dict[str, NDArray[Any]], n_features: int, n_classes: list[int]
    ) -> None:
        for name in self.ARRAYS:
            array = arrays[name]
            array.flags.writeable = False
            setattr(self, name, array)
        self.n_features = n_features
        self.n_classes: Ints = np.array(n_classes, dtype=np.int64)
        self._predictor: _core.Predictor | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_predictor": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in self.ARRAYS:
            getattr(self, name).flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"Tree(node_count={self.node_count}, n_leaves={self.n_leaves}, "
            f"max_depth={self.max_depth})"
        )

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    capacity = node_count

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.children_left < 0).sum())

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.n_classes)

    @property
    def max_n_classes(self) -> int:
        """Largest number of classes of a target."""
        return int(self.n_classes.max())

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf; the root has depth 0."""
        return int(self.depths().max())

    def depths(self) -> Ints:
        """Depth of each node."""
        depth = np.zeros(self.node_count, dtype=np.int64)
        level = np.array([0])
        while len(level):
            inner = level[self.children_left[level] >= 0]
            level = np.concatenate(
                [self.children_left[inner], self.children_right[inner]]
            )
            depth[level] = np.concatenate([depth[inner], depth[inner]]) + 1
        return depth

    def apply(
        self, X: NDArray[Any], n_threads: int = 1, has_missing: bool = True
    ) -> Ints:
        """Give the leaf that each row reaches. X is float32 or float64.

        `has_missing` may be False, which is faster, if no value is NaN.
        """
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X has shape {X.shape}; the tree was grown on {self.n_features} "
                "columns"
            )
        if self._predictor is None:
            self._predictor = _core.Predictor(
                self.children_left,
                self.children_right,
                self.feature,
                self.threshold,
                self.missing_go_to_left,
            )
        return self._predictor.apply(X, has_missing, n_threads)

    def predict(self, X: NDArray[Any], n_threads: int = 1) -> Floats:
        """Give the class shares of each row's leaf; with several outputs, in 3-d."""
        value = self.value[:, 0] if self.n_outputs == 1 else self.value
        return value.take(self.apply(X, n_threads), axis=0)

    def decision_path(self, X: NDArray[Any]) -> sparse.csr_matrix:
        """Mark the nodes that each row passes: an indicator (n_rows, node_count)."""
        leaves = self.apply(X)
        parent = np.full(self.node_count, -1)
        inner = np.flatnonzero(self.children_left >= 0)
        parent[self.children_left[inner]] = inner
        parent[self.children_right[inner]] = inner
        n_nodes = self.depths()[leaves] + 1
        starts = np.concatenate([[0], np.cumsum(n_nodes)])
        indices = np.empty(starts[-1], dtype=np.int64)
        at, place = leaves.copy(), starts[1:] - 1  # from the leaf up: ends at the root
        rows = np.arange(len(leaves))
        while len(rows):
            indices[place[rows]] = at[rows]
            place[rows] -= 1
            at[rows] = parent[at[rows]]
            rows = rows[at[rows] >= 0]
        ones = np.ones(len(indices), dtype=np.int64)
        return sparse.csr_matrix(
            (ones, indices, starts), shape=(len(leaves), self.node_count)
        )

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """Sum, per column, the gains of its splits times the share of rows there."""
        inner = self.children_left >= 0
        share = self.weighted_n_node_samples / self.weighted_n_node_samples[0]
        importances = np.bincount(
            self.feature[inner],
            weights=(share * self.gain)[inner],
            minlength=self.n_features,
        ).astype(np.float64)
        total = importances.sum()
        return importances / total if normalize and total > 0 else importances

    def pruning_path(self, up_to: float = np.inf) -> tuple[Floats, Floats, Any]:
        """Cut weakest links while their alpha is at most `up_to`.

        Returns the alphas, the impurity of the tree after each step, and which nodes
        are leaves at the end.
        """
        share = self.weighted_n_node_samples / self.weighted_n_node_samples[0]
        return _core.prune(
            self.children_left, self.children_right, share * self.impurity, up_to
        )

    def pruned(self, ccp_alpha: float) -> Tree:
        """Give the smallest subtree whose links all cost more than `ccp_alpha`."""
        is_leaf = self.pruning_path(ccp_alpha)[2].astype(bool)
        keep = np.zeros(self.node_count, dtype=bool)
        keep[0] = True
        for i in range(self.node_count):  # preorder: parents come first
            if keep[i] and not is_leaf[i]:
                keep[self.children_left[i]] = keep[self.children_right[i]] = True
        number = np.cumsum(keep) - 1
        arrays = {name: getattr(self, name)[keep].copy() for name in self.ARRAYS}
        leaf = is_leaf[keep]
        for side in ("children_left", "children_right"):
            arrays[side] = np.where(leaf, -1, number[arrays[side]])
        arrays["feature"][leaf] = -2
        arrays["threshold"][leaf] = -2
        arrays["gain"][leaf] = np.nan
        arrays["missing_go_to_left"][leaf] = 0
        return Tree(arrays, self.n_features, self.n_classes.tolist())
