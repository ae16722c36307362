# SPDX-License-Identifier: BSD-3-Clause
"""Rows as codes: encode them by known codebooks, route them, count them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.partitioned.facts import NumberTarget, labels_of_piece, source_of
from ramify.partitioned.pieces import Piece, naming
from ramify.table.columns import Column, show
from ramify.table.schema import Schema

__all__ = [
    "Ask",
    "Block",
    "Codebook",
    "Extent",
    "WeightFacts",
    "count",
    "encode",
    "rows_of",
]


@dataclass(frozen=True)
class Codebook:
    """All that is needed to encode a partition; plain values, so that it travels.

    Attributes
    ----------
    schema : Schema
        Columns, and the categories of all partitions.
    bins : list of ndarray or None
        The lowest value of each bin, by column; None of categories.
    classes : list of ndarray
        The labels of each output.
    by_class : list of ndarray or None
        By what the weight of a row is multiplied, by output and class.
    dear : ndarray or None
        By what besides, by class: what errors cost.
    is_weighted : bool
        Whether rows have weights, of their own or of their class.
    numbers : NumberTarget or None
        Numbers that are learnt, instead of labels.
    """

    schema: Schema
    bins: list[NDArray[np.float64] | None]
    classes: list[NDArray[Any]]
    by_class: list[NDArray[np.float64]] | None = None
    dear: NDArray[np.float64] | None = None
    is_weighted: bool = False
    numbers: NumberTarget | None = None

    @property
    def n_codes(self) -> list[int]:
        """Number of codes of each column, without that of missing values."""
        return [
            len(info.categories) if bins is None else len(bins)
            for info, bins in zip(self.schema.columns, self.bins, strict=True)
        ]

    @property
    def n_classes(self) -> list[int]:
        """Number of classes of each output; of numbers one."""
        if self.numbers is not None:
            return [1] * self.numbers.n_outputs
        return [len(classes) for classes in self.classes]

    @property
    def n_stats(self) -> int:
        """Number of sums of each output of numbers."""
        return 0 if self.numbers is None else self.numbers.n_stats

    @property
    def label_type(self) -> Any:
        """The type of numbers, or the smallest that holds the codes of labels."""
        if self.numbers is not None:
            return np.float64
        most = max(self.n_classes, default=1)
        return np.uint8 if most <= 2**8 else np.uint16 if most <= 2**16 else np.uint32

    def layout(self) -> _core.Layout:
        """Say how codes and sums lie."""
        classes = self.n_classes or [1]  # none: labels are not looked at
        return _core.Layout(self.n_codes, classes, self.is_weighted, self.n_stats)


@dataclass
class WeightFacts:
    """What has to be known of all weights to count them exactly."""

    n: int = 0
    total: float = 0.0
    largest: float = 0.0
    smallest: float = np.inf
    is_whole: bool = True

    def add(self, weight: NDArray[np.float64]) -> None:
        """Look at weights above zero."""
        if len(weight) == 0:
            return
        other = WeightFacts(
            len(weight),
            float(weight.sum()),
            float(weight.max()),
            float(weight.min()),
            bool((weight == np.trunc(weight)).all()),
        )
        self.merge(other)

    def merge(self, other: WeightFacts) -> None:
        """Put the weights of other rows to these."""
        self.n += other.n
        self.total += other.total
        self.largest = max(self.largest, other.largest)
        self.smallest = min(self.smallest, other.smallest)
        self.is_whole = self.is_whole and other.is_whole

    @property
    def unit(self) -> float:
        """Of which all weights are taken as whole multiples."""
        if self.is_whole and self.total <= 2.0**53:
            return 1.0
        return _core.exact_unit(self.largest, self.n)


@dataclass
class Extent:
    """What the codes of some rows stand for; `merge` puts others to it.

    Attributes
    ----------
    n_rows, n_used : int
        All rows, and those that have a weight.
    low, high : list of ndarray
        The least and the largest value of each bin, by column.
    has_missing : ndarray of bool
        Whether a column has gaps.
    seen : list of ndarray of bool
        Which categories rows with a weight have, by column; empty for numbers.
    weights : WeightFacts
        Of the rows that have one.
    """

    n_rows: int
    n_used: int
    low: list[NDArray[np.float64]]
    high: list[NDArray[np.float64]]
    has_missing: NDArray[np.bool_]
    seen: list[NDArray[np.bool_]]
    weights: WeightFacts

    @classmethod
    def empty(cls, book: Codebook) -> Extent:
        """Give that of no rows."""
        sizes = [0 if bins is None else len(bins) for bins in book.bins]
        return cls(
            0,
            0,
            [np.full(n, np.inf) for n in sizes],
            [np.full(n, -np.inf) for n in sizes],
            np.zeros(len(sizes), bool),
            [np.zeros(len(c.categories), bool) for c in book.schema.columns],
            WeightFacts(),
        )

    def merge(self, other: Extent) -> None:
        """Put what other rows have to this."""
        self.n_rows += other.n_rows
        self.n_used += other.n_used
        for j in range(len(self.low)):
            np.minimum(self.low[j], other.low[j], out=self.low[j])
            np.maximum(self.high[j], other.high[j], out=self.high[j])
            self.seen[j] |= other.seen[j]
        self.has_missing |= other.has_missing
        self.weights.merge(other.weights)

    def codebooks(self, book: Codebook) -> _core.Table:
        """Give the engine what the codes stand for."""
        low, high = [], []
        for j, bins in enumerate(book.bins):
            lowest = np.empty(0) if bins is None else bins
            low.append(np.where(np.isinf(self.low[j]), lowest, self.low[j]))
            high.append(np.where(np.isinf(self.high[j]), lowest, self.high[j]))
        n_categories = [
            len(info.categories) if info.is_categorical else -1
            for info in book.schema.columns
        ]
        return _core.codebooks(low, high, n_categories, self.has_missing.tolist())


@dataclass
class Block:
    """Rows of a partition as codes.

    Attributes
    ----------
    narrow : ndarray of uint8, (n_rows, n_narrow)
        Codes of the columns that have at most 255, and missing.
    wide : ndarray of uint32, (n_rows, n_wide)
        Codes of the others.
    labels : ndarray of unsigned or float64, (n_rows, n_outputs)
        Codes of the labels, or numbers.
    weight : ndarray of float64 or None
        Of each row, above zero.
    nodes : ndarray of int32 or None
        The node that each row has reached: a short cut, from which any later node is
        found, and which does not travel.
    """

    narrow: NDArray[np.uint8]
    wide: NDArray[np.uint32]
    labels: NDArray[Any]
    weight: NDArray[np.float64] | None = None
    nodes: NDArray[np.int32] | None = field(default=None, repr=False)
    is_checked: bool = field(default=False, repr=False)

    def __len__(self) -> int:
        return len(self.narrow)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "nodes": None, "is_checked": False}

    @property
    def n_bytes(self) -> int:
        """What it takes."""
        arrays = (self.narrow, self.wide, self.labels, self.weight)
        return sum(0 if array is None else array.nbytes for array in arrays)

    def some(self, rows: NDArray[Any]) -> Block:
        """Give some rows."""
        return Block(
            self.narrow[rows],
            self.wide[rows],
            self.labels[rows],
            None if self.weight is None else self.weight[rows],
        )

    @staticmethod
    def joined(blocks: list[Block]) -> Block:
        """Put blocks one behind the other."""
        weights = [block.weight for block in blocks if block.weight is not None]
        return Block(
            np.concatenate([block.narrow for block in blocks]),
            np.concatenate([block.wide for block in blocks]),
            np.concatenate([block.labels for block in blocks]),
            np.concatenate(weights) if weights else None,
        )


def encode(piece: Piece, book: Codebook) -> tuple[Block, Extent]:
    """Encode a piece; rows without weight are left out."""
    layout = book.layout()
    n_rows = len(piece)
    extent = Extent.empty(book)
    narrow = np.empty((n_rows, layout.n_narrow), np.uint8)
    wide = np.empty((n_rows, layout.n_wide), np.uint32)
    labels: NDArray[Any]
    if n_rows == 0:
        labels = np.empty((0, len(book.n_classes)), book.label_type)
        return Block(
            narrow, wide, labels, np.empty(0) if book.is_weighted else None
        ), extent
    with naming(piece):
        source = source_of(piece)
        place = layout.place
        for j, column in enumerate(source.columns):
            codes: NDArray[Any] = (narrow if layout.n_codes[j] < 256 else wide)[
                :, place[j]
            ]
            if book.bins[j] is None:
                _encode_categories(j, column, book, codes, extent)
            else:
                _encode_numbers(j, column, book, codes, extent, source.label(j))
        labels = np.zeros((n_rows, 1), np.uint32)
        if book.numbers is not None:
            labels = book.numbers.of(piece)
        elif book.classes:
            labels = _codes_of_labels(piece, book)
        weight = _weights(piece, book, labels) if book.is_weighted else None
    extent.n_rows = extent.n_used = n_rows
    labels = np.ascontiguousarray(labels, book.label_type)
    block = Block(narrow, wide, labels, weight)
    if weight is not None:
        used = weight > 0
        if not used.all():
            block = block.some(np.flatnonzero(used))
        extent.n_used = len(block)
        extent.weights.add(block.weight)  # type: ignore[arg-type]
    _note_categories(book, layout, block, extent)
    return block, extent


def _note_categories(
    book: Codebook, layout: _core.Layout, block: Block, extent: Extent
) -> None:
    """Note which categories occur among the rows that have a weight."""
    for j, bins in enumerate(book.bins):
        if bins is not None:
            continue
        n = layout.n_codes[j]
        codes = (block.narrow if n < 256 else block.wide)[:, layout.place[j]]
        extent.seen[j] |= np.bincount(codes, minlength=n + 1)[:n] > 0


def _encode_categories(
    j: int, column: Column, book: Codebook, codes: NDArray[Any], extent: Extent
) -> None:
    coded = column.coded()
    known = book.schema.columns[j].codes
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


def _codes_of_labels(piece: Piece, book: Codebook) -> NDArray[np.uint32]:
    labels = labels_of_piece(piece)
    columns = []
    for o, (own, known) in enumerate(zip(labels.classes, book.classes, strict=True)):
        place = np.searchsorted(known, own).clip(max=len(known) - 1)
        new = known[place] != own
        if new.any():
            raise ValueError(
                f"the label {show(own[int(new.argmax())])} was not there when all "
                "labels were looked at; the data changed while they were read"
            )
        columns.append(place.astype(np.uint32)[labels.codes[:, o]])
    return np.column_stack(columns)


def _weights(
    piece: Piece, book: Codebook, labels: NDArray[np.uint32]
) -> NDArray[np.float64]:
    """Give the weights of the rows, of their classes and of what errors cost."""
    weight = None
    if piece.weight is not None:
        weight = _own_weights(piece.weight, len(piece))
    if book.by_class is not None:
        every = [own[labels[:, o]] for o, own in enumerate(book.by_class)]
        by_class = np.prod(np.array(every), axis=0)
        weight = by_class if weight is None else weight * by_class
    if book.dear is not None:
        dear = book.dear[labels[:, 0]]
        weight = dear if weight is None else weight * dear
    assert weight is not None
    return weight


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


@dataclass(frozen=True)
class Ask:
    """Which sums are wanted; plain values, so that it travels.

    Attributes
    ----------
    number : int
        Of the pass over the rows, from 0.
    n_codes, n_classes, is_weighted
        What `_core.Layout` takes.
    unit : float
        Of weights.
    ways : tuple of ndarray
        What `_core.Ways` takes: where the rows of nodes go that were split.
    slots : ndarray of int32
        The slot of every node, -1 for those that are not counted.
    n_slots : int
        How many nodes are counted.
    dtype : str
        Of the sums: "uint32" or "int64".
    n_stats : int
        Sums of each output, if numbers are learnt.
    scales : ndarray or None
        How the numbers of each slot and output are measured.
    question : NumberQuestion or None
        What is asked of the numbers of the slots, instead of sums.
    """

    number: int
    n_codes: list[int]
    n_classes: list[int]
    is_weighted: bool
    unit: float
    ways: tuple[NDArray[Any], ...]
    slots: NDArray[np.int32]
    n_slots: int
    dtype: str
    n_stats: int = 0
    scales: NDArray[np.float64] | None = None
    question: _core.NumberQuestion | None = None

    def layout(self) -> _core.Layout:
        """How codes and sums lie."""
        return _core.Layout(
            self.n_codes, self.n_classes, self.is_weighted, self.n_stats
        )

    @property
    def size(self) -> int:
        """How many numbers the answer has."""
        if self.question is not None:
            return self.question.n_slots * self.question.width
        return int(self.layout().slot_size) * self.n_slots

    def zeros(self) -> NDArray[Any]:
        """Room for the answer."""
        if self.question is not None and self.question.is_of_largest:
            return np.full(self.size, -np.inf)
        return np.zeros(self.size, self.dtype)

    def join(self, one: NDArray[Any], other: NDArray[Any]) -> None:
        """Put the answer of other rows to the first."""
        if self.question is not None and self.question.is_of_largest:
            np.maximum(one, other, out=one)
        else:
            one += other


def count(blocks: list[Block], ask: Ask, sums: NDArray[Any] | None = None) -> Any:
    """Bring the nodes of rows up to date, and add what they answer to the sums."""
    layout = ask.layout()
    ways = _core.Ways(layout, *ask.ways)
    if sums is None:
        sums = ask.zeros()
    for block in blocks:
        _check(block, layout)
        nodes = block.nodes
        if nodes is None:
            nodes = np.zeros(len(block), np.int32)
        rows = (block.narrow, block.wide, block.labels, block.weight, ask.unit)
        where = (nodes, ask.slots)
        if ask.question is not None:
            _core.answer_block(layout, ways, *rows, *where, ask.question, sums)
        else:
            _core.count_block(layout, ways, *rows, *where, sums, ask.scales)
        block.nodes = nodes
    return sums


def _check(block: Block, layout: _core.Layout) -> None:
    """Look once at codes that may have travelled: a wrong one would count elsewhere."""
    if not block.is_checked:
        _core.check_block(layout, block.narrow, block.wide, block.labels, block.weight)
        block.is_checked = True


def rows_of(
    blocks: list[Block], ask: Ask, nodes: NDArray[np.int32]
) -> dict[int, list[Block]]:
    """Give the rows of some nodes, block by block."""
    found: dict[int, list[Block]] = {int(node): [] for node in nodes}
    layout = ask.layout()
    ways = _core.Ways(layout, *ask.ways)
    wanted = np.zeros(len(ask.slots), bool)
    wanted[nodes] = True
    for block in blocks:
        _check(block, layout)
        at = block.nodes
        if at is None:
            at = np.zeros(len(block), np.int32)
        _core.route_block(layout, ways, block.narrow, block.wide, at)
        block.nodes = at
        rows = np.flatnonzero(wanted[at])
        if len(rows) == 0:
            continue
        rows = rows[np.argsort(at[rows], kind="stable")]
        own, begin = np.unique(at[rows], return_index=True)
        for node, some in zip(own, np.split(rows, begin[1:]), strict=True):
            found[int(node)].append(block.some(some))
    return found
