# SPDX-License-Identifier: BSD-3-Clause
"""Predictions that are made where the rows lie, when they are computed.

The model is the result of one task, on which all others depend, and is not copied into
each of them. Frames give Series and frames with the same index, arrays give arrays.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from ramify.distributed.dask.data import blocks_of

__all__ = ["Answer", "lazily", "sums_of_scores"]


@dataclass(frozen=True)
class Answer:
    """What a method gives: so many columns, or one without a name, of a type."""

    method: str
    dtype: np.dtype[Any]
    columns: tuple[Any, ...] | None = None
    output: int | None = None  # of several, each with columns of its own

    def compute(self, model: Any, X: Any) -> np.ndarray[Any, Any]:
        """Predict some rows, or none."""
        if len(X) == 0:
            shape = (0,) if self.columns is None else (0, len(self.columns))
            return np.empty(shape, self.dtype)
        found = getattr(model, self.method)(X)
        return np.asarray(found if self.output is None else found[self.output])


def lazily(model: Any, X: Any, answer: Answer) -> Any:
    """Return what a local model will answer about the rows of a collection."""
    packed = pickle.dumps(model)
    shared = dask.delayed(pickle.loads, pure=True)(packed)
    if not isinstance(X, da.Array):
        return dd.map_partitions(
            _of_frame,
            X,
            shared,
            answer,
            align_dataframes=False,
            meta=_of_frame(X._meta, None, answer),
        )
    answered = dask.delayed(_of_array, pure=True)
    rest = () if answer.columns is None else (len(answer.columns),)
    blocks = [
        da.from_delayed(answered(block, shared, answer), (n, *rest), answer.dtype)
        for block, n in zip(blocks_of("X", X), X.chunks[0], strict=True)
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def _of_frame(X: Any, model: Any, answer: Answer) -> Any:
    found = answer.compute(model, X)
    if answer.columns is None:
        return pd.Series(found, index=X.index)
    return pd.DataFrame(found, index=X.index, columns=list(answer.columns))


def _of_array(X: Any, model: Any, answer: Answer) -> Any:
    return answer.compute(model, X)


# --- scores ---------------------------------------------------------------------------


def sums_of_scores(
    part: tuple[Any, Any, Any],
    number: int,
    given: tuple[Any, bool, float],
) -> tuple[float, ...]:
    """Sum up what the score of a model needs of one partition.

    Of classes: the weight of rows, and of those predicted rightly. Of numbers: weight,
    and the sums of values, squares around a center, and squared errors.
    """
    X, y, weight = part
    model, is_regression, center = given
    if len(X) == 0:
        return (0.0,) * (4 if is_regression else 2)
    y, found = np.asarray(y), np.asarray(model.predict(X))
    w = np.ones(len(y)) if weight is None else np.asarray(weight, np.float64)
    if not is_regression:
        y = y.reshape(found.shape)
        right = y == found if y.ndim == 1 else (y == found).all(axis=1)
        return float(w.sum()), float(w @ right)
    y = y.astype(np.float64).reshape(found.shape)
    if y.ndim > 1:
        raise ValueError("score() of several outputs is not defined on a cluster")
    around = y - center
    errors = y - found
    return tuple(map(float, (w.sum(), w @ y, w @ around**2, w @ errors**2)))
