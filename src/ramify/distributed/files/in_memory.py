# SPDX-License-Identifier: BSD-3-Clause
"""A fit on the codes of all rows, in memory.

A code takes one byte where the number took four or eight, and rows are never held as
they came, so that many more fit; the model is that of `fit` with the same bins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.blocks import Block, encode
from ramify.distributed.core.codebook import Codebook, Extent
from ramify.distributed.core.info import Info
from ramify.distributed.core.summaries import DataSummary
from ramify.distributed.files.sources import Source
from ramify.table import Table

__all__ = ["book_of", "fit_codes", "n_bytes_of"]


def book_of(summary: DataSummary, sketch: Sketch) -> Codebook:
    """Return what codes stand for; what is learnt is left as it is."""
    schema = summary.schema()
    bins = [
        None if column.is_categorical else sketch.bins(j)
        for j, column in enumerate(schema.columns)
    ]
    return Codebook(schema, bins, [])


def n_bytes_of(book: Codebook, n_rows: int) -> int:
    """Return what the codes take, with what is made of them."""
    layout = book.layout()
    return n_rows * (4 * layout.n_byte_columns + 24 * layout.n_int_columns + 64)


def fit_codes(
    model: Any,
    rows: Source,
    summary: DataSummary,
    book: Codebook,
    max_bins: int,
    info: Info,
) -> None:
    """Fit a model on codes of rows, all of which are held in memory."""
    with info.phase("encode"):
        table, y, weights = _read(rows, summary, book, max_bins)
    with info.phase("fit"):
        model.fit(table, y, sample_weight=weights)
    info.note(engine="codes", rows=len(table))
    model.bins_ = book.bins


def _read(
    rows: Source, summary: DataSummary, book: Codebook, max_bins: int
) -> tuple[Table, Any, Any]:
    """Encode all rows; give the table, what is learnt, and the weights."""
    extent = Extent.empty(book)
    blocks: list[Block] = []
    y: list[Any] = []
    weights: list[Any] = []
    for piece in rows.pieces():
        if len(piece) == 0:
            continue
        block, own = encode(piece, book)
        extent.merge(own)
        blocks.append(block)
        y.append(np.asarray(piece.y))
        if piece.weight is not None:
            weights.append(np.asarray(piece.weight, dtype=np.float64))
    whole = Block.joined(blocks)
    del blocks
    extent.check(summary)
    table = Table.of_codes(
        extent.codebooks(book), book.layout(), whole, book.schema, max_bins
    )
    return table, np.concatenate(y), np.concatenate(weights) if weights else None
