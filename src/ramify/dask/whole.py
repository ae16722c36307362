# SPDX-License-Identifier: BSD-3-Clause
"""Models that no sums over partitions can grow: workers get all rows, and fit them.

A forest is grown by all workers, some trees each; other models by one. The rows must
fit into the memory of a worker, and the model is the one of one machine.
"""

from __future__ import annotations

import copy
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ramify.dask.clients import client_for
from ramify.dask.crew import Crew
from ramify.dask.data import partitions_of
from ramify.dask.fitting import fit_forest_by_sums, limits_of
from ramify.dask.tasks import Part, bytes_of_part
from ramify.partitioned.info import words

__all__ = ["fit_forest", "fit_whole"]


def fit_whole(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit a model by one worker, which gets all rows."""
    with _Rows(model, X, y, sample_weight) as rows:
        local = model.to_local(is_fitted=False)
        asked = rows.crew.submit("fit", _fitted, rows.futures, local)
        (found,) = rows.crew.gather("fit", [asked], "model")
        _take(model, found)
        model.fit_info_ = rows.info(1)


def fit_forest(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit a forest: by workers that get all rows, or by passes over these."""
    why_not = model.to_local(is_fitted=False)._why_not_by_sums()
    try:
        _fit_forest_whole(model, X, y, sample_weight)
    except _TooLargeError as error:
        if why_not:
            raise ValueError(f"{error}: {why_not}") from None
        fit_forest_by_sums(model, X, y, sample_weight)


def _fit_forest_whole(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Let all workers get all rows, and grow some trees each."""
    with _Rows(model, X, y, sample_weight) as rows:
        crew = rows.crew
        local = model.to_local(is_fitted=False)
        if not isinstance(local.random_state, (int, np.integer)):
            # All must draw from the same stream.
            drawn = check_random_state(local.random_state).randint(2**31 - 1)
            local.random_state = int(drawn)
        n_trees, n_shares = local.n_estimators, crew.n_workers()
        cuts = np.linspace(0, n_trees, min(n_shares, n_trees) + 1).astype(int).tolist()
        shares = list(pairwise(cuts))
        asked = [
            crew.submit("fit", _some_trees, rows.futures, local, share)
            for share in shares
        ]
        parts = crew.gather("fit", asked, "share")
        forest = parts[0]
        forest.estimators_ = [tree for part in parts for tree in part.estimators_]
        forest._set_trees()
        if local.oob_score:
            asked = [crew.submit("score", _scored, rows.futures, forest)]
            (forest,) = crew.gather("score", asked, "forest")
        _take(model, forest)
        model.fit_info_ = rows.info(len(shares))


class _TooLargeError(ValueError):
    """The rows do not fit a worker."""


class _Rows:
    """All partitions, if a worker has room for them."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.memory, _ = limits_of(model)
        for name in ("checkpoint", "handoff"):
            if getattr(model, name) is not None:
                raise ValueError(
                    f"{name}={getattr(model, name)!r} is for trees that are grown "
                    f"level by level; {type(model).__name__} is not: leave it out"
                )
        client = client_for(model.client)
        rest = (("y", y), ("sample_weight", sample_weight))
        self._parts = partitions_of(X, *rest, client=client)
        self._model = model
        self.crew = Crew(client)

    def __enter__(self) -> _Rows:
        self.crew.__enter__()
        try:
            self.futures = self.crew.hold(self._parts)
            asked = self.crew.map("facts", bytes_of_part, self.futures, None)
            found = self.crew.gather("facts", asked)
            self.n_rows = sum(n for n, _ in found)
            n_bytes = sum(size for _, size in found)
            if self.n_rows == 0:
                raise ValueError("the data have no rows: a model needs one at least")
            if n_bytes > self.memory:
                raise _TooLargeError(
                    f"{type(self._model).__name__} is fitted by workers that get all "
                    f"rows, which take {words(n_bytes)}, and "
                    f"memory={self._model.memory!r} is less; give more memory if "
                    "workers have it, or grow a DecisionTreeClassifier, for which rows "
                    "stay where they are"
                )
        except BaseException:
            self.crew.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.crew.__exit__()

    def info(self, n_shares: int) -> dict[str, Any]:
        """Say how it went."""
        return {
            "engine": "dask",
            "rows": self.n_rows,
            "partitions": len(self._parts),
            "workers": self.crew.n_workers(),
            "fitted_by": n_shares,
        }


def _take(model: Any, found: Any) -> None:
    """Take over what a local model has learnt."""
    for name, value in vars(found).items():
        if name not in found.get_params(deep=False):
            setattr(model, name, value)


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
