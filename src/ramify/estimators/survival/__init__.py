# SPDX-License-Identifier: BSD-3-Clause
"""Trees and forests for times to an event."""

from ramify.estimators.survival.forest import (
    ExtraSurvivalTrees,
    RandomSurvivalForest,
    SurvivalForest,
)
from ramify.estimators.survival.tree import ExtraSurvivalTree, SurvivalTree

__all__ = [
    "ExtraSurvivalTree",
    "ExtraSurvivalTrees",
    "RandomSurvivalForest",
    "SurvivalForest",
    "SurvivalTree",
]
