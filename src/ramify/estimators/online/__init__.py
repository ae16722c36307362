# SPDX-License-Identifier: BSD-3-Clause
"""Trees that learn row by row."""

from ramify.estimators.online.certainty import FirstCertain, first_certain
from ramify.estimators.online.classifier import OnlineTreeClassifier
from ramify.estimators.online.learning import RowLearner

__all__ = ["FirstCertain", "OnlineTreeClassifier", "RowLearner", "first_certain"]
