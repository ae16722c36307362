# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/methods: one page per method of ramify.methods.

The facts come from the registry, and what a page says of categories, missing values and
classes from trying them. With --check nothing is written, and the exit code is 1 if a
page is out of date.
"""

import sys
from typing import Any

from advice import ADVICE_ON_EXPRESSIONS, ADVICE_ON_METHODS
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
from searches import SEARCHES

import ramify
from ramify import methods
from ramify.methods import Method

NOTE = note(__file__)

# Where the estimators are documented.
API = {
    "DecisionTreeClassifier": "trees",
    "ObliqueTreeClassifier": "trees",
    "RandomForestClassifier": "forests",
}

TREES = ("DecisionTreeClassifier", "ObliqueTreeClassifier")

GROUPS = {
    "Axis-parallel": "DecisionTreeClassifier",
    "Oblique": "ObliqueTreeClassifier",
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


def formula_lines(method: Method) -> list[str]:
    """Return the formula of the criterion or of the search."""
    name = method.name.removesuffix("_rf")
    if method.name.endswith("_rf"):
        return [
            f"Each tree is one of [{name}]({name}.md), grown on a bootstrap sample.",
            "Each node considers a random sample of the square root of the number of",
            "columns. Every tree has one vote.",
            "",
        ]
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
    lines = [] if search is None else ["```text", search.formula, "```", ""]
    lines += [] if search is None else [search.words, ""]
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
    return [
        *("```text", known.formula, "```", ""),
        f"[The page of {criterion}](../criteria/{criterion}.md) plots its scores.",
        "",
    ]


def advice_on(method: Method) -> str:
    """Say when to use a method."""
    if method.name in ADVICE_ON_METHODS:
        return ADVICE_ON_METHODS[method.name]
    if method.name.endswith("_rf"):
        tree = method.name.removesuffix("_rf")
        return (
            f"To compare forests as in the papers. For better accuracy use more trees: "
            f'`RandomForestClassifier(500, method="{tree}")`; see '
            "[forests](../how_to/forests.md)."
        )
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


def page(name: str) -> str:
    """Write the page of one method."""
    method = methods.get(name)
    is_one_tree = method.estimator.__name__ in TREES and method.multiclass == "native"
    lines = [NOTE, f"# {name}", "", method.summary, ""]
    lines += [
        f"![Decision regions of {name} over two columns](../images/methods/{name}.svg)",
        "",
        "The decision regions of the worked example; points are rows."
        + (
            " Lines are splits; the first split has the widest line."
            if is_one_tree
            else ""
        ),
        "",
    ]
    lines += ["## What it computes", "", *formula_lines(method)]
    lines += interpretation_lines(method)
    lines += ["## Worked example", "", *example(example_source(method))]
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
    lines += ["## Categories, missing values, classes", "", *handling_lines(method)]
    lines += ["## When to use it", "", advice_on(method), ""]
    lines += ["## Reference", "", f"{method.reference}.", ""]
    return "\n".join(lines)


def index() -> str:
    """Write the list of all methods."""
    lines = [
        NOTE,
        "# Methods",
        "",
        "A method is a published way to grow trees: a criterion and its rules, such as",
        "stopping and pruning. `ramify.methods.make(name)` returns an estimator with",
        "these settings; pass other parameters of estimator and method by name.",
        "`ramify compare` [compares methods](../how_to/compare.md) on your data. All",
        "pages show the same five clusters of three classes, and trees of depth three.",
        "",
    ]
    known = [methods.get(name) for name in methods.names()]
    for title, estimator in GROUPS.items():
        rows = (
            (
                f"[{method.name}]({method.name}.md)",
                method.summary,
                "yes" if method.interpretation else "",
            )
            for method in known
            if method.estimator.__name__ == estimator
        )
        lines += [f"## {title}", ""]
        lines += [*table(("name", "in one line", "interpretation"), rows), ""]
    return "\n".join(lines)


def main() -> int:
    """Write or check all pages."""
    pages = {f"{name}.md": page(name) for name in methods.names()}
    return write_or_check(DOCS / "methods", {**pages, "README.md": index()}, __file__)


if __name__ == "__main__":
    sys.exit(main())
