# SPDX-License-Identifier: BSD-3-Clause
"""Measures: what a cut does to label order, class geometry, imbalance or fairness.

A measure is a score like a criterion, but seldom one to choose cuts by alone: it is a
term of an expression, beside a criterion. Some take parameters, given in a call.

>>> from ramify.criteria import gini, bnm, segments
>>> gini + 0.01 * bnm(penalty="none")
gini + 0.01 * bnm(penalty='none')
>>> segments(mode="split", weighted=False).params
{'mode': 'split', 'weighted': False}
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ramify.criteria.score import Node, Score, Scores, is_number

__all__ = ["MEASURES", "Measure"]

_DU_CHEN = (
    "Du, Chen (2023), Novel Splitting Criteria for Decision Trees with Combination of "
    "Structure and Purity"
)
_WANG = (
    "Wang et al. (2015), Segment Based Decision Tree Induction With Continuous Valued "
    "Attributes"
)
_SHI = (
    "Shi et al. (2019), GMM Clustering-Based Decision Trees Considering Fault Rate and "
    "Cluster Validity for Analog Circuit Fault Diagnosis"
)
_SCAFF = (
    "Pereira Barata et al. (2021), Fair Tree Classifier Using Strong Demographic Parity"
)


@dataclass(frozen=True)
class Option:
    """A parameter of a measure: one of a few words, the first by default."""

    name: str
    engine_name: str
    codes: dict[Any, float]

    @property
    def default(self) -> Any:
        """What holds if nothing is said."""
        return next(iter(self.codes))

    def check(self, value: Any) -> Any:
        """Return the value as it is kept, or refuse it."""
        plain = value.item() if isinstance(value, np.generic) else value
        for word in self.codes:
            if type(plain) is type(word) and plain == word:
                return word
        words = " or ".join(map(repr, self.codes))
        raise ValueError(f"{self.name}={value!r} is not allowed; use {words}")

    def encode(self, value: Any) -> dict[str, Any]:
        """Return the value as the engine reads it."""
        return {self.engine_name: self.codes[value]}


class Priors(Option):
    """A parameter that is one probability per class, or None for the data's own."""

    def check(self, value: Any) -> Any:
        """Return the value as it is kept, or refuse it."""
        if value is None:
            return None
        if isinstance(value, str) or not np.iterable(value):
            raise ValueError(
                f"{self.name}={value!r} is not allowed; give one probability per "
                "class, in the order of classes_, or None"
            )
        priors = tuple(value)
        if len(priors) < 2 or not all(is_number(p) and 0 < p < 1 for p in priors):
            raise ValueError(
                f"{self.name}={value!r} must hold at least two probabilities between "
                "0 and 1"
            )
        if not math.isclose(sum(priors), 1, abs_tol=1e-6):
            raise ValueError(
                f"{self.name}={value!r} sums to {float(sum(priors))}; it must be 1"
            )
        return tuple(map(float, priors))

    def encode(self, value: Any) -> dict[str, Any]:
        """Return the value as the engine reads it."""
        return {} if value is None else {self.engine_name: list(value)}


@dataclass(frozen=True, repr=False)
class Measure(Score):
    """A measure; call it with parameters to get another with those.

    Attributes
    ----------
    name, summary, formula, reference : str
        What it is and where it comes from.
    params : dict
        Its parameters.
    interpretation : bool
        Whether the formula is ours, because its source gives none.
    looks_at_rows : bool
        Whether it needs more than sums: numeric columns without missing values, and
        one output.
    """

    name: str
    summary: str = field(compare=False)
    formula: str = field(compare=False)
    reference: str = field(compare=False)
    options: tuple[Option, ...] = field(default=(), compare=False)
    values: tuple[Any, ...] | None = None
    interpretation: bool = field(default=False, compare=False)
    needs_no_gain: bool = field(default=False, compare=False)
    looks_at_rows: bool = field(default=True, compare=False)
    of_weights: Callable[[Scores, Scores], Scores] | None = field(
        default=None, compare=False
    )

    def __post_init__(self) -> None:
        if self.values is None:
            defaults = tuple(option.default for option in self.options)
            object.__setattr__(self, "values", defaults)

    @property
    def params(self) -> dict[str, Any]:
        """Parameters and their values."""
        names = (option.name for option in self.options)
        return dict(zip(names, self.values or (), strict=True))

    def __call__(self, **params: Any) -> Measure:
        """Return the measure with other parameters."""
        known = {option.name: option for option in self.options}
        values = self.params
        for name, value in params.items():
            if name not in known:
                listing = ", ".join(known) or "none"
                raise ValueError(
                    f"the measure {self.name!r} has no parameter {name!r}; it has: "
                    f"{listing}"
                )
            try:
                values[name] = known[name].check(value)
            except ValueError as error:
                raise ValueError(f"measure {self.name!r}: {error}") from None
        fields = {**self.__dict__, "values": tuple(values.values())}
        return Measure(**fields)

    @property
    def tests_gain(self) -> bool:
        """Whether a split needs a score above 0."""
        return not self.needs_no_gain

    def node(self) -> Node:
        """Return the score as a node of the engine's program."""
        numbers: dict[str, Any] = {}
        for option in self.options:
            numbers |= option.encode(self.params[option.name])
        return ("measure", self.name, numbers)

    def scores(self, parent: Scores, left: Scores, right: Scores) -> Scores:
        """Score m cuts by their class weights, if these say enough."""
        if self.of_weights is None:
            raise ValueError(
                f"the measure {self.name!r} needs more than class weights; only a "
                "tree that is grown can compute it"
            )
        return self.of_weights(parent, left)

    def __repr__(self) -> str:
        said = ", ".join(
            f"{option.name}={value!r}"
            for option, value in zip(self.options, self.values or (), strict=True)
            if value != option.default
        )
        return f"{self.name}({said})" if said else self.name

    def __reduce__(self) -> Any:
        return _restore, (self.name, self.params)


def _restore(name: str, params: dict[str, Any]) -> Measure:
    return MEASURES[name](**params)


def _imbalance(parent: Scores, left: Scores) -> Scores:
    present = parent[parent > 0]
    return np.full(len(left), present.min() / present.max())


def _branch_balance(parent: Scores, left: Scores) -> Scores:
    share = left.sum(axis=1) / parent.sum()
    return np.asarray(4 * share * (1 - share))


def _class_auc(parent: Scores, left: Scores) -> Scores:
    present = parent > 0
    if present.sum() < 2:
        return np.full(len(left), 0.5)
    here, all_here = left[:, present], left.sum(axis=1, keepdims=True)
    of_class = here / parent[present]
    of_rest = (all_here - here) / (parent.sum() - parent[present])
    return np.asarray((0.5 + np.abs(of_class - of_rest) / 2).mean(axis=1))


_MODE = Option("mode", "split", {"min": 0, "split": 1})

bnm = Measure(
    "bnm",
    "Between-node margin: the distance between the two sides of a class that a cut "
    "divides.",
    "margin - pen_L - pen_R on columns scaled to 0..1 in the node\n"
    "margin = mean over classes in both children of |m_Lk - m_Rk|^2\n"
    "pen_t = mean over classes k in t of d_k + min_{j != k} d_j, 0 if t is pure\n"
    "d_k = distance of class k in t from the threshold, on the cut's column\n"
    "(penalty='euclidean': pen_t = mean over k of min |z_i - z_j|^2, i of class k and\n"
    "j of another in t; scale='mean': squared distances over the number of columns)",
    _DU_CHEN,
    options=(
        Option("penalty", "penalty", {"abs": 1, "none": 0, "euclidean": 2}),
        Option("scale", "scale", {"sum": 0, "mean": 1}),
    ),
    needs_no_gain=True,
)
csn = Measure(
    "csn",
    "Class separability of the children: their spread within classes over the "
    "distance between classes; smaller is better.",
    "rho_L CSN(L) + rho_R CSN(R), 0 for a pure child\n"
    "CSN(t) = sum_k sum_{i in k} |z_i - m_tk|^2 / BCM(t)\n"
    "BCM(t) = sum over the code's pairs of class groups of |m_tA - m_tB|^2\n"
    "(code='exhaustive': up to six classes, else one against the rest)",
    _DU_CHEN,
    options=(
        Option("code", "code", {"ovr": 0, "ovo": 1, "exhaustive": 2}),
        Option("normalise", "child", {"parent": 0, "child": 1}),
    ),
    needs_no_gain=True,
)
segments = Measure(
    "segments",
    "Label runs in the children when their rows are sorted by a column; smaller is "
    "better.",
    "rho_L Seg(L) + rho_R Seg(R); weighted=False: Seg(L) + Seg(R)\n"
    "Seg(t) = runs of equal labels of t, in the order of the column that has the "
    "fewest\n"
    "(mode='min') or of the cut's own column (mode='split')",
    _WANG,
    options=(_MODE, Option("weighted", "weighted", {True: 1, False: 0})),
)
segment_ratio = Measure(
    "segment_ratio",
    "Balance of the numbers of label runs of the two children, from 0 to 1.",
    "min(Seg(L), Seg(R)) / max(Seg(L), Seg(R))",
    "Yan et al. (2020), A Hybrid Scheme-Based One-vs-All Decision Trees for "
    "Multi-Class Classification Tasks",
    options=(_MODE,),
)
cluster_validity = Measure(
    "cluster_validity",
    "How well the cut's column alone separates the classes, from 0 to 1.",
    "B / (B + W) of the cut's column in the node\n"
    "B = sum_k n_k (m_k - m)^2,  W = sum_k sum_{i in k} (x_i - m_k)^2",
    _SHI,
    interpretation=True,
)
cluster_complexity = Measure(
    "cluster_complexity",
    "Fewness of label runs in the children, from 0 to 1; larger is better.",
    "1 - (E - 1) / (N - 1),  E = rho_L Seg(L) + rho_R Seg(R),  N = rows of the node",
    _SHI,
    interpretation=True,
)
prior_accuracy = Measure(
    "prior_accuracy",
    "Accuracy of the children's majority classes, after the classes are reweighted to "
    "given priors.",
    "sum_t rho'_t max_k p'_tk,  n'_tk = n_tk prior_k / (share of class k in the node)",
    _SHI,
    options=(Priors("class_prior", "prior", {None: 0}),),
    interpretation=True,
    looks_at_rows=False,
)
imbalance = Measure(
    "imbalance",
    "Weight of the rarest class of the node over that of the most frequent one.",
    "min_k n_k / max_k n_k over classes in the node",
    "Yan et al. (2021), AdaDT: An Adaptive Decision Tree for Addressing Local Class "
    "Imbalance Based on Multiple Split Criteria",
    interpretation=True,
    looks_at_rows=False,
    of_weights=_imbalance,
)
separating_gap = Measure(
    "separating_gap",
    "Width of the gap at a cut that divides no class, as a share of the column's "
    "range; 0 for other cuts.",
    "(next value - last value) / (max - min) if every class is on one side, else 0",
    "Rahman, Islam (2022), Adaptive Decision Forest: An Incremental Machine Learning "
    "Framework",
    interpretation=True,
)
branch_balance = Measure(
    "branch_balance",
    "Balance of the branch weights, from 0 to 1 for equal halves; a factor against end "
    "cuts.",
    "4 rho_L rho_R",
    "Marshall (1986), Partitioning Methods for Classification and Decision Making in "
    "Medicine",
    looks_at_rows=False,
    of_weights=_branch_balance,
)
class_auc = Measure(
    "class_auc",
    "How well the cut ranks each class against the rest, from 0.5 to 1, as a mean.",
    "mean over classes k of max(A, 1 - A),  A = (1 + r_Lk - r_L,rest) / 2\n"
    "r_Lk = n_Lk / n_k",
    _SCAFF,
    looks_at_rows=False,
    of_weights=_class_auc,
)
sensitive_auc = Measure(
    "sensitive_auc",
    "How well the cut ranks the groups of fit(..., sensitive=), from 0.5 to 1.",
    "max (or mean) over groups g of max(A, 1 - A),  A = (1 + r_Lg - r_L,rest) / 2",
    _SCAFF,
    options=(Option("groups", "mean", {"max": 0, "mean": 1}),),
    looks_at_rows=False,
)

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        *(bnm, csn, segments, segment_ratio),
        *(cluster_validity, cluster_complexity, prior_accuracy),
        *(imbalance, branch_balance, separating_gap, class_auc, sensitive_auc),
    )
}
