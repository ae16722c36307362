# SPDX-License-Identifier: BSD-3-Clause
"""A criterion is tried on random tables of class weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ramify.criteria.score import Score, Scores, as_tables

__all__ = ["Report", "try_out"]


@dataclass(frozen=True)
class Report:
    """What `check` found; true if there is nothing to correct."""

    n_calls: int
    is_finite: bool
    is_symmetric: bool
    is_scale_free: bool
    is_zero_without_information: bool
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        lines = [
            f"called {self.n_calls} times",
            f"finite scores: {_yes(self.is_finite)}",
            f"left and right may be exchanged: {_yes(self.is_symmetric)}",
            f"multiplying all weights changes nothing: {_yes(self.is_scale_free)}",
            "zero where both sides have the same mixture: "
            + _yes(self.is_zero_without_information),
        ]
        return "\n".join([*lines, *(f"problem: {text}" for text in self.problems)])


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def try_out(chosen: Score, n_classes: int, n_tables: int, seed: int) -> Report:
    """Score random tables, the sides exchanged, multiples, and many cuts at once."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 20, (n_tables, n_classes)).astype(float)
    right = rng.integers(0, 20, (n_tables, n_classes)).astype(float)
    left[:, 0] += 1
    right[:, 1] += 1
    parent = left[0] + right[0]
    problems: list[str] = []
    calls = 0

    def call(whole: Scores, one: Scores, other: Scores) -> Scores:
        nonlocal calls
        calls += 1
        try:
            return chosen.scores(*as_tables(whole, one, other))
        except Exception as error:
            problems.append(str(error))
            return np.full(len(one), np.nan)

    each, swapped, scaled, batch = [], [], [], []
    for i in range(n_tables):
        whole = left[i] + right[i]
        one, other = left[i : i + 1], right[i : i + 1]
        each.append(call(whole, one, other)[0])
        if problems:
            break
        swapped.append(call(whole, other, one)[0])
        scaled.append(call(3 * whole, 3 * one, 3 * other)[0])
    if not problems:
        # Many cuts of one node at once must score as each cut alone.
        share = rng.random((n_tables, n_classes)) * 0.8 + 0.1
        batch = list(call(parent, share * parent, (1 - share) * parent))
        alone = [
            call(parent, row[None] * parent, (1 - row[None]) * parent)[0]
            for row in share
        ]
        if not problems and not np.allclose(batch, alone, rtol=1e-9, atol=1e-12):
            problems.append("scores of several cuts differ from those of each cut")
    scores = np.array(each)
    known = len(swapped) == len(scores) == len(scaled)
    flat = call(2 * parent, parent[None], parent[None]) if not problems else [np.nan]
    return Report(
        n_calls=calls,
        is_finite=bool(np.isfinite(scores).all()),
        is_symmetric=known and bool(np.allclose(scores, swapped, rtol=1e-9)),
        is_scale_free=known and bool(np.allclose(scores, scaled, rtol=1e-9)),
        is_zero_without_information=bool(abs(float(flat[0])) < 1e-9),
        problems=tuple(dict.fromkeys(problems)),
    )
