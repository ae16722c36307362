# SPDX-License-Identifier: BSD-3-Clause
"""How good each subtree of a sequence is on rows that it has not seen.

Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, chapters
3 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.pruning.nodes import Floats, Nodes, Rows
from ramify.pruning.sequence import Sequence

__all__ = ["Losses", "betas", "choose", "deal", "draw_share", "losses"]

_MAX_VALUES = 2**14  # of a node at once, where rows go down several branches


@dataclass
class Losses:
    """Sums over held-out rows, for each subtree: weight, loss and its square."""

    weight: float
    first: Floats
    second: Floats

    def add(self, other: Losses) -> None:
        """Add those of another fold."""
        self.weight += other.weight
        self.first = self.first + other.first
        self.second = self.second + other.second

    def means(self, factor: float = 1.0) -> tuple[Floats, Floats]:
        """Return the mean loss and its standard error; `factor` makes weights rows."""
        mean = self.first / self.weight
        variance = np.maximum(self.second / self.weight - mean**2, 0)
        return mean, np.sqrt(variance / (self.weight * factor))


def betas(alphas: Floats) -> Floats:
    """Return a level between each alpha and the next: their geometric mean."""
    # By a power of two, which rounds nothing: products of large numbers overflow.
    power = int(np.frexp(alphas.max())[1])
    scaled = np.ldexp(alphas, -power)
    return np.append(np.ldexp(np.sqrt(scaled[:-1] * scaled[1:]), power), np.inf)


def choose(mean: Floats, error: Floats, se: float) -> int:
    """Return the smallest subtree that is within `se` standard errors of the best."""
    rounding = 1e-12 * mean.max()
    best = int(np.flatnonzero(mean <= mean.min() + rounding)[-1])
    limit = mean[best] + se * error[best]
    return int(np.flatnonzero(mean <= limit + rounding)[-1])


def deal(
    strata: NDArray[np.integer[Any]],
    order: NDArray[np.integer[Any]],
    n_folds: int,
    seed: int,
) -> NDArray[np.int64]:
    """Return the fold of each row, like cards: within each stratum one after the other.

    `order` sorts the rows by what they hold, so that their places do not matter.
    """
    rng = np.random.default_rng(seed)
    fold = np.empty(len(strata), dtype=np.int64)
    shuffled = rng.permutation(order)
    grouped = shuffled[np.argsort(strata[shuffled], kind="stable")]
    fold[grouped] = np.arange(len(strata)) % n_folds
    return fold


def draw_share(
    strata: NDArray[np.integer[Any]],
    order: NDArray[np.integer[Any]],
    share: float,
    seed: int,
) -> NDArray[np.bool_]:
    """Mark a share of the rows, in the same way: about as much of each stratum."""
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(order)
    grouped = shuffled[np.argsort(strata[shuffled], kind="stable")]
    up_to = np.rint(np.arange(len(strata) + 1) * share)
    marked = np.zeros(len(strata), dtype=bool)
    marked[grouped] = np.diff(up_to) > 0
    return marked


def losses(
    sequence: Sequence, nodes: Nodes, rows: Rows, loss: str, unit: float = 1.0
) -> Losses:
    """Sum the loss of rows under each subtree of a sequence.

    `nodes` are those of the sequence's tree, whose values are predicted. A row meets
    the same node in a run of subtrees, so it is walked up once. Squared errors are
    those of numbers in units of `unit`, since their squares could overflow.
    """
    tree, n_steps = sequence.tree, len(sequence)
    total = Losses(float(rows.weight.sum()), np.zeros(n_steps), np.zeros(n_steps))
    has_missing: NDArray[Any] = np.zeros(len(rows), dtype=bool)
    if tree.is_fractional:
        has_missing = np.asarray(np.isnan(rows.X).any(axis=1))
        total = _of_mixtures(sequence, nodes, rows.some(has_missing), loss, unit, total)
    known = rows if not has_missing.any() else rows.some(~has_missing)
    if len(known) == 0:
        return total
    change = np.zeros((2, n_steps + 1))
    parent = tree.parents()
    lives = sequence.first < sequence.last
    at, target, weight = tree.apply(known.X), known.target, known.weight
    while len(at):
        here = np.flatnonzero(lives[at])
        node = at[here]
        lost = _loss(nodes, nodes.tree.value[node], node, target[here], loss, unit)
        for power, values in enumerate((lost, lost**2)):
            sums = weight[here] * values
            for place, sign in ((sequence.first, 1), (sequence.last, -1)):
                change[power] += sign * np.bincount(
                    place[node], weights=sums, minlength=n_steps + 1
                )
        at = parent[at]
        up = at >= 0
        at, target, weight = at[up], target[up], weight[up]
    sums = np.cumsum(change[:, :-1], axis=1)
    total.first += sums[0]
    total.second += sums[1]
    return total


def _of_mixtures(
    sequence: Sequence,
    nodes: Nodes,
    rows: Rows,
    loss: str,
    unit: float,
    total: Losses,
) -> Losses:
    """Add rows that go down several branches: they get the average of their leaves."""
    tree = sequence.tree
    if len(rows) == 0:
        return total
    value = tree.value
    size = value.shape[1] * value.shape[2]
    parent = tree.parents()
    width = max(1, _MAX_VALUES // size)
    for begin in range(0, len(sequence), width):
        steps = np.arange(begin, min(begin + width, len(sequence)))
        at = np.repeat(np.arange(tree.node_count)[:, None], len(steps), axis=1)
        while True:  # up to the node that is the leaf in each subtree
            is_gone = sequence.last[at] <= steps
            if not is_gone.any():
                break
            at = np.where(is_gone, parent[at], at)
        stacked = np.moveaxis(value[at], 1, 2).reshape(
            tree.node_count, value.shape[1], -1
        )
        mixed = tree.average(rows.X, np.ascontiguousarray(stacked))
        mixed = mixed.reshape(len(rows), value.shape[1], len(steps), value.shape[2])
        for i, j in enumerate(steps):
            lost = _loss(nodes, mixed[:, :, i], None, rows.target, loss, unit)
            total.first[j] += (rows.weight * lost).sum()
            total.second[j] += (rows.weight * lost**2).sum()
    return total


def _loss(
    nodes: Nodes,
    value: Floats,
    node: NDArray[np.int64] | None,
    target: NDArray[Any],
    loss: str,
    unit: float,
) -> Floats:
    """Return the loss of rows for which `value` is predicted; mean over outputs."""
    if loss == "squared_error":
        return np.asarray((((target - value[:, :, 0]) / unit) ** 2).mean(axis=1))
    if loss in ("error", "cost"):
        predicted = nodes.predicted[node] if node is not None else nodes.best(value)
        if loss == "cost" and nodes.costs is not None:
            return np.asarray(nodes.costs[target, predicted].mean(axis=1))
        return np.asarray((predicted != target).mean(axis=1))
    codes = target.astype(np.int64)[:, :, None]
    own = np.take_along_axis(value, codes, axis=2)[:, :, 0]
    if loss == "log_loss":
        return np.asarray(-np.log(np.maximum(own, 1e-15)).mean(axis=1))
    return np.asarray(((value**2).sum(axis=2) - 2 * own + 1).mean(axis=1))
