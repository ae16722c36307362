# SPDX-License-Identifier: BSD-3-Clause
"""Many trees that vote: forests, extra trees and bagging, of classes and numbers."""

from ramify.estimators.forest.classifier import (
    BaggedTreesClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from ramify.estimators.forest.committee import CommitteeRegressor
from ramify.estimators.forest.embedding import RandomTreesEmbedding
from ramify.estimators.forest.regressor import (
    BaggedTreesRegressor,
    ExtraTreesRegressor,
    RandomForestRegressor,
)

__all__ = [
    "BaggedTreesClassifier",
    "BaggedTreesRegressor",
    "CommitteeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
]
