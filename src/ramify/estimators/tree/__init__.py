# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of one tree."""

from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.estimators.tree.extra import ExtraTreeClassifier, ExtraTreeRegressor
from ramify.estimators.tree.methods import Method
from ramify.estimators.tree.model_tree import ModelTreeRegressor
from ramify.estimators.tree.oblique import ObliqueTreeClassifier
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.tree.regressor import DecisionTreeRegressor

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "Method",
    "ModelTreeRegressor",
    "ObliqueTreeClassifier",
    "OneVsRestTreeClassifier",
]
