# SPDX-License-Identifier: BSD-3-Clause
"""The workers of a cluster, and one task or result at a time.

All results that are held on the cluster are known here, and let go of on every way out.
Tasks depend on the rows of the user's collection and on each other only, nothing is
scattered or pinned: whatever a dead worker has held can be computed again.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from distributed import Client, KilledWorker, as_completed

from ramify.distributed.dask.sizing import FAN_IN

__all__ = ["Cluster"]


class Cluster:
    """Hands out tasks of one fit, and holds their results while they are needed."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.n_tasks = 0
        self._fit = uuid.uuid4().hex[:12]
        self._held: set[Any] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The client may be gone, too; then there is nothing to let go of.
        with contextlib.suppress(Exception):
            waiting = [each for each in self._held if not each.done()]
            if waiting:
                self.client.cancel(waiting)
            self.release(self._held)
            self.client.sync(asyncio.sleep, 0)  # its loop forgets them now

    # --- asking ----------------------------------------------------------------------

    def n_slots(self) -> int:
        """Count the threads of all workers."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def n_workers(self) -> int:
        """Count the workers."""
        return max(1, len(self.workers()))

    def workers(self) -> set[str]:
        """Name the workers that are alive."""
        return set(self.client.nthreads())

    def share(self, value: Any) -> Any:
        """Return a value as the result of one task, on which others may depend."""
        return self.submit("shared", _given, value)

    def submit(self, phase: str, work: Callable[..., Any], *given: Any) -> Any:
        """Submit one task; results of others may be among what is given."""
        self.n_tasks += 1
        key = f"ramify-{phase}-{self._fit}-{self.n_tasks}"
        future = self.client.submit(work, *given, key=key, pure=False)
        self._held.add(future)
        return future

    def hold(self, parts: Sequence[Any]) -> list[Any]:
        """Compute delayed partitions; whoever computes them keeps them."""
        futures: list[Any] = self.client.compute(list(parts))
        self._held.update(futures)
        return futures

    def map(
        self, phase: str, work: Callable[..., Any], futures: Sequence[Any], given: Any
    ) -> list[Any]:
        """Submit ``work(result, number, given)`` of every result."""
        n, first = len(futures), self.n_tasks + 1
        self.n_tasks += n
        keys = [f"ramify-{phase}-{self._fit}-{first + i}" for i in range(n)]
        shared = self.share(given)
        numbers, shares = range(n), [shared] * n
        submitted = self.client.map(
            work, futures, numbers, shares, key=keys, pure=False
        )
        self._held.update(submitted)
        self.release([shared])
        return list(submitted)

    # --- answers ---------------------------------------------------------------------

    def check(
        self,
        phase: str,
        futures: Sequence[Any],
        what: str = "partition",
        seen: Callable[[int, Any], None] | None = None,
    ) -> None:
        """Wait until all are computed; raise the error of the lowest number.

        `seen` is called with each result as it comes.
        """
        numbers = {future.key: i for i, future in enumerate(futures)}
        failed: dict[int, Any] = {}
        for future in as_completed(list(futures)):
            i = numbers[future.key]
            if future.status != "finished":
                failed[i] = future
            elif seen is not None:
                seen(i, future.result())
            # What comes before may fail, too; what comes after need not be known.
            first = min(failed, default=len(futures))
            if failed and all(each.done() for each in futures[:first]):
                self._raise(phase, what, failed[first], first, len(futures))

    def gather(
        self,
        phase: str,
        futures: Sequence[Any],
        what: str = "partition",
        seen: Callable[[int, Any], None] | None = None,
    ) -> list[Any]:
        """Wait for all results, and let go of them."""
        answers: dict[int, Any] = {}

        def note(i: int, answer: Any) -> None:
            answers[i] = answer
            if seen is not None:
                seen(i, answer)

        self.check(phase, futures, what, note)
        self.release(futures)
        return [answers[i] for i in range(len(futures))]

    def _raise(self, phase: str, what: str, future: Any, i: int, n: int) -> None:
        if future.status == "cancelled":
            raise asyncio.CancelledError(f"the fit was cancelled while {phase}")
        error = future.exception()
        where = f"{what} {i} of {n}"
        if isinstance(error, KilledWorker):
            raise RuntimeError(
                f"{where}, {phase}: the workers that tried it died, one after the "
                "other; smaller partitions, or machines with more memory, may help "
                f"({error})"
            ) from error
        text = f"{where}: {error}"
        if getattr(error, "names_partition", False):  # which does not know of how many
            text = str(error).replace(f"partition {i}", where, 1)
        try:
            named = type(error)(text)
        except Exception:  # its type is made otherwise
            named = RuntimeError(f"{where}: {type(error).__name__}: {error}")
        raise named from error

    def reduce(
        self,
        phase: str,
        merge: Callable[[list[Any]], Any],
        futures: Sequence[Any],
    ) -> Any:
        """Merge many results into one, so many at a time, and let go of those."""
        level = list(futures)
        while len(level) > 1:
            bunches = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
            merged = [
                bunch[0] if len(bunch) == 1 else self.submit(phase, merge, bunch)
                for bunch in bunches
            ]
            kept = set(merged)
            self.release(each for each in level if each not in kept)
            level = merged
        return level[0]

    def release(self, futures: Iterable[Any]) -> None:
        """Let go of results; what depends on them keeps them as long as needed."""
        for future in list(futures):
            self._held.discard(future)
            future.release()

    def groups(self, futures: Sequence[Any]) -> tuple[list[list[int]], list[str]]:
        """Group results by the worker that holds them, one group per thread at most.

        Also gives the worker of each; those that nobody holds, since a worker died,
        are shared out.
        """
        threads = dict(self.client.nthreads())
        places = self.client.who_has(list(futures))
        holders = []
        for future in futures:
            alive = (w for w in places.get(future.key, ()) if w in threads)
            holders.append(min(alive, default=""))
        by_worker: dict[str, list[int]] = {}
        for i, worker in enumerate(holders):
            if worker:
                by_worker.setdefault(worker, []).append(i)
        groups: list[list[int]] = []
        for worker, members in sorted(by_worker.items()):
            n = min(len(members), threads[worker])
            groups += [members[k::n] for k in range(n)]
        lost = [i for i, worker in enumerate(holders) if not worker]
        groups = groups or [[] for _ in range(min(len(lost), max(1, len(threads))))]
        for k, i in enumerate(lost):
            groups[k % len(groups)].append(i)
        return groups, holders


def _given(value: Any) -> Any:
    return value
