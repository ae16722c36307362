# SPDX-License-Identifier: BSD-3-Clause
"""Decision trees with every splitting criterion published, and any you write."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ramify import (
        comparison,
        conformal,
        criteria,
        dask,
        datasets,
        methods,
        report,
        reproduce,
        survival,
    )
    from ramify.advice import advise
    from ramify.citations import cite
    from ramify.comparison import compare
    from ramify.estimators.boosting import BoostedTreesClassifier, BoostedTreesRegressor
    from ramify.estimators.forest import (
        BaggedTreesClassifier,
        BaggedTreesRegressor,
        CommitteeRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
        RandomTreesEmbedding,
    )
    from ramify.estimators.loading import load
    from ramify.estimators.online import OnlineTreeClassifier
    from ramify.estimators.optimal import (
        OptimalityWarning,
        OptimalTreeClassifier,
        OptimalTreeRegressor,
        price_of_greed,
    )
    from ramify.estimators.survival import (
        ExtraSurvivalTree,
        ExtraSurvivalTrees,
        RandomSurvivalForest,
        SurvivalTree,
    )
    from ramify.estimators.tree import (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreeClassifier,
        ExtraTreeRegressor,
        ModelTreeRegressor,
        ObliqueTreeClassifier,
    )
    from ramify.estimators.tuning import TunedTreeClassifier, TunedTreeRegressor
    from ramify.explanations import (
        Explanation,
        counterfactual,
        explain,
        explain_path,
        partial_dependence,
        permutation_importance,
        to_shap,
    )
    from ramify.exports import (
        certify,
        export,
        export_formats,
        export_text,
        fill_unused,
        to_sklearn,
    )
    from ramify.plotting import plot_partition, plot_projection, plot_pruning, plot_tree
    from ramify.pruning.models.prune import prune
    from ramify.pruning.models.refill import refill
    from ramify.pruning.models.refine import refine
    from ramify.pruning.models.shrink import shrink
    from ramify.pruning.models.simplify import simplify
    from ramify.serialization import VersionWarning, save
    from ramify.studio import TreeEditor, edit
    from ramify.table import Table, UniqueColumnWarning
    from ramify.tree import Tree
    from ramify.tree.inspect import rules
    from ramify.viewer import view
    from ramify.viewer.config import get_config, set_config

    __version__: str

__all__ = [
    "BaggedTreesClassifier",
    "BaggedTreesRegressor",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "CommitteeRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Explanation",
    "ExtraSurvivalTree",
    "ExtraSurvivalTrees",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ModelTreeRegressor",
    "ObliqueTreeClassifier",
    "OnlineTreeClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "OptimalityWarning",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomSurvivalForest",
    "RandomTreesEmbedding",
    "SurvivalTree",
    "Table",
    "Tree",
    "TreeEditor",
    "TunedTreeClassifier",
    "TunedTreeRegressor",
    "UniqueColumnWarning",
    "VersionWarning",
    "__version__",
    "advise",
    "certify",
    "cite",
    "compare",
    "comparison",
    "conformal",
    "counterfactual",
    "criteria",
    "dask",
    "datasets",
    "edit",
    "explain",
    "explain_path",
    "export",
    "export_formats",
    "export_text",
    "fill_unused",
    "get_config",
    "load",
    "methods",
    "partial_dependence",
    "permutation_importance",
    "plot_partition",
    "plot_projection",
    "plot_pruning",
    "plot_tree",
    "price_of_greed",
    "prune",
    "refill",
    "refine",
    "report",
    "reproduce",
    "rules",
    "save",
    "set_config",
    "shrink",
    "simplify",
    "survival",
    "to_shap",
    "to_sklearn",
    "view",
]

# Where the public names live, besides modules of the same name. Each is imported when
# it is first used: `ramify --help` need not wait for scikit-learn. A function that
# has the name of its module is imported from that module, here and above: mypy
# mixes the two up otherwise.
_HOMES = {
    "advice": ("advise",),
    "citations": ("cite",),
    "estimators.boosting": ("BoostedTreesClassifier", "BoostedTreesRegressor"),
    "estimators.forest": (
        "BaggedTreesClassifier",
        "BaggedTreesRegressor",
        "CommitteeRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "RandomTreesEmbedding",
    ),
    "estimators.loading": ("load",),
    "estimators.survival": (
        "ExtraSurvivalTree",
        "ExtraSurvivalTrees",
        "RandomSurvivalForest",
        "SurvivalTree",
    ),
    "estimators.optimal": (
        "OptimalTreeClassifier",
        "OptimalTreeRegressor",
        "OptimalityWarning",
        "price_of_greed",
    ),
    "estimators.online": ("OnlineTreeClassifier",),
    "estimators.tree": (
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "ExtraTreeClassifier",
        "ExtraTreeRegressor",
        "ModelTreeRegressor",
        "ObliqueTreeClassifier",
    ),
    "pruning.models.prune": ("prune",),
    "pruning.models.refill": ("refill",),
    "pruning.models.refine": ("refine",),
    "pruning.models.shrink": ("shrink",),
    "pruning.models.simplify": ("simplify",),
    "estimators.tuning": ("TunedTreeClassifier", "TunedTreeRegressor"),
    "comparison": ("compare",),
    "explanations": (
        "Explanation",
        "counterfactual",
        "explain",
        "explain_path",
        "partial_dependence",
        "permutation_importance",
        "to_shap",
    ),
    "exports": (
        "certify",
        "export",
        "export_formats",
        "export_text",
        "fill_unused",
        "to_sklearn",
    ),
    "serialization": ("VersionWarning", "save"),
    "plotting": ("plot_partition", "plot_projection", "plot_pruning", "plot_tree"),
    "studio": ("TreeEditor", "edit"),
    "table": ("Table", "UniqueColumnWarning"),
    "tree": ("Tree",),
    "tree.inspect": ("rules",),
    "viewer": ("view",),
    "viewer.config": ("get_config", "set_config"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = importlib.import_module("importlib.metadata").version("ramify")
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(f"ramify.{_HOME_OF[name]}"), name)
    elif name in __all__:
        value = importlib.import_module(f"ramify.{name}")
    else:
        raise AttributeError(f"module 'ramify' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
