# SPDX-License-Identifier: BSD-3-Clause
"""All rows on a worker, which fits them; several workers share the trees of a forest.

The rows must fit into the memory of a worker, and the model is the one of one machine.
"""

from __future__ import annotations

import copy
import warnings
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from ramify.distributed.dask.tasks import Part, bytes_of_part
from ramify.distributed.dask.workers import Cluster

__all__ = ["Rows"]


class Rows:
    """All partitions, held on the cluster while this is entered.

    Attributes
    ----------
    n_rows, n_bytes : int
        How many there are, and what they take.
    """

    def __init__(self, cluster: Cluster, parts: list[Any]) -> None:
        self._cluster, self._parts = cluster, parts
        self._n_shares = 1

    def __enter__(self) -> Self:
        self._futures = self._cluster.hold(self._parts)
        futures = self._cluster.map("look", bytes_of_part, self._futures, None)
        found = self._cluster.gather("look", futures)
        self.n_rows = sum(n for n, _ in found)
        self.n_bytes = sum(size for _, size in found)
        if self.n_rows == 0:
            raise ValueError("the data have no rows: a model needs one at least")
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.release(self._futures)

    def fitted(self, model: Any, *, is_shared_out: bool) -> Any:
        """Fit a model by one worker, or by all if they grow some trees each."""
        if is_shared_out:
            return self._forest(model)
        futures = self._cluster.submit("fit", _fitted, self._futures, model)
        return self._cluster.gather("fit", [futures], "model")[0]

    def _forest(self, model: Any) -> Any:
        cluster = self._cluster
        if not isinstance(model.random_state, (int, np.integer)):
            # All must draw from the same stream.
            seed = check_random_state(model.random_state).randint(2**31 - 1)
            model.random_state = int(seed)
        n_trees = model.n_estimators
        self._n_shares = min(cluster.n_workers(), n_trees)
        cuts = np.linspace(0, n_trees, self._n_shares + 1).astype(int).tolist()
        futures = [
            cluster.submit("fit", _some_trees, self._futures, model, share)
            for share in pairwise(cuts)
        ]
        parts = cluster.gather("fit", futures, "share")
        forest = parts[0]
        forest.estimators_ = [tree for part in parts for tree in part.estimators_]
        forest._set_trees()
        if model.oob_score:
            futures = [cluster.submit("score", _scored, self._futures, forest)]
            (forest,) = cluster.gather("score", futures, "forest")
        return forest

    def info(self) -> dict[str, Any]:
        """Return how it went."""
        return {
            "engine": "dask",
            "rows": self.n_rows,
            "partitions": len(self._parts),
            "workers": self._cluster.n_workers(),
            "fitted_by": self._n_shares,
        }


# --- on a worker ----------------------------------------------------------------------


def _joined(parts: list[Part]) -> tuple[Any, Any, Any]:
    """Put partitions one behind the other."""
    some = [part for part in parts if len(part[0])]
    X, y, weight = zip(*some, strict=True)
    return _concat(X), _concat(y), None if weight[0] is None else _concat(weight)


def _concat(pieces: tuple[Any, ...]) -> Any:
    if not hasattr(pieces[0], "iloc"):
        return np.concatenate([np.asarray(piece) for piece in pieces])
    import pandas as pd
    from pandas.api.types import union_categoricals

    whole = pd.concat(pieces, ignore_index=True)
    if whole.ndim == 2:  # categories that differ became text, which is no worse
        for name in whole.columns[whole.dtypes == "object"]:
            own = [piece[name] for piece in pieces]
            if all(isinstance(each.dtype, pd.CategoricalDtype) for each in own):
                whole[name] = union_categoricals(own)
    return whole


def _fitted(parts: list[Part], model: Any) -> Any:
    X, y, weight = _joined(parts)
    return copy.copy(model).fit(X, y, sample_weight=weight)


def _some_trees(parts: list[Part], model: Any, share: tuple[int, int]) -> Any:
    X, y, weight = _joined(parts)
    forest = copy.copy(model)
    forest.oob_score = False
    forest._share = share
    forest.fit(X, y, sample_weight=weight)
    del forest._share
    return forest


def _scored(parts: list[Part], model: Any) -> Any:
    """Score rows by the trees that have not seen them."""
    X, y, weight = _joined(parts)
    forest = copy.copy(model)
    forest.oob_score, forest.warm_start = True, True
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_estimators=.* are there already")
        forest.fit(X, y, sample_weight=weight)
    forest.warm_start = False
    return forest
