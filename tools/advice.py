# SPDX-License-Identifier: BSD-3-Clause
"""When to use what, and what to expect: one entry per criterion and method.

All else on the generated pages comes from the registries.
"""

ADVICE_ON_CRITERIA = {
    "cart_measure": (
        "To follow the textbook it comes from. With two classes it ranks cuts by the "
        "difference between the shares of the two classes that go left. Unlike "
        "`twoing` it does not square the distance, so other cuts win."
    ),
    "ccp_entropy": (
        "On imbalanced data, when rare classes should count as much as frequent ones "
        "without weights or resampling. The branch sizes still depend on the priors, "
        "so it is less extreme than `hellinger`. With more than two classes the "
        "confidence of a class is compared with that of all the others, as in eq. 8 of "
        "Akash et al. (2019): the proportions of a child do not add up to 1, and the "
        'entropy is computed from them unchanged (`multiclass="literal"` is the same). '
        '`multiclass="normalised"` divides by their sum over the classes, which was '
        "the definition up to 0.1 and ranks about one pair of cuts in twenty "
        "differently. With two classes all variants are equal."
    ),
    "ccp_gini": (
        "Like `ccp_entropy`, with the Gini impurity instead of entropy, and without "
        "logarithms. One-against-rest proportions do not add up to 1, so the two forms "
        "of the Gini index differ with more than two classes. The default is `sum_k "
        'q_k (1 - q_k)`, which is never negative. `multiclass="literal"` is `1 - sum_k '
        "q_k^2`: of the two splits in the example of Akash et al. (2019) it prefers "
        "the less exclusive one, and a cut may score below zero. "
        '`multiclass="normalised"`, the definition up to 0.1, normalises the '
        "proportions, so both forms are equal. With two classes all variants are "
        "equal."
    ),
    "chi2": (
        "When you want the classical statistic of a contingency table. It grows with "
        "the number of rows, so a limit such as `min_impurity_decrease` must be set "
        "for the size of the data."
    ),
    "dcsm": (
        "With many classes, when children should contain few of them. The number of "
        "classes dominates the score, so a single mislabelled row matters: use it with "
        "`min_samples_leaf` above 1 on noisy labels."
    ),
    "entropy": (
        "The other common choice besides `gini`, and that of ID3. Rare classes of a "
        "node have more influence on entropy than on the Gini impurity."
    ),
    "gain_ratio": (
        "For trees like those of C4.5. The plain ratio favours very unequal cuts, "
        "because it divides by the entropy of the branch sizes; Quinlan's rules "
        'prevent that. Pass `criterion_params={"threshold_cost": True, "average_gain": '
        'True, "min_branch": True}` to choose cuts as C4.5, release 8, does.'
    ),
    "gini": (
        "The default, as in scikit-learn. Start here, and let `ramify compare` measure "
        "whether another criterion is better on your data."
    ),
    "hellinger": (
        "On imbalanced data. With two classes, multiplying the weight of one class "
        "changes no score, so class weights and resampling do not affect the splits. "
        "With many classes the best class against the rest decides, and cuts that "
        "differ only in other classes tie."
    ),
    "ihd": (
        "With several classes, balanced or not: it uses the mixture of all classes, "
        "where `hellinger` compares one with the rest."
    ),
    "ihdw": (
        "Like `ihd`, to avoid splitting small pieces off a large node: a child that "
        "keeps most of every class gets less credit."
    ),
    "misclassification": (
        "When the training error itself matters, in shallow trees or for teaching. It "
        "has no gain for cuts after which both children have the same majority class; "
        "there the Gini gain decides."
    ),
    "twoing": (
        "With many classes, when the upper levels should separate groups of similar "
        "classes. With two classes it is exactly half the Gini gain and grows the same "
        "tree."
    ),
    "alpha_divergence": (
        "To tune how much a child that lacks a class is rewarded: `alpha` 0.25 rewards "
        "it strongly, 1/2 is `ihd`, 1 information gain, 2 chi-square. The default, "
        "5/3, is Cressie and Read's compromise. Tune `alpha` with a grid; for 1/2, 1 "
        "and 2 the named criteria are faster."
    ),
    "angle": (
        "When class sizes should not matter, like `ks` and `hellinger`: it compares "
        "pairs of classes by the angle between their branch distributions. It is not "
        "quasi-convex for more than two classes, and compares all pairs, so it is slow "
        "with many classes."
    ),
    "asymmetric_entropy": (
        "When 50 : 50 is not the worst mixture. With `prior=None` the node's own "
        "mixture is the worst, and children are rewarded for differing from it in any "
        "direction; with a `prior` that mixture is the worst. For imbalanced data, "
        "like `off_centred_entropy`."
    ),
    "balanced_gain_ratio": (
        "Instead of `gain_ratio`, which divides by a small branch entropy and so "
        "favours tiny branches. Here one is added to the divisor: many or unequal "
        "branches are still penalised, but tiny branches do not win. Also for "
        "`categories='multiway'`."
    ),
    "bayes": (
        "For trees with a built-in stopping rule: a node becomes a leaf if one "
        "distribution explains it better than two (scores of at most 0). `alpha` is "
        "the Dirichlet prior of each class (1 is uniform, 1/2 Jeffreys'). With many "
        "columns set `threshold_cost=True`: without it the search itself finds splits "
        "in noise."
    ),
    "credal_gain": (
        "For noisy labels and small samples: nodes in which `s` more rows could change "
        "the result are not split, so trees are smaller. A larger `s` splits less. It "
        "does not correct for the number of cuts tried."
    ),
    "credal_ratio": (
        "Credal-C4.5: like `credal_gain`, divided by the entropy of the branch sizes "
        "like the gain ratio. For noisy labels, where you would use C4.5."
    ),
    "dkm": (
        "On imbalanced data with several classes: the squared Hellinger distances of "
        "all pairs of classes, weighted by how frequent they are. With two classes it "
        "ranks the cuts of a node like `hellinger`. Fast and concave; a good first "
        "choice besides `gini` and `entropy`."
    ),
    "exact_probability": (
        "When the exact probability of a table matters, in small nodes. It is above 0 "
        "for every cut, even an uninformative one, so limit growth by "
        "`min_impurity_decrease` or by size."
    ),
    "information_value": (
        "In credit scoring, where it has well-known thresholds: 0.1 to 0.3 is medium, "
        "more is strong. With two classes. `adjust` keeps empty cells finite; 0 "
        "refuses cuts with a pure child."
    ),
    "ks": (
        "When only the branch distributions of the classes should count, not how "
        "frequent they are: the most different pair of classes decides. With two "
        "classes it is Youden's J, and (1 + ks) / 2 the AUC of the cut. Modes `ovo_*` "
        "ignore class weights with any number of classes, `ovr_*` only with two."
    ),
    "mantaras": (
        "When columns with many values or unequal branches must not win by chance: a "
        "distance between partitions, from 0 to 1, without the end-cut preference of "
        "the gain ratio. Also for `categories='multiway'`."
    ),
    "mdl": (
        "For trees with a built-in stopping rule: a split must save more bits than it "
        "costs to encode the class counts of its children. Set `threshold_cost=True` "
        "to include the cost of the search; then pure noise gives a single leaf."
    ),
    "miller_madow": (
        "Like `entropy`, for small nodes: each entropy estimate is corrected for its "
        "number of rows. It mostly matters near the leaves."
    ),
    "mpi": (
        "With several classes, when a cut that sends every class to one side should "
        "win, however the classes are grouped. Fast."
    ),
    "off_centred_entropy": (
        "For imbalanced classes: entropy is transformed so that the node's own "
        "mixture, or `prior`, is the most uncertain one. With a prior of 1/2 it is "
        "plain information gain."
    ),
    "ordinal_gini": (
        "When the classes are ordered, such as grades: an error of two steps costs "
        "more than an error of one. The order is that of `classes_`. Predict the "
        "median class of a leaf to match it. The best of three such criteria on 45 "
        "data sets in a study of 2025."
    ),
    "ort": (
        "When children with different classes matter more than their sizes: two "
        "disjoint sets of classes score 1, however unbalanced. Ties are frequent, and "
        "the Gini gain breaks them; trees get large."
    ),
    "ranking_impurity": (
        "For ordered classes, when pairs of rows in the wrong order are counted. "
        "Every split gains, and even halves are preferred: limit the size of the "
        "tree. `ordinal_gini` is the safer choice."
    ),
    "relief_gini": (
        "To penalise cuts that divide a class: the score may be negative, and a node "
        "without a better cut is a leaf. Less biased towards columns with many values "
        "than the Gini gain."
    ),
    "renyi": (
        "To interpolate between the number of classes (small `q`) and the largest "
        "class (large `q`). For `q` of at most 1 it is concave; above, with more than "
        "two classes, a gain may be negative."
    ),
    "sharma_mittal": (
        "To tune two parameters: `q` as in `tsallis` and `renyi`, and `r` for how much "
        "unequal nodes count. `r = q` is Tsallis', `r = 1` Rényi's, (1/2, 0) is `dkm`. "
        "Keep `r` at 2 - 1/q or above."
    ),
    "stochastic_complexity": (
        "Like `mdl` with a simpler formula, for nodes with many rows: information gain "
        "minus the cost of encoding the children's class shares."
    ),
    "symmetric_tau": (
        "When class and branch should predict each other: for two classes it is "
        "chi-square over n, for more it also rewards branches with complete classes."
    ),
    "tsallis": (
        "The first family to tune: `q` 0.5 rewards pure children and was the best on "
        "average in a comparison of 23 impurities (2026, not significant), 1 is "
        "entropy, 2 Gini, and a larger `q` emphasises the largest class. Tune `q` with "
        "`TunedTreeClassifier`."
    ),
    "tsallis_ratio": (
        "Like the gain ratio, with the entropy of your choice: `q = 2` is a Gini "
        "ratio. Like the gain ratio it favours very unequal cuts."
    ),
    "two_power": (
        "For the entropies of statistical physics that need two powers (Abe, "
        "Kaniadakis). Otherwise use `tsallis`: one parameter, and faster."
    ),
    "unbiased_gini": (
        "When columns with many cuts win too often in small nodes: the expected gain "
        "of an uninformative cut is 0. Trees are somewhat smaller."
    ),
    "uplift": (
        "To find who benefits from a treatment, not who has the outcome: pass `fit(X, "
        "y, treatment=...)` of a randomised trial with two outcomes. `kind='kl'` is "
        "the default; 'ed' is more stable with rare outcomes. `predict_uplift` returns "
        "the difference in the leaf of a row. Set `min_samples_leaf` high: differences "
        "of shares are noisy."
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

ADVICE_ON_NUMBERS = {
    "absolute_error": (
        "When outliers should have little influence on splits and leaves. It needs the "
        "sorted targets, and takes several times as long as `squared_error`."
    ),
    "gamma": (
        "For positive targets whose spread grows with their size, such as amounts and "
        "durations: a relative error of ten per cent counts the same everywhere."
    ),
    "poisson": (
        "For counts, and for rates with the exposure as `sample_weight`. A leaf never "
        "predicts zero unless all training rows are zero: splits with such a leaf are "
        'not made. With `criterion_params={"shrink": 1}` they are, as in R\'s rpart: a '
        "gamma prior with this coefficient of variation (1 in rpart) shrinks the rates "
        "of leaves towards the rate of all rows. The search ignores the prior. Weights "
        "count as exposure: twice the weights is twice the events, and less shrinkage."
    ),
    "quantile": (
        'To predict a bound instead of the mean: `criterion_params={"level": 0.9}` '
        "predicts the 90 % quantile."
    ),
    "squared_error": (
        "The default, as in scikit-learn. Leaves predict the mean. `friedman_mse` of "
        "older releases of scikit-learn puts splits in the same order."
    ),
    "crps": (
        "When you use the distribution of a leaf, not only its mean: it minimises half "
        "the mean absolute difference of two targets of a leaf. So the whole spread "
        "counts, and outliers count less than in the squared error. It is slower than "
        "`squared_error` by a factor that grows with the logarithm of the rows."
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
    "heterogeneous_rf": (
        "As in the paper: a forest in which each node uses the best of several linear "
        "methods."
    ),
}
