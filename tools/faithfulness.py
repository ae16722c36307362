# SPDX-License-Identifier: BSD-3-Clause
"""What of the five source papers is in Ramify, line by line, and the test that says so.

A row names every numbered equation, table, figure, algorithm and theorem that it
covers. `make_faithfulness_page.py` writes it down and checks that the tests exist.
"""

from dataclasses import dataclass

EQUAL, INTERPRETED, NOT_OURS = "equal", "interpreted", "not ours"


@dataclass(frozen=True)
class Row:
    """A formula or an experiment of a paper.

    Attributes
    ----------
    what : str
        Formula or experiment.
    places : tuple of str
        Where the paper has it, such as "eq. 9" or "Table IV".
    name : str
        What it is called in Ramify.
    test : str
        File in ``tests`` and function, such as "test_dgmml.py::test_...".
    state : str
        Equal, interpreted or not ours.
    why : str
        The sentence that says why it is not equal.
    also : str
        A second test, where the first covers a part of the row: one that holds the
        slow twin against the paper, say, and one that holds Ramify against the twin.
    """

    what: str
    places: tuple[str, ...]
    name: str
    test: str
    state: str = EQUAL
    why: str = ""
    also: str = ""

    @property
    def tests(self) -> tuple[str, ...]:
        """Return all tests of the row."""
        return (self.test, self.also) if self.also else (self.test,)


def at(*names: str) -> tuple[str, ...]:
    """Return places: at("eq. 1-3", "Table 2") is four of them."""
    places = []
    for name in names:
        kind, _, number = name.rpartition(" ")
        first, _, last = number.partition("-")
        if first.isdigit() and last:
            places += [f"{kind} {i}" for i in range(int(first), int(last) + 1)]
        else:
            places.append(name)
    return tuple(places)


CRITERIA = "test_criteria.py::"
TWIN = f"{CRITERIA}test_criterion_equals_its_twin_on_random_tables"
WORKED = f"{CRITERIA}test_worked_tables_have_the_published_scores"
EXHAUSTIVE = "test_split.py::test_tree_is_the_one_found_by_trying_every_split"
FIGURES = "test_reproduce_figures.py::"
STRUCTURE = "test_structure.py::"
ORACLE_TREES = f"{STRUCTURE}test_trees_are_those_of_the_oracle"
PRINTED = "test_reproduce.py::test_printed_tables_ship_whole"
CLAIMS = "test_reproduce.py::test_claims_find_in_the_printed_tables_what_the_papers_say"
SOFT = "test_oblique_numbers.py::test_the_soft_entropy_is_that_of_numpy"

# --- Li, Chen (2022) ------------------------------------------------------------------

DGMML = (
    Row("information entropy and gain", at("II.A"), "criterion `entropy`", TWIN),
    Row("Gini index and its reduction", at("II.B"), "criterion `gini`", TWIN),
    Row("misclassification error", at("II.C"), "criterion `misclassification`", TWIN),
    Row("inter-node Hellinger distance", at("II.D"), "criterion `ihd`", TWIN),
    Row(
        "exhaustive search or not, by method",
        at("Table I"),
        "methods `cart`, `c45`, `ihd`, `dgmml`",
        "test_faithfulness.py::test_dgmml_alone_does_not_search_all_cuts",
    ),
    Row(
        "rows of value at most b go left",
        at("eq. 1-2"),
        "method `dgmml`",
        "test_dgmml.py::test_tree_is_that_of_the_slow_twin",
    ),
    Row(
        "the split of the largest reduction, exhaustively",
        at("eq. 3"),
        "method `cart`",
        EXHAUSTIVE,
    ),
    Row(
        "scatter within classes and between their means",
        at("eq. 4-5"),
        "method `dgmml`",
        "test_dgmml.py::test_weight_of_each_column",
        INTERPRETED,
        "For more than two classes, of which the paper says that they are "
        "straightforward, the scatter between is the sum over pairs of classes.",
    ),
    Row(
        "objective, its derivative and the weight at its minimum",
        at("eq. 6-9"),
        "method `dgmml`",
        "test_faithfulness.py::test_the_weight_is_where_the_objective_is_least",
        also=f"{FIGURES}"
        "test_the_column_of_the_largest_weight_is_the_one_that_dgmml_splits",
    ),
    Row(
        "the column of the largest weight",
        at("eq. 10", "Algorithm 1"),
        "method `dgmml`",
        "test_dgmml.py::test_tree_is_that_of_the_slow_twin",
        INTERPRETED,
        "A cut that leaves an empty side makes way for the next rule and column, and a "
        "node of equal class means is split by Gini unless `fallback=None`; the paper "
        "is silent on both. Line 8 of the algorithm means eq. 9, not eq. 6.",
    ),
    Row(
        "split point: mean of ten values, median, mean",
        at("eq. 11-13"),
        "method `dgmml`, `split_point`",
        "test_dgmml.py::test_example_of_two_classes",
        INTERPRETED,
        "The printed mean(b1 + b2) must be their average; a class of fewer than five "
        "rows gives all of them.",
    ),
    Row(
        "oblique split by the weights",
        at("eq. 14-16"),
        "method `dgmml_mdt`",
        "test_oblique_numbers.py::test_the_metric_direction_is_that_of_numpy",
        INTERPRETED,
        "`signed=False` with `scale=None` is eq. 14; by default a weight has the sign "
        "of the difference of means, without which columns cancel each other.",
    ),
    Row(
        "25 data sets",
        at("Table II"),
        "`ramify reproduce dgmml`",
        "test_reproduce.py::test_every_printed_row_has_data_or_a_reason",
    ),
    Row(
        "accuracy and time of trees and forests",
        at("Table III"),
        "`ramify reproduce dgmml`",
        CLAIMS,
        INTERPRETED,
        "Text and published program differ in the smallest node that is split; both "
        "are run, and C4.5 also as the plain gain ratio.",
    ),
    Row(
        "three rules for the split point on 25 sets",
        at("Table IV"),
        "`ramify reproduce dgmml`",
        f"{FIGURES}test_table_iv_runs_the_three_rules_of_the_paper",
    ),
    Row(
        "impurity against the rank of the weight",
        at("Fig. 1"),
        "`ramify reproduce dgmml`",
        f"{FIGURES}test_weight_findings_see_the_slope",
        INTERPRETED,
        "The paper names neither sets nor impurity: all sets, Gini.",
    ),
    Row(
        "forests of 20 trees",
        at("IV.A"),
        "methods `dgmml_rf`, `c45_rf`, `cart_rf`, `ihd_rf`",
        "test_forest.py::test_forests_of_the_papers_are_in_the_catalogue",
    ),
    Row(
        "Very Fast C4.5, cited",
        at("I"),
        "method `vfc45`",
        "test_central.py::test_every_split_is_the_best_of_means_and_medians",
        also="test_central.py::test_the_method_is_c45_with_two_cuts_per_column",
    ),
    Row(
        "complexity O(d log n) at a node",
        at("IV.C"),
        "none",
        "test_faithfulness.py::test_dgmml_reads_every_value_of_a_node",
        NOT_OURS,
        "Every value must be read to know the means, so it is O(n d).",
    ),
)

# --- Du, Chen (2023) ------------------------------------------------------------------

BNMCSN = (
    Row(
        "segments of a node, the least over the columns",
        at("eq. 1"),
        'measure `segments(mode="min")`',
        f"{STRUCTURE}test_the_oracle_knows_the_segments_of_e9",
        also=ORACLE_TREES,
    ),
    Row(
        "Segment+C4.5: the candidate of the fewest segments",
        at("eq. 2"),
        "method `segment_c45`",
        ORACLE_TREES,
        INTERPRETED,
        'Eq. 2 orders by the split\'s own column (`mode="split"`), the text by the '
        "column of the fewest segments, which is the default; rows of equal value are "
        "ordered by class.",
    ),
    Row(
        "SPES: weighted sum of purity and segments",
        at("eq. 3"),
        "methods `spes`, `spes2`",
        f"{STRUCTURE}test_the_oracle_knows_spes_and_spce_of_e9",
        INTERPRETED,
        "The two ways to scale the number of segments are not in the paper; ours are "
        "by their range and by their least.",
        also=ORACLE_TREES,
    ),
    Row(
        "SPCE: Hellinger distance, segments, their ratio",
        at("eq. 4"),
        "method `spce`",
        f"{STRUCTURE}test_the_oracle_knows_spes_and_spce_of_e9",
        also=ORACLE_TREES,
    ),
    Row(
        "CV-ID3 and FR-ID3, AdaDT, iSAT",
        at("1.3"),
        "methods `cv_id3`, `fr_id3`, `adadt`, `isat`",
        f"{STRUCTURE}test_the_oracle_knows_cv_id3_and_isat_of_e7",
        INTERPRETED,
        "The paper cites them without formulas; these are Ramify's.",
        also=ORACLE_TREES,
    ),
    Row(
        "SCAFF",
        at("1.3 SCAFF"),
        "method `scaff`",
        f"{STRUCTURE}test_the_oracle_knows_scaff_of_e11",
        also=ORACLE_TREES,
    ),
    Row(
        "Jaworski's two hybrids for streams",
        at("1.3 Jaworski"),
        "none",
        "test_faithfulness.py::test_what_is_not_ours_is_not_in_the_catalogue",
        NOT_OURS,
        "They decide when a stream may split, by bounds; Ramify grows from all rows.",
    ),
    Row(
        "hybrids compared by how they combine",
        at("Table 1"),
        "methods `bnm`, `csn`, `bnm_csn`",
        f"{STRUCTURE}test_the_engine_chooses_the_winners_of_e8",
        INTERPRETED,
        "The table swaps the combinations of BNM and CSN; the text and the algorithm "
        "are followed.",
        also="test_methods.py::test_a_hybrid_is_its_named_expression",
    ),
    Row(
        "margin of a class between children",
        at("eq. 5"),
        'measure `bnm(penalty="none")`',
        f"{STRUCTURE}test_the_oracle_prints_the_table_of_e8",
        also=ORACLE_TREES,
    ),
    Row(
        "margin less the exact penalty",
        at("eq. 6"),
        'measure `bnm(penalty="euclidean")`',
        f"{STRUCTURE}test_euclidean_penalties_of_all_cuts_are_those_of_all_pairs",
    ),
    Row(
        "margin less the penalty along the split's column",
        at("eq. 7"),
        "measure `bnm`",
        f"{STRUCTURE}test_the_oracle_prints_the_table_of_e8",
        INTERPRETED,
        "A child of one class has no penalty: the minimum is over nothing.",
        also=ORACLE_TREES,
    ),
    Row(
        "purity of a cut",
        at("eq. 8"),
        "criterion `gini`",
        TWIN,
        INTERPRETED,
        "The paper maximises what it calls the Gini index, so it must be one less "
        "Gini; the order of cuts is that of the Gini gain.",
    ),
    Row(
        "weighted sum of purity and margin, and its best cut",
        at("eq. 9-10"),
        "method `bnm`",
        ORACLE_TREES,
    ),
    Row(
        "weight of purity, w1",
        at("eq. 9 w1"),
        "method `bnm`, `w1`",
        f"{STRUCTURE}test_purity_has_the_weight_w1",
    ),
    Row(
        "compactness within, separation between classes",
        at("eq. 11-12"),
        "measure `csn`",
        f"{STRUCTURE}test_the_oracle_prints_the_table_of_e8",
        also=ORACLE_TREES,
    ),
    Row(
        "separation of many classes by an error-correcting code",
        at("eq. 13"),
        "measure `csn`, `code`",
        f"{STRUCTURE}test_the_oracle_knows_csn_of_three_classes",
        INTERPRETED,
        "The paper does not say which code: one class against the rest, or all "
        "bipartitions.",
        also=ORACLE_TREES,
    ),
    Row(
        "compactness of both children",
        at("eq. 14"),
        "measure `csn`",
        f"{STRUCTURE}test_the_oracle_prints_the_table_of_e8",
        INTERPRETED,
        "Children are scaled by the range of their parent, so that cuts can be "
        'compared; `normalise="child"` is the other reading.',
        also=ORACLE_TREES,
    ),
    Row(
        "the k purest cuts, then the most compact",
        at("eq. 15-16"),
        "method `csn`",
        f"{STRUCTURE}test_the_engine_chooses_the_winners_of_e8",
    ),
    Row(
        "BNM+CSN, and when a node is a leaf",
        at("Algorithm 1"),
        'method `bnm_csn`, `leaf_rule="give_up"`',
        "test_leaf_rule.py::test_expressions_follow_both_rules",
    ),
    Row(
        "four clusters (XOR)",
        at("Fig. 1"),
        "`ramify reproduce bnmcsn`",
        f"{FIGURES}test_structure_makes_smaller_trees_of_four_clusters_than_purity",
        INTERPRETED,
        "Spread, w2 and k are not printed.",
    ),
    Row(
        "accuracy of eight trees on 21 sets",
        at("Table 2"),
        "`ramify reproduce bnmcsn`",
        CLAIMS,
        INTERPRETED,
        "Steps of w2, alpha of SPES and two data sets are not in the paper; each page "
        "lists what was chosen.",
    ),
    Row(
        "SPES tuned over k",
        at("3.2.1"),
        "`ramify reproduce bnmcsn`",
        f"{FIGURES}test_spes_is_tuned_over_k_as_the_paper_says",
    ),
    Row(
        "w2 searched from 0.0025 to 0.10",
        at("3.2.1 w2"),
        "`ramify reproduce bnmcsn`",
        f"{FIGURES}test_wide_tables_try_smaller_weights_of_the_margin",
        INTERPRETED,
        "The steps are not printed: ten values; from 30 columns on four smaller ones, "
        "since the margin is a sum over the columns.",
    ),
    Row(
        "depth and leaves",
        at("Table 3"),
        "`ramify reproduce bnmcsn`",
        CLAIMS,
    ),
    Row(
        "means with and without BNM and CSN",
        at("Table 4"),
        "`ramify reproduce bnmcsn`",
        "test_reproduce.py::test_table_4_of_bnmcsn_has_the_means_of_its_table_3",
    ),
    Row(
        "best values of w2 and k",
        at("Fig. 2"),
        "`ramify reproduce bnmcsn`",
        f"{FIGURES}test_parameter_findings_count_the_best_values",
    ),
)

# --- Yang, Shen, Gao (2019) -----------------------------------------------------------

WODT = (
    Row(
        "soft entropy of two children",
        at("eq. 1"),
        "method `wodt`",
        SOFT,
    ),
    Row(
        "its gradient",
        at("eq. 2"),
        "method `wodt`",
        "test_oblique_numbers.py::test_the_gradient_is_not_the_printed_product",
        INTERPRETED,
        "Eq. 2 prints a product where the line before it has a sum; the sum is the "
        "gradient.",
        also=SOFT,
    ),
    Row(
        "rows go left or right by the sign",
        at("eq. 3-4"),
        "method `wodt`",
        "test_oblique_trees.py::test_a_row_on_the_threshold_goes_left",
        INTERPRETED,
        "A row on the hyperplane goes left, as everywhere in Ramify; in the paper it "
        "goes right.",
    ),
    Row(
        "L-BFGS on the sum E",
        at("Weighted Oblique Decision Trees"),
        "method `wodt`",
        "test_oblique_numbers.py::test_wodt_ends_where_the_energy_is_flat_and_low",
        also="test_oblique_numbers.py::test_wodt_ends_where_scipy_finds_nothing_lower",
    ),
    Row(
        "random start, not the zero vector",
        at("Weighted Oblique Decision Trees"),
        "method `wodt`",
        "test_oblique_numbers.py::test_wodt_starts_from_a_random_vector",
        INTERPRETED,
        "The paper does not name the distribution: uniform in [-0.5, 0.5].",
    ),
    Row(
        "growing the tree",
        at("Algorithm 1"),
        "method `wodt`",
        "test_oblique_numbers.py::test_wodt_starts_again_where_a_child_would_be_empty",
        INTERPRETED,
        "Where a child would be empty, of which the paper does not speak, the search "
        "starts again and then splits one column.",
        also="test_oblique_numbers.py::"
        "test_wodt_splits_one_column_where_every_start_fails",
    ),
    Row(
        "20 data sets",
        at("Table 1"),
        "`ramify reproduce wodt`",
        "test_reproduce.py::test_every_printed_row_has_data_or_a_reason",
    ),
    Row(
        "accuracy of eight methods, t-tests",
        at("Table 2"),
        "`ramify reproduce wodt`",
        CLAIMS,
    ),
    Row(
        "leaves of eight methods",
        at("Table 3"),
        "`ramify reproduce wodt`",
        CLAIMS,
        INTERPRETED,
        "Printed trees have leaves without rows; Ramify makes none.",
    ),
    Row(
        "CO2 tuned over nu and eta by two times five folds",
        at("Experimental Setting"),
        "`ramify reproduce wodt`",
        f"{FIGURES}test_co2_is_tuned_over_the_printed_grid",
    ),
    Row(
        "CO2's bound",
        at("CO2"),
        "methods `co2`, `co2r`",
        "test_oblique_numbers.py::test_the_bound_is_never_below_the_loss",
    ),
    Row(
        "OC1's step of a coefficient",
        at("OC1"),
        "methods `oc1`, `oc1r`",
        "test_oblique_numbers.py::test_a_coefficient_step_is_the_best_of_all_midpoints",
    ),
    Row(
        "CART's linear combinations",
        at("CART-LC"),
        "methods `cart_lc`, `cart_lcr`",
        "test_oblique_numbers.py::test_a_combination_step_is_the_best_of_all_midpoints",
    ),
    Row(
        "time of eight methods on 20 sets",
        at("Fig. 1"),
        "`ramify reproduce wodt`",
        f"{FIGURES}test_time_findings_compare_by_geometric_means",
        also="test_faithfulness.py::test_fig_1_of_wodt_has_the_methods_of_its_tables",
    ),
    Row(
        "test and training accuracy against depth",
        at("Fig. 2-3"),
        "`ramify reproduce wodt`",
        f"{FIGURES}test_a_tree_of_less_depth_is_the_top_of_a_deeper_one",
        INTERPRETED,
        "One fold, and protein in a part of its rows; the slow methods are not grown "
        "on mnist.",
    ),
)

# --- Zaki, Meira: the chapter on decision trees ---------------------------------------

TEXTBOOK = (
    Row(
        "axis-parallel split points, partition of the rows",
        at("19.1 Split Points", "19.1 Data partition"),
        "method `cart`",
        EXHAUSTIVE,
    ),
    Row(
        "purity, the share of the majority",
        at("19.1 Purity"),
        "criterion `misclassification`",
        TWIN,
        INTERPRETED,
        "As a criterion it is the misclassification error, one less the purity.",
    ),
    Row(
        "decision rules",
        at("19.1 Decision Rules"),
        "`ramify.rules`",
        "test_rules.py::test_exactly_one_rule_of_a_fitted_tree_fires",
    ),
    Row(
        "growing until a node is small or pure enough",
        at("Algorithm 19.1"),
        "`min_samples_split`, `max_purity`",
        "test_purity.py::test_trees_stop_where_a_node_is_pure_enough",
        also="test_against_sklearn.py::test_parameters_mean_the_same",
    ),
    Row(
        "entropy, split entropy, information gain",
        at("19.2.1 Entropy"),
        "criterion `entropy`",
        WORKED,
    ),
    Row("Gini index", at("19.2.1 Gini"), "criterion `gini`", WORKED),
    Row(
        "CART measure",
        at("19.2.1 CART"),
        "criterion `cart_measure`",
        f"{CRITERIA}"
        "test_cart_measure_ranks_two_classes_by_the_distance_of_their_shares",
        also=TWIN,
    ),
    Row(
        "midpoints of a numeric column, from class counts",
        at("19.2.2 Numeric", "Algorithm 19.2"),
        'method `cart`, `threshold="midpoint"`',
        EXHAUSTIVE,
    ),
    Row(
        "subsets of categories, their number, subsets of one",
        at("19.2.2 Categorical", "Algorithm 19.3"),
        'method `cart`, `categories="subset"` and `"one_vs_rest"`',
        "test_subsets.py::test_every_node_has_the_best_subset",
        also="test_subsets.py::test_one_against_the_rest_is_the_best_single_category",
    ),
    Row(
        "subsets of at most l categories",
        at("19.2.2 l"),
        "`max_subset_size`",
        "test_subsets.py::test_the_smaller_side_is_no_larger_than_asked_for",
    ),
)

# --- Akash, Kadir, Ali, Shoyaib (2019) ------------------------------------------------

IHD = (
    Row(
        "information gain by entropy and Gini",
        at("eq. 1-3"),
        "criteria `entropy`, `gini`",
        TWIN,
    ),
    Row("gain ratio", at("eq. 4-5"), "criterion `gain_ratio`", TWIN),
    Row(
        "DCSM",
        at("eq. 6"),
        "criterion `dcsm`",
        f"{CRITERIA}test_dcsm_is_the_drop_of_the_published_penalty",
    ),
    Row(
        "Hellinger distance, of many classes the largest",
        at("eq. 7"),
        "criterion `hellinger`",
        f"{CRITERIA}test_hellinger_and_error_cannot_tell_x_from_y_but_ihd_can",
        also=TWIN,
    ),
    Row(
        "class confidence proportion",
        at("eq. 8-9"),
        "criteria `ccp_entropy`, `ccp_gini`",
        f"{CRITERIA}test_readings_of_class_confidence_equal_their_twins",
        INTERPRETED,
        "Each class against the rest, as printed. For Gini one less the sum of squares "
        "would prefer the less exclusive split, so it is the sum of q (1 - q).",
    ),
    Row(
        "alpha divergence, and Hellinger distance as its case",
        at("eq. 10-11"),
        "criterion `alpha_divergence`",
        "test_families.py::test_laws_between_criteria",
    ),
    Row(
        "iHD, and its other form",
        at("eq. 12-14"),
        "criterion `ihd`",
        WORKED,
    ),
    Row("weight and iHDw", at("eq. 15-16"), "criterion `ihdw`", WORKED),
    Row(
        "iHD and iHDw of disjoint classes depend on the balance alone",
        at("eq. 17", "Theorem 1-3"),
        "criteria `ihd`, `ihdw`",
        f"{CRITERIA}test_ihd_of_disjoint_class_sets_depends_on_the_balance_alone",
    ),
    Row(
        "Friedman's chi-square, Iman's F, Nemenyi's difference",
        at("eq. 18-20"),
        "`ramify.compare`",
        "test_statistics.py::test_the_ihd_papers_ranks_and_tests_are_reproduced",
        also="test_statistics.py::test_nemenyis_critical_values_are_demsars",
    ),
    Row(
        "growing the tree",
        at("Algorithm 1"),
        "methods `ihd`, `ihdw`",
        "test_golden.py::test_trees_of_the_ihd_illustration",
        INTERPRETED,
        "Values equal to the split point go left; in the algorithm they go right, "
        "which is the same between midpoints.",
    ),
    Row(
        "twelve rows and their two trees",
        at("Table 1", "Fig. 1-2"),
        "`ramify reproduce ihd`",
        f"{FIGURES}test_ihdw_ties_between_the_papers_first_cut_and_its_mirror_image",
        INTERPRETED,
        "iHDw ties between f1 <= 39 and the paper's f2 <= 17; Ramify takes the first "
        "column.",
    ),
    Row(
        "40 data sets",
        at("Table 2"),
        "`ramify reproduce ihd`",
        "test_reproduce.py::"
        "test_the_sizes_in_table_2_of_ihd_name_the_sets_they_belong_to",
    ),
    Row(
        "accuracy on 20 balanced sets",
        at("Table 3"),
        "`ramify reproduce ihd`",
        "test_statistics.py::test_win_tie_loss_of_the_ihd_papers_table",
    ),
    Row("AUC on 20 imbalanced sets", at("Table 4"), "`ramify reproduce ihd`", CLAIMS),
    Row(
        "nodes and time",
        at("4.3"),
        "`ramify reproduce ihd`",
        f"{FIGURES}test_size_findings_call_a_quarter_more_major",
        INTERPRETED,
        "The paper prints no numbers; a quarter more is taken for a major difference.",
    ),
)


@dataclass(frozen=True)
class Source:
    """A paper, its rows, and the numbered places that they must cover."""

    title: str
    rows: tuple[Row, ...]
    numbered: tuple[str, ...]


SOURCES = (
    Source(
        "Li, Chen (2022): dGMML",
        DGMML,
        (
            *at("eq. 1-16", "Fig. 1", "Algorithm 1"),
            *("Table I", "Table II", "Table III", "Table IV"),
        ),
    ),
    Source(
        "Du, Chen (2023): structure and purity",
        BNMCSN,
        at("eq. 1-16", "Table 1-4", "Fig. 1-2", "Algorithm 1"),
    ),
    Source(
        "Yang, Shen, Gao (2019): weighted oblique trees",
        WODT,
        at("eq. 1-4", "Table 1-3", "Fig. 1-3", "Algorithm 1"),
    ),
    Source(
        "Zaki, Meira (2020), chapter 19: decision tree classifier",
        TEXTBOOK,
        ("Algorithm 19.1", "Algorithm 19.2", "Algorithm 19.3"),
    ),
    Source(
        "Akash, Kadir, Ali, Shoyaib (2019): inter-node Hellinger distance",
        IHD,
        at("eq. 1-20", "Table 1-4", "Fig. 1-2", "Algorithm 1", "Theorem 1-3"),
    ),
)


@dataclass(frozen=True)
class Outside:
    """A program that others wrote, and how near Ramify is to it."""

    program: str
    what: str
    result: str
    test: str
    command: str = ""

    @property
    def tests(self) -> tuple[str, ...]:
        """Return the tests of the row."""
        return (self.test,)


IN_R = "python -m benchmarks.outside.in_r --data DIR"
OUTSIDE = (
    Outside(
        "WEKA 3.6.14, J48",
        "the printed tree and the shares of unseen rows, default options",
        "105 of 105 samples equal",
        "test_j48.py::test_j48_prints_the_tree_of_weka",
        "python -m benchmarks.outside.j48 --data DIR",
    ),
    Outside(
        "R, partykit 1.2-16, ctree",
        "the rows of each leaf, without missing values",
        "102 of 105 samples equal",
        "test_ctree.py::test_leaves_are_those_of_partykit",
        f"{IN_R} --only ctree",
    ),
    Outside(
        "R, rpart 4.1.19",
        "complexities and the rows of each leaf",
        "104 of 105 samples equal",
        "test_rpart.py::test_complexities_and_leaves_are_those_of_r",
        f"{IN_R} --only rpart",
    ),
    Outside(
        "R, rpart 4.1.19, Poisson",
        "rates, deviances and complexities with a prior (`shrink`)",
        "equal",
        "test_poisson_shrink.py::test_rates_and_deviances_are_those_of_rpart",
    ),
    Outside(
        "all subsets by brute force",
        "the best admissible subset of up to twelve categories",
        "equal on 440 random tables of classes and 128 of numbers",
        "test_limited_subsets.py::"
        "test_the_best_admissible_subset_of_up_to_twelve_levels_is_found",
    ),
    Outside(
        "SciPy, scikit-posthocs",
        "Friedman's test with and without ties, Nemenyi, Wilcoxon, Holm",
        "equal",
        "test_statistics.py::"
        "test_friedman_agrees_with_scipy_and_scikit_posthocs_with_ties",
    ),
    Outside(
        "baycomp",
        'the Bayesian signed-rank test, draw by draw with `edge="baycomp"`',
        "equal",
        "test_statistics.py::test_signed_rank_posterior_may_be_baycomps_draw_by_draw",
    ),
    Outside(
        "shap",
        "SHAP values and interactions of numeric trees",
        "equal",
        "test_explain.py::test_values_are_those_of_shap",
    ),
    Outside(
        "scikit-learn",
        "the method of `partial_dependence` and its values",
        "equal",
        "test_explain.py::"
        "test_the_method_of_partial_dependence_is_the_one_scikit_learn_chooses",
    ),
)


@dataclass(frozen=True)
class Changed:
    """Reference models that became others because Ramify was not faithful before."""

    models: str
    n: int
    why: str
    test: str

    @property
    def tests(self) -> tuple[str, ...]:
        """Return the tests of the row."""
        return (self.test,)


N_BEFORE, N_SINCE = 1713, 1844  # models; 131 are new, 126 of them wide float32 tables
CHANGED = (
    Changed(
        "`ccp_entropy`, `ccp_gini`, `ccpdt` with more than two classes",
        15,
        "Class confidence is of each class against the rest, as eq. 8 of the iHD paper "
        "says, and no longer normalised over the classes.",
        "test_criteria.py::test_readings_of_class_confidence_equal_their_twins",
    ),
    Changed(
        "categories where leaves must have a size",
        48,
        "The best admissible subset is found, and is called optimal only where it is.",
        "test_limited_subsets.py::"
        "test_the_best_admissible_subset_of_up_to_twelve_levels_is_found",
    ),
    Changed(
        "`wodt`, `wodt_l1`, `wodt_rf`",
        8,
        "The sum E is minimised, not E / n, which ended the search early.",
        "test_oblique_numbers.py::test_wodt_ends_where_scipy_finds_nothing_lower",
    ),
    Changed(
        "`ctree` with weights",
        2,
        "`minprob` and `splittry` are those of partykit.",
        "test_ctree.py::test_each_child_has_its_share_of_the_node",
    ),
    Changed(
        "`ihdw` with multiway splits",
        2,
        "These are refusals, whose text became another.",
        "test_multiway.py::test_other_criteria_know_only_two_branches",
    ),
)
