# SPDX-License-Identifier: BSD-3-Clause
"""Models that sums over partitions cannot grow: the codes of all rows in memory.

A code takes one byte where the number took four or eight, and rows are never held as
they came, so that many more fit; the model is that of `fit` with the same bins.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ramify.estimators.inputs.text import documented
from ramify.partitioned.blocks import Block, encode
from ramify.partitioned.codebook import Codebook, Extent
from ramify.partitioned.facts import NumberTarget
from ramify.partitioned.files import FileEngine, check_memory
from ramify.partitioned.fitting import Options
from ramify.partitioned.info import Info, words
from ramify.partitioned.pieces import Piece
from ramify.partitioned.recipe import chosen_of, is_numeric
from ramify.partitioned.scratch import check_scratch
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
        scratch: Any = None,
    ) -> Self:
        """Fit on rows of files or batches, of which only codes are held in memory.

        The model is that of ``fit`` with the same bins, however rows are cut into
        files and batches. All codes must fit into `memory`, a byte per cell and some
        more; except those of a forest with ``bootstrap="poisson"`` or ``False``, which
        may lie in scratch files, and are then counted for several trees at a time.
        Afterwards ``bins_`` has the bins and ``fit_info_`` says how it went.

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
        engine = FileEngine(
            rows, n_bytes, check_scratch(scratch), n_threads(model.n_jobs)
        )
        why_not = "it is not grown by sums over rows"
        if hasattr(model, "_fit_by_sums"):
            why_not = model._why_not_by_sums()
        with info.phase("look"):
            facts, sketch = engine.look(
                model.categorical_features,
                max_bins,
                True,
                None if why_not else _numbers_of(model),
                is_labelled=not why_not,
            )
        if facts.n_rows == 0 or sketch is None:
            raise ValueError("the data have no rows: a model needs one at least")
        schema = facts.schema()
        bins = [
            None if column.is_categorical else sketch.bins(j)
            for j, column in enumerate(schema.columns)
        ]
        book = Codebook(schema, bins, [])
        needed = _n_bytes(book, facts.n_rows)
        if needed > n_bytes and not why_not:
            options = Options(n_bytes // 8, rows.has_weights)
            try:
                model._fit_by_sums(engine, options, info, (facts, sketch))
            finally:
                engine.close()
            info.note(partitions=rows.n_partitions)
            model.fit_info_ = info.facts
            return self
        if needed > n_bytes:
            raise ValueError(
                f"{type(model).__name__} is fitted on the codes of all rows, which "
                f"need {words(needed)} with what is made of them, and memory is "
                f"{words(n_bytes)}: {why_not}; give more memory, use fewer rows or "
                "columns, or grow a single tree, which reads rows as a stream"
            )
        with info.phase("encode"):
            table, y, weights = _read(rows, book, max_bins)
        with info.phase("fit"):
            model.fit(table, y, sample_weight=weights)
        info.note(rows=facts.n_rows, partitions=rows.n_partitions)
        model.bins_, model.fit_info_ = bins, info.facts
        return self

    def _check_parameters_of_stream(self) -> None:
        """Refuse wrong parameters before a big file is read."""


def _n_bytes(book: Codebook, n_rows: int) -> int:
    layout = book.layout()
    return n_rows * (4 * layout.n_narrow + 24 * layout.n_wide + 64)


def _numbers_of(forest: Any) -> NumberTarget | None:
    """Say which numbers a forest learns, if it does."""
    tree = forest._template()
    if not is_numeric(tree):
        return None
    return NumberTarget(chosen_of(tree), type(forest).__name__)


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
