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

from typing import TYPE_CHECKING

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
from ramify.criteria.families import CriteriaMap, family_map
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
from ramify.criteria.named import RegisteredCriterion
from ramify.criteria.parameters import Parameter
from ramify.criteria.registering import register
from ramify.criteria.regression import (
    NumberCriterion,
    for_regression,
    resolve_numeric,
)
from ramify.criteria.score import Expression
from ramify.deprecation import current_name

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
    "RegisteredCriterion",
    "balanced",
    "bnm",
    "branch_balance",
    "check",
    "class_auc",
    "cluster_complexity",
    "cluster_validity",
    "compiled",
    "csn",
    "family_map",
    "for_regression",
    "function",
    "get",
    "imbalance",
    "names",
    "parse",
    "prior_accuracy",
    "register",
    "registered",
    "resolve_numeric",
    "segment_ratio",
    "segments",
    "sensitive_auc",
    "separating_gap",
    "top",
    *_REGISTRY,
]

# Every built-in criterion is a name of this module: `from ramify.criteria import gini`.
globals().update(_REGISTRY)

# Old names: what they are called now, and when they go (docs/versions.md).
_RENAMED = {"map": ("family_map", "0.4")}

if TYPE_CHECKING:

    def __getattr__(name: str) -> Criterion: ...

else:

    def __getattr__(name):
        new = current_name(__name__, name, _RENAMED)
        if new == name:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals()[new]
