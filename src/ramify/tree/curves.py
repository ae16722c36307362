# SPDX-License-Identifier: BSD-3-Clause
"""What the leaves of a survival tree keep, and the curves that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core

__all__ = ["Curves"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the narrowest type that holds them exactly."""
    whole = array.astype(np.int64)
    if array.size == 0 or not np.array_equal(whole, array):
        return array
    low, high = int(whole.min()), int(whole.max())
    for kind in (np.uint8, np.uint16, np.uint32):
        if low >= 0 and high <= np.iinfo(kind).max:
            return whole.astype(kind)
    return array


@dataclass(frozen=True, eq=False)
class Curves:
    """The times of the rows in each leaf, from which its curves follow.

    Leaf i, in the order of the nodes, has the entries ``begin[i]`` to ``begin[i + 1]``
    - 1 of the other arrays. There is no table of nodes by times: a tree keeps one entry
    for each distinct time of a leaf.

    Attributes
    ----------
    times : ndarray of float64
        All distinct training times, ascending.
    is_event : ndarray of bool
        Whether an event happened at each.
    begin, time : ndarray
        Where the entries of each leaf begin; the place of each among `times`.
    events, others : ndarray
        Weight of the events then, and of the rows censored then; of brief curves, which
        forests keep, the weight at risk.
    is_brief : bool
        Whether only times of events are kept.
    """

    times: Floats
    is_event: NDArray[np.bool_]
    begin: NDArray[Any]
    time: NDArray[Any]
    events: NDArray[Any]
    others: NDArray[Any]
    is_brief: bool = False

    @classmethod
    def packed(
        cls,
        times: Floats,
        is_event: NDArray[np.bool_],
        arrays: dict[str, NDArray[Any]],
        is_brief: bool,
    ) -> Curves:
        """Return curves whose arrays take little room."""
        begin, time = _narrow(arrays["begin"]), _narrow(arrays["time"])
        events, others = _narrow(arrays["events"]), _narrow(arrays["others"])
        return cls(times, is_event, begin, time, events, others, is_brief)

    def __len__(self) -> int:
        return len(self.begin) - 1

    def places(self, times: Any) -> Ints:
        """Return the place of the last training time up to each time; -1 before all."""
        found = np.searchsorted(self.times, times, side="right") - 1
        return np.asarray(found, dtype=np.int64)

    def add(self, kind: str, leaves: Ints, places: Ints, sums: Floats) -> None:
        """Add the curve of the leaf of each row to the lines of `sums`.

        Parameters
        ----------
        kind : {"survival", "hazard"}
            Kaplan-Meier, or Nelson-Aalen.
        leaves : ndarray of int64
            The number of the leaf of each row among the leaves; -1 for none.
        places : ndarray of int64
            Times, by their places, ascending.
        sums : ndarray of shape (n_rows, n_places)
            Is changed.
        """
        _core.add_curves(
            self.begin.astype(np.int64),
            self.time.astype(np.int64),
            self.events.astype(np.float64),
            self.others.astype(np.float64),
            self.is_brief,
            kind,
            np.ascontiguousarray(leaves, dtype=np.int64),
            np.ascontiguousarray(places, dtype=np.int64),
            sums,
        )

    def values(self, kind: str, times: Any | None = None) -> Floats:
        """Return the curve of every leaf, at all training times or at others."""
        places = np.arange(len(self.times))
        if times is not None:
            places = self.places(times)
        found = np.zeros((len(self), len(places)))
        self.add(kind, np.arange(len(self)), places, found)
        return found

    def joined(self, group: Ints) -> Curves:
        """Return the curves of groups of leaves; a leaf of group -1 goes.

        Groups are numbered from 0 on.
        """
        if self.is_brief:
            raise ValueError("the curves of a forest keep too little to be joined")
        group = np.asarray(group, dtype=np.int64)
        n_groups = int(group.max(initial=-1)) + 1
        begin: Ints = self.begin.astype(np.int64)
        owner = np.repeat(group, begin[1:] - begin[:-1])
        kept = owner >= 0
        n_times = len(self.times)
        keys = owner[kept] * n_times + self.time[kept].astype(np.int64)
        distinct, place = np.unique(keys, return_inverse=True)
        n = len(distinct)
        arrays = {
            "begin": np.searchsorted(distinct, np.arange(n_groups + 1) * n_times),
            "time": distinct % n_times,
            "events": np.bincount(place, self.events[kept], n).astype(np.float64),
            "others": np.bincount(place, self.others[kept], n).astype(np.float64),
        }
        return Curves.packed(self.times, self.is_event, arrays, False)

    def brief(self) -> Curves:
        """Return the same with times of events only."""
        if self.is_brief:
            return self
        begin: Ints = self.begin.astype(np.int64)
        gone = self.events.astype(np.float64) + self.others
        after = np.concatenate([np.cumsum(gone[::-1])[::-1], [0.0]])
        owner = np.repeat(np.arange(len(self)), begin[1:] - begin[:-1])
        at_risk = after[:-1] - after[begin[1:]][owner]
        kept = self.events > 0
        count = np.bincount(owner[kept], minlength=len(self))
        arrays = {
            "begin": np.concatenate([[0], np.cumsum(count)]),
            "time": self.time[kept],
            "events": self.events[kept],
            "others": at_risk[kept],
        }
        return Curves.packed(self.times, self.is_event, arrays, True)

    def on(self, times: Floats, is_event: NDArray[np.bool_]) -> Curves:
        """Return the same curves that share the arrays of times with others."""
        return replace(self, times=times, is_event=is_event)
