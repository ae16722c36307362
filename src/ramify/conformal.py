# SPDX-License-Identifier: BSD-3-Clause
"""Intervals and sets that hold the truth as often as one asks.

`predict_interval` of every model of numbers, and `predict_set` of every model of
classes, need no more than the model itself. `Pair` makes intervals of two models of
quantiles.
"""

from ramify.estimators.conformal.calibration import Calibration, ClassCalibration
from ramify.estimators.conformal.pair import Pair
from ramify.estimators.conformal.ranks import Scores, rows_needed

__all__ = ["Calibration", "ClassCalibration", "Pair", "Scores", "rows_needed"]
