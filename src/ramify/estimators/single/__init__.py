# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of one tree."""

from ramify.estimators.single.classifier import DecisionTreeClassifier
from ramify.estimators.single.extra import ExtraTreeClassifier, ExtraTreeRegressor
from ramify.estimators.single.methods import Method
from ramify.estimators.single.oblique import ObliqueTreeClassifier
from ramify.estimators.single.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.single.regressor import DecisionTreeRegressor

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "Method",
    "ObliqueTreeClassifier",
    "OneVsRestTreeClassifier",
]
