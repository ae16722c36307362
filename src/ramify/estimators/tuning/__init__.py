# SPDX-License-Identifier: BSD-3-Clause
"""Parameters chosen by cross-validation on the training rows."""

from ramify.estimators.tuning.regressor import TunedTreeRegressor
from ramify.estimators.tuning.tuned import TunedTreeClassifier

__all__ = ["TunedTreeClassifier", "TunedTreeRegressor"]
