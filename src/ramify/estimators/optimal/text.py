# SPDX-License-Identifier: BSD-3-Clause
"""What the parameters of optimal trees mean, and what they learn."""

from __future__ import annotations

from typing import Any

from ramify.estimators.validation.rules import (
    FLAG,
    FROM_ZERO,
    Rule,
    check_rules,
    is_flag,
    is_real,
    is_share,
    is_whole,
    one_of,
    or_none,
    whole,
)

__all__ = ["ATTRIBUTES", "DEEPEST", "OF_OPTIMAL", "check_optimal"]

DEEPEST = {"exact": 5, "lookahead": 8}

OF_OPTIMAL = {
    "max_depth": """int
Most tests before a leaf: 1 to 5 if the search is exact, 1 to 8 with lookahead. Depth 4
is for some thousand rows, depth 5 for lookahead.""",
    "penalty": """float
Price of a leaf, as a share of the weight of all rows: with 0.01 a leaf must save one
row in a hundred. Choose it, like the depth, by cross-validation.""",
    "search": """{"exact", "lookahead"}
Search all trees, with a proof; or take the root of the best tree of depth `horizon`,
then that of the best tree below it, and so on: nearly as good, much faster.""",
    "horizon": """int or None
How many tests lookahead sees ahead (2 to 4); None means 3, or 2 if rows times columns
exceed a million.""",
    "start": """"usual", "all", criterion, list of criteria, fitted tree or None
Greedy trees that the search must beat: of {usual}, of every criterion, of those named,
or a tree of yours of the same columns.""",
    "min_samples_leaf": """int or float
Minimum number of rows in a leaf; a float is a share of all rows. Bounds are then less
tight, and the search takes longer.""",
    "max_gap": """float
Stop when the objective is at most this share above the bound.""",
    "time_limit": """float or None
Seconds after which the best tree so far is taken. The only limit that makes the tree
depend on the machine.""",
    "max_subproblems": """int or None
The same by the number of row sets that are solved, which is the same everywhere.""",
    "max_memory": """int
Bytes that the search may use; it is refused if it needs more.""",
    "all_roots": """bool
Also find the best tree for each column that might be asked first: `root_objectives_`.
It takes about as long again for each column.""",
    "categorical_features": """"from_dtype", list of names, indices or a mask, or None
Categorical columns. Up to six categories are divided in every way; of more, one is
divided from the others.""",
    "n_jobs": """int or None
Threads; -1 for all processors. The tree does not depend on it.""",
    "verbose": """int
Show on stderr every better tree, and how the search stands every ten seconds.""",
    "sample_weight": """array of shape (n_rows,)
Weights; a weight of 2 equals the row twice, and 0 equals no row.""",
}

ATTRIBUTES = """\
tree_ : Tree
    The tree as arrays, as of any other tree.
objective_ : float
    What the tree costs: its loss and `penalty` times the weight of all rows per leaf.
loss_ : float
    Its loss without the penalty.
lower_bound_ : float
    No tree in the search space costs less.
optimality_gap_ : float
    How far the objective is above the bound, as a share of it; 0 is a proof.
is_optimal_ : bool
    Whether both meet: there is no better tree in the search space.
search_space_ : str
    Which trees were searched.
stopped_by_ : {"time", "subproblems", "gap", "interrupt"} or None
    What ended the search before it was done.
start_objectives_ : dict
    What the greedy trees cost, by criterion.
root_objectives_ : dict
    With `all_roots`, what the best tree costs by the column that it asks first; columns
    of one value are left out.
n_subproblems_, n_cuts_ : int
    How many sets of rows were solved, and how many cuts scored.
seconds_ : float
    How long the fit took."""

_RULES: dict[str, Rule] = {
    "search": one_of("exact", "lookahead"),
    "horizon": or_none(
        (lambda x: is_whole(x, 2) and x <= 4, "a whole number from 2 to 4")
    ),
    "penalty": FROM_ZERO,
    "min_samples_leaf": (
        lambda x: is_whole(x, 1) or (is_share(x) and x < 1),
        "a whole number of at least 1, or a share of the rows in (0, 1)",
    ),
    "max_gap": (lambda x: is_real(x, 0, 1), "a share of the objective from 0 to 1"),
    "time_limit": or_none((lambda x: is_real(x, 0), "seconds from 0 on"), ""),
    "max_subproblems": or_none(whole(1)),
    "max_memory": whole(1),
    "all_roots": FLAG,
    "verbose": (lambda x: is_whole(x, 0) or is_flag(x), whole(0)[1]),
}


def check_optimal(model: Any, objectives: tuple[str, ...]) -> None:
    """Refuse parameters that mean nothing, alone or together."""
    check_rules(model, _RULES)
    if model.objective not in objectives:
        right = " or ".join(map(repr, objectives))
        raise ValueError(
            f"objective={model.objective!r} is not allowed; use {right}. Absolute "
            "errors, Poisson deviance and survival have no exact search"
        )
    deepest = DEEPEST[model.search]
    if not is_whole(model.max_depth, 1) or model.max_depth > deepest:
        more = "; search='lookahead' takes up to 8" if model.search == "exact" else ""
        raise ValueError(
            f"max_depth={model.max_depth!r} is not allowed with "
            f"search={model.search!r}; use a whole number from 1 to {deepest}{more}"
        )
    if model.all_roots and model.search != "exact":
        raise ValueError(
            "all_roots=True needs search='exact'; lookahead does not know the best "
            "tree of each column"
        )
