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
        "so that it is less radical than `hellinger`. With more than two classes the "
        "confidence of a class is set against that of all the others, as eq. 8 of "
        "Akash et al. (2019) says: the proportions of a child do not add up to 1, and "
        'the entropy is taken of them as they are (`multiclass="literal"` is the '
        'same). `multiclass="normalised"` divides by their sum over the classes, '
        "which was the definition up to 0.1 and orders about one pair of cuts in "
        "twenty otherwise. With two classes all readings are one."
    ),
    "ccp_gini": (
        "As `ccp_entropy`, with the Gini impurity in place of entropy, and without "
        "logarithms. Proportions of class against rest do not add up to 1, so that "
        "the two forms of the Gini index differ with more than two classes. The "
        "default is `sum_k q_k (1 - q_k)`, which is never negative. "
        '`multiclass="literal"` is `1 - sum_k q_k^2`: of the two splits in the '
        "example of Akash et al. (2019) it prefers the less exclusive one, and a cut "
        'may score below zero. `multiclass="normalised"`, the definition up to '
        "0.1, makes the proportions add up, so that both forms are one. With two "
        "classes all readings are one."
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
    "alpha_divergence": (
        "When one dial shall say how much a child without a class is worth: `alpha` "
        "0.25 rewards it strongly, 2 is chi-square, 1 information gain, 1/2 `ihd`. "
        "The default, 5/3, is Cressie and Read's compromise. Search `alpha` with a "
        "grid; for 1/2, 1 and 2 the named criteria are faster."
    ),
    "angle": (
        "When the size of classes shall not matter, beside `ks` and `hellinger`: "
        "pairs of classes are compared by the angle between where they go. It is not "
        "convex for more than two classes, and looks at all pairs, so that it is slow "
        "with many classes."
    ),
    "asymmetric_entropy": (
        "When 50 : 50 is not the worst mixture: with `prior=None` a node's own "
        "mixture is, and children are rewarded for leaving it in any direction; with "
        "a `prior` a leaf at that share is as bad as can be. For two rare and "
        "frequent classes, beside `off_centred_entropy`."
    ),
    "balanced_gain_ratio": (
        "In place of `gain_ratio`, whose division by a small branch entropy favours "
        "tiny branches: one is added to it, so the penalty of many or unequal "
        "branches stays and the explosion is gone. Also for `categories='multiway'`."
    ),
    "bayes": (
        "When growth should stop by itself where one distribution explains a node "
        "better than two: scores of at most 0 are leaves. `alpha` is what is thought "
        "of each class beforehand (1 is uniform, 1/2 Jeffreys'). On many columns set "
        "`threshold_cost=True`: without it the search itself finds splits in noise."
    ),
    "credal_gain": (
        "On noisy labels and small samples: nodes in which `s` more rows could change "
        "the picture are not split, and trees are smaller. A larger `s` is more "
        "careful. It does not pay for the number of cuts tried."
    ),
    "credal_ratio": (
        "Credal-C4.5: as `credal_gain`, set against the branch sizes as the gain "
        "ratio is. For noisy labels where you would use C4.5."
    ),
    "dkm": (
        "On imbalanced data with several classes: the squared Hellinger distances of "
        "all pairs of classes, weighed by how frequent they are. With two classes it "
        "orders the cuts of a node as `hellinger` does. Fast, concave, a good first "
        "choice beside `gini` and `entropy`."
    ),
    "exact_probability": (
        "When the exact chance of a table matters, in small nodes. It is above 0 for "
        "every cut, also without information, so that growth must be stopped by "
        "`min_impurity_decrease` or by size."
    ),
    "information_value": (
        "In credit scoring, where it has thresholds that people know: 0.1 to 0.3 is "
        "medium, more is strong. With two classes. `adjust` keeps empty cells finite; "
        "0 refuses cuts with a pure child."
    ),
    "ks": (
        "When where classes go is all that counts, not how frequent they are: the "
        "most different pair decides. With two classes it is Youden's J, and (1 + ks) "
        "/ 2 the AUC of the cut. Modes `ovo_*` ignore class weights with any number "
        "of classes, `ovr_*` only with two."
    ),
    "mantaras": (
        "When many values or unequal branches must not win by chance: a distance of "
        "partitions between 0 and 1, without the end cuts of the gain ratio. Also for "
        "`categories='multiway'`."
    ),
    "mdl": (
        "For trees that stop by themselves, read as codes: a split must save more "
        "bits than it costs to state the class counts of its children. Set "
        "`threshold_cost=True` to pay for the search as well; then labels of pure "
        "noise give a single leaf."
    ),
    "miller_madow": (
        "As `entropy` where nodes are small: each entropy is corrected for the rows "
        "it is estimated from. It mostly matters near the leaves."
    ),
    "mpi": (
        "With several classes, when a cut that sends every class to one side should "
        "win, however the classes are grouped: disjoint sets of classes get the "
        "highest score that their balance allows. Fast."
    ),
    "off_centred_entropy": (
        "For imbalanced classes: entropy is bent so that the node's own mixture, or "
        "`prior`, is the most uncertain one. With a prior of 1/2 it is plain "
        "information gain."
    ),
    "ordinal_gini": (
        "When the classes have an order, such as grades: mistakes by two steps cost "
        "more than by one. The order is that of `classes_`. Predict the median class "
        "of a leaf to match it. The best of three such criteria on 45 data sets in a "
        "study of 2025."
    ),
    "ort": (
        "When children with different classes matter more than their sizes: two "
        "disjoint sets of classes score 1, however unbalanced. Ties are frequent and "
        "go to the Gini gain; trees grow wide."
    ),
    "ranking_impurity": (
        "For ordered classes, when pairs of rows in the wrong order are counted. "
        "Every split gains, and even halves are preferred: limit the size of the "
        "tree. `ordinal_gini` is the safer choice."
    ),
    "relief_gini": (
        "When cuts that tear a class apart should be punished: it may be negative, "
        "and a node without a better cut is a leaf. Less drawn to many-valued columns "
        "than the Gini gain."
    ),
    "renyi": (
        "To look between the number of classes (small `q`) and the largest class "
        "(large `q`). For `q` of at most 1 it is concave; above, with more than two "
        "classes, a gain may be negative."
    ),
    "sharma_mittal": (
        "To try two dials at once: `q` as in `tsallis` and `renyi`, `r` for how much "
        "unequal nodes count. `r = q` is Tsallis', `r = 1` Rényi's, (1/2, 0) is "
        "`dkm`. Keep `r` at 2 - 1/q or above."
    ),
    "stochastic_complexity": (
        "As `mdl` with a simpler formula, for nodes of many rows: information gain "
        "less the price of stating the children's class shares."
    ),
    "symmetric_tau": (
        "When class and branch should tell each other: for two classes it is chi- "
        "square over n, for more it also rewards that a branch holds whole classes."
    ),
    "tsallis": (
        "The first family to try: `q` 0.5 rewards pure children and was the best on "
        "average in a comparison of 23 impurities (2026, without significance), 1 is "
        "entropy, 2 Gini, and a larger `q` looks at the largest class. "
        "`TunedTreeClassifier` searches `q`."
    ),
    "tsallis_ratio": (
        "As the gain ratio, with the entropy of your choice: `q = 2` is a Gini ratio. "
        "It has the gain ratio's weakness for very unequal cuts."
    ),
    "two_power": (
        "For the entropies of statistical physics that need two powers (Abe, "
        "Kaniadakis). Otherwise `tsallis` says the same with one dial, and faster."
    ),
    "unbiased_gini": (
        "When columns with many cuts win too often in small nodes: under chance the "
        "expected gain of a given cut is 0. Trees are somewhat smaller."
    ),
    "uplift": (
        "When the question is who gains from a treatment, not who has the outcome: "
        "give `fit(X, y, treatment=...)` of a randomised trial with two outcomes. "
        "`kind='kl'` is the default, 'ed' is steadier with rare outcomes. "
        "`predict_uplift` gives the difference in the leaf of a row. Set "
        "`min_samples_leaf` high: differences of shares are noisy."
    ),
    "weighted_information_gain": (
        "For ordered classes, when distance from the most frequent class of a node "
        "should count. It may be negative and is not concave; `ordinal_gini` is the "
        "safer choice."
    ),
}

ADVICE_ON_MEASURES = {
    "bnm": (
        "Added to a purity criterion with a small weight (0.0025 to 0.1). The margin "
        "is a sum over all columns, so that many columns need a smaller weight, or "
        '`bnm(scale="mean")`. It costs as many operations per row as there are '
        'columns, for each column. `bnm(penalty="euclidean")` is eq. 6 of the paper, '
        "exactly; the default is eq. 7, by which the paper replaced it as too slow. It "
        "compares rows of different classes in all columns, each with its nearest "
        "enemy once per node, so that nodes of some thousand rows take fractions of a "
        "second ([what it costs](../design/euclidean.md)); more than 50,000 rows are "
        "refused, and so are streams and partitions, which have no pairs of rows."
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
        "cut further. It depends on the order of values only. The paper on structure "
        "and purity defines both modes: the runs of a node along the column that has "
        'the fewest (its eq. 1, `mode="min"`), and those of the children of a cut '
        'along its own column (eq. 2, `mode="split"`). `segment_c45` has both '
        "measured."
    ),
    "sensitive_auc": (
        "With a minus sign, to keep a tree from telling the groups of a sensitive "
        "attribute apart. The attribute is passed to `fit(X, y, sensitive=...)`."
    ),
    "separating_gap": (
        "When classes are expected to lie apart, and a wide gap is a better place for "
        "a threshold than a pure child."
    ),
    "branch_balance": (
        "As a factor against end cuts: `gini * branch_balance` prefers cuts near the "
        "middle. Times chi-square it is `mpi`, but for a constant."
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
        "As `segment_c45`, when purity should keep a say among the kept cuts. "
        '`mode="split"` gives smaller trees of the same accuracy (9.0 and 7.0 '
        "leaves, 83.7 % both)."
    ),
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
        "predicts zero unless all rows are zero: splits that would are not made. With "
        '`criterion_params={"shrink": 1}` they are, as in R\'s rpart: rates then lean '
        "on that of all rows, by a gamma prior whose coefficient of variation is "
        "`shrink` (1 in rpart); the search leaves the prior out. Weights count as "
        "exposure here: twice the weights is twice the events, and less shrinking."
    ),
    "quantile": (
        "When the question is for a bound and not for the middle: "
        '`criterion_params={"level": 0.9}` predicts what nine of ten rows stay below.'
    ),
    "squared_error": (
        "The default, as in scikit-learn. Leaves predict the mean. `friedman_mse` of "
        "older releases of scikit-learn puts splits in the same order."
    ),
    "crps": (
        "When a leaf is read as a distribution, not as one number: half the mean "
        "distance of two numbers of a leaf becomes small, so their whole spread "
        "counts, and outliers less than in the squared error. It takes a logarithm "
        "more of time per row."
    ),
    "negative_binomial": (
        "For counts whose variance grows faster than their mean, such as visits or "
        "defects per item: `dispersion` says how much. Towards 0 it is `poisson`."
    ),
    "tweedie": (
        "For amounts with many zeros and a long tail, such as insurance claims: "
        "`power` between 1 and 2. 0 is half the squared error, 1 `poisson`, 2 "
        "`gamma`, 3 the inverse Gaussian for very long tails."
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
    "vfc45": (
        "As a baseline where the choice of the cut should cost nothing: two candidates "
        "per column and node in place of one per distinct value. Trees are deeper "
        "than those of `c45`, since a node can only be cut near its middle. The paper "
        "on dGMML names it among fast alternatives to the exhaustive search. "
        '`splitter="central"` does the same with any other criterion.'
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
        "of zeros and ones may do better with `scale=None`. [Leaves and accuracy]"
        "(../reproductions/wodt_leaves.md) on the 20 data sets of the paper."
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
        "Weights are signed and columns scaled. The printed rule is `signed=False, "
        "scale=None`; on the 24 sets of the paper it is 3.4 points less accurate in "
        "the mean, though better on 7, and has nearly twice the leaves "
        "([both measured](../reproductions/dgmml_mdt.md))."
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
    "ccf": (
        "For tables of numbers, as an oblique forest whose tests mix few columns; the "
        "scale of the columns does not matter to it."
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
