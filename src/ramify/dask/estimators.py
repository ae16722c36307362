# SPDX-License-Identifier: BSD-3-Clause
"""The estimators of a cluster: each is its local class, with a client."""

from __future__ import annotations

from typing import Any, Self

from ramify.dask.fitting import fit_tree
from ramify.dask.model import OnCluster, on_cluster
from ramify.estimators import single

__all__ = ["DecisionTreeClassifier", "of"]


@on_cluster
class DecisionTreeClassifier(OnCluster, single.DecisionTreeClassifier):
    """See `on_cluster`."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Grow the tree on the rows of a collection; waits until it is grown.

        Parameters
        ----------
        X : dask DataFrame or Array
            The rows.
        y : dask Series, DataFrame or Array
            Their labels.
        sample_weight : dask Series or Array, optional
            Their weights.
        """
        fit_tree(self, X, y, sample_weight)
        return self


_CLASSES = {cls._local: cls for cls in (DecisionTreeClassifier,)}


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
    if isinstance(estimator, OnCluster):
        return type(estimator)(**{**estimator.get_params(deep=False), **given})  # type: ignore[attr-defined]
    cls = _CLASSES.get(type(estimator))
    if cls is None:
        names = ", ".join(sorted(local.__name__ for local in _CLASSES))
        raise TypeError(
            f"there is no estimator of a cluster for {type(estimator).__name__}; there "
            f"are those for {names}"
        )
    params = estimator.get_params(deep=False)
    if params.get("max_bins", 255) is None:
        del params["max_bins"]  # 255 on a cluster
    return cls(**{**params, **given})
