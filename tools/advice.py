# SPDX-License-Identifier: BSD-3-Clause
"""When to use what: one entry per measure, named expression and method.

Criteria say it themselves (`CriterionInfo` in core/criteria); all else on the generated
pages comes from the registries.
"""

ADVICE_ON_MEASURES = {
    "bnm": (
        "Added to a purity criterion with a small weight (0.0025 to 0.1). The margin "
        "is a sum over all columns, so many columns need a smaller weight, or "
        '`bnm(scale="mean")`. It costs as many operations per row as there are '
        'columns, for each column. `bnm(penalty="euclidean")` is eq. 6 of the paper, '
        "exactly; the default is eq. 7, the paper's faster replacement. It compares "
        "rows of different classes in all columns, each with its nearest row of "
        "another class once per node, so nodes with a few thousand rows take fractions "
        "of a second ([what it costs](../design/euclidean.md)); more than 50,000 rows "
        "are an error, and so are out-of-core and distributed fits."
    ),
    "class_auc": (
        "When the ranking of the classes matters more than the purity of the children. "
        "With two classes it ranks cuts like `cart_measure`."
    ),
    "cluster_complexity": (
        "As a term to be maximised, where `segments` would have to be minimised."
    ),
    "cluster_validity": (
        "As a factor: it prefers columns whose class means lie far apart. It is the "
        "same for all cuts of a column."
    ),
    "csn": (
        "To choose among the few purest cuts. It uses all columns, but is computed for "
        "these cuts only, so it is cheap."
    ),
    "imbalance": (
        "As a weight between a criterion for balanced nodes and one for imbalanced "
        "nodes. It is the same for all cuts of a node."
    ),
    "prior_accuracy": (
        "When the class shares will differ from those of the training rows: "
        "`prior_accuracy(class_prior=(0.99, 0.01))`."
    ),
    "segment_ratio": ("To break ties of `segments`, which are frequent."),
    "segments": (
        "To choose among the purest cuts: children with few label runs are easy to "
        "split further. It depends on the order of values only. The paper on structure "
        "and purity defines both modes: the runs of a node along the column that has "
        'the fewest (its eq. 1, `mode="min"`), and those of the children of a cut '
        'along its own column (eq. 2, `mode="split"`). `segment_c45` has both '
        "measured."
    ),
    "sensitive_auc": (
        "With a minus sign, to keep a tree from separating the groups of a sensitive "
        "attribute. The attribute is passed to `fit(X, y, sensitive=...)`."
    ),
    "separating_gap": (
        "When classes are well separated, and a wide gap is a better place for a "
        "threshold than a pure child."
    ),
    "branch_balance": (
        "As a factor against end cuts: `gini * branch_balance` prefers cuts near the "
        "middle. Times chi-square it is proportional to `mpi`."
    ),
}

ADVICE_ON_EXPRESSIONS = {
    "adadt": ("When some nodes are balanced and others are not."),
    "bnm_csn": (
        "On numeric columns with clusters that purity alone would cut in two. "
        '`ramify.methods.make("bnm_csn")` adds the leaf rule of the paper, which makes '
        "its trees small; tune `k` and `w2`."
    ),
    "bnm_gini": (
        "Like `bnm_csn`, without the second step. A node may be split without a gain "
        'in purity: an XOR of two columns needs that. `ramify.methods.make("bnm")` '
        "adds the leaf rule of the paper."
    ),
    "csn_gini": (
        "The cheapest of the three: the second step scores k cuts only. "
        '`ramify.methods.make("csn")` adds the leaf rule of the paper.'
    ),
    "cv_id3": ("When columns that separate the class means should be preferred."),
    "fr_id3": ("When the class shares are known to differ from those of the data."),
    "isat": ("When classes are well separated in single columns."),
    "scaff": (
        "When a tree must not be able to rank people by a sensitive attribute. "
        "`theta=0` ignores the attribute, `theta=1` uses nothing else."
    ),
    "segment_c45": (
        "On numeric columns, when smaller trees of the same accuracy are wanted. "
        "`k=1` is the plain gain ratio. Du and Chen (2023) count the runs of a node "
        "along the column that has the fewest (their eq. 1), and write those of the "
        'children along the cut\'s own column (eq. 2): `mode="min"`, the default, '
        'is the first, `mode="split"` the second. On the eight smallest data sets of '
        "that paper they are as accurate, 83.4 and 83.7 % in the mean over two times "
        "five folds, with 9.1 and 7.5 leaves (`python -m benchmarks.segments`)."
    ),
    "spce": (
        "On imbalanced data of two classes. For more, "
        '`ramify.methods.make("spce")` grows one tree per class.'
    ),
    "spes": (
        "Like `segment_c45`, when purity should also count among the k best cuts. "
        '`mode="split"` gives smaller trees of the same accuracy (9.0 and 7.0 leaves, '
        "83.7 % both)."
    ),
    "spes2": ("Like `spes`, with another scaling of the label runs."),
}

# Of methods whose criterion does not say it all.
ADVICE_ON_METHODS = {
    "id3": (
        "For teaching, and as the baseline of older papers. One branch per category "
        "favours columns with many categories; `c45` prevents that."
    ),
    "c45": (
        "For trees like those of C4.5, on tables with categorical columns and missing "
        "values. It is not pruned; `j48` is."
    ),
    "j48": (
        "For the tree that WEKA's J48 prints with its default settings, on tables with "
        "categorical columns and missing values: the baseline of thousands of papers. "
        "Smaller than `c45`, and on noisy data more accurate; `cart_1se` gives far "
        "smaller trees."
    ),
    "c45_r8": (
        "For the tree of Quinlan's own program, according to its source: `j48` with "
        "its table of confidence limits. The two rarely differ."
    ),
    "c44": (
        "For probabilities and AUC: pruning by errors removes splits that rank the "
        "rows. `ramify.shrink` is another way to smooth the leaves of a large tree."
    ),
    "vfc45": (
        "As a baseline with a cheap search: two candidates per column and node instead "
        "of one per distinct value. Trees are deeper than those of `c45`, since a node "
        "can only be split near its middle. The paper on dGMML names it among fast "
        'alternatives to the exhaustive search. `splitter="central"` does the same '
        "with any other criterion."
    ),
    "cart_1se": (
        "When you want one small tree that is about as accurate as any: it selects the "
        "smallest subtree within one standard error of the best by cross-validation. "
        "On tables with a few hundred rows it may leave a single leaf; "
        "`prune_params={'se': 0}` keeps more."
    ),
    "rpart": (
        "To compare with R: the default tree of rpart, without surrogate splits. Its "
        "fixed complexity parameter is quick, and often leaves fewer than ten leaves."
    ),
    "cart": (
        "The default, as in scikit-learn. Start here, and let `ramify compare` measure "
        "whether another method is better on your data."
    ),
    "hddt": (
        "On imbalanced data, for a ranking by probability: leaves are smoothed "
        "(`laplace=True`), as the paper recommends. With two classes the score does "
        "not depend on how rare a class is."
    ),
    "chaid": (
        "For surveys and other categorical tables, when a node should show all groups "
        "of a column, and splits should be significant. Numeric columns are put into "
        "ten bins first. Growth stops when no split is significant."
    ),
    "quest": (
        "When the selection of columns must not be biased towards columns with many "
        "values, for example in a tree that serves as an explanation."
    ),
    "ctree": (
        "When every split should be significant and the tree should need no pruning: "
        "on pure noise it is a single leaf. The selection of columns is not biased "
        "towards columns with many values. For regression trees: "
        '`DecisionTreeRegressor(splitter="ctree")`.'
    ),
    "guide": (
        "Like `quest`, with a test that also finds columns in which the middle differs "
        "from both ends. It has no stopping rule; prune the tree, or limit its size."
    ),
    "dgmml": (
        "On tables with many columns, where sorting costs too much. Trees are larger "
        "than those of `cart`, and on an XOR pattern the fallback decides. See [dGMML "
        "trees](../how_to/dgmml.md)."
    ),
    "bnm": (
        "On numeric columns with clusters that purity alone would cut in two. The leaf "
        "rule of the paper, set here, turns a node into a leaf if its best cut "
        "isolates a single row; this makes the trees small."
    ),
    "csn": ("Like `bnm`, and cheaper: only the k purest cuts are scored by CSN."),
    "bnm_csn": (
        "`bnm` and `csn` combined; tune `k` and `w2` on your data ([how "
        "to](../how_to/tune.md))."
    ),
    "wodt": (
        "For tables with many rows and numeric columns: it is as fast as `ridge`, and "
        "its trees are smaller than axis-parallel ones. Binary columns may do better "
        "with `scale=None`. [Leaves and accuracy](../reproductions/wodt_leaves.md) on "
        "the 20 data sets of the paper."
    ),
    "wodt_l1": (
        "Like `wodt`, for readable nodes: the penalty leaves few columns in a split. "
        "`max_terms` limits their number directly."
    ),
    "oc1": (
        "To optimise the criterion itself, and not a smooth surrogate. It takes much "
        "longer than `wodt`; fewer `n_starts` save time."
    ),
    "oc1r": ("To see what the start from one column contributes to `oc1`."),
    "cart_lc": (
        "For the linear combinations of the CART book. It is deterministic, and stops "
        "at the first local optimum."
    ),
    "cart_lcr": ("To see what the start from one column contributes to `cart_lc`."),
    "co2": (
        "As a baseline of the literature. `nu` and `eta` matter, and the WODT paper "
        "tunes them."
    ),
    "co2r": ("To see what the start from one column contributes to `co2`."),
    "dgmml_mdt": (
        "When an oblique tree must be cheap: the direction has a closed form. Weights "
        "are signed and columns scaled. The printed rule is `signed=False, "
        "scale=None`; on the 24 sets of the paper it is 3.4 points less accurate on "
        "average, though better on 7, and has nearly twice the leaves ([both "
        "measured](../reproductions/dgmml_mdt.md))."
    ),
    "fisher": (
        "When classes are compact and differ in their means. It is cheap for up to a "
        "few hundred columns."
    ),
    "random_sparse": ("In forests, where many weak and different trees are wanted."),
    "ridge": (
        "The first oblique method to try: one linear system per node, small trees. The "
        "penalty stabilises it if columns are many or correlated."
    ),
    "logistic": (
        "When classes overlap: rows near the border have the most influence, where "
        "least squares uses all. It takes about ten times as long as `ridge`, with "
        "trees of the same size."
    ),
    "svm": (
        "Like `logistic`, using only rows at the border or on the wrong side. `C` is "
        "their cost."
    ),
    "mpsvm": (
        "When classes lie along different planes or lines, so their means say little. "
        "It depends on the scale of the columns."
    ),
    "hhcart": (
        "When classes are elongated in the same direction. It tries as many directions "
        "as there are columns for each class, and depends on the scale of the columns."
    ),
    "cca": (
        "Like `fisher`, for more than two classes: it tries all canonical directions. "
        "In forests set `bootstrap`."
    ),
    "pptree": (
        "For trees that separate one group of classes after the other. With many "
        'columns use `index="pda"`.'
    ),
    "cart_elc": (
        "For a few hundred rows and few columns, when the best split of two columns "
        "must be found. Otherwise it takes seconds per node."
    ),
    "heterogeneous": (
        "When time does not matter and no method is known to suit: each node uses the "
        "best of five. Good in forests, where it makes the trees more diverse."
    ),
    "rotation": (
        "One tree of a rotation forest, for inspection; alone it is no better than an "
        "ordinary tree."
    ),
    "ccf": (
        "For numeric tables: an oblique forest whose splits combine few columns, and "
        "which does not depend on the scale of the columns."
    ),
    "rotation_forest": (
        "For small and medium-sized numeric tables. Scale the columns first if their "
        "units differ much."
    ),
    "optimal": (
        "When a tree may ask three questions and no more, above all with several "
        "classes or costs of errors, or when you must show that there is no better "
        "one. The fewest training errors are not the fewest on other rows: where depth "
        "is free, prune instead."
    ),
    "lookahead": (
        "When a small tree must be good at every level and an exact search takes too "
        "long: it is nearly as good in a fraction of the time. Tune penalty and depth."
    ),
    "heterogeneous_rf": (
        "As in the paper: a forest in which each node uses the best of several linear "
        "methods."
    ),
}
