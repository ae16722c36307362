# SPDX-License-Identifier: BSD-3-Clause
"""Intervals and sets that hold the truth as often as one asks."""

from ramify.estimators.conformal.calibration import Calibration, ClassCalibration
from ramify.estimators.conformal.intervals import PredictsIntervals
from ramify.estimators.conformal.sets import PredictsSets

__all__ = ["Calibration", "ClassCalibration", "PredictsIntervals", "PredictsSets"]
