# SPDX-License-Identifier: BSD-3-Clause
"""One round of boosting after the other, until there are enough or none helps."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Rounds", "Scores"]


@dataclass(frozen=True)
class Scores:
    """The mean loss after a round, of training rows and of those held back."""

    training: float
    held: float | None = None


@dataclass
class Rounds:
    """Runs rounds and remembers their losses.

    Attributes
    ----------
    n_most : int
        Rounds in all.
    patience : int
        Rounds without a better loss of held rows after which it stops.
    tol : float
        How much better a loss must be to count.
    verbose : int
        Whether to show progress on stderr.
    training, held : list of float
        Losses after each round; those of earlier fits may be there.
    """

    n_most: int
    patience: int
    tol: float
    verbose: int = 0
    training: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)

    def run(self, step: Callable[[], Scores | None]) -> None:
        """Call `step` for each round; it gives None if nothing more can be learnt.

        An interrupt (Ctrl-C) keeps the rounds that are done, if there are any.
        """
        try:
            while len(self.training) < self.n_most and not self._is_tired():
                scores = step()
                if scores is None:
                    break
                self.training.append(scores.training)
                if scores.held is not None:
                    self.held.append(scores.held)
                self._show()
        except KeyboardInterrupt:
            if not self.training:
                raise
            warnings.warn(
                f"interrupted after {len(self.training)} of {self.n_most} rounds; the "
                "model has the rounds that were done",
                RuntimeWarning,
                stacklevel=3,
            )
        if self.verbose:
            print(file=sys.stderr)

    def _is_tired(self) -> bool:
        """Return whether the last rounds were no better than those before."""
        if len(self.held) <= self.patience:
            return False
        before = np.min(self.held[: -self.patience])
        return bool(np.min(self.held[-self.patience :]) > before - self.tol)

    def _show(self) -> None:
        if self.verbose:
            text = f"round {len(self.training)} of {self.n_most}: "
            text += f"training loss {self.training[-1]:.6g}"
            if self.held:
                text += f", validation loss {self.held[-1]:.6g}"
            print(f"\r{text:<72}", end="", file=sys.stderr)
