# SPDX-License-Identifier: BSD-3-Clause
"""Processes that work for us, each led by a thread that hands it one task at a time.

A process that dies is known by the task it had, and is replaced. When we are gone, the
processes end, too, even in the middle of a task.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import cloudpickle
from threadpoolctl import threadpool_limits

__all__ = ["run_soon", "run_tasks"]

Work = Callable[[Any], Any]
Failed = Callable[[Any, str], Any]

# Else each of them would start as many threads as there are cores.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)

PATIENCE = 1.0  # seconds
_MAX_UNBORN = 5  # processes that may end before their first task


def run_soon(
    work: Work,
    tasks: Sequence[Any],
    n_workers: int,
    failed: Failed,
    stays_here: Callable[[Any], bool],
) -> Generator[Any, None, None]:
    """Yield ``work(task)`` of every task, as they come, so many at once.

    More than one worker are processes of their own, so that Python code runs side by
    side. They take a second to start, so the first second's work is done here, as is
    what cannot be sent. Linear algebra gets one thread everywhere: sums round the same,
    and CPU times compare.
    """
    waiting = deque(task for task in tasks if not stays_here(task))
    start = time.perf_counter()
    with threadpool_limits(limits=1):
        yield from (work(task) for task in tasks if stays_here(task))
        while waiting and (n_workers == 1 or time.perf_counter() < start + PATIENCE):
            yield work(waiting.popleft())
    if waiting:
        yield from run_tasks(work, waiting, n_workers, failed)


def run_tasks(
    work: Work, tasks: Sequence[Any], n_workers: int, failed: Failed
) -> Generator[Any, None, None]:
    """Yield ``work(task)`` of every task, computed by processes, as they come.

    Where there is no answer, as the process died, ``failed(task, why)`` is given
    instead. Functions and classes of a script are sent as they are (cloudpickle).
    """
    pool = _Pool(work, tasks, failed)
    pool.start(min(n_workers, len(tasks)))
    try:
        for _ in tasks:
            yield pool.answer()
    finally:  # the end, an error here, or somebody's Ctrl-C
        pool.dismiss()


class _Pool:
    """The tasks left, the answers so far, and the processes at work."""

    def __init__(self, work: Work, tasks: Sequence[Any], failed: Failed) -> None:
        self._work, self._failed = work, failed
        self._left = deque(tasks)
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._leaders: list[threading.Thread] = []
        self._workers: set[_Worker] = set()
        self._is_over = False
        self._n_unborn = 0  # processes that ended before their first task

    def start(self, n_workers: int) -> None:
        """Start one leader, with a process, for each worker."""
        for _ in range(n_workers):
            leader = threading.Thread(target=self._lead, daemon=True)
            self._leaders.append(leader)
            leader.start()

    def answer(self) -> Any:
        """Wait for an answer."""
        while True:
            try:
                found = self._answers.get(timeout=0.5)
            except queue.Empty:
                continue  # on some systems only a wait that ends can be interrupted
            if isinstance(found, BaseException):
                raise found
            return found

    def dismiss(self) -> None:
        """End all processes, whatever they are doing."""
        self._is_over = True
        for worker in list(self._workers):
            worker.kill()
        for leader in self._leaders:
            leader.join()

    def _lead(self) -> None:
        """Hand tasks to a process until none is left; another, if it dies."""
        try:
            while self._left and not self._is_over:
                worker = _Worker()
                self._workers.add(worker)
                try:
                    self._employ(worker)
                finally:
                    self._workers.discard(worker)
                    worker.close()
        except BaseException as error:
            if not self._is_over:
                self._answers.put(error)

    def _employ(self, worker: _Worker) -> None:
        if worker.send(self._work) is not True:
            self._n_unborn += 1
            if self._n_unborn < _MAX_UNBORN and not self._is_over:
                return  # killed while it started, perhaps; another is tried
            raise ChildProcessError(
                f"a worker process could not start: {worker.last_words()}; use "
                "n_jobs=1 to do without."
            )
        while not self._is_over:
            try:
                task = self._left.popleft()
            except IndexError:
                return
            answer = worker.send(task)
            if self._is_over:
                return
            if isinstance(answer, _Trouble):
                answer = self._failed(task, answer.why)
            self._answers.put(answer)
            if not worker.is_alive:
                return


@dataclass(frozen=True)
class _Trouble:
    """Why there is no answer."""

    why: str


class _Worker:
    """Another process of Python, and the pipes to it."""

    def __init__(self) -> None:
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            "from ramify.comparison.workers import serve; serve()"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ONE_THREAD,
        )
        self.is_alive = True

    def send(self, question: Any) -> Any:
        """Send a task, and wait for the answer, or `_Trouble`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            packed = cloudpickle.dumps(question)
        except Exception as error:
            return _Trouble(
                f"{type(error).__name__}: {error}; it cannot be sent to another "
                "process: use n_jobs=1"
            )
        try:
            # Packed twice, so that what cannot be unpacked there does not end the talk.
            pickle.dump(packed, self._process.stdin)
            self._process.stdin.flush()
            return pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            self.is_alive = False
            return _Trouble(self.last_words())

    def last_words(self) -> str:
        """Describe how the process ended."""
        self._process.kill()  # no more than what it is, if it has ended
        code = self._process.wait()
        if code >= 0:
            return f"the process ended with code {code}"
        name = signal.Signals(-code).name
        hint = " (out of memory?)" if name == "SIGKILL" else ""
        return f"the process was ended by {name}{hint}"

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()

    def close(self) -> None:
        """End the process, and close the pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # a task that was never read is not flushed
                assert pipe is not None
                pipe.close()


# --- in the other process ---------------------------------------------------------


def serve() -> None:
    """Answer questions from standard input until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us decides
    # The pipes are ours; what the tasks print goes to standard error.
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(questions, inbox), daemon=True).start()
    work: Work | None = None
    answer: Any
    while True:
        packed = inbox.get()
        try:
            question = pickle.loads(packed)
            if work is None:
                work, answer = question, True
            else:
                answer = work(question)
        except Exception as error:
            answer = _Trouble(f"{type(error).__name__}: {error}")
        pickle.dump(answer, answers)
        answers.flush()


def _listen(questions: BinaryIO, inbox: queue.SimpleQueue[bytes]) -> None:
    while True:
        try:
            inbox.put(pickle.load(questions))
        except EOFError:  # nobody is there who would want the answer
            os._exit(0)
