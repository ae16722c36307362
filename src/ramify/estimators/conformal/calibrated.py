# SPDX-License-Identifier: BSD-3-Clause
"""What rows that were not fitted have taught a model, and whether it still holds."""

from __future__ import annotations

from typing import Any

__all__ = ["Calibrated"]


class Calibrated:
    """A model that remembers its errors on rows that it was not fitted on."""

    calibration_: Any
    _calibrated: Any  # the fit that `calibration_` belongs to

    def _learnt(self) -> Any:
        """Return what the last fit has made; another object after another fit."""
        raise NotImplementedError

    def _other_way(self) -> str:
        """Say how else than by `calibrate` the model can learn how far it is off."""
        return ""

    def _keep(self, calibration: Any) -> None:
        """Remember errors, and which fit they belong to."""
        self.calibration_ = calibration
        self._calibrated = self._learnt()

    def _calibration(self) -> Any:
        """Return the calibration; refuse a model that has none, or an old one."""
        name = type(self).__name__
        if not hasattr(self, "calibration_"):
            raise ValueError(
                f"this {name} does not know how often it is wrong: call calibrate(X, "
                f"y) with rows that were not fitted{self._other_way()}"
            )
        if self._calibrated is not self._learnt():
            raise ValueError(
                f"this {name} was changed after it was calibrated (pruned, refilled or "
                "the like); call calibrate(X, y) again"
            )
        return self.calibration_
