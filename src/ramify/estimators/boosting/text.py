# SPDX-License-Identifier: BSD-3-Clause
"""What the parameters mean that boosted trees share."""

from __future__ import annotations

__all__ = ["OF_BOOSTED"]

OF_BOOSTED = {
    "n_estimators": """int
Rounds; each grows one tree.""",
    "learning_rate": """float
Shrinkage of each tree; by default 0.1.""",
    "min_samples_leaf": """int
Fewest rows of a leaf.""",
    "min_child_weight": """float
Least sum of second derivatives in a leaf.""",
    "min_gain": """float
Least decrease of the loss, summed over rows, by a split.""",
    "l2": """float
Penalty on the squares of leaf values.""",
    "subsample": """float
Share of the rows drawn for each round: each row by itself, by its number, so that
about this share is drawn. Rows are drawn whole, whatever their weight: below 1 a weight
of 2 is not the same as the row twice.""",
    "max_features": """int, float, "sqrt", "log2", "ccf" or None
Columns drawn for each tree; None for all.""",
    "max_bins": """int
Codes per numeric column, cut at quantiles of all rows.""",
    "early_stopping": """bool
Hold rows back, and stop when their loss gets no better. Rows are held back whole,
whatever their weight: a weight of 2 is then not the same as the row twice.""",
    "validation_fraction": """float
Share of the rows held back.""",
    "n_iter_no_change": """int
Rounds without a better loss after which it stops.""",
    "tol": """float
How much better counts.""",
    "categorical_features": """"from_dtype", list of names, indices or a mask, or None
Columns whose values have no order; at most 255 categories each. By default those that
hold text or have a categorical dtype.""",
    "warm_start": """bool
Go on with the rounds of the last fit; on the same data the model is that of one
fit.""",
    "n_jobs": """int or None
Threads; -1 for all processors. The model does not depend on it.""",
}
