# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/criteria: one page per built-in criterion, and an index.

All facts come from the registry; only the advice on when to use a criterion is kept
here. With --check nothing is written, and the exit code is 1 if a page is out of date.
"""

import argparse
import sys
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
    return "\n".join([*lines, ""])


def main() -> int:
    """Write or check all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check

    names = ramify.criteria.names()
    if set(ADVICE) != set(names):
        differing = ", ".join(sorted(set(ADVICE) ^ set(names)))
        print(f"ADVICE and ramify.criteria.names() differ in: {differing}")
        return 1
    pages = {f"{name}.md": page(name) for name in names} | {"README.md": index()}
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
