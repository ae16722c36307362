# SPDX-License-Identifier: BSD-3-Clause
"""Trees grown in rounds, each on what the ones before got wrong."""

from ramify.estimators.boost.boosted import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
)

__all__ = ["BoostedTreesClassifier", "BoostedTreesRegressor"]
