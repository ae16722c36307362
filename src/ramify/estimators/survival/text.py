# SPDX-License-Identifier: BSD-3-Clause
"""What the parameters and attributes of survival trees and forests mean."""

from __future__ import annotations

__all__ = ["ATTRIBUTES", "OF_SURVIVAL"]

OF_SURVIVAL = {
    "y": """structured array, pair or DataFrame
Times to an event: a structured array of one bool and one float field, in either order
(`ramify.survival.Surv` makes one); a pair ``(time, event)``; or a data frame of two
columns, the bool being the event. False means censored: not yet happened at that
time.""",
    "criterion": """str, SurvivalScores or SurvivalCuts
How cuts are scored: "logrank" and its relatives "gehan", "tarone_ware", "peto_peto",
"fleming_harrington"; by row scores "logrank_score", "gehan_score", "harrell_c",
"martingale", "rmst", "brier"; by observed and expected events "approximate_logrank",
"poisson", "exponential", "full_likelihood" (R's rpart); by whole curves "l1" and
"rmst_difference"; or by tests of columns "maxstat" and "ctree". Functions of your own
are `ramify.criteria.survival.SurvivalScores` and `SurvivalCuts`.""",
    "criterion_params": """dict
Parameters of the criterion, such as ``{"rho": 1, "gamma": 0}`` for
"fleming_harrington", ``{"tau": 365}`` for "rmst".""",
    "splitter": """{"best", "random"}
Try all cuts of a column, or one random cut (extremely randomised trees).""",
    "min_events_leaf": """float
Minimum weight of the events in a leaf.""",
    "low_memory": """bool
Ignored; present for scikit-survival compatibility. No tree or forest keeps a table of
nodes by times.""",
    "missing": """{"both", "left", "right", "error"}
Where rows with missing values go: to the better side of each split, or always to one
side; "error" refuses them. In a categorical column "both" makes missing one more
category.""",
    "max_exhaustive_categories": """int
All subsets of up to this many categories are tried where no order of the categories
has the best one (1 to 20).""",
    "prune": """{"split_complexity", "ccp"} or None
Prune the tree: by split complexity (LeBlanc, Crowley 1993), which takes the scores of
the splits against a price per split; or by the cost complexity of the deviance, as
R's rpart.""",
    "prune_params": """dict or None
For "split_complexity" ``{"alpha": 4}`` is the price of a split (2 to 4),
``{"n_bootstrap": 25}`` corrects the scores for having been selected, by so many
bootstrap samples. For "ccp" ``{"alpha": ...}``, ``{"cp": ...}`` or ``{"n_leaves":
...}``.""",
    "oob_score": """bool
Predict each row by the trees that have not seen it, and score that by Harrell's C.""",
}

ATTRIBUTES = """\
unique_times_ : ndarray of float64
    All distinct times of the training rows, ascending.
is_event_time_ : ndarray of bool
    Whether an event happened at each.
n_features_in_, max_features_ : int
    Sizes.
feature_names_in_ : ndarray of str
    Names of the columns, if X had any."""
