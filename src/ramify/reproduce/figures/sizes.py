# SPDX-License-Identifier: BSD-3-Clause
"""Nodes and time of trees that differ in the criterion: section 4.3 of the iHD paper.

The paper gives the conclusion and no numbers.
"""

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

OWN = ("iHD", "iHDw")
MAJOR = 1.25  # times as much is called a major difference
Ratios = dict[str, float]


def figure(methods: tuple[str, ...], reading: str) -> Figure:
    """Return the comparison of these methods, as run in this reading."""
    return Figure(
        key="sizes",
        place="Section 4.3",
        title="nodes and time",
        says="No major difference in nodes and construction time between iHD, iHDw and "
        "the best of the older criteria; iHDw needs little more time than iHD.",
        show=partial(_show, methods=methods, reading=reading),
    )


def _show(found: Reproduction, methods: tuple[str, ...], reading: str) -> Shown | None:
    rows = [row for row in found.sizes if not row.is_extra]
    runs = [[found.chosen.get((row, m, reading)) for m in methods] for row in rows]
    whole = [one for one in runs if None not in one]
    if not whole:
        return None
    names = [row.name for row, one in zip(rows, runs, strict=True) if None not in one]
    nodes = np.array([[2 * r.mean("leaves") - 1 for r in one if r] for one in whole])
    times = np.array([[r.mean("fit_time") for r in one if r] for one in whole])
    n_ratio, t_ratio = ratios(nodes, methods), ratios(times, methods)
    lines = [
        [
            method,
            f"{nodes[:, j].mean():.1f}",
            f"{n_ratio[method]:.3f}",
            f"{1000 * times[:, j].mean():.2f}",
            f"{t_ratio[method]:.3f}",
        ]
        for j, method in enumerate(methods)
    ]
    relative = nodes / nodes[:, [methods.index("Gini")]]
    picture = charts.points(
        names,
        dict(zip(methods, relative.T, strict=True)),
        "nodes, relative to Gini's",
        "Nodes of trees of eight criteria by data set, relative to Gini",
    )
    headings = ["criterion", "nodes", "relative to Gini", "time in ms"]
    headings += ["relative to Gini"]
    note = (
        f"Means over {len(names)} sets; relative: geometric means of the ratios on "
        "each set. Time is CPU time of a fit."
    )
    return Shown(headings, lines, picture, judged(n_ratio, t_ratio), note)


def ratios(values: NDArray[np.float64], methods: tuple[str, ...]) -> Ratios:
    """Return the geometric means of the numbers over Gini's."""
    logs = np.log(values / values[:, [methods.index("Gini")]]).mean(axis=0)
    return dict(zip(methods, np.exp(logs).tolist(), strict=True))


def judged(nodes: Ratios, times: Ratios) -> tuple[Finding, ...]:
    """Judge that there is no major difference, by a quarter more or less."""
    findings = []
    for what, ratio in (("nodes", nodes), ("time", times)):
        others = {name: r for name, r in ratio.items() if name not in OWN}
        best = min(others, key=others.__getitem__)
        worst = max(ratio[name] / ratio[best] for name in OWN)
        findings.append(
            Finding(
                f"iHD and iHDw have no major difference in {what} from the best older "
                f"criterion (less than {MAJOR:g} times as much).",
                Judgement(worst < MAJOR, f"up to {worst:.2f} times that of {best}"),
            )
        )
    more = times["iHDw"] / times["iHD"]
    findings.append(
        Finding(
            f"iHDw needs little more time than iHD (less than {MAJOR:g} times).",
            Judgement(more < MAJOR, f"{more:.2f} times"),
        )
    )
    return tuple(findings)
