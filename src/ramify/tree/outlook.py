# SPDX-License-Identifier: BSD-3-Clause
"""What a node of a survival tree says of its rows: a curve, its median, its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.tree.curves import Curves
from ramify.tree.tree import Tree

__all__ = ["Outlook", "leaf_outlooks", "outlook_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outlook:
    """The rows of a node by their times.

    Attributes
    ----------
    weight, n_events : float
        Weight of the rows, and of those whose event happened.
    times : ndarray
        Distinct times, ascending; of trees of forests, those of events.
    at_risk, events, censored : ndarray
        Weight at risk just before each time, of events, and of censored rows then.
    """

    weight: float
    n_events: float
    times: Floats
    at_risk: Floats
    events: Floats
    censored: Floats

    @property
    def survival(self) -> Floats:
        """Kaplan-Meier: the share that gets beyond each time."""
        survival: Floats = np.multiply.accumulate(1 - self.events / self.at_risk)
        return survival

    @property
    def median(self) -> float:
        """The least time that half do not get beyond; NaN if more than half do."""
        # 1 - d/n and products of it are rounded: 0.5 may come out as a bit more.
        reached = np.flatnonzero((self.survival <= 0.5 + 1e-12) & (self.events > 0))
        return float(self.times[reached[0]]) if len(reached) else float("nan")

    def at(self, time: float) -> float:
        """Return the share that gets beyond a time."""
        place = int(np.searchsorted(self.times, time, side="right"))
        return float(self.survival[place - 1]) if place else 1.0

    def rmst(self, tau: float) -> float:
        """Return the mean time up to tau: the area under the curve."""
        early = self.times < tau
        edges = np.concatenate([[0.0], self.times[early], [tau]])
        heights = np.concatenate([[1.0], self.survival[early]])
        return float((np.diff(edges) * heights).sum())

    def to_text(self, times: Any = ()) -> str:
        """Write it as in ``events 31 of 99, median 122``; also S at some times.

        Examples
        --------
        >>> import numpy as np
        >>> one = np.ones(2)
        >>> found = Outlook(2.0, 2.0, np.array([3.0, 8.0]), one * [2, 1], one, one * 0)
        >>> found.to_text(times=[5])
        'events 2 of 2, median 3, S(5) 0.5'
        """
        median = self.median
        words = [
            f"events {_short(self.n_events)} of {_short(self.weight)}",
            "no median" if np.isnan(median) else f"median {_short(median)}",
            *(f"S({_short(time)}) {self.at(time):.3g}" for time in times),
        ]
        return ", ".join(words)


def outlook_of(tree: Tree, node: int) -> Outlook | None:
    """Return what a node of a survival tree says; None where too little is kept.

    Trees of forests keep it of their leaves only, and other trees not at all.
    """
    if tree.curves is None:
        return None
    weight = float(tree.weighted_n_node_samples[node])
    if tree.children_left[node] < 0:
        number = int((tree.children_left[:node] < 0).sum())
        return _of_entries(tree.curves, number, weight)
    if tree.curves.is_brief:
        return None
    return _of_entries(tree.curves_of(node), 0, weight)


def leaf_outlooks(tree: Tree) -> list[Outlook]:
    """Return what each leaf of a survival tree says, in the order of the nodes."""
    curves = tree.curves
    if curves is None:
        raise ValueError("this tree has no curves; survival trees have")
    weights = tree.weighted_n_node_samples[tree.children_left < 0].tolist()
    return [_of_entries(curves, i, weight) for i, weight in enumerate(weights)]


def _of_entries(curves: Curves, number: int, weight: float) -> Outlook:
    """Read the entries of one leaf."""
    part = slice(int(curves.begin[number]), int(curves.begin[number + 1]))
    events = curves.events[part].astype(np.float64)
    others = curves.others[part].astype(np.float64)
    times = curves.times[curves.time[part].astype(np.int64)]
    if curves.is_brief:
        return Outlook(
            weight, float(events.sum()), times, others, events, np.zeros(len(times))
        )
    at_risk = np.cumsum((events + others)[::-1])[::-1]
    return Outlook(weight, float(events.sum()), times, at_risk, events, others)


def _short(x: float) -> str:
    return f"{x:.6g}"
