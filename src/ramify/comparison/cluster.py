# SPDX-License-Identifier: BSD-3-Clause
"""Tasks that the workers of a Dask cluster do, whatever the tasks are."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import cloudpickle
from threadpoolctl import threadpool_limits

__all__ = ["run_on_cluster"]


def run_on_cluster(
    work: Callable[[Any], Any],
    tasks: Sequence[Any],
    client: Any,
    failed: Callable[[Any, str], Any],
    stays_here: Callable[[Any], bool],
) -> Generator[Any, None, None]:
    """Yield ``work(task)`` of every task, computed by a cluster, as they come.

    What cannot be sent is done here. A task whose worker dies is done again elsewhere;
    where there is no answer in the end, ``failed(task, why)`` is given instead.
    """
    from distributed import as_completed

    with threadpool_limits(limits=1):
        yield from (work(task) for task in tasks if stays_here(task))
    sent = [task for task in tasks if not stays_here(task)]
    if not sent:
        return
    # The work holds all data: it travels as the result of one task, not with each.
    # Packed here, so that classes of a script are known there.
    packed = cloudpickle.dumps(work)
    shared = client.submit(_unpacked, packed, pure=False)
    futures: dict[Any, Any] = {}
    try:
        for task in sent:
            answer = client.submit(_done, shared, cloudpickle.dumps(task), pure=False)
            futures[answer] = task
        for future in as_completed(list(futures)):
            task = futures.pop(future)
            answer = _answer(future, task, failed)
            future.release()
            yield answer
    finally:  # the end, an error here, or somebody's Ctrl-C
        client.cancel([shared, *futures])


def _answer(future: Any, task: Any, failed: Callable[[Any, str], Any]) -> Any:
    if future.status == "finished":
        return future.result()
    if future.status == "cancelled":
        return failed(task, "the cluster has cancelled the task")
    error = future.exception()
    return failed(task, " ".join(f"{type(error).__name__}: {error}".split()))


def _unpacked(packed: bytes) -> Any:
    return cloudpickle.loads(packed)


def _done(work: Callable[[Any], Any], packed: bytes) -> Any:
    with threadpool_limits(limits=1):  # as in processes of our own
        return work(cloudpickle.loads(packed))
