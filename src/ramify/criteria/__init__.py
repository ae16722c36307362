# SPDX-License-Identifier: BSD-3-Clause
"""Splitting criteria: by name, as a function, or composed of others.

A criterion judges cuts. It sees the class weights of a node, ``parent`` (K,), and of
both sides of m cuts, ``left`` and ``right`` (m, K), and answers with m scores; the
highest wins. Measures see more: the order of labels, or the rows themselves. Both are
objects that can be added, multiplied and chosen by.

>>> from ramify.criteria import bnm, csn, entropy, gini, top
>>> gini([6, 4], left=[[5, 1]], right=[[1, 3]]).round(4)
array([0.1633])
>>> gini + 0.01 * bnm
gini + 0.01 * bnm
>>> top(3, entropy).smallest(csn(code="ovo"))
top(3, entropy).smallest(csn(code='ovo'))
"""

from __future__ import annotations

from ramify.criteria.builtin import REGISTRY as _REGISTRY
from ramify.criteria.builtin import Balanced, Criterion, balanced
from ramify.criteria.catalogue import (
    check,
    get,
    names,
    parse,
    registered,
)
from ramify.criteria.choices import top
from ramify.criteria.families import CriteriaMap
from ramify.criteria.families import criteria_map as map
from ramify.criteria.functions import (
    CompiledCriterion,
    FunctionCriterion,
    compiled,
    function,
)
from ramify.criteria.hybrids import Hybrid
from ramify.criteria.measures import (
    Measure,
    bnm,
    branch_balance,
    class_auc,
    cluster_complexity,
    cluster_validity,
    csn,
    imbalance,
    prior_accuracy,
    segment_ratio,
    segments,
    sensitive_auc,
    separating_gap,
)
from ramify.criteria.parameters import Parameter
from ramify.criteria.regression import (
    NumberCriterion,
    for_numbers,
    resolve_numeric,
)
from ramify.criteria.score import Expression

__all__ = [
    "Balanced",
    "CompiledCriterion",
    "CriteriaMap",
    "Criterion",
    "Expression",
    "FunctionCriterion",
    "Hybrid",
    "Measure",
    "NumberCriterion",
    "Parameter",
    "alpha_divergence",
    "angle",
    "asymmetric_entropy",
    "balanced",
    "balanced_gain_ratio",
    "bayes",
    "bnm",
    "branch_balance",
    "cart_measure",
    "ccp_entropy",
    "ccp_gini",
    "check",
    "chi2",
    "class_auc",
    "cluster_complexity",
    "cluster_validity",
    "compiled",
    "credal_gain",
    "credal_ratio",
    "csn",
    "dcsm",
    "dkm",
    "entropy",
    "exact_probability",
    "for_numbers",
    "function",
    "gain_ratio",
    "get",
    "gini",
    "hellinger",
    "ihd",
    "ihdw",
    "imbalance",
    "information_value",
    "ks",
    "mantaras",
    "map",
    "mdl",
    "miller_madow",
    "misclassification",
    "mpi",
    "names",
    "off_centred_entropy",
    "ordinal_gini",
    "ort",
    "parse",
    "prior_accuracy",
    "ranking_impurity",
    "registered",
    "relief_gini",
    "renyi",
    "resolve_numeric",
    "segment_ratio",
    "segments",
    "sensitive_auc",
    "separating_gap",
    "sharma_mittal",
    "stochastic_complexity",
    "symmetric_tau",
    "top",
    "tsallis",
    "tsallis_ratio",
    "two_power",
    "twoing",
    "unbiased_gini",
    "uplift",
    "weighted_information_gain",
]

# --- the built-in criteria ------------------------------------------------------------


alpha_divergence = _REGISTRY["alpha_divergence"]
angle = _REGISTRY["angle"]
asymmetric_entropy = _REGISTRY["asymmetric_entropy"]
balanced_gain_ratio = _REGISTRY["balanced_gain_ratio"]
bayes = _REGISTRY["bayes"]
cart_measure = _REGISTRY["cart_measure"]
ccp_entropy = _REGISTRY["ccp_entropy"]
ccp_gini = _REGISTRY["ccp_gini"]
chi2 = _REGISTRY["chi2"]
credal_gain = _REGISTRY["credal_gain"]
credal_ratio = _REGISTRY["credal_ratio"]
dcsm = _REGISTRY["dcsm"]
dkm = _REGISTRY["dkm"]
entropy = _REGISTRY["entropy"]
exact_probability = _REGISTRY["exact_probability"]
gain_ratio = _REGISTRY["gain_ratio"]
gini = _REGISTRY["gini"]
hellinger = _REGISTRY["hellinger"]
ihd = _REGISTRY["ihd"]
ihdw = _REGISTRY["ihdw"]
information_value = _REGISTRY["information_value"]
ks = _REGISTRY["ks"]
mantaras = _REGISTRY["mantaras"]
mdl = _REGISTRY["mdl"]
miller_madow = _REGISTRY["miller_madow"]
misclassification = _REGISTRY["misclassification"]
mpi = _REGISTRY["mpi"]
off_centred_entropy = _REGISTRY["off_centred_entropy"]
ordinal_gini = _REGISTRY["ordinal_gini"]
ort = _REGISTRY["ort"]
ranking_impurity = _REGISTRY["ranking_impurity"]
relief_gini = _REGISTRY["relief_gini"]
renyi = _REGISTRY["renyi"]
sharma_mittal = _REGISTRY["sharma_mittal"]
stochastic_complexity = _REGISTRY["stochastic_complexity"]
symmetric_tau = _REGISTRY["symmetric_tau"]
tsallis = _REGISTRY["tsallis"]
tsallis_ratio = _REGISTRY["tsallis_ratio"]
two_power = _REGISTRY["two_power"]
twoing = _REGISTRY["twoing"]
unbiased_gini = _REGISTRY["unbiased_gini"]
uplift = _REGISTRY["uplift"]
weighted_information_gain = _REGISTRY["weighted_information_gain"]
