# SPDX-License-Identifier: BSD-3-Clause
"""What parameters mean: written once, and put into the docstrings of all estimators.

A table gives, by the name of a parameter, its type on the first line and then what it
means. `documented` puts those that a class takes into its docstring, in the order of
its signature, with its defaults.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from textwrap import TextWrapper
from types import FunctionType
from typing import Any, TypeVar

__all__ = [
    "OF_CLASSES",
    "OF_REGRESSION",
    "ONE_LABEL",
    "ONE_TARGET_VALUE",
    "defaults_of",
    "documented",
    "other_defaults",
]

Documented = TypeVar("Documented", bound=Callable[..., Any])

_LINES = TextWrapper(
    width=84,
    initial_indent="    ",
    subsequent_indent="    ",
    break_long_words=False,
    break_on_hyphens=False,
)

_EVERYWHERE = {
    "max_depth": """int or None
Maximum depth of the tree.""",
    "min_samples_split": """int or float
Minimum number of rows of a node to be split; a float is a share of all rows.""",
    "min_samples_leaf": """int or float
Minimum number of rows in a leaf; a float is a share of all rows.""",
    "min_weight_fraction_leaf": """float
Minimum share of the total weight in a leaf.""",
    "max_features": """int, float, "sqrt", "log2", "ccf" or None
Number of columns sampled at each node; None for all. "ccf" is ceil(log2(columns) + 1),
as in canonical correlation forests.""",
    "random_state": """int, RandomState or None
Seed; only used where something is sampled.""",
    "max_leaf_nodes": """int or None
Maximum number of leaves; the tree then grows best-first.""",
    "leaf_rows": """bool
Remember which training rows are in each leaf, for quantiles, distributions and weights
of rows.""",
    "min_impurity_decrease": """float
Minimum score of a split, times the share of the weight in its node.""",
    "ccp_alpha": """float
Complexity parameter of minimal cost-complexity pruning.""",
    "prune": """str or None
Pruning method: cost-complexity pruning with a given complexity ("ccp") or by
cross-validation ("ccp_cv"), reduced error pruning with held-out rows ("rep"),
pessimistic ("pep"), error-based ("ebp"), minimum error ("mep"), critical value ("cvp")
or minimum description length ("mdl") pruning; "km" is experimental. Regression trees
support "ccp", "ccp_cv", "rep", "mep" and "cvp". `ramify.prune` prunes a fitted tree.
For AUC leave it None and set ``laplace=True``, or use `ramify.shrink`.""",
    "prune_params": """dict or None
Parameters of the pruning method, such as ``{"cf": 0.1}`` for "ebp" or ``{"cv": 5, "se":
0}`` for "ccp_cv".""",
    "categorical_features": """"from_dtype", list of names, indices or a mask, or None
Categorical columns. By default those that hold text or have a categorical dtype.""",
    "max_subset_size": """int or None
Maximum number of categories on the smaller side of a split.""",
    "missing": """{"both", "left", "right", "fractional", "error"}
Where rows with missing values go: to the better side of each split, always to one side,
or down every branch with a share of their weight (C4.5); "error" refuses them. In a
categorical column "both" makes missing one more category.""",
    "unseen": """{"heavier", "parent", "error", "missing"}
What to do at prediction with a category that was not in the training data: follow the
child with more training weight, fall back to the node's own prediction, raise an error,
or treat it as missing.""",
    "leaf_rule": """{"restrict", "give_up"}
How `min_samples_leaf` and `min_weight_fraction_leaf` apply: splits with a smaller child
are not tried; or the best of all splits is chosen, and if it has a smaller child the
node becomes a leaf (the rule of the BNM and CSN methods).""",
    "zero_gain": """{"split", "stop"}
What to do with an impure node if no cut scores above 0 (within 1e-12): split it at the
first of the best cuts all the same, so that patterns such as XOR are learnt; or make it
a leaf, as published methods do (those of `ramify.methods` set "stop"). A negative score
never splits a node. Splits that are not chosen by their score follow their own rule:
"chaid", "quest" and "ctree" use tests, C4.5 needs a gain above 0, and structure
measures such as BNM split at any score.""",
    "max_bins": """int or None
Maximum number of bins per column (2 to 255), cut at quantiles: faster on large data. By
default all distinct values are used.""",
    "threshold": """{"midpoint", "value", "data"}
Where the threshold lies between two neighbouring values: in the middle, at the lower
one, or at the largest value of the whole training column that is not above the middle
(J48).""",
    "n_jobs": """int or None
Threads; -1 for all processors. The tree does not depend on it.""",
    "verbose": """int
Show progress on stderr.""",
    "X": """array, data frame or Table of shape (n_rows, n_columns)
Numbers and categories; NaN and None are missing values.""",
    "sample_weight": """array of shape (n_rows,)
Weights; a weight of 2 equals the row twice, and 0 equals no row.""",
    "check_input": """bool
Ignored; present for scikit-learn compatibility. X is always encoded, which checks
it.""",
    "criterion_data": """array of shape (n_rows, n)
Additional numbers per row; their weighted sums are passed to your criterion function
after the class weights.""",
    "sensitive": """array of shape (n_rows,) or (n_rows, n_attributes)
Groups that splits should not separate; for criterion="scaff".""",
    "treatment": """array of shape (n_rows,)
Who was treated, as 0 and 1 or as False and True; for criterion="uplift".""",
}

OF_CLASSES = {
    "y": """array of shape (n_rows,) or (n_rows, n_outputs)
Labels.""",
    "criterion": """str, callable or criterion of `ramify.criteria`
How cuts are scored: a name of ``ramify.criteria.names()``, an expression of criteria
and measures such as ``gini + 0.01 * bnm``, a NumPy function ``f(parent, left, right) ->
scores``, or a compiled function pointer.""",
    "splitter": """{"best", "random", "central", "chaid", "quest", "ctree", "guide", \
"dgmml"}
Try all splits of a column, one random split (extremely randomised trees), or those at
its mean and its median in the node (Very Fast C4.5; Cherfi et al. 2018). Or select the
column by a statistical test, as in CHAID (Kass 1980), QUEST (Loh, Shih 1997) and
conditional inference trees (Hothorn, Hornik, Zeileis 2006), or by the distance of the
class means relative to the spread within classes, as in dGMML (Li, Chen 2022): these
need no criterion. "guide" (Loh 2009) selects the column by a test and its cut by the
criterion.""",
    "max_purity": """float
A node becomes a leaf if its largest class has at least this share of its weight: 0.95
stops at nodes that are 95 % of one class, 1 at pure ones. With several outputs each
must be as pure. Weights are those of rows times `class_weight`.""",
    "class_weight": """dict, "balanced" or None
Factors on the weights of rows, by class.""",
    "monotonic_cst": """array of -1, 0, 1
Monotone constraints, for two classes only: the probability of the second class must not
increase (-1) or not decrease (1) with the column.""",
    "criterion_params": """dict
Parameters of the criterion, such as the rules of C4.5 for "gain_ratio":
``{"threshold_cost": True, "average_gain": True, "min_branch": True}``.""",
    "categories": """{"subset", "one_vs_rest", "multiway", "multiway_all"}
How a categorical column is split: a subset of the categories against the rest, one
against the rest, one branch for each that occurs in the node, or one for each category
of the column; a branch without rows falls back to the node's own prediction.""",
    "max_exhaustive_categories": """int
With more than two classes, all subsets of up to this many categories are tried (1 to
20); with more categories, the prefixes of a few good orders.""",
    "cost_matrix": """array of shape (n_classes, n_classes)
Cost of predicting the column's class if the row's class is true; 0 on the diagonal.
Splits weight each class by the cost of its errors, and leaves predict the class with
the lowest expected cost.""",
    "splitter_params": """dict
For "chaid": alpha_merge=0.05, alpha_split=0.05, resplit=False, binary=False; for
"quest": alpha=0.05; for "ctree", as in R's partykit: alpha=0.05, minprob=0.01 (the
minimum share of a node's weight in each child), splittry=2 (how many columns are tried,
most significant first, until one has an admissible cut), tol=1.5e-8 (a column is not
tested if the variance of its linear statistic is lower); for "guide":
interactions=False (test pairs of columns if none is significant alone); for "dgmml":
split_point="gap" (or "median", "mean"), n_gap_points=10, between="pairs" (or
"scatter"), fallback="gini" (or None: a leaf if all class means are equal).""",
    "laplace": """bool
Laplace smoothing of the leaves: predict (n_k + 1) / (n + K) instead of n_k / n.""",
}

OF_REGRESSION = {
    "y": """array of shape (n_rows,) or (n_rows, n_outputs)
Target values; finite numbers.""",
    "criterion": """str, callable or criterion of `ramify.criteria`
How cuts are scored: a name of ``ramify.criteria.names("regression")``, such as
"squared_error", "absolute_error", "poisson" or "quantile"; a NumPy function ``f(parent,
left, right) -> scores`` of the sums (weight, sum, sum of squares); or a compiled
function pointer. Leaves predict the mean, or with "absolute_error" the median and with
"quantile" that quantile.""",
    "splitter": """{"best", "random", "ctree"}
Try all splits of a column, or one random split (extremely randomised trees); or select
the column by a permutation test and stop when nothing is significant, as in conditional
inference trees (Hothorn, Hornik, Zeileis 2006), with the cut of "squared_error".""",
    "splitter_params": """dict
For "ctree", as in R's partykit: alpha=0.05, minprob=0.01 (the minimum share of a node's
weight in each child), splittry=2 (how many columns are tried, most significant first,
until one has an admissible cut), tol=1.5e-8 (a column is not tested if the variance of
its linear statistic is lower).""",
    "min_impurity_decrease": """float
Minimum decrease of the impurity by a split, times the share of the weight in its
node.""",
    "monotonic_cst": """array of -1, 0, 1
Monotone constraints, for one output only: the prediction must not increase (-1) or not
decrease (1) with the column.""",
    "criterion_params": """dict
Parameters of the criterion: ``{"level": 0.9}`` for "quantile".""",
    "categories": """{"subset", "one_vs_rest"}
How a categorical column is split: a subset of the categories against the rest, or
one against the rest. Categories are sorted by their means and then split like
numbers; for "squared_error", "poisson" and "gamma" one of these splits is the best
of all subsets.""",
    "max_exhaustive_categories": """int
All subsets of up to this many categories are tried if sorting by the means may miss the
best one (1 to 20).""",
    "missing": """{"both", "left", "right", "fractional", "error"}
Where rows with missing values go: to the better side of each split, always to one side,
or down every branch with a share of their weight (C4.5; shares below a hundredth of an
average row are dropped); "error" refuses them. In a categorical column "both" makes
missing one more category.""",
}

# Of models that have one output.
ONE_LABEL = {"y": "array of shape (n_rows,)\nLabels."}
ONE_TARGET_VALUE = {"y": "array of shape (n_rows,)\nTarget values; finite numbers."}


def documented(
    *tables: Mapping[str, str], **words: str
) -> Callable[[Documented], Documented]:
    r"""Fill ``{parameters}`` in a docstring, of a class or of its `fit`, and words.

    Parameters
    ----------
    *tables
        What parameters mean; a later table goes before an earlier one.
    **words
        Text for other places in braces, also in the tables.

    Examples
    --------
    >>> from ramify.estimators.validation.text import documented
    >>> @documented({"depth": "int\nHow deep {what} grow."}, what="trees")
    ... class Tree:
    ...     '''A tree.
    ...
    ...     Parameters
    ...     ----------
    ...     {parameters}
    ...     '''
    ...     def __init__(self, depth=2, verbose=0): ...
    >>> for line in Tree.__doc__.splitlines()[-4:]:
    ...     print(line)
    depth : int, default=2
        How deep trees grow.
    verbose : int, default=0
        Show progress on stderr.
    """
    known = _EVERYWHERE.copy()
    for table in tables:
        known |= table

    def with_words(text: str) -> str:
        for word, meaning in words.items():
            text = text.replace(f"{{{word}}}", inspect.cleandoc(meaning))
        return text

    def fill(what: Documented) -> Documented:
        entries = [
            _entry(name, default, with_words(known[name]))
            for name, default in defaults_of(what).items()
        ]
        doc = with_words(inspect.cleandoc(what.__doc__ or ""))
        what.__doc__ = doc.replace("{parameters}", "\n".join(entries))
        return what

    return fill


def _entry(name: str, default: Any, text: str) -> str:
    """Write what a docstring says of one parameter."""
    kind, meaning = text.split("\n", 1)
    value = f'"{default}"' if isinstance(default, str) else default
    if default is None and "None" not in kind:
        kind += ", optional"
    elif default is not inspect.Parameter.empty:
        kind += f", default={value}"
    return "\n".join([f"{name} : {kind}", *_LINES.wrap(meaning)])


def defaults_of(what: Callable[..., Any]) -> dict[str, Any]:
    """Return the defaults of all parameters, in their order."""
    found = inspect.signature(what).parameters
    return {name: found[name].default for name in found if name != "self"}


def other_defaults(init: Any, **changed: Any) -> Any:
    """Return a constructor with the same parameters and some other defaults."""
    twin = FunctionType(
        init.__code__, init.__globals__, init.__name__, init.__defaults__
    )
    twin.__kwdefaults__ = {**init.__kwdefaults__, **changed}
    twin.__annotations__ = init.__annotations__
    return twin
