# SPDX-License-Identifier: BSD-3-Clause
"""The best small trees, with a proof."""

from ramify.estimators.optimal.classifier import OptimalTreeClassifier
from ramify.estimators.optimal.greed import PriceOfGreed, price_of_greed
from ramify.estimators.optimal.progress import OptimalityWarning
from ramify.estimators.optimal.regressor import OptimalTreeRegressor

__all__ = [
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "OptimalityWarning",
    "PriceOfGreed",
    "price_of_greed",
]
