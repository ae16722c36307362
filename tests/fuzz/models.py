# SPDX-License-Identifier: BSD-3-Clause
"""Random estimators with random parameters, a few of which do not go together."""

from __future__ import annotations

from typing import Any, NamedTuple

import ramify
from fuzz.expressions import expression
from fuzz.tables import Rng, pick
from ramify import criteria, methods

OBLIQUE = (
    "wodt", "wodt_l1", "oc1", "oc1r", "cart_lc", "cart_lcr", "co2", "co2r",
    "dgmml_mdt", "fisher", "random_sparse",
)  # fmt: skip
PRUNING = ("ccp_cv", "rep", "pep", "ebp", "mep", "cvp", "mdl", "km")
C45 = {"threshold_cost": True, "average_gain": True, "min_branch": True}


class Made(NamedTuple):
    """An estimator, the task it is for, and which promises hold for it."""

    model: Any
    task: str  # "classes" or "numbers"
    any_order: bool  # the order of rows changes nothing
    repeats: bool  # weight 2 is the row twice, 0 is no row


def made(rng: Rng) -> Made:
    """Make an estimator."""
    kinds = (tree, tree, tree, regressor, oblique, forest, forest, boosted, method)
    return pick(rng, *kinds)(rng)


def limits(rng: Rng) -> dict[str, Any]:
    """Parameters that all trees have."""
    return {
        "max_depth": pick(rng, None, None, 1, 3),
        "min_samples_leaf": pick(rng, 1, 1, 1, 3, 0.1),
        "min_weight_fraction_leaf": pick(rng, 0.0, 0.0, 0.0, 0.1),
        "max_leaf_nodes": pick(rng, None, None, None, 5),
        "min_impurity_decrease": pick(rng, 0.0, 0.0, 1e-3),
        "max_features": pick(rng, None, None, "sqrt", 1),
        "missing": pick(rng, "both", "both", "left", "right", "fractional"),
        "unseen": pick(rng, "heavier", "heavier", "missing"),
        "categories": pick(rng, "subset", "subset", "one_vs_rest", "multiway"),
        "ccp_alpha": pick(rng, 0.0, 0.0, 0.01),
        "n_jobs": pick(rng, None, 1, 2),
        "random_state": 0,
    }


def tree(rng: Rng) -> Made:
    """Make a tree of classes."""
    params = limits(rng)
    params["splitter"] = pick(
        rng,
        *("best", "best", "best", "random"),
        *("chaid", "quest", "ctree", "guide", "dgmml"),
    )
    if rng.random() < 0.2:
        params["criterion"] = expression(rng)
    else:
        params["criterion"] = pick(rng, *criteria.names())
        if params["criterion"] == "gain_ratio" and rng.integers(2):
            params["criterion_params"] = C45
    params["max_bins"] = pick(rng, None, None, None, 4)
    params["class_weight"] = pick(rng, None, None, None, "balanced")
    params["laplace"] = bool(rng.integers(2))
    params["threshold"] = pick(rng, "midpoint", "midpoint", "value")
    params["record_candidates"] = pick(rng, None, None, None, 3)
    params["prune"] = pick(rng, *(None,) * 7, *PRUNING)
    params["monotonic_cst"] = pick(rng, *(None,) * 9, [1])
    return Made(ramify.DecisionTreeClassifier(**params), "classes", *_promises(params))


def regressor(rng: Rng) -> Made:
    """Make a regression tree."""
    params = limits(rng)
    params["criterion"] = pick(rng, *criteria.names("regression"))
    params["splitter"] = pick(rng, "best", "best", "random", "ctree")
    params["max_bins"] = pick(rng, None, None, None, 4)
    return Made(ramify.DecisionTreeRegressor(**params), "numbers", *_promises(params))


def oblique(rng: Rng) -> Made:
    """Make an oblique tree."""
    params = limits(rng)
    params["method"] = pick(rng, *OBLIQUE)
    params["criterion"] = pick(rng, "entropy", "gini", "hellinger", "twoing")
    params["scale"] = pick(rng, "global", "node", None)
    params["max_terms"] = pick(rng, None, None, 2)
    return Made(ramify.ObliqueTreeClassifier(**params), "classes", False, False)


def forest(rng: Rng) -> Made:
    """Make a forest."""
    params = limits(rng)
    params["n_estimators"] = int(rng.integers(1, 5))
    params["max_features"] = pick(rng, "sqrt", None, 1)
    params["bootstrap"] = bool(rng.integers(2))
    params["honest"] = pick(rng, None, None, 0.5)
    params["max_bins"] = pick(rng, None, None, None, 4)
    if rng.integers(3) == 0:
        kind = pick(rng, ramify.RandomForestRegressor, ramify.ExtraTreesRegressor)
        params["criterion"] = pick(rng, *criteria.names("regression"))
        return Made(kind(**params), "numbers", True, False)
    kind = pick(
        rng,
        ramify.RandomForestClassifier,
        ramify.ExtraTreesClassifier,
        ramify.BaggedTreesClassifier,
    )
    params["criterion"] = pick(rng, *criteria.names())
    params["voting"] = pick(rng, "soft", "soft", "hard")
    params["class_weight"] = pick(rng, None, None, "balanced", "balanced_subsample")
    return Made(kind(**params), "classes", True, False)


def boosted(rng: Rng) -> Made:
    """Make a boosted model."""
    params: dict[str, Any] = {
        "n_estimators": int(rng.integers(1, 6)),
        "learning_rate": pick(rng, None, 0.1, 1.0, 100.0),
        "max_depth": pick(rng, None, 1, 6),
        "min_samples_leaf": pick(rng, 1, 1, 5),
        "min_child_weight": pick(rng, 1.0, 0.0, 1e-3),
        "l2_regularization": pick(rng, 1.0, 0.0, 1e-9),
        "subsample": pick(rng, 1.0, 1.0, 0.5),
        "n_jobs": pick(rng, None, 1, 2),
        "random_state": 0,
    }
    if rng.integers(2):
        params["loss"] = pick(
            rng, "squared_error", "absolute_error", "quantile", "poisson", "gamma"
        )
        return Made(ramify.BoostedTreesRegressor(**params), "numbers", False, False)
    params["method"] = pick(rng, "gradient", "gradient", "cart", "ihd")
    return Made(ramify.BoostedTreesClassifier(**params), "classes", False, False)


def method(rng: Rng) -> Made:
    """Make what a published method is."""
    model = methods.make(pick(rng, *methods.names()))
    params = model.get_params()
    small = {"n_estimators": 2, "random_state": 0, "n_jobs": 1}
    model.set_params(**{name: small[name] for name in small if name in params})
    return Made(model, "classes", False, False)


def _promises(params: dict[str, Any]) -> tuple[bool, bool]:
    """Whether any order of rows is promised, and weights that are repeated rows."""
    text = str(params["criterion"])
    looks_at_rows = any(word in text for word in ("segments", "bnm", "csn"))
    by_test = params["splitter"] not in ("best", "random")
    is_plain = (
        params["min_samples_leaf"] == 1
        and params["missing"] != "fractional"
        and params.get("class_weight") is None  # counts rows, as in scikit-learn
        and params.get("prune") is None  # folds are of rows
    )
    by_fold = params.get("prune") in ("ccp_cv", "rep", "cvp")
    any_order = not by_test and not looks_at_rows and not by_fold
    return any_order, any_order and is_plain and params["max_bins"] is None
