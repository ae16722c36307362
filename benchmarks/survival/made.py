# SPDX-License-Identifier: BSD-3-Clause
"""Made-up rows with times to an event, and the real sets of scikit-survival."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["Made", "made_up", "real_sets"]

Made = tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.float64]]  # X, event, time


def made_up(n_rows: int, n_times: int | None = None, n_columns: int = 10) -> Made:
    """Return rows of which a third is censored, at few distinct times if asked."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32).astype(np.float64)
    scale = np.exp(-(X[:, 0] + 0.5 * X[:, 1] * X[:, 2]))
    time = rng.exponential(scale)
    censored = rng.exponential(2.6 * scale)
    event = time <= censored
    time = np.minimum(time, censored)
    if n_times is not None:
        ends = np.quantile(time, np.linspace(0, 1, n_times + 1)[1:])
        time = ends[np.minimum(np.searchsorted(ends, time), n_times - 1)]
    return X, event, time


def real_sets() -> dict[str, Made]:
    """Return scikit-survival's sets: categories as codes, values as float32."""
    from sksurv import datasets

    found = {
        "gbsg2": datasets.load_gbsg2(),
        "whas500": datasets.load_whas500(),
        "veteran": datasets.load_veterans_lung_cancer(),
        "aids": datasets.load_aids(),
        "breast cancer": datasets.load_breast_cancer(),
    }
    return {name: _numbers(*each) for name, each in found.items()}


def _numbers(X: pd.DataFrame, y: NDArray[Any]) -> Made:
    columns = [
        column.to_numpy(np.float64)
        if pd.api.types.is_numeric_dtype(column)
        else np.unique(column.astype(str), return_inverse=True)[1].astype(np.float64)
        for _, column in X.items()
    ]
    matrix = np.column_stack(columns).astype(np.float32).astype(np.float64)
    event, time = (y[name] for name in y.dtype.names)
    kept = time > 0
    return matrix[kept], event[kept].astype(bool), time[kept].astype(np.float64)
