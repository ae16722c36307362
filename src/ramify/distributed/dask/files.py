# SPDX-License-Identifier: BSD-3-Clause
"""Parquet files that workers read."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd

__all__ = ["read_files"]


def read_files(paths: list[str]) -> Any:
    """Return the frame of Parquet files, folders and addresses."""
    odd = [path for path in paths if path.lower().endswith((".csv", ".arrow", ".ipc"))]
    if odd:
        raise ValueError(
            f"{odd[0]} is no Parquet file, and workers read Parquet; convert it first"
        )
    return dd.read_parquet(paths if len(paths) > 1 else paths[0])
