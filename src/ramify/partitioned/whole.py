# SPDX-License-Identifier: BSD-3-Clause
"""Models that sums over partitions cannot grow: the codes of all rows in memory.

A code takes one byte where the number took four or eight, and rows are never held as
they came, so that many more fit; the model is that of `fit` with the same bins.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ramify.estimators.inputs.text import documented
from ramify.partitioned.blocks import Block, Codebook, Extent, encode
from ramify.partitioned.files import FileEngine, check_memory
from ramify.partitioned.info import Info, words
from ramify.partitioned.pieces import Piece
from ramify.partitioned.streaming import STREAM_PARAMETERS, opened
from ramify.table import Table, check_max_bins, n_threads

__all__ = ["FitsCodes"]


class FitsCodes:
    """Has `fit_stream` by way of the codes of all rows."""

    @documented(STREAM_PARAMETERS)
    def fit_stream(
        self,
        source: Any,
        target: Any = None,
        *,
        weight: str | None = None,
        ignore: Any = None,
        memory: int | str = "1GiB",
    ) -> Self:
        """Fit on rows of files or batches, of which only codes are held in memory.

        The model is that of ``fit`` with the same bins, however rows are cut into
        files and batches. All codes must fit into `memory`, a byte per cell and some
        more; a `DecisionTreeClassifier` does without that. Afterwards ``bins_`` has the
        bins and ``fit_info_`` says how it went.

        Parameters
        ----------
        {parameters}
        """
        model: Any = self
        model._check_parameters_of_stream()
        n_bytes = check_memory(memory)
        rows = opened(source, target, weight, ignore, n_bytes)
        info = Info("codes", int(model.verbose))
        max_bins = check_max_bins(getattr(model, "max_bins", None)) or 255
        engine = FileEngine(rows, n_bytes, "", n_threads(model.n_jobs))
        with info.phase("look"):
            facts, sketch = engine.look(
                model.categorical_features, max_bins, True, is_labelled=False
            )
        if facts.n_rows == 0 or sketch is None:
            raise ValueError("the data have no rows: a model needs one at least")
        schema = facts.schema()
        bins = [
            None if column.is_categorical else sketch.bins(j)
            for j, column in enumerate(schema.columns)
        ]
        book = Codebook(schema, bins, [])
        _check_room(type(model).__name__, book, facts.n_rows, n_bytes)
        with info.phase("encode"):
            table, y, weights = _read(rows, book, max_bins)
        with info.phase("fit"):
            model.fit(table, y, sample_weight=weights)
        info.note(rows=facts.n_rows, partitions=rows.n_partitions)
        model.bins_, model.fit_info_ = bins, info.facts
        return self

    def _check_parameters_of_stream(self) -> None:
        """Refuse wrong parameters before a big file is read."""


def _check_room(name: str, book: Codebook, n_rows: int, memory: int) -> None:
    layout = book.layout()
    needed = n_rows * (4 * layout.n_narrow + 24 * layout.n_wide + 64)
    if needed > memory:
        raise ValueError(
            f"{name} is fitted on the codes of all rows, which need {words(needed)} "
            f"with what is made of them, and memory is {words(memory)}; give more, "
            "use fewer rows or columns, or grow a DecisionTreeClassifier, which reads "
            "rows as a stream"
        )


def _read(rows: Any, book: Codebook, max_bins: int) -> tuple[Table, Any, Any]:
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
            weights.append(_numbers(piece))
    whole = Block.joined(blocks)
    del blocks
    table = Table.of_codes(
        extent.codebooks(book), book.layout(), whole, book.schema, max_bins
    )
    return table, np.concatenate(y), np.concatenate(weights) if weights else None


def _numbers(piece: Piece) -> Any:
    return np.asarray(piece.weight, dtype=np.float64)
