# SPDX-License-Identifier: BSD-3-Clause
"""Fit from a stream of rows, in bounded memory."""

from __future__ import annotations

from typing import Any

from ramify.partitioned.files import FileEngine, check_memory
from ramify.partitioned.fitting import Fitted, Options, fit_partitioned
from ramify.partitioned.refusals import refuse
from ramify.partitioned.scratch import check_scratch
from ramify.partitioned.sources import Source, check_roles, source_of
from ramify.table import n_threads

__all__ = ["STREAM_PARAMETERS", "fit_from_stream", "opened"]

BATCH_ROWS = 2**15

STREAM_PARAMETERS = {
    "source": """path, list of paths, callable or iterable
Parquet or Arrow files: a file, a folder, a pattern such as ``"train/*.parquet"``, or a
list of these; or a function that gives batches anew at each call, data frames or
tuples (X, y) or (X, y, weight). Rows are read twice.""",
    "target": """str or list of str
The column to be predicted, or one per output; None if batches are tuples.""",
    "weight": """str
The column of weights.""",
    "ignore": """list of str
Columns that are left out.""",
    "memory": """int or str
Bytes that may be used, such as ``"2GB"``.""",
    "scratch": """path
Folder for the codes of rows that do not fit in memory; they are readable by their owner
only, and vanish. By default that of temporary files.""",
    "checkpoint": """path
Folder in which the state of the fit is kept: the same call goes on from there after an
interruption.""",
}


def opened(source: Any, target: Any, weight: Any, ignore: Any, memory: int) -> Source:
    """Give the rows that `fit_stream` was given."""
    roles = None
    if target is not None or isinstance(source, str):
        roles = check_roles(target, weight, ignore)
    elif weight is not None or ignore is not None:
        raise TypeError("weight and ignore name columns of frames, as target does")
    return source_of(source, roles, max(1024, min(BATCH_ROWS, memory // 2**12)))


def fit_from_stream(
    model: Any,
    source: Any,
    target: Any,
    weight: Any,
    ignore: Any,
    memory: Any,
    scratch: Any,
    checkpoint: Any,
) -> Fitted:
    """Grow the tree that a model asks for on rows that need not fit in memory."""
    refuse(model)
    n_bytes, folder = check_memory(memory), check_scratch(scratch)
    rows = opened(source, target, weight, ignore, n_bytes)
    rows.n_threads = n_threads(model.n_jobs)
    engine = FileEngine(rows, n_bytes, folder, rows.n_threads)
    options = Options(n_bytes // 8, rows.has_weights, checkpoint)
    try:
        fitted = fit_partitioned(model, engine, options)
    finally:
        engine.close()
    fitted.info["partitions"] = rows.n_partitions
    return fitted
