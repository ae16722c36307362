# SPDX-License-Identifier: BSD-3-Clause
"""Time to grow a tree, by data set and method: Fig. 1 of the WODT paper."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ramify.reproduce import charts
from ramify.reproduce.figure import Figure, Finding, Shown
from ramify.reproduce.paper import Judgement

if TYPE_CHECKING:
    from ramify.reproduce.results import Reproduction

__all__ = ["figure", "judged"]

OWN, PLAIN = "WODT", "APDT"
WIDE = 200  # columns, above which the paper finds WODT 100 times as fast
COMPARABLE = 2.0  # times as long
Times = dict[str, NDArray[np.float64]]  # seconds by method, a number per data set


def figure(methods: tuple[str, ...], readings: tuple[str, ...]) -> Figure:
    """Return the figure of these methods; the first reading that was run counts."""
    return Figure(
        key="times",
        place="Fig. 1",
        title="time to grow a tree",
        says="CPU time on a log scale. WODT takes about the time of the axis-parallel "
        "tree, mostly much less than the other oblique trees, and is about 100 times "
        "as fast as the other methods on sets of more than 200 columns (usps, protein, "
        "mnist).",
        show=partial(_show, methods=methods, readings=readings),
    )


def _show(
    found: Reproduction, methods: tuple[str, ...], readings: tuple[str, ...]
) -> Shown | None:
    rows = {row.name: row for row in reversed(found.sizes) if row.coding == "scaled"}
    names = [row.name for row in found.sizes if rows.get(row.name) == row]
    times: Times = {method: np.full(len(names), np.nan) for method in methods}
    for i, name in enumerate(names):
        for method in methods:
            for reading in readings:
                run = found.chosen.get((rows[name], method, reading))
                if run is not None:
                    times[method][i] = run.mean("fit_time")
                    break
    if all(np.isnan(seconds).all() for seconds in times.values()):
        return None
    n_columns = np.array([found.sizes[rows[name]][1] for name in names])
    label = "Seconds to grow a tree, by data set and method, on a log scale"
    picture = charts.points(names, times, "seconds of CPU time", label, is_log=True)
    lines = [
        [name, *(_seconds(times[method][i]) for method in methods)]
        for i, name in enumerate(names)
    ]
    note = (
        "Mean seconds of CPU time per tree; with CO2 and CO2r one tree of fixed "
        "parameters. The figure of the paper gives no numbers to compare with."
    )
    findings = judged(times, n_columns)
    return Shown(["data set", *methods], lines, picture, findings, note)


def _seconds(value: float) -> str:
    return "..." if np.isnan(value) else f"{value:.3g}"


def judged(times: Times, n_columns: NDArray[np.int64]) -> tuple[Finding, ...]:
    """Judge what the paper reads off the figure."""
    own = times[OWN]
    others = {
        name: t
        for name, t in times.items()
        if name != OWN and not np.isnan(t / own).all()
    }
    findings = []
    if PLAIN in others:
        ratio = _ratio(own, others[PLAIN])
        findings.append(
            Finding(
                "WODT takes about the time of APDT (less than twice as long, as a "
                "geometric mean).",
                Judgement(ratio < COMPARABLE, f"{ratio:.2f} times as long"),
            )
        )
    oblique = {name: t for name, t in others.items() if name != PLAIN}
    if oblique:
        ratios = {name: _ratio(t, own) for name, t in oblique.items()}
        listed = ", ".join(f"{name} {ratio:.2g}" for name, ratio in ratios.items())
        findings.append(
            Finding(
                "WODT takes less time than each other oblique tree (theirs over its "
                "time, as geometric means).",
                Judgement(min(ratios.values()) > 1, listed),
            )
        )
    wide = n_columns > WIDE
    ratios = {
        name: _ratio(t[wide], own[wide])
        for name, t in others.items()
        if not np.isnan(t[wide] / own[wide]).all()
    }
    if ratios:
        listed = ", ".join(f"{name} {ratio:.2g}" for name, ratio in ratios.items())
        findings.append(
            Finding(
                "On sets of more than 200 columns WODT is about 100 times as fast as "
                "the other methods (50 times and more).",
                Judgement(min(ratios.values()) >= 50, listed),
            )
        )
    return tuple(findings)


def _ratio(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the geometric mean of the ratios on the sets that have both."""
    return float(np.exp(np.nanmean(np.log(one / other))))
