# SPDX-License-Identifier: BSD-3-Clause
"""What estimators of a cluster share: parameters, copies, predictions, scores."""

from __future__ import annotations

import inspect
import math
import os
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.base import clone, is_regressor

from ramify.distributed.dask.clients import client_for
from ramify.distributed.dask.data import is_collection, partitions_of
from ramify.distributed.dask.predicting import Answer, lazily, sums_of_scores
from ramify.distributed.dask.workers import Cluster
from ramify.estimators.validation.rows import check_fitted

__all__ = ["OnCluster", "on_cluster"]

Class = TypeVar("Class", bound=type)

_OWN = {"client": None, "memory": "1GiB", "handoff": None, "checkpoint": None}
_TEXT = """{name} whose rows lie on a Dask cluster.

It grows the model that `ramify.{name}` grows of the same rows and bins, however the
rows are cut into partitions, on any number of workers. All of its parameters
are taken, with ``max_bins=255``; those of the cluster are added.

Parameters
----------
client : distributed.Client, optional
    Of the cluster; by default the one of this process. It is never pickled.
memory : str or int, default="1GiB"
    What a worker, and this process, may use besides the rows: a quarter for sums, half
    for rows of subtrees that are grown to the end by one worker.
handoff : int or str, optional
    Nodes whose rows take at most so many bytes may be grown to the end by one worker;
    0 never; by default half of `memory`. It changes time, not the model.
checkpoint : str or path, optional
    A folder where the fit is noted after every level, or every tree of a forest. The
    same call goes on from there if the cluster or this process has died; it is removed
    when the fit ends.

Attributes
----------
fit_info_ : dict
    What the fit did: phases and levels with seconds, tasks and bytes, hand-offs,
    partitions computed again.
"""


def on_cluster(cls: Class) -> Class:
    """Return a class of a cluster the parameters of its local class, and its own."""
    local = cls.__mro__[cls.__mro__.index(OnCluster) + 1]
    cls._local = local  # type: ignore[attr-defined]
    known = inspect.signature(local.__init__)  # type: ignore[misc]
    bins = known.parameters.get("max_bins")
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
        for name, value in _OWN.items()
    ]
    parameters = [
        each.replace(default=255) if each is bins else each
        for each in known.parameters.values()
    ]

    def init(self: Any, *args: Any, **given: Any) -> None:
        for name, default in _OWN.items():
            setattr(self, name, given.pop(name, default))
        if bins is not None:
            given.setdefault("max_bins", 255)
        local.__init__(self, *args, **given)  # type: ignore[misc]

    init.__signature__ = inspect.Signature([*parameters, *own])  # type: ignore[attr-defined]
    init.__name__, init.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    cls.__init__ = init  # type: ignore[misc]
    cls.__doc__ = _TEXT.format(name=cls.__name__)
    return cls


class OnCluster:
    """An estimator whose rows lie on a cluster."""

    client: Any
    memory: Any
    handoff: Any
    checkpoint: Any
    fit_info_: dict[str, Any]
    _local: type

    # --- copies ----------------------------------------------------------------------

    def to_local(self, *, is_fitted: bool = True) -> Any:
        """Return the model as an object of `ramify`, which needs no cluster.

        With ``is_fitted=False`` it has the parameters only.
        """
        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        local = self._local(**{k: v for k, v in params.items() if k not in _OWN})
        for name, value in vars(self).items() if is_fitted else ():
            if name not in params:
                setattr(local, name, value)
        return local

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file; `ramify.load` gives the local class."""
        self.to_local().save(path)

    def __sklearn_clone__(self) -> Self:
        # A client cannot be copied, and need not be.
        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        client = params.pop("client")
        copied = {name: clone(each, safe=False) for name, each in params.items()}
        return type(self)(client=client, **copied)  # type: ignore[call-arg]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {**state, "client": None}

    # --- predictions -----------------------------------------------------------------

    def predict(self, X: Any, **given: Any) -> Any:
        """Predict each row: lazily if X lies on the cluster, else at once.

        A frame gives a Series with its index, or a frame if there are several outputs;
        an array gives an array.
        """
        if not is_collection(X):
            return super().predict(X, **given)  # type: ignore[misc]
        if given:
            raise TypeError(
                f"predict({', '.join(given)}=...) is for rows in memory; "
                "use to_local() for them"
            )
        check_fitted(self)
        if is_regressor(self):
            dtype = np.dtype(np.float64)
        else:
            dtype = np.result_type(*self._classes())
        several = self._n_outputs() > 1
        columns = tuple(range(self._n_outputs())) if several else None
        return self._lazily(X, Answer("predict", dtype, columns))

    def predict_proba(self, X: Any) -> Any:
        """Predict class probabilities: lazily if X lies on the cluster, else at once.

        A frame gives a frame with one column per class, an array an array; several
        outputs give a list of them.
        """
        return self._asked_shares(X, "predict_proba")

    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithms of class probabilities, in the same way."""
        return self._asked_shares(X, "predict_log_proba")

    def _asked_shares(self, X: Any, method: str) -> Any:
        if not hasattr(self._local, method):
            raise AttributeError(f"{type(self).__name__} has no {method}")
        if not is_collection(X):
            return getattr(super(), method)(X)
        check_fitted(self)
        found = []
        for i, classes in enumerate(self._classes()):
            output = i if self._n_outputs() > 1 else None
            answer = Answer(method, np.dtype(np.float64), tuple(classes), output)
            found.append(self._lazily(X, answer))
        return found if self._n_outputs() > 1 else found[0]

    def _lazily(self, X: Any, answer: Answer) -> Any:
        return lazily(self.to_local(), X, answer)

    def _n_outputs(self) -> int:
        return int(getattr(self, "n_outputs_", 1))

    def _classes(self) -> list[Any]:
        classes: Any = self.classes_  # type: ignore[attr-defined]
        return list(classes) if self._n_outputs() > 1 else [classes]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return accuracy, or R2 of numbers, computed where the rows lie."""
        if not is_collection(X):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        check_fitted(self)
        client = client_for(self.client)
        rest = (("y", y), ("sample_weight", sample_weight))
        parts = partitions_of(X, *rest, client=client)
        local, numeric = self.to_local(), is_regressor(self)

        def summed(center: float) -> list[float]:
            with Cluster(client) as cluster:
                raw = cluster.hold(parts)
                given = (local, numeric, center)
                futures = cluster.map("score", sums_of_scores, raw, given)
                cluster.release(raw)
                found = cluster.gather("score", futures)
            return [math.fsum(each) for each in zip(*found, strict=True)]

        sums = summed(0.0)
        if sums[0] <= 0:
            raise ValueError("there are no rows to score")
        if not numeric:
            return sums[1] / sums[0]
        weight, total, *_ = sums
        _, _, spread, errors = summed(total / weight)
        return 1 - errors / spread if spread > 0 else float(errors == 0)
