# SPDX-License-Identifier: BSD-3-Clause
"""Which rows each tree of a forest sees: sampled by what they hold, not by place."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.sampling import n_draws_of, poisson_times
from ramify.estimators.validation.sample import Sample

__all__ = [
    "Draws",
    "PoissonDraws",
    "are_alike",
    "check_max_samples",
    "draws_of",
    "stream",
]

Floats = NDArray[np.float64]

# Up to this mean weight, whole weights are sampled as repeated rows, without a search.
_MAX_REPEATS = 16


def stream(seed: int, tree: int) -> np.random.Generator:
    """Return the random numbers of one tree; they depend on nothing else.

    The first of them is the seed of the tree itself.
    """
    return np.random.default_rng([seed, tree])


@dataclass(frozen=True)
class Draws:
    """The bootstrap of a forest: n draws with replacement for each tree.

    Rows stand in the order of their contents, and a row has a width by its weight. So
    the same rows are sampled whatever their order in the table, and a row of weight 2
    is sampled as often as the same row twice would be. The number of draws depends on
    the number of rows and not on the scale of the weights: else weights of 5 would
    leave next to no row out of any tree.

    Attributes
    ----------
    seed : int
        Of the forest.
    order : ndarray of uint32
        The rows, sorted by what they hold.
    n_draws : int
        The number of draws.
    owner : ndarray of uint32 or None
        With whole weights: the place in `order` of each unit of weight.
    bounds : ndarray or None
        With other weights: where each place ends on the line of weights.
    worth : float
        Weight of a row that is sampled once.
    """

    seed: int
    order: NDArray[np.uint32]
    n_draws: int
    owner: NDArray[np.uint32] | None = None
    bounds: Floats | None = None
    worth: float = 1.0

    @classmethod
    def from_sample(cls, sample: Sample, max_samples: Any, seed: int) -> Draws:
        """Prepare to draw from the rows of a sample, all of positive weight."""
        order = sample.content_order()
        n_rows = len(order)
        if sample.weight is None:
            return cls(seed, order, n_draws_of(max_samples, n_rows))
        weight = sample.weight[order]
        n_draws = n_draws_of(max_samples, n_rows)
        worth = float(weight.sum() / n_rows)
        if (weight == weight[0]).all():  # as without weights, on another scale
            return cls(seed, order, n_draws, worth=float(weight[0]))
        is_whole = bool((weight == np.trunc(weight)).all())
        if is_whole and worth <= _MAX_REPEATS:
            places = np.arange(n_rows, dtype=np.uint32)
            owner = np.repeat(places, weight.astype(np.intp))
            return cls(seed, order, n_draws, owner, worth=worth)
        return cls(seed, order, n_draws, bounds=np.cumsum(weight), worth=worth)

    def counts(
        self, tree: int, rng: np.random.Generator | None = None
    ) -> NDArray[np.intp]:
        """Return how often each row is sampled for a tree.

        `rng` may be its stream, if the seed of the tree has been taken from it.
        """
        if rng is None:
            rng = stream(self.seed, tree)
            rng.integers(2**31)  # the seed of the tree
        n_rows = len(self.order)
        counts = np.empty(n_rows, dtype=np.intp)
        if self.bounds is not None:
            marks = np.sort(rng.random(self.n_draws) * self.bounds[-1])
            below = np.searchsorted(marks, self.bounds)  # of sorted ones: much faster
            below[-1] = self.n_draws  # also what was rounded up
            counts[self.order] = np.diff(below, prepend=0)
            return counts
        end = n_rows if self.owner is None else len(self.owner)
        draws = rng.integers(end, size=self.n_draws)
        place = draws if self.owner is None else self.owner[draws]
        counts[self.order] = np.bincount(place, minlength=n_rows)
        return counts


@dataclass(frozen=True)
class PoissonDraws:
    """How often each row is seen, by itself: a Poisson number of (seed, tree, row).

    No row has to know how many others there are, or what they hold: so rows may be cut
    into partitions, and nothing has to be sorted. In return the numbers of rows count,
    and not only what they hold. A sampled row has its weight as often.

    Attributes
    ----------
    seed : int
        Of the forest.
    rows : ndarray of uint64
        The numbers of the rows.
    rate : float
        How often a row is sampled in the mean.
    weight : ndarray or None
        Of each row.
    """

    seed: int
    rows: NDArray[np.uint64]
    rate: float
    weight: Floats | None = None
    worth = 1.0

    @property
    def order(self) -> NDArray[np.uint32]:
        """The rows as they are numbered."""
        return np.arange(len(self.rows), dtype=np.uint32)

    def counts(self, tree: int, rng: Any = None) -> NDArray[Any]:
        """Return how often each row is sampled for a tree, times its weight."""
        times = poisson_times(self.seed, tree, self.rows, self.rate)
        if not times.any():  # of few rows: the first to be sampled
            times[int(_hashes(self.seed, tree, self.rows).argmax())] = 1
        return times.astype(np.intp) if self.weight is None else times * self.weight


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix bits as the engine does (core/util/rng.hpp)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _hashes(seed: int, tree: int, rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        one = _mixed(np.array([seed], np.uint64)) ^ np.uint64(tree)
        return _mixed(_mixed(one) ^ rows)


def are_alike(one: Draws | PoissonDraws, other: Draws | PoissonDraws) -> bool:
    """Return whether a tree sees the same rows by either."""
    mine, theirs = vars(one), vars(other)
    return mine.keys() == theirs.keys() and all(
        np.array_equal(mine[name], theirs[name]) for name in mine
    )


def draws_of(
    forest: Any, sample: Sample, used: NDArray[np.intp], seed: int
) -> Draws | PoissonDraws:
    """Prepare the bootstrap of a forest; `used` are the rows of a sample."""
    if forest.bootstrap != "poisson":
        return Draws.from_sample(sample, forest.max_samples, seed)
    rate = n_draws_of(forest.max_samples, len(used)) / len(used)
    return PoissonDraws(seed, used.astype(np.uint64), rate, sample.weight)


def check_max_samples(max_samples: Any) -> None:
    """Refuse anything but None, a number of draws or a share."""
    if isinstance(max_samples, numbers.Integral):
        good = int(max_samples) >= 1
    else:
        is_real = isinstance(max_samples, numbers.Real)
        good = is_real and 0 < float(max_samples) < np.inf
    if isinstance(max_samples, bool) or not (max_samples is None or good):
        raise ValueError(
            f"max_samples={max_samples!r} is not allowed; use a whole number of draws "
            "of at least 1, a share of the rows above 0, or None for as many draws as "
            "there are rows"
        )
