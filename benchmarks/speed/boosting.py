# SPDX-License-Identifier: BSD-3-Clause
"""How each library is asked for one and the same boosted model.

Second-order trees of the log loss on 255 bins, the same shrinkage, depth, penalty and
least sum of hessians in a leaf; encoding included. LightGBM grows the best leaf first
and is given as many leaves as the depth allows.
"""

import re
from typing import Any

import numpy as np

from .peers import BINS, Fitted, Peer, Settings, most_probable

RATE, L2, MIN_CHILD_WEIGHT = 0.1, 1.0, 1.0


def fit_ramify(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from ramify import BoostedTreesClassifier

    model = BoostedTreesClassifier(
        n_estimators=settings.n_rounds,
        learning_rate=RATE,
        max_depth=settings.max_depth,
        l2_regularization=L2,
        min_child_weight=MIN_CHILD_WEIGHT,
        max_bins=settings.max_bins or BINS,
        n_jobs=settings.n_threads,
    ).fit(X, y)
    trees = [tree for trees in model.trees_ for tree in trees]
    return Fitted(model.predict, lambda: sum(tree.n_leaves for tree in trees))


def fit_lightgbm(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import lightgbm

    assert settings.max_depth is not None
    n_classes = int(y.max()) + 1
    options: dict[str, Any] = {
        "objective": "binary" if n_classes == 2 else "multiclass",
        "num_class": 1 if n_classes == 2 else n_classes,
        "num_leaves": 2**settings.max_depth,
        "max_depth": settings.max_depth,
        "max_bin": settings.max_bins or BINS,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": MIN_CHILD_WEIGHT,
        "lambda_l2": L2,
        "learning_rate": RATE,
        "num_threads": settings.n_threads,
        "force_row_wise": True,  # else it times both layouts first
        "verbose": -1,
    }
    data = lightgbm.Dataset(X, y, params=options)
    booster = lightgbm.train(options, data, num_boost_round=settings.n_rounds)
    return Fitted(
        lambda rows: most_probable(
            booster.predict(rows, num_threads=settings.n_threads)
        ),
        lambda: sum(
            map(int, re.findall(r"^num_leaves=(\d+)", booster.model_to_string(), re.M))
        ),
    )


def fit_xgboost(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    import xgboost

    n_classes = int(y.max()) + 1
    options: dict[str, Any] = {
        "tree_method": "hist",
        "max_bin": settings.max_bins or BINS,
        "max_depth": settings.max_depth,
        "eta": RATE,
        "reg_lambda": L2,
        "min_child_weight": MIN_CHILD_WEIGHT,
        "nthread": settings.n_threads,
        "verbosity": 0,
        "objective": "binary:logistic",
    }
    if n_classes > 2:
        options |= {"objective": "multi:softprob", "num_class": n_classes}

    def matrix(rows: np.ndarray, labels: np.ndarray | None = None) -> Any:
        return xgboost.DMatrix(rows, labels, nthread=settings.n_threads)

    booster = xgboost.train(options, matrix(X, y), num_boost_round=settings.n_rounds)
    return Fitted(
        lambda rows: most_probable(booster.predict(matrix(rows))),
        lambda: sum(tree.count("leaf=") for tree in booster.get_dump()),
    )


def fit_sklearn(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        learning_rate=RATE,
        max_iter=settings.n_rounds,
        max_leaf_nodes=None,
        max_depth=settings.max_depth,
        min_samples_leaf=1,
        l2_regularization=L2,
        max_bins=settings.max_bins or BINS,
        early_stopping=False,
    )
    with threadpool_limits(settings.n_threads):
        model.fit(X, y)
    return Fitted(model.predict, lambda: 0, "leaves are not counted")


def fit_catboost(X: np.ndarray, y: np.ndarray, settings: Settings) -> Fitted:
    """Ask for its symmetric trees, one test per level: the fastest of its kinds."""
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(
        iterations=settings.n_rounds,
        learning_rate=RATE,
        depth=settings.max_depth,
        l2_leaf_reg=L2,
        border_count=settings.max_bins or BINS - 1,
        bootstrap_type="No",
        thread_count=settings.n_threads,
        allow_writing_files=False,
        verbose=False,
    )
    model.fit(X, y)
    return Fitted(
        lambda rows: np.asarray(model.predict(rows)).ravel(),
        lambda: model.tree_count_ * 2 ** (settings.max_depth or 0),
        "one test per level",
    )


BOOSTERS: dict[str, Peer] = {
    "ramify-boost": Peer("Ramify", "ramify", fit_ramify),
    "lightgbm-boost": Peer("LightGBM", "lightgbm", fit_lightgbm),
    "xgboost-hist-boost": Peer("XGBoost hist", "xgboost", fit_xgboost),
    "catboost-boost": Peer("CatBoost", "catboost", fit_catboost),
    "sklearn-boost": Peer("scikit-learn, histograms", "scikit-learn", fit_sklearn),
}
