# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/criteria: one page per criterion, measure and named expression.

All facts come from the registries; the advice on measures and expressions is that of
advice.py.
With --check nothing is written, and the exit code is 1 if a page is out of date.
"""

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from advice import ADVICE_ON_EXPRESSIONS, ADVICE_ON_MEASURES
from criterion_examples import LEFT, RIGHT, depends_on_weights_only
from formulas import IN_SIGNS, formula_lines, shown, step_lines
from pages import (
    DOCS,
    example,
    interpretation_lines,
    note,
    parameter_lines,
    table,
    write_or_check,
)

import ramify
from ramify import _core

NUMBERS_LEFT, NUMBERS_RIGHT = (1, 2, 6), (4, 8)
NOTE = note(__file__)
ROWS = """\
X = [[1, 5], [2, 4], [3, 8], [4, 1], [5, 7], [6, 3], [7, 2], [8, 6]]
y = [0, 0, 1, 0, 1, 1, 0, 1]"""


def example_tree(name: str) -> Any:
    """Grow a tree of one split, the example cut."""
    y = [*NUMBERS_LEFT, *NUMBERS_RIGHT]
    side = [[0.0]] * len(NUMBERS_LEFT) + [[1.0]] * len(NUMBERS_RIGHT)
    return ramify.DecisionTreeRegressor(name, max_depth=1).fit(side, y).tree_


def number_gain(name: str) -> float:
    """Let a tree of one split say what the example cut gains."""
    return float(example_tree(name).gain[0])


def number_steps(name: str) -> list[str]:
    """Show the impurity of the node and its children, and the gain they make."""
    found = re.match(r"(\w)\(S\)", ramify.criteria.for_regression(name).formula)
    if found is None:
        return []
    letter, tree = found[1], example_tree(name)
    shares = [len(NUMBERS_LEFT), len(NUMBERS_RIGHT)] / np.float64(
        tree.n_node_samples[0]
    )
    whole, left, right = map(float, tree.impurity)
    if not np.isclose(whole - shares @ [left, right], tree.gain[0], atol=1e-9):
        return []
    rho = [shown(share) for share in shares]
    return [
        "Step by step:",
        "",
        "$$",
        "\\begin{aligned}",
        *(
            f"{letter}({node}) &= {shown(value)} \\\\"
            for node, value in zip("SLR", (whole, left, right), strict=True)
        ),
        f"\\text{{gain}} &= {shown(whole)} - {rho[0]} \\cdot {shown(left)} - "
        f"{rho[1]} \\cdot {shown(right)} = {shown(float(tree.gain[0]))}",
        "\\end{aligned}",
        "$$",
        "",
    ]


def number_page(name: str) -> str:
    """Write the page of one criterion for numbers."""
    criterion = ramify.criteria.for_regression(name)
    aliases = ", ".join(f"`{alias}`" for alias in criterion.aliases)
    lines = [NOTE, f"# {name}", "", f"For regression. {criterion.summary}", ""]
    if aliases:
        lines += [f"Also called: {aliases}.", ""]
    parameters = {each.name: each.default for each in criterion.parameters}
    lines += ["## Formula", "", *formula_lines(name, criterion.formula, parameters)]
    if criterion.parameters:
        lines += ["## Parameters", "", *range_lines(criterion.parameters)]
    lines += picture_lines(name, "numbers")
    lines += [
        "## Worked example",
        "",
        f"A split separates the target values {NUMBERS_LEFT} and {NUMBERS_RIGHT}:",
        "",
        "```python",
        "import ramify",
        "",
        f"X, y = [[0], [0], [0], [1], [1]], {[*NUMBERS_LEFT, *NUMBERS_RIGHT]}",
        f'tree = ramify.DecisionTreeRegressor("{name}", max_depth=1).fit(X, y)',
        "print(tree.tree_.gain[0].round(8))",
        "```",
        "",
        *number_steps(name),
        f"The gain is **{number_gain(name):.8f}**. Higher is better.",
        "",
        "## Categories",
        "",
    ]
    if criterion.is_exact_for_categories:
        lines += [
            "The optimal binary split of any number of categories is found by sorting",
            "them by their means.",
            "",
        ]
    else:
        lines += [
            "Categories are sorted by their means and then split like numbers. For up",
            "to `max_exhaustive_categories` categories all subsets are tried as well;",
            "with more categories the search may miss the best subset.",
            "",
        ]
    lines += ["## When to use it", "", ramify.criteria.for_regression(name).advice, ""]
    lines += ["## Reference", "", f"{criterion.reference}.", ""]
    return "\n".join(lines)


def worked_example(criterion: ramify.criteria.Criterion) -> str:
    """Score the example cut, with the code that does so."""
    parent = tuple(a + b for a, b in zip(LEFT, RIGHT, strict=True))
    score = criterion(parent, LEFT, RIGHT)[0]
    known = {
        each.name: each.default
        for each in criterion.parameters
        if type(each.default) in (int, float)
    }
    known["IG"] = ramify.criteria.get("entropy")(parent, LEFT, RIGHT)[0]
    for other in ("gini", "mpi"):
        known[other] = ramify.criteria.get(other)(parent, LEFT, RIGHT)[0]
    text = IN_SIGNS.get(criterion.name, criterion.formula)
    steps = step_lines(criterion.name, text, (LEFT, RIGHT), known, float(score))
    return "\n".join(
        [
            f"A node with class weights {parent} is split into {LEFT} and {RIGHT}:",
            "",
            "```python",
            "import ramify",
            "",
            f"score = ramify.criteria.get({criterion.name!r})",
            f"print(score({list(parent)}, [{list(LEFT)}], [{list(RIGHT)}]).round(8))",
            "```",
            "",
        ]
    ).replace("'", '"') + "\n".join(
        [
            "",
            *(["Step by step:", "", *steps] if steps else weight_lines(parent)),
            f"The score is **{score:.8f}**. Higher is better.",
        ]
    )


def weight_lines(parent: tuple[int, ...]) -> list[str]:
    """Say what goes into a formula that is not written out."""
    n = sum(parent)
    classes = [
        f"$p_{{{node}{k}}} = {shown(weight / sum(side))}$"
        for node, side in (("L", LEFT), ("R", RIGHT))
        for k, weight in enumerate(side, 1)
    ]
    shares = [
        f"$\\rho_{node} = {shown(sum(side) / n)}$"
        for node, side in (("L", LEFT), ("R", RIGHT))
    ]
    whole = [f"$p_{k} = {shown(each / n)}$" for k, each in enumerate(parent, 1)]
    return [f"With $n = {n}$, {', '.join([*shares, *whole, *classes])}.", ""]


def is_table_score(criterion: Any) -> bool:
    """Return whether class weights are all that a criterion looks at."""
    return not criterion.properties["needs_treatment"]


def range_lines(parameters: Iterable[Any]) -> list[str]:
    """List parameters with their ranges."""
    rows = (
        (f"`{each.name}`", f"`{each.default!r}`", each.range) for each in parameters
    )
    return [*table(("parameter", "default", "allowed"), rows), ""]


def how_to_set(criterion: Any) -> list[str]:
    """Show one way to set a parameter and another."""
    first = criterion.parameters[0]
    value = {"number": first.default, "word": first.words and first.words[-1]}.get(
        first.kind, True if first.kind == "flag" else (0.7, 0.3)
    )
    if isinstance(value, float):
        value = round(value, 3)
    shown = f'"{value}"' if isinstance(value, str) else repr(value)
    call = [
        "ramify.DecisionTreeClassifier(",
        f'    "{criterion.name}", criterion_params={{"{first.name}": {shown}}}',
        ")",
    ]
    return [
        "```python",
        "import ramify",
        "",
        *(call if len("".join(call)) > 92 else ["".join(map(str.strip, call))]),
        f'ramify.DecisionTreeClassifier("{criterion.name}({first.name}={value!r})")',
        "```",
    ]


def fact_lines(criterion: Any) -> list[str]:
    """Return what holds of a criterion, as far as users notice it."""
    properties = criterion.properties
    with_them = " (with its defaults)" if criterion.parameters else ""
    said = [
        "Quasi-convex, so with two classes the optimal binary split of categories is "
        "found by sorting."
        if properties["is_quasi_convex"]
        else "Not known to be quasi-convex: every cut is evaluated.",
        "Weights are numbers of rows: multiplying all weights changes scores."
        if properties["counts"]
        else "Multiplying all weights changes no split.",
        "Invariant to class weights: multiplying the weights of one class changes "
        "nothing."
        if properties["ignores_class_weights"]
        else "",
        "The order of the classes matters." if properties["is_ordered"] else "",
        "It scores splits with any number of branches (`categories='multiway'`)."
        if properties["is_multiway"]
        else "It scores binary splits.",
    ]
    return [
        f"Properties{with_them}:",
        "",
        *(f"- {each}" for each in said if each),
    ]


def uplift_example() -> list[str]:
    """Grow a tree of one split on a small trial."""
    return [
        "A trial of 200 rows, in which the treatment helps only above 0.5:",
        "",
        *example("""\
import numpy as np
import ramify

x, treated = np.repeat([0.2, 0.8], 100), np.tile([0, 1], 100)
had = np.where((x > 0.5) & (treated == 1), 0.7, 0.4)
y = (np.arange(200) // 2 % 10) / 10 < had
tree = ramify.DecisionTreeClassifier("uplift", max_depth=1)
tree.fit(x[:, None], y, treatment=treated)
print(tree.predict_uplift([[0.2], [0.8]]).round(3))
"""),
    ]


def has_tie_break(name: str) -> bool:
    """Ask the engine whether a second measure decides between equal scores."""
    parent, left = np.add(LEFT, RIGHT, dtype=float), np.array(LEFT, dtype=float)
    try:
        _core.score_cuts(name, parent, left, tie_break=True)
    except ValueError:
        return False
    return True


def page(name: str) -> str:
    """Write the page of one criterion."""
    criterion = ramify.criteria.get(name)
    aliases = ", ".join(f"`{alias}`" for alias in criterion.aliases)
    lines = [NOTE, f"# {name}", "", criterion.summary, ""]
    if aliases:
        lines += [f"Also called: {aliases}.", ""]
    parameters = {each.name: each.default for each in criterion.parameters}
    lines += ["## Formula", "", *formula_lines(name, criterion.formula, parameters)]
    if has_tie_break(name):
        lines += ["A second measure breaks ties (see above).", ""]
    if criterion.parameters:
        lines += ["## Parameters", "", *range_lines(criterion.parameters)]
        lines += [*how_to_set(criterion), ""]
    lines += picture_lines(name, "surface" if is_table_score(criterion) else "uplift")
    lines += ["## Worked example", ""]
    if is_table_score(criterion):
        lines += [worked_example(criterion), ""]
    else:
        lines += uplift_example()
    lines += ["## Properties", "", *fact_lines(criterion), ""]
    lines += ["## When to use it", "", ramify.criteria.get(name).advice, ""]
    lines += ["## Reference", "", f"{criterion.reference}.", ""]
    return "\n".join(lines)


def picture_lines(name: str, kind: str) -> list[str]:
    """Show the picture of a page, and say what it shows."""
    words = {
        "surface": (
            f"The score of {name} over the shares of two classes that go left",
            "Each point is a split of a node with two classes: the share of class 1 "
            "and of class 2 that goes left. On the rising diagonal the split is "
            "uninformative; in the other two corners both children are pure. Left: a "
            "node with 6 and 4 rows; the dot is the example below. Right: 9 and 1 "
            "rows.",
        ),
        "uplift": (
            f"The score of {name} for every cut of a small trial",
            "A trial in which the treatment helps only in the right half of a column: "
            "its effect, and the score of every cut.",
        ),
        "measure": (
            f"The value of {name} for every cut of a small example",
            "All cuts of a small example with two columns, and the one that this "
            "measure alone would choose.",
        ),
        "expression": (
            f"The cut that {name} chooses in a small example",
            "The chosen cut of a small example, the cut chosen by purity alone, and "
            "the scores of all cuts.",
        ),
        "numbers": (
            f"The gain of {name} for every cut of one column",
            "Thirty rows of one column, the chosen cut, and the gain of every cut.",
        ),
    }
    title, caption = words[kind]
    return [f"![{title}](../images/criteria/{name}.svg)", "", caption, ""]


def measure_page(name: str) -> str:
    """Write the page of one measure."""
    measure = getattr(ramify.criteria, name)
    users = [
        one
        for one in ramify.criteria.names("expressions")
        if name in re.split(r"\W", ramify.criteria.registered(one).formula)
    ]
    using = ", ".join(f"[{one}]({one}.md)" for one in users)
    lines = [NOTE, f"# {name}", "", f"A measure. {measure.summary}", ""]
    lines += ["## Formula", "", *formula_lines(name, measure.formula, measure.params)]
    lines += interpretation_lines(measure)
    is_plain = depends_on_weights_only(1 * measure)
    lines += picture_lines(name, "surface" if is_plain else "measure")
    lines += ["## Parameters", "", *parameter_lines(measure.params)]
    for option in measure.options:
        words = [f"`{word!r}`" for word in option.codes]
        if len(words) > 1:
            lines += [f"`{option.name}` is {', '.join(words[:-1])} or {words[-1]}.", ""]
    lines += ["## Worked example", ""]
    lines += ["Its value for the four best cuts of eight rows by `gini`:", ""]
    sensitive = (
        ", sensitive=[0, 1, 0, 1, 0, 1, 0, 1]" if name == "sensitive_auc" else ""
    )
    lines += example(f"""\
import ramify
from ramify.criteria import {name}

{ROWS}
tree = ramify.DecisionTreeClassifier(
    "gini", max_depth=1, record_candidates=4, candidate_criteria=[{name}]
).fit(X, y{sensitive})
cuts = tree.tree_.candidates.query("node == 0")
shown = cuts[["feature", "threshold", "score", "{name}"]]
print(shown.round(6).to_string(index=False))
""")
    lines += ["## When to use it", "", ADVICE_ON_MEASURES[name], ""]
    lines += [f"Used by {using}.", ""] if using else []
    lines += ["## Reference", "", f"{measure.reference}.", ""]
    return "\n".join(lines)


def expression_page(name: str) -> str:
    """Write the page of one named expression."""
    known = ramify.criteria.registered(name)
    aliases = ", ".join(f"`{alias}`" for alias in known.aliases)
    lines = [NOTE, f"# {name}", "", known.summary, ""]
    if aliases:
        lines += [f"Also called: {aliases}.", ""]
    lines += ["## Expression", "", "```text", known.formula, "```", ""]
    lines += interpretation_lines(known)
    is_plain = depends_on_weights_only(ramify.criteria.get(name))
    lines += picture_lines(name, "surface" if is_plain else "expression")
    lines += ["## Parameters", "", *parameter_lines(known.params)]
    lines += [
        "In full:",
        "",
        "```python",
        "import ramify",
        "",
        f'print(ramify.criteria.get("{name}"))',
        f"# {ramify.criteria.get(name)}",
        "```",
        "",
        "Set parameters with `criterion_params=`, or [combine",
        "criteria](../how_to/compose.md) yourself.",
        "",
    ]
    lines += ["## Worked example", ""]
    lines += ["The best cuts of eight rows, and the chosen one:", ""]
    theta, sensitive = (
        (
            '    criterion_params={"theta": 0.3},\n',
            ", sensitive=[0, 1, 0, 1, 0, 1, 0, 1]",
        )
        if name == "scaff"
        else ("", "")
    )
    lines += example(f"""\
import ramify

{ROWS}
tree = ramify.DecisionTreeClassifier(
    "{name}",
{theta}    max_depth=1,
    record_candidates=4,
    candidate_criteria=["gini"],
).fit(X, y{sensitive})
cuts = tree.tree_.candidates.query("node == 0")
shown = cuts[["feature", "threshold", "score", "gini", "chosen"]]
print(shown.round(6).to_string(index=False))
""")
    lines += ["## When to use it", "", ADVICE_ON_EXPRESSIONS[name], ""]
    lines += ["## Reference", "", f"{known.reference}.", ""]
    return "\n".join(lines)


def index() -> str:
    """Write the list of all criteria and the meaning of the symbols."""
    lines = [NOTE, "# Splitting criteria", ""]
    lines += [
        "A criterion scores the cuts of a node; the cut with the highest score wins.",
        "`DecisionTreeClassifier(criterion=name)` grows a tree with it.",
        "`ramify.criteria.get(name)` returns it as a function of class weights.",
        "[Which criterion?](../how_to/which_criterion.md) says which one to try.",
        "",
        "In the formulas S is the node, L and R are its children and t is either",
        "child; n is the weight of S, n_t that of a child, n_k and n_tk the weight of",
        "class k in S and in t; p_k = n_k / n, p_tk = n_tk / n_t, rho_t = n_t / n. K",
        "or D is the number of classes that occur in S, D_t that in t. Logarithms have",
        f"base 2. The example splits a node into L = {LEFT} and R = {RIGHT}.",
        "",
        "[The map of criteria](../criteria_map.md) shows their families, and which of",
        "them rank cuts alike.",
        "",
        "## Classification",
        "",
    ]
    parent = [a + b for a, b in zip(LEFT, RIGHT, strict=True)]
    head = ("name", "other names", "in one line", "example")
    names = [*ramify.criteria.names(), *ramify.criteria.names("uplift")]
    known = [ramify.criteria.get(name) for name in sorted(names)]
    lines += table(
        head,
        (
            (
                *link_and_names(one),
                one.summary,
                f"{one(parent, LEFT, RIGHT)[0]:.8f}" if is_table_score(one) else "",
            )
            for one in known
        ),
    )
    lines += [
        "",
        "## Regression",
        "",
        "`DecisionTreeRegressor(criterion=name)` grows a regression tree. In the",
        "formulas y is the target value of a row, and means are weighted. The example",
        f"splits a node into L = {NUMBERS_LEFT} and R = {NUMBERS_RIGHT}.",
        "",
    ]
    numbers = map(ramify.criteria.for_regression, ramify.criteria.names("regression"))
    lines += table(
        head,
        (
            (*link_and_names(one), one.summary, f"{number_gain(one.name):.8f}")
            for one in numbers
        ),
    )
    lines += [
        "",
        "## Named expressions",
        "",
        "Published criteria that combine others; `criterion=name` uses them, and",
        "`criterion_params=` sets their parameters. If the source gives no formula,",
        "ours is an interpretation.",
        "",
    ]
    names = ramify.criteria.names("expressions")
    lines += short_table(map(ramify.criteria.registered, names))
    lines += [
        "",
        "## Measures",
        "",
        "Terms of expressions, `from ramify.criteria import ...`. In their formulas z",
        "is a row whose columns are scaled to 0..1 in the node, x a value of the cut's",
        "column, m a mean and Seg a number of label runs. See",
        "[combine criteria](../how_to/compose.md).",
        "",
    ]
    names = ramify.criteria.names("measures")
    lines += short_table(getattr(ramify.criteria, name) for name in names)
    return "\n".join([*lines, ""])


def link_and_names(one: Any) -> tuple[str, str]:
    """Return the link to a page, and the other names of its criterion."""
    aliases = ", ".join(f"`{alias}`" for alias in one.aliases)
    return f"[{one.name}]({one.name}.md)", aliases


def short_table(known: Iterable[Any]) -> list[str]:
    """List expressions or measures."""
    return table(
        ("name", "in one line", "interpretation"),
        (
            (
                f"[{one.name}]({one.name}.md)",
                one.summary,
                "yes" if one.interpretation else "",
            )
            for one in known
        ),
    )


def pages_of(
    kind: str, write: Callable[[str], str], advice: dict[str, str] | None = None
) -> dict[str, str]:
    """Write the pages of one kind; fail if one lacks advice."""
    names = ramify.criteria.names(kind)
    if advice is not None and set(advice) != set(names):
        differing = ", ".join(sorted(set(advice) ^ set(names)))
        sys.exit(f"the advice and ramify.criteria.names({kind!r}) differ: {differing}")
    return {f"{name}.md": write(name) for name in names}


def main() -> int:
    """Write or check all pages."""
    pages = {
        **pages_of("criteria", page),
        **pages_of("uplift", page),
        **pages_of("measures", measure_page, ADVICE_ON_MEASURES),
        **pages_of("expressions", expression_page, ADVICE_ON_EXPRESSIONS),
        **pages_of("regression", number_page),
        "README.md": index(),
    }
    return write_or_check(DOCS / "criteria", pages, __file__)


if __name__ == "__main__":
    sys.exit(main())
