# SPDX-License-Identifier: BSD-3-Clause
"""Fits on a cluster, from parameters and collections to a fitted model."""

from __future__ import annotations

import sys
from typing import Any

from ramify.distributed.core.fitting import Options
from ramify.distributed.core.info import Info
from ramify.distributed.core.routing import ways_of
from ramify.distributed.dask.clients import client_for
from ramify.distributed.dask.data import partitions_of
from ramify.distributed.dask.engine import ClusterEngine
from ramify.distributed.dask.on_one_worker import Rows
from ramify.distributed.dask.workers import Cluster

__all__ = ["bytes_of", "fit_on_cluster"]


def fit_on_cluster(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit a model on the rows of a collection; `partitioned.ways` says which way."""
    local = model.to_local(is_fitted=False)
    only_by_passes = {name: getattr(model, name) for name in ("checkpoint", "handoff")}
    memory, handoff = limits_of(model)
    ways = ways_of(local, model._one_place, only_by_passes)
    if not ways.may_be_whole:
        _check_bins(local)
    client = client_for(model.client)
    rest = (("y", y), ("sample_weight", sample_weight))
    parts = partitions_of(X, *rest, client=client)
    info = Info(ClusterEngine.name, int(model.verbose))
    with Cluster(client) as cluster:
        found = None
        if ways.may_be_whole:
            with Rows(cluster, parts) as rows:
                held = "rows that workers get all of"
                if ways.fits(rows.n_bytes, memory, held):
                    found = rows.fitted(local, is_shared_out=model._is_shared_out)
                    info.details = rows.info()
        if found is None:
            _check_bins(local)
            options = Options(memory // 4, sample_weight is not None, model.checkpoint)
            engine = ClusterEngine(cluster, parts, memory, handoff)
            local._fit_by_sums(engine, options, info, None)
            note(info.details, engine)
            found = local
    for name, value in vars(found).items():
        if name not in found.get_params(deep=False):
            setattr(model, name, value)
    model.fit_info_ = info.details


def _check_bins(model: Any) -> None:
    if model.max_bins is None:
        raise ValueError(
            "max_bins=None needs all values of all rows in one place; partitions "
            "count by bins: use max_bins=255, or the class without .dask"
        )


def limits_of(model: Any) -> tuple[int, int | None]:
    """Read memory and handoff as bytes."""
    memory = bytes_of("memory", model.memory)
    if memory < 2**20:
        raise ValueError(f"memory={model.memory!r} is below 1 MiB, too little to work")
    handoff = model.handoff
    return memory, None if handoff is None else bytes_of("handoff", handoff)


def bytes_of(name: str, value: Any) -> int:
    """Read a number of bytes, such as "2GiB"."""
    from dask.utils import parse_bytes

    try:
        found = parse_bytes(value)
    except (TypeError, ValueError, AttributeError):
        found = -1
    if isinstance(value, bool) or found < 0:
        raise ValueError(
            f"{name}={value!r} is no number of bytes; use a whole number, or text such "
            "as '2GiB'"
        )
    return int(found)


def note(info: dict[str, Any], engine: ClusterEngine) -> None:
    """Add what only the cluster knows to the details of a fit."""
    engine.note_lost()
    for level, work in zip(info["levels"], engine.passes, strict=False):
        level.update(work)
    info["partitions"] = engine.n_partitions
    info["workers"] = engine.cluster.n_workers()
    info["partitions_again"] = engine.n_again
    info["tasks"] = engine.cluster.n_tasks
    info["driver_peak_bytes"] = _peak()


def _peak() -> int | None:
    """Get the highest memory of this process so far; None where that is not known."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
