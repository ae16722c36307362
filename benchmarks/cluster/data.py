# SPDX-License-Identifier: BSD-3-Clause
"""Parquet files of any number of rows, made in pieces."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PIECE = 1_000_000


def piece(begin: int, n_rows: int, n_columns: int) -> pa.Table:
    """Return normal columns and a label of a sum, a product and noise."""
    slope = np.random.default_rng(99).normal(size=n_columns)
    rng = np.random.default_rng([0, begin])
    X = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    signal = X @ slope + X[:, 0] * X[:, 1] + rng.standard_normal(n_rows)
    columns = {f"x{j}": X[:, j] for j in range(n_columns)}
    return pa.table({**columns, "y": (signal > 0).astype(np.int8)})


def make(folder: Path, n_rows: int, n_columns: int = 10) -> None:
    """Write them, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for begin in range(0, n_rows, PIECE):
        path = folder / f"part-{begin // PIECE:05d}.parquet"
        if not path.exists():
            table = piece(begin, min(PIECE, n_rows - begin), n_columns)
            pq.write_table(table, path, row_group_size=250_000)
