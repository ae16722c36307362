# SPDX-License-Identifier: BSD-3-Clause
"""How each library is asked for one and the same tree.

Every peer grows a single tree to full depth on one thread, down to one row per leaf,
without shrinkage, regularisation, bootstrap or held-out rows; by Gini's gain or what
the library has in its place (the gain of one boosting step from equal probabilities
orders two-class splits exactly as Gini does; YDF has information gain only). Where a
library offers several ways to that tree, the one that was fastest in a trial is used.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

LIGHTGBM_MAX_LEAVES = 131_072  # its own limit on num_leaves
BINS = 255


class CannotError(Exception):
    """The library has no way to do this job; the message says why."""


@dataclass(frozen=True)
class Settings:
    """What is asked of a tree, in words that every peer translates."""

    criterion: str = "gini"  # ramify only
    max_bins: int | None = None  # None = exact
    max_leaves: int | None = None  # None = full depth
    n_threads: int = 1
    method: str = ""  # of an oblique tree, as Ramify names it; peers use their own
    max_depth: int | None = None  # oblique and boosted only
    n_trees: int = 1  # forests only
    n_rounds: int = 0  # of boosting


@dataclass(frozen=True)
class Fitted:
    predict: Callable[[np.ndarray], np.ndarray]
    count_leaves: Callable[[], int]
    note: str = ""


Fit = Callable[[np.ndarray, np.ndarray, Settings], Fitted]


def fit_ramify(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    if settings.method:
        return _fit_ramify_oblique(X, y, settings)
    return _fit_ramify(X, y, settings, settings.criterion)


def fit_ramify_numpy(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from .own import numpy_gini

    return _fit_ramify(X, y, settings, numpy_gini)


def fit_ramify_numba(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from .own import numba_gini

    return _fit_ramify(X, y, settings, numba_gini())


def fit_ramify_c(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from .own import c_gini

    return _fit_ramify(X, y, settings, c_gini())


def fit_ramify_numpy_convex(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from ramify.criteria import function

    from .own import numpy_gini

    return _fit_ramify(X, y, settings, function(numpy_gini, quasi_convex=True))


def fit_ramify_c_convex(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from .own import c_gini

    return _fit_ramify(X, y, settings, c_gini(quasi_convex=True))


def _fit_ramify(
    X: np.ndarray, y: np.ndarray, settings: Settings, criterion: Any
) -> Fitted:
    from ramify import DecisionTreeClassifier

    tree = DecisionTreeClassifier(
        criterion=criterion,
        max_bins=settings.max_bins,
        max_leaf_nodes=settings.max_leaves,
        n_jobs=settings.n_threads,
    ).fit(X, y)
    return Fitted(tree.predict, tree.get_n_leaves)


def _fit_ramify_oblique(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from ramify import ObliqueTreeClassifier

    tree = ObliqueTreeClassifier(
        settings.method,
        max_depth=settings.max_depth,
        random_state=0,
        n_jobs=settings.n_threads,
    ).fit(X, y)
    return Fitted(tree.predict, tree.get_n_leaves, settings.method)


def fit_scipy(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from threadpoolctl import threadpool_limits

    from ..oblique.yardstick import Wodt

    with threadpool_limits(settings.n_threads):
        tree = Wodt(max_depth=settings.max_depth).fit(X, y)
    return Fitted(tree.predict, tree.count_leaves, "wodt")


def fit_sklearn(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from sklearn.tree import DecisionTreeClassifier

    if settings.max_bins is not None:
        raise CannotError("its single trees are exact only")
    tree = DecisionTreeClassifier(
        max_leaf_nodes=settings.max_leaves, random_state=0
    ).fit(X, y)
    return Fitted(tree.predict, tree.get_n_leaves)


def fit_ydf(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    """Grow a forest of one tree, which is a little faster than YDF's CartLearner."""
    import ydf

    ydf.verbose(0)
    options: dict[str, Any] = {}
    if settings.max_leaves is not None:  # max_num_nodes counts leaves in YDF 0.16
        options = {
            "growing_strategy": "BEST_FIRST_GLOBAL",
            "max_num_nodes": settings.max_leaves,
        }
    if settings.method:
        options = {"split_axis": "SPARSE_OBLIQUE"}
    model = ydf.RandomForestLearner(
        label="y",
        num_trees=1,
        bootstrap_training_dataset=False,
        compute_oob_performances=False,
        num_candidate_attributes=-1,
        max_depth=-1,
        min_examples=1,
        num_threads=settings.n_threads,
        sorting_strategy="IN_NODE",  # 1.3 s against 1.5 s presorted, 100k x 20
        discretize_numerical_columns=settings.max_bins is not None,
        num_discretized_numerical_bins=settings.max_bins or BINS,
        **options,
    ).train({"x": X, "y": y})
    classes = np.array([int(name) for name in model.label_classes()])
    return Fitted(
        lambda rows: classes[most_probable(model.predict({"x": rows}))],
        lambda: (model.num_nodes() + 1) // 2,
        "sparse oblique" if settings.method else "information gain",
    )


def fit_xgboost_exact(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    if settings.max_bins is not None or settings.max_leaves is not None:
        raise CannotError("exact and level by level only; see XGBoost hist")
    # Unlimited depth is refused (max_depth=0); growth stops when all leaves are pure.
    return _fit_xgboost(X, y, settings, {"tree_method": "exact", "max_depth": 10_000})


def fit_xgboost_hist(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    options: dict[str, Any] = {"tree_method": "hist", "max_depth": 0}
    options["max_bin"] = settings.max_bins or BINS
    if settings.max_leaves is not None:
        options |= {"grow_policy": "lossguide", "max_leaves": settings.max_leaves}
    note = "" if settings.max_bins else f"{BINS} bins, not exact"
    return _fit_xgboost(X, y, settings, options, note)


def _fit_xgboost(
    X: np.ndarray,
    y: np.ndarray,
    settings: Settings,
    options: dict[str, Any],
    note: str = "",
) -> Fitted:
    """Take one boosting step; a plain DMatrix, as QuantileDMatrix was no faster."""
    import xgboost

    n_classes = int(y.max()) + 1
    options |= {"eta": 1.0, "gamma": 0.0, "min_child_weight": 0.0, "reg_lambda": 0.0}
    options |= {"nthread": settings.n_threads, "verbosity": 0}
    if n_classes == 2:
        options |= {"objective": "binary:logistic", "base_score": 0.5}
    else:
        options |= {"objective": "multi:softprob", "num_class": n_classes}

    def matrix(rows: np.ndarray, labels: np.ndarray | None = None) -> Any:
        return xgboost.DMatrix(rows, labels, nthread=settings.n_threads)

    booster = xgboost.train(options, matrix(X, y), num_boost_round=1)
    return Fitted(
        lambda rows: most_probable(booster.predict(matrix(rows))),
        lambda: sum(tree.count("leaf=") for tree in booster.get_dump()),
        _notes(note, _one_tree_per_class(n_classes)),
    )


def fit_lightgbm(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import lightgbm

    n_classes = int(y.max()) + 1
    max_leaves = settings.max_leaves or min(len(X), LIGHTGBM_MAX_LEAVES)
    options = {
        "objective": "binary" if n_classes == 2 else "multiclass",
        "num_class": 1 if n_classes == 2 else n_classes,
        "num_leaves": max(2, max_leaves),
        "max_depth": -1,
        "max_bin": settings.max_bins or BINS,
        "min_data_in_bin": 1,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        # With 0 it splits pure nodes for gains of 1e-13: a fifth of all leaves.
        "min_gain_to_split": 1e-6,
        "learning_rate": 1.0,
        "num_threads": settings.n_threads,
        "force_row_wise": True,  # else it times both layouts first
        "verbose": -1,
    }
    if settings.max_leaves is None:
        # Unlimited, it is sized for num_leaves: the first fit of 20k x 20 took 3.8 s
        # in place of 0.4 s.
        options["histogram_pool_size"] = 256
    data = lightgbm.Dataset(X, y, params=options)
    booster = lightgbm.train(options, data, num_boost_round=1)

    def count_leaves() -> int:
        found = re.findall(r"^num_leaves=(\d+)", booster.model_to_string(), re.M)
        return sum(map(int, found))

    return Fitted(
        lambda rows: most_probable(
            booster.predict(rows, num_threads=settings.n_threads)
        ),
        count_leaves,
        _notes(
            "" if settings.max_bins else f"{BINS} bins, not exact",
            _one_tree_per_class(n_classes),
        ),
    )


def fit_obliquetree(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import obliquetree

    if settings.max_bins is not None:
        raise CannotError("has no bins")
    if settings.max_leaves is not None:
        raise CannotError("cannot limit the number of leaves")
    options: dict[str, Any] = {"use_oblique": False}
    if settings.method:
        # All columns in one direction. Its default, all pairs of columns, and anything
        # between take longer: 29 s and more against 17 s on digits.
        options = {"use_oblique": True, "n_pair": X.shape[1], "random_state": 0}
    tree = obliquetree.Classifier(**options)
    tree.fit(X, y)
    return Fitted(tree.predict, lambda: len(np.unique(tree.apply(X))))


def most_probable(probability: np.ndarray) -> np.ndarray:
    if probability.ndim == 1:
        return (probability > 0.5).astype(np.int64)
    return np.asarray(probability.argmax(axis=1))


def _one_tree_per_class(n_classes: int) -> str:
    return "" if n_classes == 2 else f"{n_classes} trees, one per class"


def _notes(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


@dataclass(frozen=True)
class Peer:
    label: str
    package: str
    fit: Fit


PEERS: dict[str, Peer] = {
    "ramify": Peer("Ramify", "ramify", fit_ramify),
    "sklearn": Peer("scikit-learn", "scikit-learn", fit_sklearn),
    "ydf": Peer("YDF", "ydf", fit_ydf),
    "xgboost-exact": Peer("XGBoost exact", "xgboost", fit_xgboost_exact),
    "xgboost-hist": Peer("XGBoost hist", "xgboost", fit_xgboost_hist),
    "lightgbm": Peer("LightGBM", "lightgbm", fit_lightgbm),
    "obliquetree": Peer("obliquetree", "obliquetree", fit_obliquetree),
    "scipy": Peer("NumPy and SciPy", "scipy", fit_scipy),
    # Ramify with a criterion of the user's own:
    "ramify-numpy": Peer("Ramify, NumPy function", "ramify", fit_ramify_numpy),
    "ramify-numba": Peer("Ramify, numba cfunc", "ramify", fit_ramify_numba),
    "ramify-c": Peer("Ramify, C through ctypes", "ramify", fit_ramify_c),
    "ramify-numpy-convex": Peer(
        "Ramify, NumPy, declared quasi-convex", "ramify", fit_ramify_numpy_convex
    ),
    "ramify-c-convex": Peer(
        "Ramify, C, declared quasi-convex", "ramify", fit_ramify_c_convex
    ),
}
