# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/criteria_map.md and its picture: which criteria are relatives.

All facts come from ``ramify.criteria.family_map()``. With --check nothing is written,
and the exit code is 1 if the page is out of date.
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from drawing import BLUE, DARK, INK, ORANGE, PALE, RED, STEEL
from pages import DOCS, note, table, write_or_check

import ramify
from ramify.criteria.families import ALIKE

PICTURE = DOCS / "images" / "criteria_map.svg"


def draw() -> Any:
    """Draw the plane of Sharma and Mittal's entropies, and the line of divergences."""
    figure, (plane, line) = plt.subplots(
        1, 2, figsize=(9.5, 4.4), width_ratios=(1.25, 1), layout="constrained"
    )
    q = np.linspace(0.22, 3.2, 300)
    border = 2 - 1 / q
    plane.fill_between(q, border, 3.2, color=PALE, zorder=0)
    plane.plot(q, border, color=STEEL, linewidth=1.2)
    plane.plot(q, q, color=BLUE, linewidth=1.4)
    plane.axhline(1, color=ORANGE, linewidth=1.4)
    plane.plot(q, 2 - q, color=INK, linewidth=1, linestyle="--")
    for x, y, name, shift in (
        (2, 2, "gini", (6, -11)),
        (1, 1, "entropy", (7, -11)),
        (0.5, 0, "dkm", (7, -3)),
    ):
        plane.plot(x, y, "o", color=RED, markersize=6, zorder=3)
        plane.annotate(
            name, (x, y), xytext=shift, textcoords="offset points", color=DARK
        )
    words = (
        (1.75, 2.75, "tsallis(q): r = q", BLUE),
        (2.35, 1.06, "renyi(q): r = 1", ORANGE),
        (2.2, 1.72, "R-norm: r = 2 - 1/q", STEEL),
        (1.95, 0.2, "Landsberg-Vedral: r = 2 - q", INK),
        (0.3, 2.7, "concave", DARK),
    )
    for x, y, text, colour in words:
        plane.text(x, y, text, color=colour, fontsize=8, ha="left")
    plane.set_xlim(0.2, 3.2)
    plane.set_ylim(-0.7, 3.2)
    plane.set_xlabel("q")
    plane.set_ylabel("r")
    plane.set_title("sharma_mittal(q, r)", fontsize=10)
    line.plot((0, 3.2), (0, 0), color=INK, linewidth=1)
    members = (
        (0.25, "rewards a child\nwithout a class"),
        (0.5, "4 ihd\n(Freeman-Tukey)"),
        (1.0, "entropy\n(G statistic)"),
        (5 / 3, "Cressie-Read\n(the default)"),
        (2.0, "chi2 / 2n\n(Pearson)"),
        (3.0, "looks at the\nlargest surplus"),
    )
    for i, (alpha, text) in enumerate(members):
        height = (0.66, -0.42, 0.32, -0.42, 0.32, -0.42)[i]
        line.plot((alpha, alpha), (0, height * 0.72), color=STEEL, linewidth=0.8)
        line.plot(alpha, 0, "o", color=RED, markersize=6)
        line.text(alpha, height, text, ha="center", va="center", fontsize=8, color=DARK)
    line.set_ylim(-1, 1)
    line.set_xlim(-0.4, 3.6)
    line.set_yticks([])
    line.set_xlabel("alpha")
    line.set_title("alpha_divergence(alpha)", fontsize=10)
    for ax in (plane, line):
        ax.spines[["top", "right"]].set_visible(False)
    line.spines["left"].set_visible(False)
    return figure


def sentence(words: str) -> str:
    """Return the words with a capital at the beginning."""
    return words[0].upper() + words[1:]


def page() -> str:
    """Write the page."""
    found = ramify.criteria.family_map()
    lines = [
        note(__file__),
        "# The map of criteria",
        "",
        "Most published criteria belong to a handful of families with one or two "
        "parameters. `ramify.criteria.family_map()` returns this page as data; the "
        "[study](criteria_study.md) measures how often they choose the same split.",
        "",
        "![The plane of Sharma and Mittal's entropies, and the line of alpha "
        "divergences](images/criteria_map.svg)",
        "",
        "Left: every point is an entropy, and its decrease is a criterion; at and "
        "above the line r = 2 - 1/q it is concave, so no split has a negative gain. "
        "Right: divergences of the children from their parent, three of which have "
        "names.",
        "",
    ]
    for family, words in found.families.items():
        lines += [f"## {sentence(family)}", "", f"{sentence(words)}.", ""]
        rows = []
        for place in found:
            if place.family != family:
                continue
            given = ", ".join(f"{k}={v!r}" for k, v in place.parameters.items())
            facts = []
            if place.is_quasi_convex:
                facts.append("quasi-convex")
            if place.counts:
                facts.append("counts rows")
            if place.is_ordered:
                facts.append("ordered classes")
            if place.ignores_class_weights:
                facts.append("invariant to class weights")
            rows.append(
                (
                    f"[{place.name}](criteria/{place.name}.md)",
                    f"`{given}`" if given else "",
                    "; ".join(place.laws),
                    ", ".join(facts),
                )
            )
        lines += [*table(("criterion", "parameters", "equals", "properties"), rows), ""]
    lines += [
        "## Same ranking for two classes",
        "",
        "In a node with two classes these rank all cuts in the same order:",
        "",
        *(f"- {', '.join(group)}" for group in ALIKE),
        "",
        "## Invariant to class weights",
        "",
        "Multiplying the weights of one class changes nothing for `balanced(c)` of any "
        "criterion c that does not count rows, for `ks`, `hellinger` and `angle` in "
        "their `ovo` modes, and for `information_value(adjust=0)` with an `ovo` mode. "
        "With two classes all modes are equal. `ccp_entropy` and `ccp_gini` discount "
        "the classes within a branch only.",
        "",
        "## Other names in the literature",
        "",
        "The literature has more names than criteria. These names are not offered, "
        "since they equal, or rank the cuts of a node exactly like, an existing "
        "criterion:",
        "",
        *table(("name", "is"), found.names_that_add_nothing.items()),
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Write or check the page, and its picture."""
    if "--check" not in sys.argv:
        plt.rcParams["svg.hashsalt"] = "ramify"
        draw().savefig(PICTURE, metadata={"Date": None})
    pages = {"criteria_map.md": page()}
    return write_or_check(DOCS, pages, __file__, is_whole=False)


if __name__ == "__main__":
    sys.exit(main())
