# SPDX-License-Identifier: BSD-3-Clause
"""Decision trees with every splitting criterion published, and any you write."""

import importlib
from importlib.metadata import version
from typing import Any

from ramify import criteria, methods
from ramify.estimators.boosted import BoostedTreesClassifier, BoostedTreesRegressor
from ramify.estimators.forest_classifier import (
    BaggedTreesClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from ramify.estimators.forest_regressor import (
    ExtraTreesRegressor,
    RandomForestRegressor,
)
from ramify.estimators.oblique import ObliqueTreeClassifier
from ramify.estimators.regressor import DecisionTreeRegressor
from ramify.estimators.single import DecisionTreeClassifier
from ramify.estimators.tuned import TunedTreeClassifier
from ramify.export import export_text
from ramify.inspect import rules
from ramify.model import load, save
from ramify.plot import plot_partition, plot_projection
from ramify.table import Table
from ramify.tree import Tree

__version__ = version("ramify")

__all__ = [
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ObliqueTreeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Table",
    "Tree",
    "TunedTreeClassifier",
    "__version__",
    "advise",
    "compare",
    "criteria",
    "datasets",
    "export_text",
    "load",
    "methods",
    "plot_partition",
    "plot_projection",
    "report",
    "reproduce",
    "rules",
    "save",
]

# Found when asked for: they need matplotlib, or much of scikit-learn.
_LATER = ("compare", "datasets", "report", "reproduce")


def __getattr__(name: str) -> Any:
    if name == "advise":
        return importlib.import_module("ramify.advice").advise
    if name in _LATER:
        return importlib.import_module(f"ramify.{name}")
    raise AttributeError(f"module 'ramify' has no attribute {name!r}")
