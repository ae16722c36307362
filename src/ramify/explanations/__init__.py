# SPDX-License-Identifier: BSD-3-Clause
"""Why does a model say so? Shapley values and what else follows from its paths."""

from ramify.explanations.counterfactuals import Change, Counterfactual, counterfactual
from ramify.explanations.dependence import PartialDependence, partial_dependence
from ramify.explanations.explanation import Explanation
from ramify.explanations.importance import PermutationImportance, permutation_importance
from ramify.explanations.path import DecisionPath, Step, explain_path
from ramify.explanations.shap_model import to_shap
from ramify.explanations.shapley import explain, explained

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
