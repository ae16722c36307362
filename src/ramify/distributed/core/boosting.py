# SPDX-License-Identifier: BSD-3-Clause
"""Gradient boosting by passes over rows: requests to blocks, and their responses.

A round of boosting is one pass that sums up losses and derivatives, from which follows
by what these are measured, and one pass per level, for all trees of the round at once.
What goes between are whole numbers, and sums that are never rounded. The scores of
rows, their derivatives and nodes hang on the block. They are short cuts: all of it
follows from the trees of the rounds before, which are added in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.blocks import Block
from ramify.estimators.validation.totals import totals_of

__all__ = [
    "BoostCache",
    "BoostRequest",
    "BoostResponse",
    "BoostRules",
    "Grown",
    "History",
    "TreeRequest",
    "add_block",
    "spread",
    "squeezed",
]

Ways = tuple[NDArray[np.uint32], NDArray[np.int32], NDArray[np.uint8]]
Order = tuple[NDArray[np.uint32], int, NDArray[np.int32]]
_CODES = 256  # of a column, missing values included
_LARGEST = 2**64 - 1


@dataclass(frozen=True)
class Grown:
    """A tree by codes: where rows go, and what is added to their scores."""

    ways: Ways
    values: NDArray[np.float64]


History = Sequence[list[Grown]]  # the trees of each round that is done


@dataclass(frozen=True)
class BoostRules:
    """What holds for a whole fit; plain values, so that it travels.

    Attributes
    ----------
    loss : str
        Its name.
    n_scores : int
        Scores of a row, and trees of a round.
    classes : ndarray of float64 or None
        The number of each class among those that have a weight.
    seed, subsample : int, float
        Which rows are sampled for a round.
    unit : float
        Of weights.
    has_integer_weights : bool
        Whether a weight of 2 is the row twice.
    baseline : ndarray or None
        Scores before the first round; None if they are not known yet.
    weight : float
        Of all rows.
    n_codes : tuple of int
        Of each column, without that of missing values.
    """

    loss: str
    n_scores: int
    classes: NDArray[np.float64] | None
    seed: int
    subsample: float
    unit: float = 1.0
    has_integer_weights: bool = False
    baseline: NDArray[np.float64] | None = None
    weight: float = 0.0
    n_codes: tuple[int, ...] = ()

    @property
    def cells(self) -> NDArray[np.intp]:
        """Where sums of codes are that columns can have, among 256 of each."""
        every = [
            j * _CODES + np.arange(n + 1, dtype=np.intp)
            for j, n in enumerate(self.n_codes)
        ]
        return np.concatenate(every)

    def plan(self) -> _core.BoostPlan:
        """Return what the native functions want to know."""
        plan = _core.BoostPlan()
        plan.loss, plan.n_scores = _core.Loss[self.loss], self.n_scores
        return plan

    def target(self, block: Block) -> NDArray[np.float64]:
        """Return numbers, or the numbers of classes."""
        labels = block.labels[:, 0]
        found = labels if self.classes is None else self.classes[labels]
        return np.ascontiguousarray(found, np.float64)

    def draw(self, number: int, min_draw: int) -> _core.RowDraw | None:
        """Return which rows the trees of a round see; None if all."""
        if self.subsample >= 1:
            return None
        draw = _core.RowDraw(self.seed, number, self.subsample)
        draw.take_one(min_draw)
        return draw


@dataclass(frozen=True)
class TreeRequest:
    """Which sums a tree wants: of the nodes that have a slot."""

    ways: Ways
    slots: NDArray[np.int32]
    n_slots: int
    needs_counts: bool = False


@dataclass(frozen=True)
class BoostRequest:
    """What a pass needs to know of rows; plain values, so that it can be sent.

    Attributes
    ----------
    rules : BoostRules
        What holds for the whole fit.
    round : int
        The trees of all rounds before are in the scores.
    min_draw : int
        The smallest number of a row in the draw of the requested trees.
    scales : ndarray of shape (n_scores, 2) or None
        By what derivatives are measured. None requests sums of losses and derivatives,
        and for the rows of the leaves of the round before.
    trees : list of TreeRequest
        The requests of the trees of this round.
    is_first : bool
        Whether first scores are still to be found.
    """

    rules: BoostRules
    round: int = 0
    min_draw: int = _LARGEST
    scales: NDArray[np.float64] | None = None
    trees: list[TreeRequest] = field(default_factory=list)
    is_first: bool = False

    @property
    def is_of_roots(self) -> bool:
        """Whether trees have not begun to grow."""
        return all(len(tree.slots) == 1 for tree in self.trees)

    @property
    def needs_labels(self) -> bool:
        """Whether what is learnt is looked at, where nothing was lost."""
        return self.scales is None or self.is_of_roots

    def add(
        self, block: Block, cache: BoostCache, history: History, total: BoostResponse
    ) -> None:
        """Add what a block contributes."""
        total.rewind()
        if len(block) == 0:
            return
        if self.is_first:
            _look(block, self.rules, total)
        elif self.scales is None:
            _slopes(block, cache, self, history, total)
        else:
            _count(block, cache, self, history, total)


class BoostResponse:
    """Sums over rows, in the order in which they are made; `join` adds those of others.

    Attributes
    ----------
    sums : list of ndarray
        The sums; none if there were no rows.
    min_draw : int
        The smallest number of a row in the next draw.
    """

    def __init__(self) -> None:
        self.sums: list[NDArray[Any]] = []
        self.min_draw = _LARGEST
        self._next = 0

    def rewind(self) -> None:
        """Go on with the first sum."""
        self._next = 0

    def sum(self, n: int, dtype: Any) -> NDArray[Any]:
        """Return the next sum, to be added to."""
        if self._next == len(self.sums):
            self.sums.append(np.zeros(n, dtype))
        self._next += 1
        return self.sums[self._next - 1]

    def join(self, other: BoostResponse) -> None:
        """Put the answer of other rows to this."""
        if not self.sums:
            self.sums = [own.copy() for own in other.sums]
        elif other.sums:
            for one, two in zip(self.sums, other.sums, strict=True):
                one += two
        self.min_draw = min(self.min_draw, other.min_draw)


def squeezed(answer: BoostResponse, request: BoostRequest) -> BoostResponse:
    """Leave out sums of codes that a column cannot have: they need not travel."""
    if request.scales is not None:
        cells, n = request.rules.cells, len(request.rules.n_codes) * _CODES
        for i, own in enumerate(answer.sums):
            if i % 4 < 2:  # sums and counts by code; then rows and weights
                answer.sums[i] = own.reshape(-1, n)[:, cells].ravel()
    return answer


def spread(answer: BoostResponse, request: BoostRequest) -> BoostResponse:
    """Put sums that have travelled back into their places."""
    if request.scales is not None:
        cells, n = request.rules.cells, len(request.rules.n_codes) * _CODES
        for i, own in enumerate(answer.sums):
            if i % 4 < 2:
                every = np.zeros((len(own) // len(cells), n), own.dtype)
                every[:, cells] = own.reshape(-1, len(cells))
                answer.sums[i] = every.ravel()
    return answer


def add_block(
    block: Block, request: BoostRequest, history: History, total: BoostResponse
) -> None:
    """Add what a block contributes whose short cuts hang on it."""
    if block.boosted is None or block.boosted.shape[0] != request.rules.n_scores:
        block.boosted = BoostCache(len(block), request.rules.n_scores)
    request.add(block, block.boosted, history, total)


class BoostCache:
    """Short cuts of a block: scores, pairs of derivatives and order of its rows.

    Attributes
    ----------
    round : int
        Scores have the trees of all rounds before; -1 if there are none.
    paired, placed : int
        The round of which the pairs and the order are.
    n_sampled : int
        How many rows its trees are grown on.
    n_left : list of ndarray of int32
        By tree and node, how many rows go left; -1 if that is not known yet.
    """

    KINDS: ClassVar[dict[str, Any]] = {
        "scores": np.float64,
        "pairs": np.int64,
        "order": np.uint32,
    }

    def __init__(self, n_rows: int, n_scores: int) -> None:
        self.shape = n_scores, n_rows
        self.round = self.paired = self.placed = -1
        self.n_sampled, self.n_left = n_rows, list[NDArray[np.int32]]()
        self._arrays: dict[str, NDArray[Any]] = {}

    def read(self, name: str) -> NDArray[Any]:
        """Return what there is of a kind: of each score, of each row."""
        return self._arrays[name]

    def changed(self, name: str) -> NDArray[Any]:
        """Return what there is of a kind, to be changed."""
        return self._arrays[name]

    def orders(self, ways: list[Ways]) -> list[Order]:
        """Return the rows in the order of the nodes of trees, to be partitioned."""
        for k, tree in enumerate(ways):
            n_more = len(tree[0]) - len(self.n_left[k])
            self.n_left[k] = np.pad(self.n_left[k], (0, n_more), constant_values=-1)
        rows = self.changed("order")
        return [(own, self.n_sampled, self.n_left[k]) for k, own in enumerate(rows)]

    def fresh(self, name: str) -> NDArray[Any]:
        """Return memory for what is computed anew."""
        if name not in self._arrays:
            self._arrays[name] = np.empty(self.shape, self.KINDS[name])
        return self._arrays[name]


def _bring_up(
    block: Block, cache: BoostCache, rules: BoostRules, number: int, history: History
) -> None:
    """Let the scores have the trees of all rounds before a round."""
    if cache.round < 0 or cache.round > number:
        assert rules.baseline is not None
        cache.fresh("scores")[:] = rules.baseline[:, None]
        cache.round, cache.paired, cache.placed = 0, -1, -1
    while cache.round < number:
        every = zip(cache.changed("scores"), history[cache.round], strict=True)
        rows = np.arange(len(block), dtype=np.uint32)
        for scores, tree in every:
            n_left = np.full(len(tree.values), -1, np.int32)
            order = rows, 0, n_left  # as those that no tree is grown on
            _core.add_boosted(block.byte_codes, tree.ways, order, tree.values, scores)
        cache.round += 1


def _place(
    block: Block, cache: BoostCache, rules: BoostRules, number: int, min_draw: int
) -> None:
    """Let the rows begin at the roots of the trees of a round; sampled ones first."""
    if cache.placed == number:
        return
    rows = cache.fresh("order")
    draw = rules.draw(number, min_draw)
    cache.n_sampled = len(block)
    if draw is None:
        rows[:] = np.arange(len(block), dtype=np.uint32)
    else:
        cache.n_sampled = draw.start(block.row_numbers, rows[0])
        rows[1:] = rows[0]
    cache.n_left = [np.full(1, -1, np.int32) for _ in rows]
    cache.placed = number


def _look(block: Block, rules: BoostRules, total: BoostResponse) -> None:
    """Sum up what first scores follow from, and say which codes occur."""
    target = rules.target(block)
    for own in totals_of(rules.loss, target, block.weight, rules.n_scores):
        sum_ = total.sum(len(own.digits), np.int64)
        sum_ += own.digits
    for j in range(block.byte_codes.shape[1]):
        occurs = total.sum(_CODES, np.int64)
        occurs += np.bincount(block.byte_codes[:, j], minlength=_CODES)


def _slopes(
    block: Block,
    cache: BoostCache,
    request: BoostRequest,
    history: History,
    total: BoostResponse,
) -> None:
    """Add the trees of the last round; sum up losses and derivatives."""
    rules = request.rules
    if request.round > 0:
        last = request.round - 1
        if cache.round != request.round or cache.placed != last:
            _bring_up(block, cache, rules, last, history)
        _place(block, cache, rules, last, request.min_draw)
        orders = cache.orders([tree.ways for tree in history[last]])
        for order, tree in zip(orders, history[last], strict=True):
            slots = np.full(len(tree.values), -1, np.int32)
            _add(block, rules, TreeRequest(tree.ways, slots, 0), order, None, total)
        if cache.round == last:
            scores = cache.changed("scores")
            for own, order, tree in zip(scores, orders, history[last], strict=True):
                _core.add_boosted(block.byte_codes, tree.ways, order, tree.values, own)
            cache.round = request.round
    else:
        _bring_up(block, cache, rules, 0, history)
    n_digits = (2 * rules.n_scores + 1) * _core.n_total_digits()
    digits = total.sum(n_digits, np.int64)
    every_score = cache.read("scores").ravel()
    target = rules.target(block)
    _core.sum_slopes(rules.plan(), target, block.weight, every_score, digits)
    if rules.subsample < 1:
        draw = _core.RowDraw(rules.seed, request.round, rules.subsample)
        total.min_draw = min(total.min_draw, draw.min(block.row_numbers))


def _count(
    block: Block,
    cache: BoostCache,
    request: BoostRequest,
    history: History,
    total: BoostResponse,
) -> None:
    """Send rows down the trees of the round, and sum up their derivatives by code."""
    rules, scales = request.rules, request.scales
    assert scales is not None
    if cache.round != request.round:
        _bring_up(block, cache, rules, request.round, history)
    if cache.paired != request.round:
        _core.write_pairs(
            rules.plan(),
            rules.target(block),
            block.weight,
            rules.has_integer_weights,
            cache.read("scores").ravel(),
            scales,
            cache.fresh("pairs").ravel(),
        )
        cache.paired = request.round
    _place(block, cache, rules, request.round, request.min_draw)
    orders = cache.orders([tree.ways for tree in request.trees])
    for tree, order, pairs in zip(
        request.trees, orders, cache.read("pairs"), strict=True
    ):
        if tree.n_slots:
            _add(block, rules, tree, order, pairs, total)


def _add(
    block: Block,
    rules: BoostRules,
    tree: TreeRequest,
    order: Order,
    pairs: NDArray[np.int64] | None,
    total: BoostResponse,
) -> None:
    """Add to sums of pairs and counts by slot, and to rows and weights of nodes."""
    size = tree.n_slots * block.byte_codes.shape[1] * _CODES
    sums = total.sum(size, np.int64)
    counts = total.sum(size if tree.needs_counts else 0, np.uint32)
    n_rows = total.sum(len(tree.slots), np.int64)
    weights = total.sum(0 if block.weight is None else len(tree.slots), np.float64)
    _core.count_boosted(
        block.byte_codes,
        tree.ways,
        order,
        tree.slots,
        tree.n_slots,
        pairs,
        sums,
        counts if tree.needs_counts else None,
        n_rows,
        block.weight,
        rules.unit,
        None if block.weight is None else weights,
    )
