# SPDX-License-Identifier: BSD-3-Clause
"""Single trees of random cuts: what forests of extra trees are made of."""

from __future__ import annotations

from typing import Any

from ramify.estimators.tree.classifier import _OWN, DecisionTreeClassifier
from ramify.estimators.tree.regressor import DecisionTreeRegressor
from ramify.estimators.validation.text import (
    OF_CLASSES,
    OF_REGRESSION,
    documented,
    other_defaults,
)

__all__ = ["ExtraTreeClassifier", "ExtraTreeRegressor"]

_DRAWN = {
    "splitter": """{"random", "best"}
Draw one cut of each column that is looked at and make the best of these; "best" tries
all cuts."""
}


@documented(OF_CLASSES, _OWN, _DRAWN)
class ExtraTreeClassifier(DecisionTreeClassifier):
    """An extremely randomised tree: the best of random cuts of sampled columns.

    (Geurts, Ernst, Wehenkel 2006.) It is `DecisionTreeClassifier` with other defaults,
    and meant for ensembles: `ExtraTreesClassifier` is a forest of such trees.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_, classes_, n_classes_, n_outputs_, n_features_in_, feature_names_in_
        As in `DecisionTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from ramify import ExtraTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ExtraTreeClassifier(random_state=0)
    >>> BaggingClassifier(tree, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    __init__: Any = other_defaults(
        DecisionTreeClassifier.__init__, splitter="random", max_features="sqrt"
    )


@documented(OF_REGRESSION, _DRAWN)
class ExtraTreeRegressor(DecisionTreeRegressor):
    """An extremely randomised regression tree.

    (Geurts, Ernst, Wehenkel 2006.) It is `DecisionTreeRegressor` with other defaults,
    and meant for ensembles: `ExtraTreesRegressor` is a forest of such trees.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_, n_outputs_, n_features_in_, feature_names_in_
        As in `DecisionTreeRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ramify import ExtraTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreeRegressor(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    __init__: Any = other_defaults(
        DecisionTreeRegressor.__init__, splitter="random", max_features=1.0
    )
