# SPDX-License-Identifier: BSD-3-Clause
"""Times to an event, as trees learn them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.survival import SurvivalTarget, read_survival_target

__all__ = ["Times"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Times:
    """The place of the time of each row among all, and whether the event happened.

    Attributes
    ----------
    times : ndarray of float64
        The distinct times of the rows that have weight, ascending.
    is_event : ndarray of bool
        Whether an event happened at each.
    place : ndarray of uint32
        Of the time of each row.
    event : ndarray of bool
        By row.
    """

    times: Floats
    is_event: NDArray[np.bool_]
    place: NDArray[np.uint32]
    event: NDArray[np.bool_]

    @classmethod
    def read(cls, y: Any, n_rows: int, weight: Floats | None) -> Times:
        """Read y; refuse one without events among the rows that have weight."""
        target: SurvivalTarget = read_survival_target(
            y, n_rows, allow_all_censored=False
        )
        time, event = target.time, target.event
        counts = np.ones(n_rows, dtype=bool) if weight is None else weight > 0
        if not event[counts].any():
            raise ValueError(
                "all samples are censored: no row with a positive sample_weight has an "
                "event"
            )
        times = np.unique(time[counts])
        place = np.searchsorted(times, time).clip(max=len(times) - 1)
        is_event = np.zeros(len(times), dtype=bool)
        is_event[place[counts & event]] = True
        return cls(times, is_event, place.astype(np.uint32), event)

    def __len__(self) -> int:
        return len(self.place)

    @property
    def n_classes(self) -> list[int]:
        """How many numbers a leaf holds: its risk."""
        return [1]

    @property
    def codes(self) -> NDArray[np.uint32]:
        """A number for each time and event: (n_rows, 1)."""
        return (2 * self.place + self.event)[:, None].astype(np.uint32)

    @property
    def time(self) -> Floats:
        """The time of each row."""
        return self.times[self.place]

    def some(self, places: NDArray[np.intp]) -> Times:
        """Return those of some rows; the distinct times stay."""
        return replace(self, place=self.place[places], event=self.event[places])

    def core(self, weight: Floats | None) -> _core.SurvivalTarget:
        """Return the target as the engine reads it."""
        return _core.survival_target(
            self.times,
            self.place,
            self.event.astype(np.uint8),
            self.is_event.astype(np.uint8),
            weight,
        )
