# SPDX-License-Identifier: BSD-3-Clause
"""What a search tells while it runs, and when it stops early."""

from __future__ import annotations

import sys
import time

__all__ = ["OptimalityWarning", "Progress"]

_SECONDS = 10.0  # between lines that bring nothing new


class OptimalityWarning(UserWarning):
    """A search ended before it had a proof; the model is the best tree so far."""


class Progress:
    """Writes a line on stderr for every better tree, and every ten seconds.

    Parameters
    ----------
    penalty : float
        What the first leaf costs, which the search does not count.
    """

    def __init__(self, penalty: float) -> None:
        self._penalty = penalty
        self._began = time.monotonic()
        self._next = self._began + _SECONDS

    def __call__(self, best: float, bound: float, n_open: int, better: bool) -> None:
        """Write a line, if there is news."""
        now = time.monotonic()
        if not better and now < self._next:
            return
        self._next = now + _SECONDS
        text = f"{now - self._began:8.1f} s: objective {best + self._penalty:.6g}, "
        text += f"bound {bound + self._penalty:.6g}, {n_open} open intervals"
        print(text, file=sys.stderr, flush=True)
