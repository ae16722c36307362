# SPDX-License-Identifier: BSD-3-Clause
"""Many trees, one after the other or side by side, and what may come between."""

from __future__ import annotations

import contextvars
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Self

__all__ = ["grow_trees"]


_PATIENCE = 0.1  # seconds between two looks whether the user has interrupted
_STRETCH = 0.05  # seconds of growing at a time


class _StoppedError(Exception):
    """The growth of a tree was called off."""


class _Interrupts:
    """Notes Ctrl-C, which would break the locks of a thread that waits for others.

    The second one is raised at once. A handler that the user has set is left alone.
    """

    def __init__(self) -> None:
        self.noted = False
        in_main = threading.current_thread() is threading.main_thread()
        before = signal.getsignal(signal.SIGINT)
        self._is_ours = in_main and before is signal.default_int_handler

    def __enter__(self) -> Self:
        if self._is_ours:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, *_: object) -> None:
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True

    def check(self) -> None:
        """Raise what was noted."""
        if self.noted:
            raise KeyboardInterrupt


class _Pace:
    """Says how many trees to grow at a time: few, so that all threads end together.

    A call of the engine costs as much as a small tree does.
    """

    def __init__(self, places: range, n_threads: int, most: int) -> None:
        self._next, self._stop = places.start, places.stop
        self._n_threads, self._max_size = n_threads, most
        self._size = 1

    def take(self) -> range:
        """Return the next places; none if all are taken."""
        n_left = self._stop - self._next
        n = min(self._size, n_left // (2 * self._n_threads) + 1, n_left)
        taken = range(self._next, self._next + n)
        self._next += n
        return taken

    def learn(self, n_trees: int, seconds: float) -> None:
        """Note how long some trees took."""
        n_in_time = int(_STRETCH * n_trees / max(seconds, 1e-9))
        self._size = max(1, min(self._max_size, n_in_time, 4 * self._size))


class _Watch:
    """Says how many trees have been grown, and calls off those that still grow."""

    def __init__(self, n_before: int, n_trees: int, verbose: bool) -> None:
        self.stop = threading.Event()
        self._done, self._n_trees = n_before, n_trees
        self._verbose = verbose
        self._next = time.monotonic()

    def __call__(self, done: float = 0.0) -> None:
        """Raise if the growing is to stop; the engine calls this now and then."""
        if self.stop.is_set():
            raise _StoppedError

    def count(self, n_trees: int) -> None:
        """Count more trees."""
        self._done += n_trees
        if self._verbose and (time.monotonic() >= self._next or self.is_last):
            self._next = time.monotonic() + 0.1
            text = f"\rgrowing: {self._done} of {self._n_trees} trees"
            print(text, end="\n" if self.is_last else "", file=sys.stderr, flush=True)

    @property
    def is_last(self) -> bool:
        """Whether all are there."""
        return self._done == self._n_trees


def grow_trees(
    grow: Callable[[range, Callable[[float], None]], list[Any]],
    n_before: int,
    n_trees: int,
    n_threads: int,
    verbose: bool = False,
    *,
    at_once: int = 1,
) -> list[Any]:
    """Return what ``grow(places, check_stop)`` makes of trees `n_before` to `n_trees`.

    It is called with up to `at_once` places. `check_stop` is to be called now and then
    while trees grow; it raises if they are no longer wanted. The first tree that fails,
    by number, is the one that is reported.
    If the user interrupts, the trees up to the first that is not yet grown are kept,
    with a warning; if there are none, the interrupt goes on.
    """
    watch = _Watch(n_before, n_trees, verbose)
    places = range(n_before, n_trees)
    grown: dict[int, Any] = {}
    n_threads = min(n_threads, max(1, len(places)))
    pace = _Pace(places, n_threads, at_once)
    try:
        if n_threads == 1:
            while taken := pace.take():
                _note(grown, taken, _grown(grow, taken, n_trees, watch), pace, watch)
        else:
            _grow_side_by_side(grow, pace, n_trees, n_threads, watch, grown)
    except KeyboardInterrupt:
        kept = _first_in_a_row(grown, n_before)
        if n_before + len(kept) == 0:
            raise
        warnings.warn(
            f"interrupted: {n_before + len(kept)} of {n_trees} trees were grown, and "
            "the forest consists of these; fit again with warm_start=True to grow the "
            "others",
            UserWarning,
            stacklevel=4,
        )
        return kept
    return _first_in_a_row(grown, n_before)


def _first_in_a_row(grown: dict[int, Any], first: int) -> list[Any]:
    kept: list[Any] = []
    while first + len(kept) in grown:
        kept.append(grown[first + len(kept)])
    return kept


_Grown = tuple[list[Any], float]  # trees, and the seconds they took


def _note(
    grown: dict[int, Any], taken: range, found: _Grown, pace: _Pace, watch: _Watch
) -> None:
    """Put trees in their places."""
    trees, seconds = found
    grown.update(zip(taken, trees, strict=True))
    pace.learn(len(trees), seconds)
    watch.count(len(trees))


def _grow_side_by_side(
    grow: Callable[..., Any],
    pace: _Pace,
    n_trees: int,
    n_threads: int,
    watch: _Watch,
    grown: dict[int, Any],
) -> None:
    """Keep all threads busy; leave no thread behind, whatever happens."""
    running: dict[Future[_Grown], range] = {}
    failures: dict[int, BaseException] = {}
    with _Interrupts() as interrupts, ThreadPoolExecutor(n_threads) as pool:
        try:
            while True:
                interrupts.check()
                while not failures and len(running) < n_threads:
                    taken = pace.take()
                    if not taken:
                        break
                    run = contextvars.copy_context().run  # how deep fits are nested
                    task = pool.submit(run, _grown, grow, taken, n_trees, watch)
                    running[task] = taken
                if not running:
                    break
                done, _ = wait(running, _PATIENCE, return_when=FIRST_COMPLETED)
                for future in done:
                    taken = running.pop(future)
                    error = future.exception()
                    if error is not None:
                        failures[taken.start] = error
                    else:
                        _note(grown, taken, future.result(), pace, watch)
        except BaseException:
            watch.stop.set()
            raise
    if failures:  # trees start in order, so that none before the first is still to come
        raise failures[min(failures)]
    interrupts.check()


def _grown(
    grow: Callable[..., Any], places: range, n_trees: int, watch: _Watch
) -> _Grown:
    """Grow some trees, and say which it was if one fails."""
    start = time.perf_counter()
    if len(places) > 1:
        try:
            return grow(places, watch), time.perf_counter() - start
        except (MemoryError, RecursionError, _StoppedError):
            raise
        except Exception:  # which of them? It will say so again.
            start = time.perf_counter()
    trees: list[Any] = []
    for t in places:
        trees += _grown_alone(grow, t, n_trees, watch)
    return trees, time.perf_counter() - start


def _grown_alone(grow: Callable[..., Any], t: int, n_trees: int, watch: _Watch) -> Any:
    """Grow a tree, and say which it was if that fails."""
    try:
        return grow(range(t, t + 1), watch)
    except (MemoryError, RecursionError, _StoppedError):
        raise
    except Exception as error:
        kind = next(
            (k for k in (ValueError, TypeError) if isinstance(error, k)), RuntimeError
        )
        name = "" if type(error) is kind else f"{type(error).__name__}: "
        where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        raise kind(
            f"tree {t} of {n_trees} could not be grown: {name}{error}{where}"
        ) from error
