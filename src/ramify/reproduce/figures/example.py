# SPDX-License-Identifier: BSD-3-Clause
"""Twelve rows and two trees: Table 1 and Figs. 1 and 2 of the iHD paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ramify import methods
from ramify.reproduce import charts
from ramify.reproduce.figure import Figure, Finding, Shown
from ramify.reproduce.figures.cuts import cuts_of
from ramify.reproduce.paper import Judgement

if TYPE_CHECKING:
    from ramify.reproduce.results import Reproduction

__all__ = ["FIGURE", "best_cuts", "table_1"]

_F1 = (26, 44, 34, 42, 32, 24, 40, 36, 22, 28, 38, 30)
_F2 = (12, 20, 16, 22, 28, 24, 26, 32, 30, 18, 34, 14)
_CLASSES = "BBBBABBBAAAB"
PRINTED = "f2 <= 17"  # where iHDw divides, by the text: f2, one side pure
N_SHOWN = 3


def table_1() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rows of Table 1; class A is 0 and class B is 1."""
    y = np.array([" AB".index(label) - 1 for label in _CLASSES])
    return np.column_stack([_F1, _F2]).astype(np.float64), y


def best_cuts(criterion: str) -> list[tuple[float, str, tuple[int, ...]]]:
    """All first cuts, the best first: gain, name, and rows of A and B below it."""
    X, y = table_1()
    found = []
    for j, name in enumerate(("f1", "f2")):
        values = np.unique(X[:, j])
        for at in (values[1:] + values[:-1]) / 2:
            below = X[:, j] <= at
            column = below.astype(np.float64)[:, None]
            stump = methods.make("cart", criterion=criterion, max_depth=1)
            # A node that gains nothing is not split, and has no gain.
            gain = float(np.nan_to_num(stump.fit(column, y).tree_.gain[0]))
            counts = tuple(int((below & (y == k)).sum()) for k in (0, 1))
            found.append((gain, f"{name} <= {at:g}", counts))
    return sorted(found, key=lambda cut: -round(cut[0], 12))


def _show(found: Reproduction) -> Shown:
    X, y = table_1()
    box = (X[:, 0].min() - 1, X[:, 0].max() + 1, X[:, 1].min() - 1, X[:, 1].max() + 1)
    lines, panels, tops = [], [], {}
    for criterion, name in (("ihd", "iHD"), ("ihdw", "iHDw")):
        tree = methods.make("cart", criterion=criterion).fit(X, y).tree_
        panels += [
            charts.Plane(f"{name}, first cut", X, y, cuts_of(tree, box, 1)),
            charts.Plane(f"{name}, whole tree", X, y, cuts_of(tree, box)),
        ]
        cuts = best_cuts(criterion)
        tops[name] = [cut for cut in cuts if np.isclose(cut[0], cuts[0][0], atol=1e-12)]
        lines += [
            [name, cut, f"{gain:.8f}", f"{a} / {b}", f"{4 - a} / {8 - b}"]
            for gain, cut, (a, b) in cuts[:N_SHOWN]
        ]
    picture = charts.planes(panels, "The cuts of iHD and iHDw on twelve rows")
    headings = ["criterion", "cut", "gain", "A / B below", "A / B above"]
    note = (
        "Crosses are class B; f1 runs to the right, f2 upwards. iHDw has the same gain "
        "for f1 <= 39 and f2 <= 17: the two are mirror images, 3 rows of B against the "
        "other 9. Ramify takes the first column, the paper the second; neither is "
        "better."
    )
    return Shown(headings, lines, picture, judged(tops), note)


def judged(
    tops: dict[str, list[tuple[float, str, tuple[int, ...]]]],
) -> tuple[Finding, ...]:
    """Judge what the paper says of the first cuts."""
    plain, weighted = ([cut for _, cut, _ in tops[name]] for name in ("iHD", "iHDw"))
    pure = [cut for _, cut, (a, b) in tops["iHDw"] if 0 in (a, b, 4 - a, 8 - b)]
    return (
        Finding(
            "iHD and iHDw first divide f2 at different points.",
            Judgement(
                any(cut.startswith("f2") for cut in plain)
                and PRINTED in weighted
                and not set(plain) & set(weighted),
                f"iHD {', '.join(plain)}; iHDw {' or '.join(weighted)} (a tie)",
            ),
        ),
        Finding(
            "The first cut of iHDw has a pure child, that of iHD has none.",
            Judgement(
                pure == weighted and all(0 not in c for _, _, c in tops["iHD"]),
                f"pure: {', '.join(pure) or 'none'}",
            ),
        ),
    )


FIGURE = Figure(
    key="example",
    place="Table 1, Figs. 1 and 2",
    title="an example of twelve rows",
    says="iHD and iHDw first divide f2, at different points; unlike iHD's, the cut of "
    "iHDw has a pure child, and its tree misses no row of the rarer class.",
    show=_show,
)
