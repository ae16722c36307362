# SPDX-License-Identifier: BSD-3-Clause
"""When to use what, and what to expect: one entry per criterion and method.

All else on the generated pages comes from the registries.
"""

ADVICE_ON_CRITERIA = {
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

# Of methods whose criterion does not say it all.
ADVICE_ON_METHODS = {
    "id3": (
        "For teaching, and as the baseline of older papers. A category with a branch "
        "of its own per value favours columns with many values; `c45` guards against "
        "that."
    ),
    "c45": (
        "For trees in the manner of C4.5, on tables with categories and gaps. It is "
        "not pruned; `j48` is."
    ),
    "j48": (
        "For the tree that WEKA's J48 prints with its default settings, on tables with "
        "categories and gaps: the baseline of thousands of papers. Smaller than `c45`, "
        "and on noisy data more accurate; `cart_1se` gives far smaller trees."
    ),
    "c45_r8": (
        "For the tree of Quinlan's own program, as far as its source tells: `j48` with "
        "its table of confidence limits. The two rarely differ."
    ),
    "c44": (
        "For probabilities and AUC: pruning for errors cuts what ranks the rows. "
        "`ramify.shrink` is the other way to calm the leaves of a big tree."
    ),
    "cart_1se": (
        "When you want one small tree that is about as accurate as any: it grows "
        "eleven trees, and keeps the smallest subtree within a standard error of the "
        "best. On tables of a few hundred rows it may leave a single leaf; "
        "`prune_params={'se': 0}` leaves more."
    ),
    "rpart": (
        "To compare with R, whose default tree this is but for surrogate splits. Its "
        "fixed price per leaf is quick, and often leaves less than ten leaves."
    ),
    "cart": (
        "The default, as in scikit-learn. Start here, and let `ramify compare` tell "
        "whether another method does better on your data."
    ),
    "hddt": (
        "On imbalanced data, for a ranking by probability: leaves are smoothed "
        "(`laplace=True`), as the paper advises. With two classes the score does not "
        "depend on how rare a class is."
    ),
    "chaid": (
        "For surveys and other tables of categories, when a reader should see all "
        "groups of a column at one node, and a split should be significant. Numbers "
        "are cut into ten bins first. The tree stops by itself where nothing is "
        "significant."
    ),
    "quest": (
        "When the choice of the column must not favour columns with many values, as "
        "for a tree that is read as an explanation."
    ),
    "ctree": (
        "When every split should be significant and the tree should need no pruning: "
        "on pure noise it is a single leaf. The choice of the column does not favour "
        "columns with many values. For trees of numbers: "
        '`DecisionTreeRegressor(splitter="ctree")`.'
    ),
    "guide": (
        "As `quest`, with a test that sees more than means: columns in which the "
        "middle differs from both ends. It does not stop by itself; prune it, or "
        "limit its size."
    ),
    "dgmml": (
        "On wide tables, where sorting costs too much. Trees are larger than those of "
        "`cart`, and an XOR pattern is left to the fallback. See "
        "[dGMML trees](../how_to/dgmml.md)."
    ),
    "bnm": (
        "On numeric columns with clusters that purity alone would cut in two. The leaf "
        "rule of the paper, set here, gives up a node whose best cut leaves a single "
        "row; that is where small trees come from."
    ),
    "csn": (
        "As `bnm`, and cheaper: only the k cuts of best purity are looked at twice."
    ),
    "bnm_csn": (
        "As `bnm` and `csn`, together; tune `k` and `w2` on your data "
        "([how to](../how_to/tune.md))."
    ),
    "wodt": (
        "The first oblique method to try: it is fast, and its trees are small. Columns "
        "of zeros and ones may do better with `scale=None`."
    ),
    "wodt_l1": (
        "As `wodt`, when a node should be readable: the penalty leaves few columns in "
        "a sum. `max_terms` bounds their number outright."
    ),
    "oc1": (
        "When the criterion itself should be followed, and not a smooth stand-in. It "
        "takes much longer than `wodt`; fewer `n_starts` save time."
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
        "When an oblique tree must cost next to nothing: the direction is a formula. "
        "Weights are signed; `signed=False` is the printed rule, which is worse."
    ),
    "fisher": (
        "When classes are compact and differ in their means. It is cheap for up to a "
        "few hundred columns."
    ),
    "random_sparse": ("In forests, where many weak and different trees are wanted."),
    "ridge": (
        "The first of the cheap oblique methods to try: one linear system per node, "
        "small trees. The penalty steadies it where columns are many or alike."
    ),
    "logistic": (
        "When classes overlap: it looks at the rows near the border, where least "
        "squares looks at all. About ten times the time of `ridge`, and often smaller "
        "trees."
    ),
    "svm": (
        "As `logistic`; it looks only at rows at the border or on the wrong side. "
        "`C` says how much these cost."
    ),
    "mpsvm": (
        "When classes lie along different planes or lines, so that their means say "
        "little. It depends on the scale of the columns."
    ),
    "hhcart": (
        "When classes are long and slanted alike. It tries as many directions as "
        "there are columns for each class, and depends on the scale of the columns."
    ),
    "cca": (
        "As `fisher` for more than two classes: it has a direction for every way in "
        "which class means differ. In forests set `bootstrap`."
    ),
    "pptree": (
        "For trees that read as a sequence of groups of classes. With many columns "
        'take `index="pda"`.'
    ),
    "cart_elc": (
        "For a few hundred rows and few columns, when no better line of two columns "
        "may be missed. Elsewhere it takes seconds per node."
    ),
    "heterogeneous": (
        "When time is cheap and no method is known to suit: each node takes the best "
        "of five. Good in forests, where it makes trees differ."
    ),
    "rotation": (
        "One tree of a rotation forest, to look at; alone it is no better than an "
        "ordinary tree."
    ),
    "rotation_forest": (
        "For small and middling tables of numbers, where it is often more accurate "
        "than a random forest of as many trees. Scale the columns first if their "
        "units differ much."
    ),
    "heterogeneous_rf": (
        "As the paper has it: a forest each of whose nodes takes the best of several "
        "linear methods."
    ),
}
