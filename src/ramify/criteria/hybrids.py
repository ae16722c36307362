# SPDX-License-Identifier: BSD-3-Clause
"""Published criteria that combine others, each as an expression with parameters."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ramify.criteria.score import is_number

__all__ = ["HYBRIDS", "Hybrid"]


@dataclass(frozen=True)
class Hybrid:
    """A named expression.

    Attributes
    ----------
    name : str
        What to write as ``criterion=``.
    formula : str
        The expression, in which parameters stand under their names.
    summary, reference : str
        What it does, and where it was published.
    params : mapping
        Its parameters and their defaults.
    aliases : tuple of str
        Other names.
    interpretation : bool
        Whether the formula is Ramify's reading of a paper that gives none.
    bibtex : str
        What `ramify.cite` returns, if the reference is not enough.
    """

    name: str
    formula: str
    summary: str
    reference: str
    params: dict[str, Any] = field(default_factory=dict, hash=False)
    aliases: tuple[str, ...] = ()
    interpretation: bool = False
    bibtex: str = ""

    def formula_with(self, params: Mapping[str, Any]) -> str:
        """Return the formula for some parameters: a weight of 1 is not written."""
        return (
            self.formula.replace("w1 * ", "") if params.get("w1") == 1 else self.formula
        )

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, with the given ones in place of their defaults."""
        for key, value in given.items():
            if key not in self.params:
                listing = ", ".join(self.params) or "none"
                raise ValueError(
                    f"criterion_params has {key!r}, which criterion={self.name!r} does "
                    f"not take; it takes: {listing}"
                )
            if key in _RANGES:
                low, high, words = _RANGES[key]
                if not is_number(value) or not low <= value <= high:
                    raise ValueError(
                        f"criterion_params[{key!r}]={value!r} must be {words}"
                    )
        return {**self.params, **given}


# The weights of the named criteria; their k is checked by top().
_RANGES = {
    "w1": (0.0, sys.float_info.max, "a number of at least 0"),
    "w2": (0.0, sys.float_info.max, "a number of at least 0"),
    "alpha": (0.0, 1.0, "a number from 0 to 1"),
    "theta": (0.0, 1.0, "a number from 0 to 1"),
}

_DU_CHEN = (
    "Du, Chen (2023), Novel Splitting Criteria for Decision Trees with Combination of "
    "Structure and Purity"
)
_SPES = (
    "Yan et al. (2019), A Unified Framework for Decision Tree on Continuous Attributes"
)
_SHI = (
    "Shi et al. (2019), GMM Clustering-Based Decision Trees Considering Fault Rate and "
    "Cluster Validity for Analog Circuit Fault Diagnosis"
)

HYBRIDS: dict[str, Hybrid] = {
    hybrid.name: hybrid
    for hybrid in (
        Hybrid(
            "bnm_gini",
            "w1 * purity + w2 * bnm(penalty=penalty, scale=scale)",
            "Gini gain plus a margin between the two sides of a class that a cut "
            "divides.",
            _DU_CHEN,
            {
                **{"w1": 1.0, "w2": 0.01, "purity": "gini"},
                **{"penalty": "abs", "scale": "sum"},
            },
        ),
        Hybrid(
            "csn_gini",
            "top(k, purity).smallest(csn(code=code, normalise=normalise))",
            "Of the k cuts with the best Gini gain, the one whose children have "
            "compact classes far apart.",
            _DU_CHEN,
            {"k": 3, "purity": "gini", "code": "ovr", "normalise": "parent"},
        ),
        Hybrid(
            "bnm_csn",
            "top(k, w1 * purity + w2 * bnm(penalty=penalty, scale=scale))"
            ".smallest(csn(code=code, normalise=normalise))",
            "Of the k cuts with the best sum of Gini gain and margin, the one whose "
            "children have compact classes far apart.",
            _DU_CHEN,
            {
                **{"k": 3, "w1": 1.0, "w2": 0.01, "purity": "gini"},
                **{"penalty": "abs", "scale": "sum"},
                **{"code": "ovr", "normalise": "parent"},
            },
        ),
        Hybrid(
            "segment_c45",
            "top(k, purity).smallest(segments(mode=mode))",
            "Of the k cuts with the best gain ratio, the one whose children have the "
            "fewest label runs.",
            "Wang et al. (2015), Segment Based Decision Tree Induction With Continuous "
            "Valued Attributes",
            {"k": 5, "purity": "gain_ratio", "mode": "min"},
        ),
        Hybrid(
            "spes",
            "top(k, purity).largest(alpha * purity.normalised() + (1 - alpha) * "
            "(-segments(mode=mode)).normalised('range'))",
            "Of the k cuts with the best gain ratio, the one with the best sum of gain "
            "ratio and few label runs; the scaling is Ramify's.",
            _SPES,
            {"k": 5, "alpha": 0.5, "purity": "gain_ratio", "mode": "min"},
            aliases=("spes1",),
        ),
        Hybrid(
            "spes2",
            "top(k, purity).largest(alpha * purity.normalised() + (1 - alpha) * "
            "segments(mode=mode).normalised('ratio'))",
            "Like spes, with label runs scored as the minimum number of runs divided "
            "by the number of runs; the scaling is Ramify's.",
            _SPES,
            {"k": 5, "alpha": 0.5, "purity": "gain_ratio", "mode": "min"},
        ),
        Hybrid(
            "spce",
            "top(k, purity).smallest(segments(mode=mode, weighted=False))"
            ".largest(segment_ratio(mode=mode)).largest(purity)",
            "Of the k cuts with the best Hellinger distance, the one with the fewest "
            "label runs, then the most balanced numbers of them.",
            "Yan et al. (2020), A Hybrid Scheme-Based One-vs-All Decision Trees for "
            "Multi-Class Classification Tasks",
            {"k": 5, "purity": "hellinger", "mode": "min"},
            aliases=("spcm",),
        ),
        Hybrid(
            "adadt",
            "imbalance * gain_ratio + (1 - imbalance) * 0.5 ** 0.5 * hellinger",
            "Gain ratio in balanced nodes, Hellinger distance in imbalanced ones, "
            "weighted by the node's class imbalance; an interpretation.",
            "Yan et al. (2021), AdaDT: An Adaptive Decision Tree for Addressing Local "
            "Class Imbalance Based on Multiple Split Criteria",
            interpretation=True,
        ),
        Hybrid(
            "cv_id3",
            "entropy * cluster_validity",
            "Information gain times how well the column separates the classes; an "
            "interpretation.",
            _SHI,
            interpretation=True,
        ),
        Hybrid(
            "fr_id3",
            "top(None, entropy).largest(cluster_complexity "
            "+ prior_accuracy(class_prior=class_prior))",
            "Of all cuts with information gain, the one with few label runs and a high "
            "accuracy under given class priors; an interpretation.",
            _SHI,
            {"class_prior": None},
            interpretation=True,
        ),
        Hybrid(
            "isat",
            "top(None, entropy).largest(separating_gap)",
            "The widest gap that divides no class, and without one the best "
            "information gain; an interpretation for batches.",
            "Rahman, Islam (2022), Adaptive Decision Forest: An Incremental Machine "
            "Learning Framework",
            interpretation=True,
        ),
        Hybrid(
            "scaff",
            "(1 - theta) * class_auc - theta * sensitive_auc(groups=groups) "
            "- (0.5 - theta)",
            "Cuts that rank the classes well and the groups of fit(..., sensitive=) "
            "badly; theta is the weight of the groups.",
            "Pereira Barata et al. (2021), Fair Tree Classifier Using Strong "
            "Demographic Parity",
            {"theta": 0.0, "groups": "max"},
        ),
    )
}
