# SPDX-License-Identifier: BSD-3-Clause
"""A row is a race: who takes part, on which data, and what is wanted of the ratio."""

from dataclasses import dataclass, replace
from pathlib import Path

from .data import Problem
from .peers import Settings

QUICK_ROWS = 5_000
DEFAULT = Settings()


@dataclass(frozen=True)
class Wanted:
    """A bound on a ratio, `at_least` or `at_most`, or on the time."""

    at_least: float | None = None
    at_most: float | None = None
    goal: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        if self.seconds is not None:
            return f"<= {self.seconds:g} s"
        sign, bound = (
            (">=", self.at_least) if self.at_most is None else ("<=", self.at_most)
        )
        return f"{sign} {bound:g}" + (f", goal {self.goal:g}" if self.goal else "")

    def verdict(self, ratio: float, seconds: float) -> str:
        if self.seconds is not None:
            return "met" if seconds <= self.seconds else "missed"
        if self.at_most is not None:
            return "met" if ratio <= self.at_most else "missed"
        assert self.at_least is not None
        if self.goal is not None and ratio >= self.goal:
            return "goal met"
        return "met" if ratio >= self.at_least else "missed"


@dataclass(frozen=True)
class Contestant:
    label: str
    peer: str
    problem: Problem
    settings: Settings = DEFAULT
    work: str = "fit"  # or "predict", or "one row" of it
    wanted: Wanted | None = None
    same_tree: bool = False  # must have as many leaves as the base
    bound_memory: bool = False
    not_run: str = ""  # the reason, if it is listed only


@dataclass(frozen=True)
class Row:
    name: str
    title: str
    contestants: tuple[Contestant, ...]
    ratio_to_previous: bool = False

    def __str__(self) -> str:
        return f"{self.title} (data: {self.contestants[-1].problem})"

    def quick(self) -> "Row":
        """Return the same race on little data, to see that everything runs."""
        largest = max(c.problem.n_rows for c in self.contestants)
        share = min(1.0, QUICK_ROWS / largest)
        small = [
            replace(c, problem=c.problem.small(round(share * c.problem.n_rows)))
            for c in self.contestants
        ]
        return replace(self, contestants=tuple(small))

    @property
    def needs_files(self) -> bool:
        return any(c.problem.file for c in self.contestants)

    def with_folder(self, folder: Path | None) -> "Row":
        """Return the same race with the files of this folder, or not run at all."""
        kept = [
            _without_file(c)
            if folder is None
            else replace(c, problem=replace(c.problem, folder=folder))
            for c in self.contestants
        ]
        return replace(self, contestants=tuple(kept))

    def only(self, peers: list[str]) -> "Row":
        """Return the same race with Ramify and these peers."""
        kept = [
            c
            for c in self.contestants
            if c.peer.removesuffix("-boost") in peers or c.peer.startswith("ramify")
        ]
        return replace(self, contestants=tuple(kept))


def _without_file(contestant: Contestant) -> Contestant:
    if contestant.problem.has_stand_in:
        return contestant
    return replace(contestant, not_run="needs --data")
