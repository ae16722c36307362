# SPDX-License-Identifier: BSD-3-Clause
"""Which models are grown: criteria x methods x options x data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ramify
from ramify import criteria, methods

from .data import data

Case = tuple[str, Callable[[], tuple[Any, Any]]]

SMALL = ("few", "many", "gaps", "mixed", "kinds")
TREES: dict[str, dict[str, Any]] = {
    "leaf5": {"min_samples_leaf": 5},
    "gives_up": {"min_samples_leaf": 8, "leaf_rule": "give_up"},
    "share": {"min_weight_fraction_leaf": 0.03},
    "depth3": {"max_depth": 3},
    "decrease": {"min_impurity_decrease": 0.01},
    "leaves9": {"max_leaf_nodes": 9},
    "left": {"missing": "left"},
    "right": {"missing": "right"},
    "fractional": {"missing": "fractional"},
    "one_vs_rest": {"categories": "one_vs_rest"},
    "multiway": {"categories": "multiway"},
    "subsets_of_2": {"max_subset_size": 2},
    "bins12": {"max_bins": 12},
    "value": {"threshold": "value"},
    "drawn2": {"max_features": 2, "random_state": 3},
    "drawn2_leaf4": {"max_features": 2, "random_state": 3, "min_samples_leaf": 4},
    "random": {"splitter": "random", "random_state": 4},
    "random_drawn2": {"splitter": "random", "max_features": 2, "random_state": 5},
    "random_leaf3": {"splitter": "random", "min_samples_leaf": 3, "random_state": 5},
    "ledger": {"record_candidates": 4, "candidate_criteria": ["entropy", "ihd"]},
    "pruned": {"ccp_alpha": 0.004},
    "monotonic": {"monotonic_cst": [1, -1, 0]},
    "balanced": {"class_weight": "balanced"},
}
EXPRESSIONS = (
    "gini + 0.01 * bnm",
    "top(3, gini).smallest(csn)",
    "top(5, gain_ratio).smallest(segments)",
    "0.5 * entropy + 0.5 * hellinger",
    "gini * class_auc",
    "top(4, ihd).largest(entropy)",
)
READINGS = (
    "ccp_entropy(multiclass='normalised')",
    "ccp_gini(multiclass='literal')",
    "ccp_gini(multiclass='normalised')",
)
NUMBERS = ("squared_error", "absolute_error", "quantile", "poisson", "gamma")


def all_cases() -> Iterator[Case]:
    """List all models by name."""
    warnings.simplefilter("ignore", UserWarning)  # few trees leave rows out of no bag
    yield from _by_criterion()
    yield from _by_option()
    yield from _by_expression()
    yield from _by_test()
    yield from _by_method()
    yield from _of_numbers()
    yield from _own()
    yield from _forests()
    yield from _boosted()
    yield from _with_threads()
    yield from _wide()


def _tree(
    name: str,
    estimator: Any,
    of: str,
    weight: str = "",
    *,
    target: str = "y",
    **options: Any,
) -> Case:
    def make() -> tuple[Any, Any]:
        known = data(of)
        given = dict(options)
        if known.categories and "Oblique" not in estimator.__name__:
            given.setdefault("categorical_features", list(known.categories))
        if "monotonic_cst" in given:
            n_more = known.X.shape[1] - len(given["monotonic_cst"])
            given["monotonic_cst"] = [*given["monotonic_cst"], *[0] * n_more]
        y = {"y": known.y, "z": known.z, "two": (known.y > known.y.mean()).astype(int)}
        y["yy"] = np.column_stack([known.y, known.y % 2])
        y["zz"] = np.column_stack([known.z, known.X[:, 2]])
        weights = known.weights[weight] if weight else None
        model = estimator(**given).fit(known.X, y[target], sample_weight=weights)
        return model, known.X[:300]

    return " ".join(part for part in (name, of, weight) if part), make


def _by_criterion() -> Iterator[Case]:
    for criterion in criteria.names():
        for of in SMALL:
            for weight in ("", "whole", "parts") if of in ("many", "gaps") else ("",):
                yield _tree(
                    criterion,
                    ramify.DecisionTreeClassifier,
                    of,
                    weight,
                    criterion=criterion,
                )
    for criterion in READINGS:
        yield _tree(
            criterion, ramify.DecisionTreeClassifier, "many", criterion=criterion
        )


def _by_option() -> Iterator[Case]:
    for option, given in TREES.items():
        for criterion in ("gini", "ihdw", "gain_ratio"):
            for of in SMALL:
                target = "two" if option == "monotonic" else "y"
                if option == "monotonic" and of in ("mixed", "kinds"):
                    continue
                name = f"{criterion} {option}"
                yield _tree(
                    name,
                    ramify.DecisionTreeClassifier,
                    of,
                    target=target,
                    criterion=criterion,
                    **given,
                )
    for option in ("leaf5", "share", "drawn2", "random", "ledger", "leaves9", "bins12"):
        for weight in ("whole", "heavy", "parts"):
            for of in ("few", "gaps", "mixed"):
                yield _tree(
                    f"entropy {option}",
                    ramify.DecisionTreeClassifier,
                    of,
                    weight,
                    criterion="entropy",
                    **TREES[option],
                )
    rules = {"threshold_cost": True, "average_gain": True, "min_branch": True}
    for of in SMALL:
        for missing in ("both", "fractional"):
            yield _tree(
                f"c45 rules {missing}",
                ramify.DecisionTreeClassifier,
                of,
                criterion="gain_ratio",
                criterion_params=rules,
                missing=missing,
                categories="multiway" if missing == "fractional" else "subset",
            )
        for criterion in ("gini", "entropy", "ihdw"):
            yield _tree(
                f"{criterion} two outputs",
                ramify.DecisionTreeClassifier,
                of,
                target="yy",
                criterion=criterion,
            )


def _by_expression() -> Iterator[Case]:
    for expression in EXPRESSIONS:
        for of in ("few", "many", "gaps", "mixed"):
            for option in ("depth3", "ledger"):
                yield _tree(
                    f"{expression} {option}",
                    ramify.DecisionTreeClassifier,
                    of,
                    criterion=expression,
                    **{"max_depth": 4, **TREES[option]},
                )


def _by_test() -> Iterator[Case]:
    for splitter in ("chaid", "quest", "ctree", "guide", "dgmml"):
        for of in SMALL:
            for option in ("", "leaf5", "left", "drawn2", "bins12"):
                for weight in ("", "parts") if option == "" else ("",):
                    yield _tree(
                        f"{splitter} {option}".strip(),
                        ramify.DecisionTreeClassifier,
                        of,
                        weight,
                        splitter=splitter,
                        **TREES.get(option, {}),
                    )
    for binary in (False, True):
        yield _tree(
            f"chaid resplit {binary}",
            ramify.DecisionTreeClassifier,
            "kinds",
            splitter="chaid",
            splitter_params={"resplit": True, "binary": binary},
        )


def _by_method() -> Iterator[Case]:
    for name in methods.names():
        if name == "scaff":  # needs a sensitive attribute
            continue
        for of in ("few", "many"):

            def make(name: str = name, of: str = of) -> tuple[Any, Any]:
                known = data(of)
                X = known.X[:220]
                y = known.y[:220] > 0 if name == "spce" else known.y[:220]
                model = methods.make(name, max_depth=4)
                if "random_state" in model.get_params():
                    model.set_params(random_state=0)
                return model.fit(X, y), X

            yield f"method {name} {of}", make


def _of_numbers() -> Iterator[Case]:
    options = (
        "",
        "leaf5",
        "left",
        "fractional",
        "leaves9",
        "bins12",
        "drawn2",
        "random",
    )
    for criterion in NUMBERS:
        for option in options:
            for of in ("few", "many", "gaps", "mixed"):
                slow = criterion in ("absolute_error", "quantile")
                if slow and of == "many" and option in ("fractional", "leaves9"):
                    continue
                given = dict(TREES.get(option, {}))
                if criterion == "quantile":
                    given["criterion_params"] = {"level": 0.3}
                yield _tree(
                    f"numbers {criterion} {option}".strip(),
                    ramify.DecisionTreeRegressor,
                    of,
                    target="z",
                    criterion=criterion,
                    **given,
                )
        for weight in ("whole", "parts"):
            given = (
                {"criterion_params": {"level": 0.3}} if criterion == "quantile" else {}
            )
            yield _tree(
                f"numbers {criterion}",
                ramify.DecisionTreeRegressor,
                "gaps",
                weight,
                target="z",
                criterion=criterion,
                **given,
            )
    for option in ("", "random", "monotonic", "leaves9"):
        target = "z" if option == "monotonic" else "zz"
        yield _tree(
            f"numbers {target} {option}".strip(),
            ramify.DecisionTreeRegressor,
            "many",
            target=target,
            **TREES.get(option, {}),
        )


def _mine(parent: Any, left: Any, right: Any) -> Any:
    """Gini, written by a user."""
    n, n_left, n_right = parent.sum(-1), left.sum(-1), right.sum(-1)
    pure = (left**2).sum(-1) / n_left + (right**2).sum(-1) / n_right
    return (pure - (parent**2).sum(-1) / n) / n


def _own() -> Iterator[Case]:
    for of in ("few", "gaps", "mixed"):
        for option in ("", "leaf5", "random", "ledger"):
            yield _tree(
                f"function {option}".strip(),
                ramify.DecisionTreeClassifier,
                of,
                criterion=_mine,
                max_depth=4,
                **TREES.get(option, {}),
            )


def _forests() -> Iterator[Case]:
    forests: dict[str, Any] = {
        "forest": ramify.RandomForestClassifier,
        "extra": ramify.ExtraTreesClassifier,
        "bagged": ramify.BaggedTreesClassifier,
    }
    for kind, estimator in forests.items():
        for criterion in ("gini", "entropy", "ihdw", "hellinger"):
            for of in ("few", "many", "gaps", "mixed"):
                for weight in ("", "whole", "parts") if criterion == "gini" else ("",):
                    yield _tree(
                        f"{kind} {criterion}",
                        estimator,
                        of,
                        weight,
                        criterion=criterion,
                        n_estimators=3,
                        random_state=1,
                    )
    options: dict[str, dict[str, Any]] = {
        "leaf3": {"min_samples_leaf": 3},
        "bins20": {"max_bins": 20},
        "balanced": {"class_weight": "balanced"},
        "honest": {"honest": 0.5},
        "oob": {"oob_score": True},
        "half": {"max_samples": 0.5},
        "depth5": {"max_depth": 5},
        "jobs2": {"n_jobs": 2},
    }
    for option, given in options.items():
        for of in ("many", "plain"):
            yield _tree(
                f"forest {option}",
                ramify.RandomForestClassifier,
                of,
                n_estimators=4,
                random_state=2,
                **given,
            )
    for kind, number_estimator in (
        ("forest", ramify.RandomForestRegressor),
        ("extra", ramify.ExtraTreesRegressor),
    ):
        for criterion in ("squared_error", "absolute_error"):
            for of in ("many", "mixed"):
                yield _tree(
                    f"numbers {kind} {criterion}",
                    number_estimator,
                    of,
                    target="z",
                    criterion=criterion,
                    n_estimators=3,
                    max_features=0.5,
                    random_state=1,
                )


def _boosted() -> Iterator[Case]:
    options: dict[str, dict[str, Any]] = {
        "": {},
        "leaves": {"max_leaf_nodes": 7, "max_depth": None},
        "drawn": {"max_features": 2, "subsample": 0.7},
        "stops": {"early_stopping": True},
    }
    for option, given in options.items():
        for of in ("few", "many", "gaps", "mixed"):
            for weight in ("", "parts"):
                common = {"n_estimators": 6, "random_state": 0, **given}
                yield _tree(
                    f"boosted {option}".strip(),
                    ramify.BoostedTreesClassifier,
                    of,
                    weight,
                    **common,
                )
                yield _tree(
                    f"boosted numbers {option}".strip(),
                    ramify.BoostedTreesRegressor,
                    of,
                    weight,
                    target="z",
                    **common,
                )
    for loss in ("absolute_error", "quantile", "poisson", "gamma"):
        yield _tree(
            f"boosted {loss}",
            ramify.BoostedTreesRegressor,
            "many",
            target="z",
            loss=loss,
            n_estimators=5,
        )


def _with_threads() -> Iterator[Case]:
    for n_jobs in (1, 2):
        jobs = {"n_jobs": n_jobs}
        for of in ("large", "plain"):
            for criterion in ("gini", "entropy", "ihdw"):
                for option in (
                    "",
                    "drawn2",
                    "random_drawn2",
                    "leaf5",
                    "bins12",
                    "leaves9",
                ):
                    yield _tree(
                        f"jobs{n_jobs} {criterion} {option}".strip(),
                        ramify.DecisionTreeClassifier,
                        of,
                        criterion=criterion,
                        **jobs,
                        **TREES.get(option, {}),
                    )
            for option in ("", "random", "drawn2"):
                yield _tree(
                    f"jobs{n_jobs} numbers {option}".strip(),
                    ramify.DecisionTreeRegressor,
                    of,
                    target="z",
                    **jobs,
                    **TREES.get(option, {}),
                )
            for splitter in ("dgmml", "quest", "chaid", "ctree", "guide"):
                yield _tree(
                    f"jobs{n_jobs} {splitter}",
                    ramify.DecisionTreeClassifier,
                    of,
                    splitter=splitter,
                    max_depth=6,
                    **jobs,
                )
            yield _tree(
                f"jobs{n_jobs} boosted",
                ramify.BoostedTreesClassifier,
                of,
                n_estimators=5,
                **jobs,
            )
        for option in ("drawn2", "random_drawn2", "drawn2_leaf4"):
            for criterion in ("entropy", "gain_ratio", "chi2", "twoing", "dcsm"):
                for weight in ("", "whole", "heavy", "parts"):
                    yield _tree(
                        f"jobs{n_jobs} {criterion} {option}",
                        ramify.DecisionTreeClassifier,
                        "many",
                        weight,
                        criterion=criterion,
                        **jobs,
                        **TREES[option],
                    )
        for method in ("wodt", "oc1", "random_sparse"):
            yield _tree(
                f"jobs{n_jobs} {method}",
                ramify.ObliqueTreeClassifier,
                "plain",
                method=method,
                max_depth=3,
                random_state=0,
                **jobs,
            )
        yield _tree(
            f"jobs{n_jobs} top(3, gini).smallest(csn)",
            ramify.DecisionTreeClassifier,
            "plain",
            criterion="top(3, gini).smallest(csn)",
            max_depth=3,
            **jobs,
        )


def _wide() -> Iterator[Case]:
    """Float32 tables of many columns: kernels read them in packs, which have tails."""
    options = ("", "leaf5", "bins12", "drawn2", "random", "random_drawn2", "leaves9")
    forests: dict[str, dict[str, Any]] = {
        "": {},
        "drawn13": {"max_features": 13},
        "leaf3": {"min_samples_leaf": 3},
    }
    kinds: tuple[tuple[str, str, str], ...] = (
        ("Classifier", "y", "classes"),
        ("Classifier", "two", "two classes"),
        ("Regressor", "z", "numbers"),
    )
    for kind, target, name in kinds:
        for weight in ("", "whole", "parts"):
            for option in options:
                yield _tree(
                    f"{name} {option}".strip(),
                    getattr(ramify, f"DecisionTree{kind}"),
                    "wide",
                    weight,
                    target=target,
                    **TREES.get(option, {}),
                )
            for forest in ("RandomForest", "ExtraTrees"):
                for option, given in forests.items():
                    yield _tree(
                        f"{name} {forest} {option}".strip(),
                        getattr(ramify, f"{forest}{kind}"),
                        "wide",
                        weight,
                        target=target,
                        n_estimators=3,
                        random_state=1,
                        **given,
                    )
            yield _tree(
                f"{name} boosted",
                getattr(ramify, f"BoostedTrees{kind}"),
                "wide",
                weight,
                target=target,
                n_estimators=3,
            )
