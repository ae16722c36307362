# SPDX-License-Identifier: BSD-3-Clause
"""What the parameters of online trees mean."""

from __future__ import annotations

__all__ = ["OF_ONLINE"]

OF_ONLINE = {
    "criterion": """str, callable, criterion of `ramify.criteria` or `first_certain`
How cuts are scored: any criterion of class weights, by its name, as an expression of
such criteria, as a NumPy function ``f(parent, left, right) -> scores`` or a compiled
one.""",
    "certain": """{"split", "column", "hoeffding"}
What must be certain before a leaf is split: that its best split is not chance; or that
the column of the split is the best one, too. "hoeffding" is VFDT's rule, a
heuristic.""",
    "bound": """{"auto", "mcdiarmid", "normal"}
How ``certain="column"`` bounds the difference of two gains: by McDiarmid's inequality
(gini, entropy and misclassification), or by a normal approximation (any criterion);
"auto" takes the first where there is one.""",
    "delta": """float
Error probability: a leaf ever splits by chance with at most this probability, however
long the stream (``certain="split"`` and "column").""",
    "grace_period": """int
Rows that must come to a leaf before its best split is searched again.""",
    "tie_threshold": """float
With "column" and "hoeffding": a leaf is split, too, where the bound itself is smaller
than this; 0 for never.""",
    "leaf": """{"adaptive", "majority", "naive_bayes"}
What a leaf answers: its largest class, naive Bayes on its rows, or whichever of the two
was right more often there.""",
    "max_bins": """int
Bins of a numeric column (2 to 255). The cuts between them are learnt from the first
`warm_up` rows: at quantiles, or between all values if these are few.""",
    "warm_up": """int
Rows from which cuts are learnt. The tree answers and learns from the first row on; it
splits later.""",
    "max_categories": """int
Categories of a column with a code of their own (2 to 253), in the order in which they
appear; all further ones are one category.""",
    "max_depth": """int or None
Maximum depth of the tree.""",
    "min_samples_leaf": """int
Minimum number of rows on each side of a split.""",
    "min_branch_share": """float
Minimum share of a leaf's rows on each side of its split.""",
    "max_leaf_nodes": """int or None
Maximum number of leaves.""",
    "max_memory": """int, str or None
Memory for the sums and moments of leaves, such as "100MB". Where it is exceeded, the
leaves where a split could gain least answer by their largest class and are split no
more.""",
    "new_classes": """{"error", "add"}
What to do with a label that is not among the classes.""",
    "class_weight": """dict or None
Weights of classes.""",
    "missing": """{"both", "left", "right", "error"}
Where rows with missing values go: to the better side of each split, or always to one
side; "error" refuses them.""",
    "random_state": """int or None
Seed of all that is drawn; None is 0.""",
    "n_jobs": """int or None
Threads; -1 for all processors. The forest does not depend on it.""",
}
