# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/methods: one page per method of ramify.methods.

The facts come from the registry, and what a page says of categories, missing values and
classes from trying them. With --check nothing is written, and the exit code is 1 if a
page is out of date.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from advice import ADVICE_ON_EXPRESSIONS, ADVICE_ON_METHODS
from formulas import formula_lines as typeset
from method_examples import example_source, needs_groups
from pages import (
    DOCS,
    example,
    interpretation_lines,
    note,
    parameter_lines,
    table,
    write_or_check,
)
from searches import IN_TEX, SEARCHES, SYMBOLS, Search

import ramify
from ramify import methods
from ramify.methods import Method

NOTE = note(__file__)
MEASURED = json.loads(
    Path(__file__).parent.parent.joinpath("benchmarks/methods.json").read_text("utf-8")
)

# Where the estimators are documented.
API = {
    "DecisionTreeClassifier": "trees",
    "ObliqueTreeClassifier": "trees",
    "OptimalTreeClassifier": "optimal",
    "RandomForestClassifier": "forests",
}

TREES = ("DecisionTreeClassifier", "ObliqueTreeClassifier")

GROUPS = {
    "Axis-parallel": "DecisionTreeClassifier",
    "Oblique": "ObliqueTreeClassifier",
    "Optimal": "OptimalTreeClassifier",
    "Forests": "RandomForestClassifier",
}

CATEGORIES = {
    "subset": "Split by a subset of the categories against the rest.",
    "one_vs_rest": "Split by one category against the rest.",
    "multiway": "Split into one branch per category.",
    "multiway_all": (
        "Split into one branch for each category of the column; a branch of a category "
        "that does not occur in the node falls back to the node's own prediction."
    ),
    "chaid": "Merged into groups that differ significantly, with one branch per group.",
    "quest": "Mapped to numbers by discriminant analysis, and split there.",
    "ctree": "Split into the two subsets with the largest chi-square.",
    "guide": "Split by a subset of them against the rest.",
    "dgmml": "One-hot encoded, and split by the class shares.",
    "oblique": (
        "Split by subsets as in other trees; in a linear combination a category is "
        "encoded by the class shares of its rows."
    ),
}
MISSING = {
    "both": (
        "Tried on both sides of each split, and sent to the better one; in a "
        "categorical column a missing value is one more category."
    ),
    "fractional": "Down every branch, with the branch's share of their weight.",
    "chaid": "A separate group, which may merge with any other.",
    "quest": "Sent to the heavier child.",
    "ctree": ("Excluded from the tests, then tried on both sides of each split."),
    "guide": ("A separate group in the tests, then tried on both sides of each split."),
    "dgmml": "Excluded from means and spreads, then sent to the better side.",
    "oblique": "In a linear combination imputed by the mean of the node.",
}


def way_of(model: Any, words: dict[str, str], parameter: str) -> str:
    """Describe what a model does with categories or missing values."""
    if getattr(model, "method", None):
        return words["oblique"]
    return words.get(model.splitter) or words[getattr(model, parameter)]


def trial(method: Method, X: Any, y: Any) -> str:
    """Fit a method to a few rows; give the reason if it refuses them."""
    fit = {"sensitive": [0, 1] * (len(y) // 2)} if needs_groups(method) else {}
    try:
        method.make(max_depth=2, random_state=0).fit(X, y, **fit)
    except ValueError as error:
        return str(error).split(", but")[0]
    return ""


def handling_lines(method: Method) -> list[str]:
    """Return how the method takes categories, missing values and many classes."""
    made = method.make()
    tree = getattr(made, "estimator", made)
    letters = [["a", 1], ["b", 2], ["a", 3], ["c", 4]] * 5
    gaps = [[1.0, None], [2.0, 3.0], [None, 1.0], [4.0, 1.0]] * 5
    refused = trial(method, letters, [0, 1, 0, 1] * 5)
    rows = [
        (
            "categorical columns",
            f"Refused: {refused}."
            if refused
            else way_of(tree, CATEGORIES, "categories"),
        )
    ]
    refused = trial(method, gaps, [0, 1, 0, 1] * 5)
    rows.append(
        (
            "missing values",
            f"Refused: {refused}." if refused else way_of(tree, MISSING, "missing"),
        )
    )
    rows.append(
        (
            "more than two classes",
            'One tree per class against the rest; `multiclass="native"` grows one tree.'
            if method.multiclass == "ova"
            else "One tree for all.",
        )
    )
    return [*table(("", "what happens"), rows), ""]


def search_lines(name: str, search: Search) -> list[str]:
    """Return the formula of a search, and what its symbols are."""
    if name not in IN_TEX:
        return ["```text", search.formula, "```", ""]
    rows = " \\\\\n".join(f"& {row}" for row in IN_TEX[name])
    lines = ["$$", f"\\begin{{aligned}}\n{rows}\n\\end{{aligned}}", "$$", ""]
    return [*lines, SYMBOLS[name], ""] if name in SYMBOLS else lines


def with_signs(name: str, words: str) -> str:
    """Typeset symbols such as W_j in the words below a typeset formula."""
    if name not in IN_TEX:
        return words
    return re.sub(r"(?<![`\w])([A-Za-z])_(\w{1,2})(?![`\w])", r"$\1_{\2}$", words)


def formula_lines(method: Method) -> list[str]:
    """Return the formula of the criterion or of the search."""
    name = method.name
    if method.name == "ccf":
        return [
            "Each tree is one of [cca](cca.md), grown on all rows. A node samples",
            "ceil(log2(d) + 1) of d columns (2 of 3) and as many rows as it has, with",
            "replacement; these give the directions, all of its rows the cut. The",
            "class shares in the leaves are averaged. If d is at most 2, the paper",
            "samples rows per tree, not per node; here it is always per node.",
            "",
        ]
    if method.name == "rotation_forest":
        return [
            "Each tree is one of [rotation](rotation.md), with its own random groups",
            "and rows, grown on all rows and columns. The class shares in the leaves",
            "are averaged.",
            "",
        ]
    search = SEARCHES.get(name)
    lines = [] if search is None else search_lines(name, search)
    lines += [] if search is None else [with_signs(name, search.words), ""]
    criterion = method.parameters.get("criterion")
    if criterion is None:
        return lines
    if search is not None:
        link = f"[{criterion}](../criteria/{criterion}.md)"
        return [
            *lines,
            f"{link} scores the splits, unless you name another criterion.",
            "",
        ]
    known = (
        ramify.criteria.registered(criterion)
        if criterion in ramify.criteria.names("expressions")
        else ramify.criteria.get(criterion)
    )
    if criterion in ramify.criteria.names("expressions"):
        lines = ["```text", known.formula, "```", ""]
    else:
        parameters = {each.name: each.default for each in known.parameters}
        lines = [
            line.replace("](", "](../criteria/")
            for line in typeset(criterion, known.formula, parameters)
        ]
    return [
        *lines,
        f"[The page of {criterion}](../criteria/{criterion}.md) plots its scores.",
        "",
    ]


def advice_on(method: Method) -> str:
    """Say when to use a method."""
    if method.name in ADVICE_ON_METHODS:
        return ADVICE_ON_METHODS[method.name]
    criterion = str(method.parameters.get("criterion"))
    for advice in (ADVICE_ON_METHODS, ADVICE_ON_EXPRESSIONS):
        for key in (method.name, criterion):
            if key in advice:
                return advice[key]
    if criterion in ramify.criteria.names():
        return ramify.criteria.get(criterion).advice
    sys.exit(f"tools/advice.py has nothing on the method {method.name!r}")


def made_lines(method: Method) -> str:
    """Name the estimator of a method, and link to its page."""
    name = method.estimator.__name__
    link = f"[{name}](../api/{API[name]}.md#ramify.{name})"
    if method.multiclass == "ova":
        return f"one tree per class, each a {link}"
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {link}"


def measured_lines(name: str) -> list[str]:
    """Show test accuracy and rank among the methods that are compared."""
    found = MEASURED["methods"]
    rows = [each for each in (name, f"{name}_rf") if each in found]
    if not rows:
        return [
            "## Measured",
            "",
            "It is not among the methods that `ramify compare` runs by default;",
            f"`ramify compare cart {name}` measures it on the bundled data sets.",
            "",
        ]
    order = sorted(found, key=lambda each: found[each]["rank"])
    n = len(order)
    head = ("method", "test accuracy %", "leaves", f"average rank of {n}", "place")
    cells = (
        (
            f"`{each}`",
            f"{100 * found[each]['accuracy']:.1f}",
            f"{found[each]['leaves']:.0f}",
            f"{found[each]['rank']:.1f}",
            str(order.index(each) + 1),
        )
        for each in rows
    )
    return [
        "## Measured",
        "",
        f"Means over {len(MEASURED['datasets'])} bundled data sets, "
        f"{MEASURED['protocol']}, not pruned. [How the methods",
        "compare](../README.md#how-the-methods-compare) has the other methods and the",
        "tests of their differences.",
        "",
        *table(head, cells),
        "",
    ]


def forest_lines(name: str) -> list[str]:
    """Say how to get a forest of the method, if there is one in the registry."""
    forest = f"{name}_rf"
    if forest not in methods.names():
        return []
    method = methods.get(forest)
    changed = {
        key: value
        for key, value in method.parameters.items()
        if methods.get(name).parameters.get(key) != value
    }
    return [
        "## Forest",
        "",
        f'`ramify.methods.make("{forest}")` returns {made_lines(method)} of these',
        "trees: each is grown on a bootstrap sample, each node considers a random",
        "sample of the square root of the number of columns, and every tree has one",
        "vote.",
        "It sets:",
        "",
        *table(
            ("parameter", "value"),
            ((f"`{key}`", f"`{value!r}`") for key, value in changed.items()),
        ),
        "",
        f"![Decision regions of {forest} over two columns]"
        f"(../images/methods/{forest}.svg)",
        "",
        ADVICE_ON_METHODS.get(forest)
        or "Use it to compare forests as in the papers. For better accuracy use more "
        f'trees: `RandomForestClassifier(500, method="{name}")`; see '
        "[forests](../how_to/forests.md).",
        "",
        f"Reference: {method.reference}.",
        "",
    ]


def page_of(name: str) -> str:
    """Return the page of a method: that of its tree, if it is a forest of them."""
    tree = name.removesuffix("_rf")
    return tree if tree in methods.names() else name


def page(name: str) -> str:
    """Write the page of one method."""
    method = methods.get(name)
    is_one_tree = method.estimator.__name__ in TREES and method.multiclass == "native"
    lines = [NOTE, f"# {name}", "", method.summary, ""]
    lines += [
        f"![Decision regions of {name} over two columns](../images/methods/{name}.svg)",
        "",
        "Decision regions of a tree of depth three on five clusters of three classes; "
        "points are rows."
        + (
            " Lines are splits; the first split has the widest line."
            if is_one_tree
            else ""
        ),
        "",
    ]
    lines += ["## What it computes", "", *formula_lines(method)]
    lines += interpretation_lines(method)
    lines += ["## Worked example", ""]
    lines += [
        "Accuracy on the half of the rows that the fit has not seen; trees of depth",
        "three, so that they can be read:",
        "",
    ]
    lines += example(example_source(method))
    lines += measured_lines(name)
    lines += [
        "## Estimator and parameters",
        "",
        f'`ramify.methods.make("{name}")` returns {made_lines(method)} with:',
        "",
    ]
    lines += [
        *table(
            ("parameter", "value"),
            ((f"`{key}`", f"`{value!r}`") for key, value in method.parameters.items()),
        ),
        "",
    ]
    if method.settings:
        lines += [
            "Pass its own parameters to `make` by name:",
            "",
            *parameter_lines(method.settings),
        ]
    lines += forest_lines(name)
    lines += ["## Categories, missing values, classes", "", *handling_lines(method)]
    lines += ["## When to use it", "", advice_on(method), ""]
    lines += ["## Reference", "", f"{method.reference}.", ""]
    return "\n".join(lines)


def rank_of(name: str) -> tuple[str, str]:
    """Return accuracy and average rank, if they are measured."""
    found = MEASURED["methods"].get(name)
    if found is None:
        return "", ""
    return f"{100 * found['accuracy']:.1f}", f"{found['rank']:.1f}"


def index() -> str:
    """Write the list of all methods."""
    lines = [
        NOTE,
        "# Methods",
        "",
        "A method is a published way to grow trees: a criterion and its rules, such as",
        "stopping and pruning. `ramify.methods.make(name)` returns an estimator with",
        "these settings; pass other parameters of estimator and method by name.",
        "`ramify compare` [compares methods](../how_to/compare.md) on your data. The",
        "tables have the mean test accuracy and the average rank (of "
        f"{len(MEASURED['methods'])}; lower is",
        f"better) of those that it runs by default, over "
        f"{len(MEASURED['datasets'])} bundled data sets, {MEASURED['protocol']}.",
        "",
    ]
    known = [methods.get(name) for name in methods.names()]
    for title, estimator in GROUPS.items():
        rows = (
            (
                f"[{method.name}]({page_of(method.name)}.md"
                f"{'#forest' if page_of(method.name) != method.name else ''})",
                method.summary,
                *rank_of(method.name),
                "yes" if method.interpretation else "",
            )
            for method in known
            if method.estimator.__name__ == estimator
        )
        lines += [f"## {title}", ""]
        head = ("name", "in one line", "accuracy %", "rank", "interpretation")
        lines += [*table(head, rows), ""]
    return "\n".join(lines)


def main() -> int:
    """Write or check all pages."""
    pages = {
        f"{name}.md": page(name) for name in methods.names() if page_of(name) == name
    }
    return write_or_check(DOCS / "methods", {**pages, "README.md": index()}, __file__)


if __name__ == "__main__":
    sys.exit(main())
