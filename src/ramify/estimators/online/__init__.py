# SPDX-License-Identifier: BSD-3-Clause
"""Trees that learn row by row."""

from ramify.estimators.online.certainty import FirstCertain, first_certain
from ramify.estimators.online.classifier import OnlineTreeClassifier
from ramify.estimators.online.forest import OnlineForestClassifier
from ramify.estimators.online.learning import RowLearner
from ramify.estimators.online.published import PUBLISHED, OnlineMethod, online_method

__all__ = [
    "PUBLISHED",
    "FirstCertain",
    "OnlineForestClassifier",
    "OnlineMethod",
    "OnlineTreeClassifier",
    "RowLearner",
    "first_certain",
    "online_method",
]
