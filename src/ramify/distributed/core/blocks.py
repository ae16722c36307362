# SPDX-License-Identifier: BSD-3-Clause
"""Rows as codes, by known codebooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.checksums import Checksums
from ramify.distributed.core.codebook import Codebook, Extent
from ramify.distributed.core.pieces import Piece, naming
from ramify.distributed.core.summaries import labels_of_piece, source_of
from ramify.estimators.validation.target import Labels
from ramify.table.columns import Column, show
from ramify.table.schema import Schema, column_names
from ramify.table.sources import Source

__all__ = ["Block", "encode"]


@dataclass
class Block:
    """Rows of a partition as codes.

    Attributes
    ----------
    byte_codes : ndarray of uint8, (n_rows, n_byte_columns)
        Codes of the columns that have at most 255, and missing.
    int_codes : ndarray of uint32, (n_rows, n_int_columns)
        Codes of the others.
    labels : ndarray of unsigned or float64, (n_rows, n_outputs)
        Codes of the labels, or numbers.
    weight : ndarray of float64 or None
        Of each row, above zero.
    nodes : ndarray of int32 or None
        The node that each row has reached: a short cut, from which any later node is
        found, and which does not travel.
    first_row : int
        The number of the first row among all rows.
    rows : ndarray of uint64 or None
        The numbers of the rows, if they do not follow one another.
    nodes_of : dict
        As `nodes`, by tree of a forest.
    boosted : BoostCache or None
        Short cuts of gradient boosting, likewise.
    loss : ndarray of float64 or None
        Where weights change from tree to tree: what each row adds to the loss.
    answer : object
        What was found out when this block was made of another.
    """

    byte_codes: NDArray[np.uint8]
    int_codes: NDArray[np.uint32]
    labels: NDArray[Any]
    weight: NDArray[np.float64] | None = None
    nodes: NDArray[np.int32] | None = field(default=None, repr=False)
    is_checked: bool = field(default=False, repr=False)
    first_row: int = 0
    rows: NDArray[np.uint64] | None = None
    nodes_of: dict[int, NDArray[np.int32]] = field(default_factory=dict, repr=False)
    boosted: Any = field(default=None, repr=False)
    loss: NDArray[np.float64] | None = field(default=None, repr=False)
    answer: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.byte_codes)

    def __getstate__(self) -> dict[str, Any]:
        left: dict[str, Any] = {"nodes": None, "is_checked": False, "nodes_of": {}}
        return {**self.__dict__, **left, "boosted": None}

    @property
    def row_numbers(self) -> NDArray[np.uint64]:
        """The numbers of the rows among all rows."""
        if self.rows is not None:
            return self.rows
        return np.arange(self.first_row, self.first_row + len(self), dtype=np.uint64)

    @property
    def n_bytes(self) -> int:
        """What it takes."""
        arrays = (self.byte_codes, self.int_codes, self.labels, self.weight, self.rows)
        return sum(0 if array is None else array.nbytes for array in arrays)

    def some(self, rows: NDArray[Any], keeps_rows: bool = False) -> Block:
        """Return some rows, which keep their numbers on request."""
        return Block(
            self.byte_codes[rows],
            self.int_codes[rows],
            self.labels[rows],
            None if self.weight is None else self.weight[rows],
            rows=self.row_numbers[rows] if keeps_rows else None,
        )

    @staticmethod
    def joined(blocks: list[Block]) -> Block:
        """Put blocks one behind the other."""
        weights = [block.weight for block in blocks if block.weight is not None]
        return Block(
            np.concatenate([block.byte_codes for block in blocks]),
            np.concatenate([block.int_codes for block in blocks]),
            np.concatenate([block.labels for block in blocks]),
            np.concatenate(weights) if weights else None,
        )


def encode(piece: Piece, book: Codebook) -> tuple[Block, Extent]:
    """Encode a piece; rows without weight are left out."""
    layout = book.layout()
    n_rows = len(piece)
    extent = Extent.empty(book)
    byte_codes = np.empty((n_rows, layout.n_byte_columns), np.uint8)
    int_codes = np.empty((n_rows, layout.n_int_columns), np.uint32)
    labels: NDArray[Any]
    if n_rows == 0:
        labels = np.empty((0, len(book.n_classes)), book.label_type)
        return Block(
            byte_codes, int_codes, labels, np.empty(0) if book.is_weighted else None
        ), extent
    with naming(piece):
        source = source_of(piece)
        _check_columns(source, book.schema)
        place = layout.place
        for j, column in enumerate(source.columns):
            codes: NDArray[Any] = (
                byte_codes if layout.n_codes[j] < 256 else int_codes
            )[:, place[j]]
            if book.bins[j] is None:
                _encode_categories(j, column, book, codes, extent, source.label(j))
            else:
                _encode_numbers(j, column, book, codes, extent, source.label(j))
        labels = np.zeros((n_rows, 1), np.uint32)
        target: Labels | NDArray[np.float64] | None = None
        if book.numbers is not None:
            labels = target = book.numbers.read(piece)
        elif book.classes:
            target = labels_of_piece(piece)
            labels = _codes_of_labels(target, book)
        is_category = [bins is None for bins in book.bins]
        extent.checksums = Checksums.from_piece(
            piece, source.columns, is_category, target
        )
        weight = _weights(piece, book, labels) if book.is_weighted else None
    extent.n_rows = extent.n_used = n_rows
    labels = np.ascontiguousarray(labels, book.label_type)
    block = Block(byte_codes, int_codes, labels, weight, first_row=piece.first_row)
    if weight is not None:
        used = weight > 0
        if not used.all():
            block = block.some(np.flatnonzero(used), book.keeps_rows)
        extent.n_used = len(block)
        extent.weights.add(block.weight)  # type: ignore[arg-type]
    _note_categories(book, layout, block, extent)
    return block, extent


def _check_columns(source: Source, schema: Schema) -> None:
    """Refuse other columns than those that were first read, or another order."""
    names = column_names(source.names, len(source.columns))
    if names == schema.names:
        return
    odd = [name for name in names if name not in schema.names]
    gone = [name for name in schema.names if name not in names]
    if odd:
        what = f"column {odd[0]!r} was not there when the data were first read"
    elif gone:
        what = f"column {gone[0]!r}, which the data had when first read, is not there"
    else:
        what = "the columns are in another order than when the data were first read"
    raise ValueError(
        f"{what}; the data changed, and rows are read twice. Give the same columns "
        "each time"
    )


def _note_categories(
    book: Codebook, layout: _core.Layout, block: Block, extent: Extent
) -> None:
    """Note which categories occur among the rows that have a weight."""
    for j, bins in enumerate(book.bins):
        if bins is not None:
            continue
        n = layout.n_codes[j]
        codes = (block.byte_codes if n < 256 else block.int_codes)[:, layout.place[j]]
        extent.seen[j] |= np.bincount(codes, minlength=n + 1)[:n] > 0


def _encode_categories(
    j: int,
    column: Column,
    book: Codebook,
    codes: NDArray[Any],
    extent: Extent,
    label: str,
) -> None:
    coded = column.coded()
    known = book.schema.columns[j].codes
    new = [category for category in coded.categories if category not in known]
    if new:
        raise ValueError(
            f"{label} has the category {show(new[0])}, which was not there when all "
            "categories were looked at; the data changed while they were read"
        )
    missing = len(known)
    lookup = np.array([*map(known.__getitem__, coded.categories), missing], np.uint32)
    codes[:] = lookup[coded.codes]
    extent.has_missing[j] = bool((codes == missing).any())


def _encode_numbers(
    j: int,
    column: Column,
    book: Codebook,
    codes: NDArray[np.uint8],
    extent: Extent,
    label: str,
) -> None:
    values, bins = column.numbers(), book.bins[j]
    assert bins is not None
    if len(bins) == 0:  # no partition has a value
        codes[:] = 0
        extent.has_missing[j] = True
        return
    n_missing, row = _core.encode_numbers(
        values, bins, codes, extent.low[j], extent.high[j]
    )
    if row >= 0:
        raise ValueError(
            f"Input X contains infinity: {label} is {values[row]} in row {row}; use "
            "NaN for a missing value, or a large finite number"
        )
    extent.has_missing[j] = n_missing > 0


def _codes_of_labels(labels: Labels, book: Codebook) -> NDArray[np.uint32]:
    columns = []
    for o, (own, known) in enumerate(zip(labels.classes, book.classes, strict=True)):
        every = set(known.tolist())
        new = [label for label in own.tolist() if label not in every]
        if new:  # maybe of another type
            raise ValueError(
                f"the label {show(new[0])} was not there when all "
                "labels were looked at; the data changed while they were read"
            )
        place = np.searchsorted(known, own).astype(np.uint32)
        columns.append(place[labels.codes[:, o]])
    return np.column_stack(columns)


def _weights(piece: Piece, book: Codebook, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weights of the rows, of their classes and of what errors cost."""
    weight = None
    if piece.weight is not None:
        weight = _own_weights(piece.weight, len(piece))
    if book.by_class is not None:
        every = [own[labels[:, o]] for o, own in enumerate(book.by_class)]
        by_class = np.prod(np.array(every), axis=0)
        weight = by_class if weight is None else weight * by_class
    if book.cost_weight is not None:
        cost_weight = book.cost_weight[labels[:, 0]]
        weight = cost_weight if weight is None else weight * cost_weight
    return np.ones(len(piece)) if weight is None else weight


def _own_weights(given: Any, n_rows: int) -> NDArray[np.float64]:
    weight = np.asarray(given)
    if weight.dtype.kind not in "fiub":
        raise ValueError(f"weights must be numbers, not {weight.dtype}")
    weight = weight.astype(np.float64)
    if weight.shape != (n_rows,):
        raise ValueError(f"the rows are {n_rows}, the weights {weight.shape}")
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"the weight of row {row} is {weight[row]}; weights must be finite and "
            "not negative"
        )
    return weight
