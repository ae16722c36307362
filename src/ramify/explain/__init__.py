# SPDX-License-Identifier: BSD-3-Clause
"""Why does a model say so? Shapley values and what else follows from its paths.

The module can be called: ``ramify.explain(model, X)`` is `explain`.
"""

from ramify.callables import make_callable
from ramify.explain.changes import Change, Counterfactual, counterfactual
from ramify.explain.dependence import PartialDependence, partial_dependence
from ramify.explain.explanation import Explanation
from ramify.explain.importance import PermutationImportance, permutation_importance
from ramify.explain.path import DecisionPath, Step, explain_path
from ramify.explain.shap_model import to_shap
from ramify.explain.shapley import explain, explained

__all__ = [
    "Change",
    "Counterfactual",
    "DecisionPath",
    "Explanation",
    "PartialDependence",
    "PermutationImportance",
    "Step",
    "counterfactual",
    "explain",
    "explain_path",
    "explained",
    "partial_dependence",
    "permutation_importance",
    "to_shap",
]

make_callable(__name__, explain)
