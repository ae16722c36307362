# SPDX-License-Identifier: BSD-3-Clause
"""The streams of the benchmark: made ones, and files of a folder if there is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from ramify.datasets import streams

Rows = tuple[np.ndarray, np.ndarray]

# Columns of the made streams are numbers.
MADE: dict[str, Callable[[int], Rows]] = {
    "sea": lambda n: streams.sea(n),
    "hyperplane": lambda n: streams.hyperplane(n),
    "rbf": lambda n: streams.rbf(n, n_columns=20, n_classes=4),
    "agrawal": lambda n: streams.agrawal(n, concepts=(1,)),
    "sea, 3 changes": lambda n: streams.sea(n, concepts=(0, 1, 2, 3)),
    "led": lambda n: streams.led(n),
    "sine": lambda n: streams.sine(n),
}
FILES = {
    "shuttle": "shuttle",
    "adult": "adult",
    "letter": "letter",
    "pendigits": "pendigits",
    "cod-rna": "cod-rna_train59535",
    "waveform": "waveform",
    "connect4": "connect4",
}


def read(path: Path) -> Rows:
    """Return rows in the order of the file; the last column has the labels."""
    frame = pd.read_csv(path)
    X, y = frame.iloc[:, :-1], pd.factorize(frame.iloc[:, -1])[0]
    if all(kind.kind in "fiub" for kind in X.dtypes):
        return X.to_numpy(np.float64), y
    return X.astype(object).where(X.notna(), None).to_numpy(), y


def all_streams(n_rows: int, folder: Path | None) -> dict[str, Rows]:
    """Return the streams by name."""
    found = {name: make(n_rows) for name, make in MADE.items()}
    for name, file in FILES.items():
        path = folder / f"{file}.csv.gz" if folder else None
        if path is not None and path.exists():
            X, y = read(path)
            found[name] = (X[:n_rows], y[:n_rows])
    return found
