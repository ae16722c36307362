# SPDX-License-Identifier: BSD-3-Clause
"""How each library is asked for one and the same random forest, or extra trees.

Trees of full depth on bootstrap samples, about sqrt(d) columns per node. LightGBM and
XGBoost draw no row twice; they get 63.2 % of the rows, as many as a bootstrap has
distinct ones, and work on 255 bins.
"""

import math
from typing import Any

import numpy as np
from joblib import parallel_config

from .peers import (
    BINS,
    LIGHTGBM_MAX_LEAVES,
    CannotError,
    Fitted,
    Peer,
    Settings,
    most_probable,
)

DISTINCT = 1 - math.exp(-1)


def fit_ramify(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from ramify import RandomForestClassifier

    return _fit_ramify(RandomForestClassifier, X, y, settings)


def fit_ramify_extra(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from ramify import ExtraTreesClassifier

    return _fit_ramify(ExtraTreesClassifier, X, y, settings)


def _fit_ramify(kind: Any, X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    forest = kind(settings.n_trees, random_state=0, n_jobs=settings.n_threads).fit(X, y)
    return Fitted(forest.predict, forest.get_n_leaves)


def fit_sklearn(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from sklearn.ensemble import RandomForestClassifier

    return _fit_sklearn(RandomForestClassifier, X, y, settings)


def fit_sklearn_extra(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from sklearn.ensemble import ExtraTreesClassifier

    return _fit_sklearn(ExtraTreesClassifier, X, y, settings)


def _fit_sklearn(kind: Any, X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    forest = kind(settings.n_trees, random_state=0, n_jobs=settings.n_threads).fit(X, y)
    leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)

    def predict(rows: np.ndarray) -> np.ndarray:
        # Without a word it takes one thread in a process that was started by another.
        with parallel_config(backend="threading"):
            return np.asarray(forest.predict(rows))

    return Fitted(predict, lambda: leaves)


def fit_intelex(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    """Ask Intel's extension of scikit-learn (oneDAL), which works on 256 bins."""
    from sklearnex.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(
        settings.n_trees, random_state=0, n_jobs=settings.n_threads
    ).fit(X, y)
    return Fitted(forest.predict, lambda: 0, "256 bins, not exact")


def fit_ydf(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import ydf

    ydf.verbose(0)
    model = ydf.RandomForestLearner(
        label="y",
        num_trees=settings.n_trees,
        max_depth=-1,
        min_examples=1,
        num_threads=settings.n_threads,
        compute_oob_performances=False,
        winner_take_all=False,
        sorting_strategy="IN_NODE",  # 0.71 s a tree against 0.77 s presorted, 100k x 20
    ).train({"x": X, "y": y})
    classes = np.array([int(name) for name in model.label_classes()])
    return Fitted(
        lambda rows: classes[most_probable(model.predict({"x": rows}))],
        lambda: (model.num_nodes() + settings.n_trees) // 2,
        "information gain",
    )


def fit_lightgbm(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import lightgbm

    if settings.n_trees > 10 and len(X) > 50_000:
        raise CannotError("12 s of processor time a tree at full depth; not repeated")
    n_classes = int(y.max()) + 1
    options = {
        "objective": "binary" if n_classes == 2 else "multiclass",
        "num_class": 1 if n_classes == 2 else n_classes,
        "boosting": "rf",
        "num_leaves": max(2, min(len(X), LIGHTGBM_MAX_LEAVES)),
        "max_bin": BINS,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "min_gain_to_split": 1e-6,
        "bagging_fraction": DISTINCT,
        "bagging_freq": 1,
        "feature_fraction_bynode": _share_of_columns(X),
        "histogram_pool_size": 256,
        "num_threads": settings.n_threads,
        "force_row_wise": True,
        "verbose": -1,
    }
    data = lightgbm.Dataset(X, y, params=options)
    booster = lightgbm.train(options, data, num_boost_round=settings.n_trees)
    return Fitted(
        lambda rows: most_probable(
            booster.predict(rows, num_threads=settings.n_threads)
        ),
        lambda: sum(tree["num_leaves"] for tree in booster.dump_model()["tree_info"]),
        f"{BINS} bins, not exact",
    )


def fit_xgboost(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import xgboost

    n_classes = int(y.max()) + 1
    options: dict[str, Any] = {
        "tree_method": "hist",
        "max_bin": BINS,
        "max_depth": 0,
        "num_parallel_tree": settings.n_trees,
        "subsample": DISTINCT,
        "colsample_bynode": _share_of_columns(X),
        "eta": 1.0,
        "reg_lambda": 0.0,
        "min_child_weight": 0.0,
        "nthread": settings.n_threads,
        "verbosity": 0,
    }
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
        f"{BINS} bins, not exact",
    )


def _share_of_columns(X: np.ndarray) -> float:
    return max(1, int(math.sqrt(X.shape[1]))) / X.shape[1]


FOREST_PEERS: dict[str, Peer] = {
    "ramify-forest": Peer("Ramify", "ramify", fit_ramify),
    "sklearn-forest": Peer("scikit-learn", "scikit-learn", fit_sklearn),
    "intelex-forest": Peer("scikit-learn-intelex", "scikit-learn-intelex", fit_intelex),
    "ydf-forest": Peer("YDF", "ydf", fit_ydf),
    "lightgbm-forest": Peer("LightGBM rf", "lightgbm", fit_lightgbm),
    "xgboost-forest": Peer("XGBoost rf", "xgboost", fit_xgboost),
    "ramify-extra": Peer("Ramify", "ramify", fit_ramify_extra),
    "sklearn-extra": Peer("scikit-learn", "scikit-learn", fit_sklearn_extra),
}
