# SPDX-License-Identifier: BSD-3-Clause
"""Run a row: the contestants take turns, A B C A B C, so that noise hits all alike."""

import datetime
import multiprocessing
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .rows import Contestant, Row
from .worker import serve


@dataclass(frozen=True)
class Effort:
    repeats: int = 5
    budget: float = 60.0  # a contestant takes no further turn after so many seconds
    limit: float = 900.0  # and one turn is stopped after so many


class Racer:
    """A contestant in its own process, and the turns it has taken."""

    def __init__(self, contestant: Contestant, effort: Effort) -> None:
        self.contestant = contestant
        self.effort = effort
        self.turns: list[dict[str, float]] = []
        self.facts: dict[str, Any] = {}
        if contestant.not_run:
            self.status = f"not run: {contestant.not_run}"
            return
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(theirs, contestant), daemon=True
        )
        self._process.start()
        theirs.close()
        self.status = self._receive().get("status", "ready")

    @property
    def ready(self) -> bool:
        return self.status == "ready"

    def take_turn(self) -> None:
        spent = sum(turn["seconds"] for turn in self.turns)
        if self.ready and spent < self.effort.budget:
            self._connection.send("run")
            if "seconds" in (turn := self._receive()):
                self.turns.append(turn)

    def finish(self) -> None:
        if self.ready and self.turns:
            self._connection.send("finish")
            self.facts = self._receive()
        if not self.contestant.not_run:
            self._connection.close()
            self._process.kill()
            self._process.join()

    def _receive(self) -> dict[str, Any]:
        """Wait for the answer; anything but a good one becomes the status."""
        answer: dict[str, Any] = {}
        try:
            if self._connection.poll(self.effort.limit):
                answer = self._connection.recv()
            else:
                self.status = f"stopped after {self.effort.limit:g} s"
        except (EOFError, ConnectionResetError):
            self._process.join()
            self.status = f"crashed (exit code {self._process.exitcode})"
        if "status" in answer:
            self.status = answer["status"]
        return answer

    def result(self) -> dict[str, Any]:
        c = self.contestant
        line: dict[str, Any] = {
            "label": c.label,
            "peer": c.peer,
            "data": str(c.problem),
        }
        line |= {"status": self.status, "wanted": str(c.wanted) if c.wanted else ""}
        if self.turns:
            # Another program on the machine does not count where there is one thread.
            clock = "cpu" if c.settings.n_threads == 1 else "seconds"
            seconds = [turn[clock] for turn in self.turns]
            line |= {"seconds": statistics.median(seconds), "all_seconds": seconds}
            line["clock"] = clock
        return line | self.facts


def run_row(row: Row, effort: Effort) -> dict[str, Any]:
    racers = []
    try:
        for contestant in row.contestants:
            _say(f"{row.name}: preparing {contestant.label}")
            racers.append(Racer(contestant, effort))
        for turn in range(effort.repeats):
            _say(f"{row.name}: turn {turn + 1} of {effort.repeats}")
            for racer in racers:
                racer.take_turn()
    finally:
        for racer in racers:
            racer.finish()
    lines = [racer.result() for racer in racers]
    _compare(row, lines)
    today = datetime.date.today().isoformat()
    facts = {"name": row.name, "title": str(row), "date": today}
    return facts | {"repeats": effort.repeats, "lines": lines}


def _compare(row: Row, lines: Sequence[dict[str, Any]]) -> None:
    """Add the ratios, and what they say about the wanted bounds."""
    for i, (contestant, line) in enumerate(zip(row.contestants, lines, strict=True)):
        base = lines[max(i - 1, 0)] if row.ratio_to_previous else lines[0]
        if "seconds" in line and "seconds" in base:
            line["ratio"] = line["seconds"] / base["seconds"]
            wanted = contestant.wanted
            if wanted and (line is not base or wanted.seconds is not None):
                line["verdict"] = wanted.verdict(line["ratio"], line["seconds"])
        if contestant.same_tree and line.get("leaves") != base.get("leaves"):
            line["verdict"] = "missed: another tree"
        settings = contestant.settings
        full_depth = settings.max_leaves is None and settings.max_depth is None
        full_depth &= settings.n_trees == 1
        if full_depth and (share := line.get("training_accuracy", 1)) < 0.9999:
            unfinished = f"not a full tree: {share:.4f} on its training rows"
            _add_note(line, unfinished)
        if "memory_bound_mb" in line:
            line["wanted"] = f"<= {line['memory_bound_mb']:.0f} MB"
            within = line["peak_mb"] <= line["memory_bound_mb"]
            line["verdict"] = "met" if within else "missed"


def _add_note(line: dict[str, Any], note: str) -> None:
    line["note"] = "; ".join(filter(None, (line.get("note", ""), note)))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
