# SPDX-License-Identifier: BSD-3-Clause
"""Requests for sums, and how blocks answer: they route rows, and count them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.blocks import Block
from ramify.distributed.core.codebook import WeightSummary
from ramify.distributed.core.sampling import Draw

__all__ = ["Request", "count", "count_all", "rows_of", "sampled", "weigh"]


@dataclass(frozen=True)
class Request:
    """Which sums are wanted; plain values, so that it travels.

    Attributes
    ----------
    number : int
        Of the pass over the rows, from 0.
    n_codes, n_classes, is_weighted, counts_classes
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
    question : RegressionRequest or None
        What is requested of the numbers of the slots, instead of sums.
    draw : Draw or None
        The tree of a forest, and how often it sees each row.
    trials : ndarray of int32, (n_slots, 3), or None
        Cuts, as node, column and highest code on the left: instead of nodes, what is on
        the left of each is counted.
    points : ndarray of float64 or None
        Where each code of each column lies for each class, by slot: what is requested
        are sums of points, not counts. They are exact in any order.
    columns : tuple of int
        From which column to which points are summed by its codes.
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
    regression_request: _core.RegressionRequest | None = None
    draw: Draw | None = None
    counts_classes: bool = False
    trials: NDArray[np.int32] | None = None
    points: NDArray[np.float64] | None = None
    columns: tuple[int, int] = (0, 0)

    def layout(self) -> _core.Layout:
        """How codes and sums lie."""
        return _core.Layout(
            self.n_codes,
            self.n_classes,
            self.is_weighted,
            self.n_stats,
            self.counts_classes,
        )

    @property
    def is_of_nodes(self) -> bool:
        """Whether it is the first question about some nodes: for their sums by code."""
        return (
            self.regression_request is None
            and self.trials is None
            and self.points is None
        )

    @property
    def size(self) -> int:
        """How many numbers the answer has."""
        if self.regression_request is not None:
            return self.regression_request.n_slots * self.regression_request.width
        if self.points is not None:
            n_cells = sum(n + 1 for n in self.n_codes[slice(*self.columns)])
            return self.n_slots * n_cells * self.n_classes[0] * len(self.n_codes)
        return int(self.layout().slot_size) * self.n_slots

    def zeros(self) -> NDArray[Any]:
        """Return an empty answer."""
        if (
            self.regression_request is not None
            and self.regression_request.is_of_largest
        ):
            return np.full(self.size, -np.inf)
        return np.zeros(self.size, self.dtype)

    def looks(self) -> list[tuple[_core.Ways, NDArray[np.int32]]]:
        """Return ways to route rows, and the slots of nodes, by which all is counted.

        A row is in one node, but may be on the left of many cuts. So cuts are tried in
        turn, one of each node: as if the node were split there.
        """
        layout = self.layout()
        if self.trials is None:
            return [(_core.Ways(layout, *self.ways), self.slots)]
        found = []
        nodes = self.trials[:, 0]
        order = np.argsort(nodes, kind="stable")
        first = np.searchsorted(nodes[order], nodes)
        turn = np.empty(len(nodes), np.int64)
        turn[order] = np.arange(len(nodes))
        turn -= first
        for now in range(int(turn.max()) + 1):
            slots = np.flatnonzero(turn == now)
            node, column, code = self.trials[slots].T
            n, n_new = len(self.slots), 2 * len(slots)
            ways = [np.r_[each, np.zeros(n_new, each.dtype)] for each in self.ways[:5]]
            ways[0][n:] = -1
            new = (column, n + np.arange(0, n_new, 2), code, 0, -1)
            for each, value in zip(ways, new, strict=True):
                each[node] = value
            of_node = np.full(n + n_new, -1, np.int32)
            of_node[n::2] = slots
            every = (*ways, self.ways[5])
            found.append((_core.Ways(layout, *every), of_node))
        return found

    def join(self, one: NDArray[Any], other: NDArray[Any]) -> None:
        """Put the answer of other rows to the first."""
        if (
            self.regression_request is not None
            and self.regression_request.is_of_largest
        ):
            np.maximum(one, other, out=one)
        else:
            one += other


def sampled(block: Block, draw: Draw | None) -> Block:
    """Get a block as a tree of a forest sees it: rows that it lacks are in no node."""
    if draw is None:
        return block
    nodes = block.nodes_of.get(draw.tree)
    if nodes is None:
        nodes = np.zeros(len(block), np.int32)
    weight = block.weight
    if draw.rate is not None:
        times = draw.times(block.row_numbers)
        nodes[times == 0] = -1
        weight = times if weight is None else times * weight
    return Block(
        block.byte_codes, block.int_codes, block.labels, weight, nodes, block.is_checked
    )


def _keep(block: Block, draw: Draw | None, nodes: NDArray[np.int32]) -> None:
    """Keep the nodes of rows as a short cut."""
    if draw is None:
        block.nodes = nodes
        return
    for tree in [tree for tree in block.nodes_of if tree < draw.oldest]:
        del block.nodes_of[tree]  # it is grown
    block.nodes_of[draw.tree] = nodes


def count(
    blocks: list[Block], request: Request, sums: NDArray[Any] | None = None
) -> Any:
    """Bring the nodes of rows up to date, and add what they answer to the sums."""
    return count_all(blocks, [request], None if sums is None else [sums])[0]


def count_all(
    blocks: list[Block],
    all_requests: list[Request],
    sums: list[NDArray[Any]] | None = None,
) -> list[NDArray[Any]]:
    """Answer the requests of several trees in one pass over the rows."""
    layouts = [request.layout() for request in all_requests]
    looks = [request.looks() for request in all_requests]
    answers = [request.zeros() for request in all_requests] if sums is None else sums
    for block in blocks:
        for request, layout, own, answer in zip(
            all_requests, layouts, looks, answers, strict=True
        ):
            _check(block, layout)
            view = sampled(block, request.draw)
            nodes = view.nodes
            if nodes is None:
                nodes = np.zeros(len(block), np.int32)
            rows = (
                view.byte_codes,
                view.int_codes,
                view.labels,
                view.weight,
                request.unit,
            )
            if request.trials is not None:
                way = _core.Ways(layout, *request.ways)
                _core.route_block(layout, way, view.byte_codes, view.int_codes, nodes)
            for way, slots in own:
                at = nodes if request.trials is None else nodes.copy()
                routed = _core.RoutedBlock(layout, way, *rows, at, slots)
                if request.regression_request is not None:
                    routed.respond(request.regression_request, answer)
                elif request.points is not None:
                    routed.add_points(request.points, *request.columns, answer)
                else:
                    routed.count(answer, request.scales)
            _keep(block, request.draw, nodes)
    return answers


def weigh(blocks: list[Block], draws: list[Draw]) -> list[WeightSummary]:
    """Return what the rows weigh that the trees of a forest see."""
    found = [WeightSummary() for _ in draws]
    for block in blocks:
        for summary, draw in zip(found, draws, strict=True):
            weight = sampled(block, draw).weight
            assert weight is not None
            summary.add(weight[weight > 0])
    return found


def _check(block: Block, layout: _core.Layout) -> None:
    """Look once at codes that may have travelled: a wrong one would count elsewhere."""
    if not block.is_checked:
        weight = block.weight
        if weight is None and layout.is_weighted:  # by how often rows are sampled
            weight = np.ones(len(block))
        _core.check_block(
            layout, block.byte_codes, block.int_codes, block.labels, weight
        )
        block.is_checked = True


def rows_of(
    blocks: list[Block], request: Request, nodes: NDArray[np.int32]
) -> dict[int, list[Block]]:
    """Return the rows of some nodes, block by block."""
    found: dict[int, list[Block]] = {int(node): [] for node in nodes}
    layout = request.layout()
    ways = _core.Ways(layout, *request.ways)
    wanted = np.zeros(len(request.slots), bool)
    wanted[nodes] = True
    for block in blocks:
        _check(block, layout)
        view = sampled(block, request.draw)
        at = view.nodes
        if at is None:
            at = np.zeros(len(block), np.int32)
        _core.route_block(layout, ways, block.byte_codes, block.int_codes, at)
        _keep(block, request.draw, at)
        rows = np.flatnonzero(wanted[at] & (at >= 0))
        if len(rows) == 0:
            continue
        rows = rows[np.argsort(at[rows], kind="stable")]
        own, begin = np.unique(at[rows], return_index=True)
        for node, some in zip(own, np.split(rows, begin[1:]), strict=True):
            found[int(node)].append(view.some(some))
    return found
