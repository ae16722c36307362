# SPDX-License-Identifier: BSD-3-Clause
"""Decision trees with every splitting criterion published, and any you write."""

import importlib
from importlib.metadata import version
from typing import Any

from ramify import criteria, explain, export, methods
from ramify.estimators.boost import BoostedTreesClassifier, BoostedTreesRegressor
from ramify.estimators.forest import (
    BaggedTreesClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from ramify.estimators.loading import load
from ramify.estimators.single import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
)
from ramify.estimators.smaller import prune, shrink, simplify
from ramify.estimators.tune import TunedTreeClassifier
from ramify.explain import (
    Explanation,
    partial_dependence,
    permutation_importance,
    to_shap,
)
from ramify.export import certify, export_formats, export_text
from ramify.model import save
from ramify.plot import plot_partition, plot_projection
from ramify.table import Table, UniqueColumnWarning
from ramify.tree import Tree
from ramify.tree.inspect import rules

__version__ = version("ramify")

__all__ = [
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Explanation",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ObliqueTreeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Table",
    "Tree",
    "TunedTreeClassifier",
    "UniqueColumnWarning",
    "__version__",
    "advise",
    "certify",
    "compare",
    "criteria",
    "datasets",
    "explain",
    "export",
    "export_formats",
    "export_text",
    "load",
    "methods",
    "partial_dependence",
    "permutation_importance",
    "plot_partition",
    "plot_projection",
    "prune",
    "report",
    "reproduce",
    "rules",
    "save",
    "shrink",
    "simplify",
    "to_shap",
    "view",
]

# Found when asked for: they need matplotlib, or much of scikit-learn.
_LATER = ("compare", "datasets", "report", "reproduce", "view")


def __getattr__(name: str) -> Any:
    if name == "advise":
        return importlib.import_module("ramify.advice").advise
    if name in _LATER:
        return importlib.import_module(f"ramify.{name}")
    raise AttributeError(f"module 'ramify' has no attribute {name!r}")
