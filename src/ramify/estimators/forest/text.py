# SPDX-License-Identifier: BSD-3-Clause
"""What the parameters and attributes of forests mean."""

from __future__ import annotations

__all__ = ["ATTRIBUTES", "DRAWN_CUTS", "OF_FORESTS", "OF_REGRESSION_METHODS"]

_SAMPLED_TWICE = "A row that is sampled twice is one row here, and twice its weight."

OF_FORESTS = {
    "X": """array, data frame or Table of shape (n_rows, n_columns)
Numbers and categories; NaN and None are missing values. It is encoded once for all
trees.""",
    "n_estimators": """int
Number of trees.""",
    "min_samples_split": f"""int or float
Fewest rows of a node that is split; a float is a share of all. {_SAMPLED_TWICE}""",
    "min_samples_leaf": f"""int or float
Fewest rows of a leaf; a float is a share of all. {_SAMPLED_TWICE}""",
    "method": """str
A published method that grows the trees, by its name in ``ramify.methods.names()``, such
as "ihd" or "c45". Its parameters hold for those that are left at their defaults
here.""",
    "method_params": """dict
Parameters that the method has besides, such as ``{"k": 5}`` of "csn".""",
    "voting": """{"soft", "hard"}
Average the class shares of the leaves, or count one vote per tree.""",
    "bootstrap": """bool or "poisson"
Grow each tree on a bootstrap sample of the rows, by their weights, and by what
they hold: the order of rows changes nothing, and a row of weight 2 is sampled as the
row twice would be (for whole weights of up to 16 in the mean). "poisson" draws each row
by itself, as often as a Poisson number of (seed, tree, number of the row) says: for
rows in partitions, and many rows, since nothing is sorted; a row keeps its weight.""",
    "max_samples": """int or float
Number of rows to sample, or their share; None for as many as there are.""",
    "oob_score": """bool or callable
Predict each row by the trees that have not seen it. A function
``f(y_true, y_predicted)`` gives another score than {score}. Rows of weight 0 do not
count.""",
    "calibrate": """{"oob"}
"oob": keep how far the trees are off on rows that they have not seen, for intervals or
sets, as `oob_score` does; without the score.""",
    "honest": """float
Share of each tree's rows that choose no splits and fill the leaves instead, so that
{value} of rows the splits were not made for. A leaf that none of them reaches takes
what the node above says. Rows are held out whole, whatever their weight. Not with
`monotonic_cst`.""",
    "warm_start": """bool
Add trees to those of the last `fit`; on the same data the forest is the one that would
have been grown at once. On others it has no `oob_score`.""",
    "random_state": """int, RandomState or None
Seed. Tree t draws from a stream of (seed, t).""",
    "n_jobs": """int or None
Threads, each growing trees; -1 for all processors. The forest does not depend on
it.""",
    "verbose": """int
Show on stderr how many trees have been grown.""",
    "class_weight": """dict, "balanced", "balanced_subsample" or None
Factors on the weights of rows, by class; "balanced_subsample" balances the rows of each
tree.""",
}

OF_REGRESSION_METHODS = {
    "method": """str
How the trees grow, instead of by `criterion` with a constant in each leaf: "m5" or
"pilot" put a line into each leaf (see `ModelTreeRegressor`). What the forest has at its
defaults is left to the method.""",
    "method_params": """dict
Settings of the method, such as ``{"alpha": 0.5}`` of "pilot".""",
}

DRAWN_CUTS = {
    "splitter": """{"random"}
Cuts are random; there is nothing to choose.""",
}

ATTRIBUTES = """\
estimators_ : list of {tree}
    The trees.
{found}
feature_names_in_ : ndarray of str
    Names of the columns, if X had any.
feature_importances_ : ndarray of shape (n_columns,)
    Share of each column in what splits gained; see `importances` for better ones.
estimators_samples_ : list of ndarray
    The rows sampled for each tree."""
