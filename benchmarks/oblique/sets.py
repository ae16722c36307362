# SPDX-License-Identifier: BSD-3-Clause
"""Read a data set as numbers."""

from pathlib import Path

import numpy as np
import pandas as pd


def read(folder: Path, file: str) -> tuple[np.ndarray, np.ndarray]:
    """Read `<file>.npz` (X and y) or `<file>.csv.gz` (its last column is the class)."""
    if (path := folder / f"{file}.npz").exists():
        arrays = np.load(path)
        return arrays["X"].astype(np.float32), arrays["y"]
    if not (path := folder / f"{file}.csv.gz").exists():
        raise SystemExit(f"no file {path.name} in {folder}")
    frame = pd.read_csv(path)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy()
    return pd.get_dummies(X).to_numpy(dtype=np.float64), y


def scaled(X: np.ndarray) -> np.ndarray:
    """Scale columns to [-1, 1] by all rows; drop constant ones."""
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    X = X - X.min(axis=0)
    X /= X.max(axis=0) / 2
    X -= 1
    return X
