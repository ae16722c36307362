# SPDX-License-Identifier: BSD-3-Clause
"""Parquet files of any number of rows, made in pieces."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PIECE = 1_000_000


def pieces(n_rows: int, n_columns: int = 10, seed: int = 0) -> Iterator[pa.Table]:
    """Give normal columns and a label of a sum, a product and noise."""
    slope = np.random.default_rng(99).normal(size=n_columns)
    for begin in range(0, n_rows, PIECE):
        rng = np.random.default_rng([seed, begin])
        n = min(PIECE, n_rows - begin)
        X = rng.standard_normal((n, n_columns), dtype=np.float32)
        signal = X @ slope + X[:, 0] * X[:, 1] + rng.standard_normal(n)
        columns = {f"x{j}": X[:, j] for j in range(n_columns)}
        yield pa.table({**columns, "y": (signal > 0).astype(np.int8)})


def make(folder: Path, n_rows: int, n_columns: int = 10) -> None:
    """Write them, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for k, table in enumerate(pieces(n_rows, n_columns)):
        path = folder / f"part-{k:05d}.parquet"
        if not path.exists():
            pq.write_table(table, path, row_group_size=250_000)
