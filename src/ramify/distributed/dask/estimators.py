# SPDX-License-Identifier: BSD-3-Clause
"""The estimators of a cluster: each is its local class, with a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import ramify.estimators.boosting as boost
import ramify.estimators.forest as forest
import ramify.estimators.tree as single
from ramify.distributed.core.routing import OnePlace
from ramify.distributed.dask.fitting import fit_on_cluster
from ramify.distributed.dask.model import OnCluster, on_cluster
from ramify.estimators.validation.failing import all_or_nothing

__all__ = [
    "BaggedTreesClassifier",
    "BaggedTreesRegressor",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ObliqueTreeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "from_estimator",
]


class _Fits(OnCluster):
    """Is fitted on a cluster."""

    _is_shared_out = False  # do workers that get all rows grow some trees each?

    if TYPE_CHECKING:  # on_cluster makes it of the model's own, client and memory

        def __init__(self, *arguments: Any, **parameters: Any) -> None: ...

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model on the rows of a collection; waits until it is fitted.

        A tree is grown by passes over rows, which stay where they are. Workers get all
        rows of other models if they fit into `memory`; where they do not, forests
        go by passes, too. What can be done neither way is refused with the reason.

        Parameters
        ----------
        X : dask DataFrame or Array
            The rows.
        y : dask Series, DataFrame or Array
            What is to be predicted.
        sample_weight : dask Series or Array, optional
            Their weights.
        """
        fit_on_cluster(self, X, y, sample_weight)
        return self


class _FitsForest(_Fits):
    _is_shared_out = True


@on_cluster
class DecisionTreeClassifier(_Fits, single.DecisionTreeClassifier):  # noqa: D101
    pass


@on_cluster
class DecisionTreeRegressor(_Fits, single.DecisionTreeRegressor):  # noqa: D101
    pass


@on_cluster
class ObliqueTreeClassifier(_Fits, single.ObliqueTreeClassifier):  # noqa: D101
    _one_place = OnePlace.ELSE  # a worker gets numbers, not codes


@on_cluster
class RandomForestClassifier(_FitsForest, forest.RandomForestClassifier):  # noqa: D101
    pass


@on_cluster
class RandomForestRegressor(_FitsForest, forest.RandomForestRegressor):  # noqa: D101
    pass


@on_cluster
class ExtraTreesClassifier(_FitsForest, forest.ExtraTreesClassifier):  # noqa: D101
    pass


@on_cluster
class ExtraTreesRegressor(_FitsForest, forest.ExtraTreesRegressor):  # noqa: D101
    pass


@on_cluster
class BaggedTreesClassifier(_FitsForest, forest.BaggedTreesClassifier):  # noqa: D101
    pass


@on_cluster
class BaggedTreesRegressor(_FitsForest, forest.BaggedTreesRegressor):  # noqa: D101
    pass


@on_cluster
class BoostedTreesClassifier(_Fits, boost.BoostedTreesClassifier):  # noqa: D101
    pass


@on_cluster
class BoostedTreesRegressor(_Fits, boost.BoostedTreesRegressor):  # noqa: D101
    pass


_CLASSES: dict[type, Any] = {
    cls._local: cls
    for cls in (
        *(DecisionTreeClassifier, DecisionTreeRegressor, ObliqueTreeClassifier),
        *(RandomForestClassifier, RandomForestRegressor, BaggedTreesClassifier),
        *(ExtraTreesClassifier, ExtraTreesRegressor, BaggedTreesRegressor),
        *(BoostedTreesClassifier, BoostedTreesRegressor),
    )
}


def from_estimator(estimator: Any, **given: Any) -> Any:
    """Return the estimator of a cluster that has the parameters of a local one.

    Parameters
    ----------
    estimator : estimator of ramify
        Such as ``ramify.methods.make("ihd")``; it need not be fitted.
    **given
        `client`, `memory`, `handoff`, `checkpoint`, and other parameters.

    Examples
    --------
    >>> import ramify
    >>> from ramify.dask import from_estimator
    >>> from_estimator(ramify.methods.make("ihd"), memory="2GiB").criterion
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
