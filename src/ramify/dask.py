# SPDX-License-Identifier: BSD-3-Clause
"""The same trees on a Dask cluster: each row is read where it lies, only sums travel.

``pip install 'ramify[dask]'`` brings what is needed. Names are imported when they are
first used, so that `estimate` works without Dask.
"""

import importlib
from typing import TYPE_CHECKING, Any

from ramify.deprecation import current_name

if TYPE_CHECKING:
    from ramify.distributed.dask.clients import local_client
    from ramify.distributed.dask.estimators import (
        BaggedTreesClassifier,
        BaggedTreesRegressor,
        BoostedTreesClassifier,
        BoostedTreesRegressor,
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        ObliqueTreeClassifier,
        RandomForestClassifier,
        RandomForestRegressor,
        from_estimator,
    )
    from ramify.distributed.dask.rates import measure
    from ramify.distributed.dask.sizing import Estimate, Rates, estimate

__all__ = [
    "BaggedTreesClassifier",
    "BaggedTreesRegressor",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Estimate",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ObliqueTreeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Rates",
    "estimate",
    "from_estimator",
    "local_client",
    "measure",
]

_HOMES = {
    "clients": ("local_client",),
    "estimators": (
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
    ),
    "rates": ("measure",),
    "sizing": ("Estimate", "Rates", "estimate"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


# Old names: what they are called now, and when they go (docs/versions.md).
_RENAMED = {"of": ("from_estimator", "0.4")}


def __getattr__(name: str) -> Any:
    name = current_name("ramify.dask", name, _RENAMED)
    if name not in _HOME_OF:
        raise AttributeError(f"module 'ramify.dask' has no attribute {name!r}")
    try:
        home = importlib.import_module(f"ramify.distributed.dask.{_HOME_OF[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("dask", "distributed", "pandas"):
            raise
        raise ModuleNotFoundError(
            f"ramify.dask.{name} needs the package {error.name!r}: "
            "pip install 'ramify[dask]'",
            name=error.name,
        ) from None
    return getattr(home, name)


def __dir__() -> list[str]:
    return list(__all__)
