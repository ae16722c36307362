# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/criteria: one page per criterion, measure and named expression.

All facts come from the registries; only the advice on when to use what is kept here.
With --check nothing is written, and the exit code is 1 if a page is out of date.
"""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ramify
from ramify import _core

FOLDER = Path(__file__).parent.parent / "docs" / "criteria"
LEFT, RIGHT = (5, 1), (1, 3)
NOTE = "<!-- Written by tools/make_criteria_pages.py; do not edit. -->\n"

# One entry per criterion: when to use it, and what to expect.
ADVICE = {
    "cart_measure": (
        "When you follow the textbook it comes from. With two classes it orders cuts "
        "as the difference of the classes' shares on the left does. It is not "
        "`twoing`: the distance is not squared, so that other cuts win."
    ),
    "ccp_entropy": (
        "On imbalanced data, when rare classes should count as much as frequent ones "
        "without weights or resampling. The branch sizes still depend on the priors, "
        "so that it is less radical than `hellinger`."
    ),
    "ccp_gini": (
        "As `ccp_entropy`, with the Gini impurity in place of entropy: bounded by 1 "
        "- 1/K, and without logarithms."
    ),
    "chi2": (
        "When you want the classical statistic of a contingency table. It grows with "
        "the number of rows, so that a limit such as `min_impurity_decrease` must be "
        "set for the size of the data."
    ),
    "dcsm": (
        "With many classes, when children should hold few distinct ones. The number "
        "of classes present dominates the score, hence one stray row matters: try it "
        "with `min_samples_leaf` above 1 on noisy labels."
    ),
    "entropy": (
        "The other common choice beside `gini`, and the one of ID3. A class with a "
        "small share of a node weighs more in entropy than in the Gini impurity."
    ),
    "gain_ratio": (
        "For trees in the manner of C4.5. The plain ratio favours very unequal cuts, "
        "because it divides by the entropy of the branch sizes; Quinlan's rules "
        'guard against that. Pass `criterion_params={"threshold_cost": True, '
        '"average_gain": True, "min_branch": True}` to choose cuts as C4.5, release '
        "8, does."
    ),
    "gini": (
        "The default, as in scikit-learn. Start here, and let `ramify compare` tell "
        "whether another criterion does better on your data."
    ),
    "hellinger": (
        "On imbalanced data. With two classes, multiplying the weight of one class "
        "leaves every score as it is, so that class weights and resampling have no "
        "part in the choice of cuts. With many classes the best class against the "
        "rest decides, and cuts that differ elsewhere tie."
    ),
    "ihd": (
        "With several classes, balanced or not: the mixture of all classes counts, "
        "where `hellinger` sees one against the rest."
    ),
    "ihdw": (
        "As `ihd`, when small cuts off a large node are a worry: a child that keeps "
        "most of every class gets less credit."
    ),
    "misclassification": (
        "When the training error itself is of interest, in shallow trees or for "
        "teaching. It is blind to cuts after which both children keep the same "
        "majority; there the Gini gain decides."
    ),
    "twoing": (
        "With many classes, when the upper levels should part groups of similar "
        "classes. With two classes it is exactly half the Gini gain and grows the "
        "same tree."
    ),
}

ADVICE_ON_MEASURES = {
    "bnm": (
        "Added to a purity criterion with a small weight (0.0025 to 0.1). The margin "
        "is a sum over all columns, so that many columns need a smaller weight, or "
        '`bnm(scale="mean")`. It costs as many operations per row as there are '
        "columns, for each column."
    ),
    "class_auc": (
        "As a criterion that cares how the classes are ranked, and not how pure the "
        "children are. With two classes it orders cuts as `cart_measure` does."
    ),
    "cluster_complexity": (
        "As a term to be maximised, where `segments` would have to be minimised."
    ),
    "cluster_validity": (
        "As a factor: it prefers columns whose class means lie far apart, and says "
        "nothing of the place of the cut."
    ),
    "csn": (
        "To choose among the few cuts that are best by purity. It looks at all columns "
        "and is computed for the kept cuts only, so that it is cheap there."
    ),
    "imbalance": (
        "As a weight between a criterion for balanced nodes and one for skewed nodes. "
        "It is the same for all cuts of a node."
    ),
    "prior_accuracy": (
        "When the classes will be met with other shares than the training rows have: "
        "`prior_accuracy(class_prior=(0.99, 0.01))`."
    ),
    "segment_ratio": ("To settle ties of `segments`, which are frequent."),
    "segments": (
        "To choose among the cuts that are best by purity: few label runs are easy to "
        "cut further. It depends on the order of values only."
    ),
    "sensitive_auc": (
        "With a minus sign, to keep a tree from telling the groups of a sensitive "
        "attribute apart. The attribute is passed to `fit(X, y, sensitive=...)`."
    ),
    "separating_gap": (
        "When classes are expected to lie apart, and a wide gap is a better place for "
        "a threshold than a pure child."
    ),
}

ADVICE_ON_EXPRESSIONS = {
    "adadt": ("When some nodes are balanced and others are not."),
    "bnm_csn": (
        "On numeric columns with clusters that purity alone would cut in two. "
        '`ramify.methods.make("bnm_csn")` adds the leaf rule of the paper, which is '
        "where its small trees come from; tune `k` and `w2`."
    ),
    "bnm_gini": (
        "As `bnm_csn`, without the second step. A node may be split though nothing is "
        "gained in purity: an XOR of two columns needs that. "
        '`ramify.methods.make("bnm")` adds the leaf rule of the paper.'
    ),
    "csn_gini": (
        "The cheapest of the three: the second look is at k cuts only. "
        '`ramify.methods.make("csn")` adds the leaf rule of the paper.'
    ),
    "cv_id3": ("When columns that separate the class means should be preferred."),
    "fr_id3": ("When the shares of the classes are known to differ from the data's."),
    "isat": ("When classes lie apart in single columns."),
    "scaff": (
        "When a tree must not be able to rank people by a sensitive attribute. "
        "`theta=0` ignores the attribute, `theta=1` looks at nothing else."
    ),
    "segment_c45": (
        "On numeric columns, when smaller trees of the same accuracy are wanted. "
        "`k=1` is the plain gain ratio."
    ),
    "spce": (
        "On imbalanced data of two classes. For more, "
        '`ramify.methods.make("spce")` grows one tree per class.'
    ),
    "spes": ("As `segment_c45`, when purity should keep a say among the kept cuts."),
    "spes2": ("As `spes`; the two differ in how the label runs are scaled."),
}


ADVICE_ON_NUMBERS = {
    "absolute_error": (
        "When single numbers far from the rest should not pull leaves and splits to "
        "themselves. It needs the order of the numbers, and costs several times as "
        "much as `squared_error`."
    ),
    "gamma": (
        "For positive numbers whose spread grows with their size, such as amounts and "
        "durations: an error of ten per cent counts the same everywhere."
    ),
    "poisson": (
        "For counts, and for rates with the exposure as `sample_weight`. A leaf never "
        "predicts zero unless all rows are zero: splits that would are not made."
    ),
    "quantile": (
        "When the question is for a bound and not for the middle: "
        '`criterion_params={"level": 0.9}` predicts what nine of ten rows stay below.'
    ),
    "squared_error": (
        "The default, as in scikit-learn. Leaves predict the mean. `friedman_mse` of "
        "older releases of scikit-learn puts splits in the same order."
    ),
}
NUMBERS_LEFT, NUMBERS_RIGHT = (1, 2, 6), (4, 8)


def number_gain(name: str) -> float:
    """Let a tree of one split say what the example cut gains."""
    y = [*NUMBERS_LEFT, *NUMBERS_RIGHT]
    side = [[0.0]] * len(NUMBERS_LEFT) + [[1.0]] * len(NUMBERS_RIGHT)
    tree = ramify.DecisionTreeRegressor(name, max_depth=1).fit(side, y).tree_
    return float(tree.gain[0])


def number_page(name: str) -> str:
    """Write the page of one criterion for numbers."""
    criterion = ramify.criteria.for_numbers(name)
    aliases = ", ".join(f"`{alias}`" for alias in criterion.aliases)
    lines = [NOTE, f"# {name}", "", f"For numbers. {criterion.summary}", ""]
    if aliases:
        lines += [f"Also called: {aliases}.", ""]
    lines += ["## Formula", "", "```text", criterion.formula, "```", ""]
    lines += ["The [index](README.md) explains the symbols.", ""]
    if criterion.params:
        lines += ["## Parameters", "", *parameter_lines(criterion.params)]
    lines += [
        "## Worked example",
        "",
        f"A node is cut into the numbers {NUMBERS_LEFT} and {NUMBERS_RIGHT}:",
        "",
        "```python",
        "import ramify",
        "",
        f"X, y = [[0], [0], [0], [1], [1]], {[*NUMBERS_LEFT, *NUMBERS_RIGHT]}",
        f'tree = ramify.DecisionTreeRegressor("{name}", max_depth=1).fit(X, y)',
        "print(tree.tree_.gain[0].round(8))",
        "```",
        "",
        f"The gain is **{number_gain(name):.8f}**. Higher is better.",
        "",
        "## Categories",
        "",
    ]
    if criterion.is_exact_for_categories:
        lines += [
            "The best of all subsets of categories is found by cutting them in the",
            "order of their means, however many there are.",
            "",
        ]
    else:
        lines += [
            "Categories are cut in the order of their means. Up to",
            "`max_exhaustive_categories` of them all subsets are tried besides; of",
            "more the best subset may be another.",
            "",
        ]
    lines += ["## When to use it", "", ADVICE_ON_NUMBERS[name], ""]
    lines += ["## Reference", "", f"{criterion.reference}.", ""]
    return "\n".join(lines)


def worked_example(criterion: ramify.criteria.Criterion) -> str:
    """Score the example cut, with the code that does so."""
    parent = tuple(a + b for a, b in zip(LEFT, RIGHT, strict=True))
    score = criterion(parent, LEFT, RIGHT)[0]
    return "\n".join(
        [
            f"A node with class weights {parent} is cut into {LEFT} and {RIGHT}:",
            "",
            "```python",
            "import ramify",
            "",
            f"score = ramify.criteria.get({criterion.name!r})",
            f"print(score({list(parent)}, [{list(LEFT)}], [{list(RIGHT)}]).round(8))",
            "```",
            "",
            f"The score is **{score:.8f}**. Higher is better.",
        ]
    ).replace("'", '"')


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
    lines += ["## Formula", "", "```text", criterion.formula, "```", ""]
    if has_tie_break(name):
        lines += ["Equal scores are told apart by a second measure (see above).", ""]
    lines += ["The [index](README.md) explains the symbols.", ""]
    lines += ["## Worked example", "", worked_example(criterion), ""]
    lines += ["## When to use it", "", ADVICE[name], ""]
    lines += ["## Reference", "", f"{criterion.reference}.", ""]
    return "\n".join(lines)


def parameter_lines(params: dict[str, object]) -> list[str]:
    """List the parameters and their defaults."""
    if not params:
        return ["It has no parameters.", ""]
    lines = ["| parameter | default |", "| --- | --- |"]
    return [
        *lines,
        *(f"| `{key}` | `{value!r}` |" for key, value in params.items()),
        "",
    ]


def interpretation_lines(of: object) -> list[str]:
    """Say that a formula is ours, where it is."""
    if not of.interpretation:
        return []
    return [
        "This is an interpretation: the source describes the idea, and the formula is",
        "Ramify's. It does not claim to reproduce the paper.",
        "",
    ]


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
    lines += ["## Formula", "", "```text", measure.formula, "```", ""]
    lines += interpretation_lines(measure)
    lines += ["The [index](README.md) explains the symbols.", ""]
    lines += ["## Parameters", "", *parameter_lines(measure.params)]
    for option in measure.options:
        words = [f"`{word!r}`" for word in option.codes]
        if len(words) > 1:
            lines += [f"`{option.name}` is {', '.join(words[:-1])} or {words[-1]}.", ""]
    lines += ["## When to use it", "", ADVICE_ON_MEASURES[name], ""]
    lines += [f"Used by {using}.", ""]
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
        "Set parameters by `criterion_params=`, or compose a criterion yourself: see",
        "[how to compose criteria](../how_to/compose.md).",
        "",
    ]
    lines += ["## When to use it", "", ADVICE_ON_EXPRESSIONS[name], ""]
    lines += ["## Reference", "", f"{known.reference}.", ""]
    return "\n".join(lines)


def index() -> str:
    """Write the list of all criteria and the meaning of the symbols."""
    known = [ramify.criteria.get(name) for name in ramify.criteria.names()]
    lines = [NOTE, "# Splitting criteria", ""]
    lines += [
        "A criterion judges the cuts of a node by the class weights on both sides.",
        "Every score is maximised. `ramify.criteria.get(name)` gives a criterion that",
        "can be called on tables of class weights, and",
        "`DecisionTreeClassifier(criterion=name)` grows a tree with it.",
        "",
        "In the formulas S is the node, L and R are its children and t is either",
        "child; n is the weight of S, n_t that of a child, n_k and n_tk the weight of",
        "class k in S and in t; p_k = n_k / n, p_tk = n_tk / n_t, rho_t = n_t / n. K",
        "or D is the number of classes that occur in S, D_t that in t. Logarithms have",
        f"base 2. The example cuts a node into L = {LEFT} and R = {RIGHT}.",
        "",
        "| name | other names | in one line | example |",
        "| --- | --- | --- | --- |",
    ]
    for criterion in known:
        aliases = ", ".join(f"`{alias}`" for alias in criterion.aliases)
        parent = [a + b for a, b in zip(LEFT, RIGHT, strict=True)]
        score = criterion(parent, LEFT, RIGHT)[0]
        name = f"[{criterion.name}]({criterion.name}.md)"
        lines.append(f"| {name} | {aliases} | {criterion.summary} | {score:.8f} |")
    lines += [
        "",
        "## Criteria for numbers",
        "",
        "`DecisionTreeRegressor(criterion=name)` grows a tree with one of these. In",
        "their formulas y is the number of a row, and means are weighted. The example",
        f"cuts a node into L = {NUMBERS_LEFT} and R = {NUMBERS_RIGHT}.",
        "",
        "| name | other names | in one line | example |",
        "| --- | --- | --- | --- |",
    ]
    for name in ramify.criteria.names("regression"):
        number = ramify.criteria.for_numbers(name)
        aliases = ", ".join(f"`{alias}`" for alias in number.aliases)
        lines.append(
            f"| [{name}]({name}.md) | {aliases} | {number.summary} | "
            f"{number_gain(name):.8f} |"
        )
    lines += [
        "",
        "## Named expressions",
        "",
        "Published criteria that combine others; `criterion=name` uses them, and",
        "`criterion_params=` sets their parameters. Where the source gives no formula,",
        "ours is an interpretation.",
        "",
        "| name | in one line | interpretation |",
        "| --- | --- | --- |",
    ]
    for name in ramify.criteria.names("expressions"):
        one = ramify.criteria.registered(name)
        ours = "yes" if one.interpretation else ""
        lines.append(f"| [{name}]({name}.md) | {one.summary} | {ours} |")
    lines += [
        "",
        "## Measures",
        "",
        "Parts of expressions, `from ramify.criteria import ...`. In their formulas z",
        "is a row whose columns are scaled to 0..1 in the node, x a value of the cut's",
        "column, m a mean and Seg a number of label runs. See",
        "[how to compose criteria](../how_to/compose.md).",
        "",
        "| name | in one line | interpretation |",
        "| --- | --- | --- |",
    ]
    for name in ramify.criteria.names("measures"):
        one = getattr(ramify.criteria, name)
        ours = "yes" if one.interpretation else ""
        lines.append(f"| [{name}]({name}.md) | {one.summary} | {ours} |")
    return "\n".join([*lines, ""])


def pages_of(
    kind: str, advice: dict[str, str], write: Callable[[str], str]
) -> dict[str, str]:
    """Write the pages of one kind; fail if one lacks advice."""
    names = ramify.criteria.names(kind)
    if set(advice) != set(names):
        differing = ", ".join(sorted(set(advice) ^ set(names)))
        sys.exit(f"the advice and ramify.criteria.names({kind!r}) differ: {differing}")
    return {f"{name}.md": write(name) for name in names}


def main() -> int:
    """Write or check all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check

    pages = {
        **pages_of("criteria", ADVICE, page),
        **pages_of("measures", ADVICE_ON_MEASURES, measure_page),
        **pages_of("expressions", ADVICE_ON_EXPRESSIONS, expression_page),
        **pages_of("regression", ADVICE_ON_NUMBERS, number_page),
        "README.md": index(),
    }
    old = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    if check:
        stale = sorted(
            name for name in {*old, *pages} if old.get(name) != pages.get(name)
        )
        for name in stale:
            print(f"docs/criteria/{name} is out of date; run {Path(__file__).name}")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in set(old) - set(pages):
        (FOLDER / name).unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"wrote {len(pages)} pages to {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
