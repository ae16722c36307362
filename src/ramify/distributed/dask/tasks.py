# SPDX-License-Identifier: BSD-3-Clause
"""What workers do: pure functions of partitions, of blocks, and of plain values."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core import counting
from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.blocks import Block, encode
from ramify.distributed.core.boosting import (
    BoostRequest,
    BoostResponse,
    add_block,
    squeezed,
)
from ramify.distributed.core.codebook import Codebook, Extent, WeightSummary
from ramify.distributed.core.counting import Request, rows_of
from ramify.distributed.core.pieces import Piece
from ramify.distributed.core.recipe import Recipe
from ramify.distributed.core.requests import Work
from ramify.distributed.core.sampling import Draw
from ramify.distributed.core.summaries import DataSummary, RegressionTarget, look

__all__ = [
    "Seen",
    "answers",
    "bin_rows",
    "boost",
    "bundle_of",
    "bytes_of_part",
    "count",
    "count_all",
    "cut_sums",
    "each",
    "extents",
    "gather_rows",
    "grow",
    "look_at",
    "merge_answers",
    "merge_boosted",
    "merge_extents",
    "merge_largest",
    "merge_sketches",
    "merge_sums",
    "merge_weights",
    "nodes_of",
    "renew",
    "sketch",
    "weigh",
]

Part = tuple[Any, Any, Any]  # X, y and weights of a partition
Binned = tuple[Block, Extent]


@dataclass(frozen=True)
class Seen:
    """What a partition holds, and how much of it."""

    summary: DataSummary
    n_rows: int
    n_values: NDArray[np.int64]  # by column, without the missing ones
    n_bytes: int


def _piece(part: Part, number: int, first_row: int = 0) -> Piece:
    return Piece(*part, number=number, first_row=first_row)


def look_at(
    part: Part, number: int, given: tuple[Any, RegressionTarget | None]
) -> Seen:
    """Find out what a partition holds."""
    piece = _piece(part, number)
    categorical, numbers = given
    summary, columns = look(piece, categorical, regression_target=numbers)
    n_values = [0 if each is None else _n_values(each.numbers()) for each in columns]
    n_rows, n_bytes = bytes_of_part(part, number, None)
    return Seen(summary, n_rows, np.array(n_values, np.int64), n_bytes)


def bytes_of_part(part: Part, number: int, given: None) -> tuple[int, int]:
    """Count rows and bytes of a partition."""
    return len(part[0]), sum(map(_n_bytes, part))


def _n_values(values: NDArray[Any]) -> int:
    if values.dtype.kind != "f":
        return len(values)
    return int(len(values) - np.isnan(values).sum())


def _n_bytes(data: Any) -> int:
    if data is None:
        return 0
    if hasattr(data, "memory_usage"):
        used = data.memory_usage(index=False, deep=False)
        return int(used.sum() if hasattr(used, "sum") else used)
    return int(getattr(data, "nbytes", 0))


def sketch(part: Part, number: int, given: tuple[list[int], Any, Sketch]) -> Sketch:
    """Look at the values of a partition, and at its rows of least hash."""
    first_rows, categorical, empty = given
    piece = _piece(part, number, first_rows[number])
    _, numbers = look(piece, categorical, is_labelled=False)
    own = copy.deepcopy(empty)  # which others may start from, too
    if numbers:
        values = [None if each is None else each.numbers() for each in numbers]
        own.add(values, piece.first_row)
    return own


def merge_sketches(sketches: list[Sketch]) -> Sketch:
    """Put sketches together."""
    first = copy.deepcopy(sketches[0])
    for other in sketches[1:]:
        first.merge(other)
    return first


def bin_rows(part: Part, number: int, given: tuple[Codebook, list[int]]) -> Binned:
    """Encode a partition."""
    book, first_rows = given
    return encode(_piece(part, number, first_rows[number]), book)


def extents(blocks: list[Binned]) -> Extent:
    """Return what the codes of a group stand for."""
    return merge_extents([extent for _, extent in blocks])


def merge_extents(found: list[Extent]) -> Extent:
    """Put them together, in one that belongs to nobody else."""
    first = copy.deepcopy(found[0])
    for other in found[1:]:
        first.merge(other)
    return first


def count(blocks: list[Binned], request: Request) -> NDArray[Any]:
    """Count the rows of a group."""
    found: NDArray[Any] = counting.count([block for block, _ in blocks], request)
    return found


def count_all(
    blocks: list[Binned], all_requests: list[Request]
) -> tuple[Any, list[Request]]:
    """Count the rows of a group for several trees; say for which."""
    return counting.count_all(
        [block for block, _ in blocks], all_requests
    ), all_requests


def merge_answers(
    answers: list[tuple[Any, list[Request]]],
) -> tuple[Any, list[Request]]:
    """Put the answers of groups together, tree by tree."""
    first, all_requests = answers[0]
    joined = [own.copy() for own in first]
    for others, _ in answers[1:]:
        for request, one, other in zip(all_requests, joined, others, strict=True):
            request.join(one, other)
    return joined, all_requests


def boost(
    blocks: list[Binned],
    given: tuple[BoostRequest, list[Any]],
    bundles: list[list[Any]],
) -> BoostResponse:
    """Let the rows of a group answer a boosted model."""
    request, last = given
    history = [trees for bundle in (*bundles, last) for trees in bundle]
    total = BoostResponse()
    for block, _ in blocks:
        add_block(block, request, history, total)
    return squeezed(total, request)


def merge_boosted(answers: list[BoostResponse]) -> BoostResponse:
    """Put the answers of groups together, in one that belongs to nobody else."""
    total = BoostResponse()
    for answer in answers:
        total.join(answer)
    return total


def weigh(blocks: list[Binned], draws: list[Draw]) -> list[WeightSummary]:
    """Return what the rows of a group weigh that some trees see."""
    return counting.weigh([block for block, _ in blocks], draws)


def merge_weights(found: list[list[WeightSummary]]) -> list[WeightSummary]:
    """Put them together, tree by tree."""
    first = copy.deepcopy(found[0])
    for others in found[1:]:
        for one, other in zip(first, others, strict=True):
            one.merge(other)
    return first


def each(blocks: list[Binned], work: Work) -> Any:
    """Let the blocks of a group do something."""
    return work.join([work(block) for block, _ in blocks])


def renew(binned: Binned, number: int, work: Work) -> Binned:
    """Let a work make another block, which keeps the answer."""
    block, extent = copy.copy(binned[0]), binned[1]
    block.answer = work(block)
    return block, extent


def answers(blocks: list[Binned], work: Work) -> Any:
    """Put the answers of a group together."""
    return work.join([block.answer for block, _ in blocks])


def merge_sums(sums: list[NDArray[Any]]) -> NDArray[Any]:
    """Add sums up."""
    total = sums[0].copy()  # its worker may have to send it again
    for other in sums[1:]:
        total += other
    return total


def merge_largest(answers: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the largest of each."""
    largest: NDArray[Any] = np.max(answers, axis=0)
    return largest


def cut_sums(sums: NDArray[Any], begin: int, end: int) -> NDArray[Any]:
    """Return some of the sums."""
    return sums[begin:end]


def gather_rows(
    blocks: list[Binned], request: Request, bundles: list[list[int]]
) -> list[dict[int, Block]]:
    """Return the rows of nodes that are grown elsewhere, by bundles of nodes."""
    nodes = np.array([node for bundle in bundles for node in bundle], np.int32)
    found = rows_of([block for block, _ in blocks], request, nodes)
    return [
        {node: Block.joined(found[node]) for node in bundle if found[node]}
        for bundle in bundles
    ]


def bundle_of(rows: list[dict[int, Block]], number: int) -> dict[int, Block]:
    """Return the rows of one bundle."""
    return rows[number]


def nodes_of(rows: list[dict[int, Block]]) -> list[int]:
    """List the nodes that have rows."""
    return sorted({node for own in rows for node in own})


def grow(
    rows: list[dict[int, Block]],
    contexts: dict[int, _core.NodeContext],
    shared: tuple[Any, Recipe],
) -> dict[int, bytes]:
    """Grow the subtrees of a bundle of nodes."""
    _, recipe = shared
    found = {}
    for node, context in contexts.items():
        pieces = [own[node] for own in rows if node in own]
        found[node] = recipe.grow(Block.joined(pieces), context)
    return found
