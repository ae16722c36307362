# SPDX-License-Identifier: BSD-3-Clause
"""The estimators of a cluster: each is its local class, with a client."""

from __future__ import annotations

from typing import Any, Self

import ramify.estimators.boost as boost
import ramify.estimators.forest as forest
import ramify.estimators.single as single
from ramify.dask.fitting import fit_tree
from ramify.dask.model import OnCluster, on_cluster
from ramify.dask.whole import fit_forest, fit_whole
from ramify.partitioned.refusals import why_refused

__all__ = [
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ObliqueTreeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "of",
]


class _BySums(OnCluster):
    """Rows stay where they are; sums travel."""

    _may_be_whole = False  # where sums do not tell enough, and one worker has room

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the model on the rows of a collection; waits until it is grown.

        Parameters
        ----------
        X : dask DataFrame or Array
            The rows.
        y : dask Series, DataFrame or Array
            What is to be predicted.
        sample_weight : dask Series or Array, optional
            Their weights.
        """
        if why_refused(self.to_local(is_fitted=False)) and self._may_be_whole:
            fit_whole(self, X, y, sample_weight)
        else:
            fit_tree(self, X, y, sample_weight)
        return self


class _ByOne(OnCluster):
    """One worker gets all rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model on the rows of a collection, which must fit one worker.

        Parameters
        ----------
        X : dask DataFrame or Array
            The rows; `memory` must be enough for them.
        y : dask Series, DataFrame or Array
            What is to be predicted.
        sample_weight : dask Series or Array, optional
            Their weights.
        """
        fit_whole(self, X, y, sample_weight)
        return self


class _ByAll(OnCluster):
    """All workers get all rows, and grow some trees each."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the rows of a collection, which must fit each worker.

        Parameters
        ----------
        X : dask DataFrame or Array
            The rows; `memory` must be enough for them.
        y : dask Series, DataFrame or Array
            What is to be predicted.
        sample_weight : dask Series or Array, optional
            Their weights.
        """
        fit_forest(self, X, y, sample_weight)
        return self


@on_cluster
class DecisionTreeClassifier(_BySums, single.DecisionTreeClassifier):  # noqa: D101
    pass


@on_cluster
class DecisionTreeRegressor(_BySums, single.DecisionTreeRegressor):  # noqa: D101
    _may_be_whole = True


@on_cluster
class ObliqueTreeClassifier(_ByOne, single.ObliqueTreeClassifier):  # noqa: D101
    pass


@on_cluster
class RandomForestClassifier(_ByAll, forest.RandomForestClassifier):  # noqa: D101
    pass


@on_cluster
class RandomForestRegressor(_ByAll, forest.RandomForestRegressor):  # noqa: D101
    pass


@on_cluster
class ExtraTreesClassifier(_ByAll, forest.ExtraTreesClassifier):  # noqa: D101
    pass


@on_cluster
class ExtraTreesRegressor(_ByAll, forest.ExtraTreesRegressor):  # noqa: D101
    pass


@on_cluster
class BaggedTreesClassifier(_ByAll, forest.BaggedTreesClassifier):  # noqa: D101
    pass


@on_cluster
class BoostedTreesClassifier(_ByOne, boost.BoostedTreesClassifier):  # noqa: D101
    pass


@on_cluster
class BoostedTreesRegressor(_ByOne, boost.BoostedTreesRegressor):  # noqa: D101
    pass


_CLASSES: dict[type, Any] = {
    cls._local: cls
    for cls in (
        *(DecisionTreeClassifier, DecisionTreeRegressor, ObliqueTreeClassifier),
        *(RandomForestClassifier, RandomForestRegressor, BaggedTreesClassifier),
        *(ExtraTreesClassifier, ExtraTreesRegressor),
        *(BoostedTreesClassifier, BoostedTreesRegressor),
    )
}


def of(estimator: Any, **given: Any) -> Any:
    """Give the estimator of a cluster that has the parameters of a local one.

    Parameters
    ----------
    estimator : estimator of ramify
        Such as ``ramify.methods.make("ihd")``; it need not be fitted.
    **given
        `client`, `memory`, `handoff`, `checkpoint`, and other parameters.

    Examples
    --------
    >>> import ramify
    >>> from ramify.dask import of
    >>> of(ramify.methods.make("ihd"), memory="2GiB").criterion
    'ihd'
    """
    cls = type(estimator)
    if not isinstance(estimator, OnCluster):
        if cls not in _CLASSES:
            names = ", ".join(sorted(local.__name__ for local in _CLASSES))
            raise TypeError(
                f"there is no estimator of a cluster for {cls.__name__}; there are "
                f"those for {names}"
            )
        cls = _CLASSES[cls]
    params = estimator.get_params(deep=False)
    by_sums = cls in (DecisionTreeClassifier, DecisionTreeRegressor)
    if by_sums and params["max_bins"] is None:
        del params["max_bins"]  # 255 on a cluster
    return cls(**{**params, **given})
