# SPDX-License-Identifier: BSD-3-Clause
"""Trees grown in rounds, each on what the ones before got wrong."""

from ramify.estimators.boosting.classifier import BoostedTreesClassifier
from ramify.estimators.boosting.regressor import BoostedTreesRegressor

__all__ = ["BoostedTreesClassifier", "BoostedTreesRegressor"]
