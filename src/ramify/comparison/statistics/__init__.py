# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of comparisons: which methods differ, and by how much.

Scores are a table with one row per data set and one column per method, or two lists
for two methods. The tests over many data sets follow Demšar, "Statistical comparisons
of classifiers over multiple data sets", JMLR 7, 2006; the Bayesian ones Benavoli,
Corani, Demšar and Zaffalon, "Time for a change", JMLR 18, 2017.
"""

from ramify.comparison.statistics.auc import hand_till_auc
from ramify.comparison.statistics.bayes import (
    Posterior,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
)
from ramify.comparison.statistics.paired import (
    TTest,
    WinTieLoss,
    corrected_t_test,
    paired_t_test,
    reliable_signs,
    reliable_win_tie_loss,
    win_tie_loss,
)
from ramify.comparison.statistics.power import (
    datasets_needed,
    detectable_by_t_test,
    detectable_by_wilcoxon,
    t_test_power,
    wilcoxon_power,
)
from ramify.comparison.statistics.ranks import (
    Friedman,
    average_ranks,
    friedman,
    friedman_of_ranks,
    friedman_permutation_p,
    nemenyi_critical_difference,
    nemenyi_p,
    rank_groups,
    ranks_per_row,
)
from ramify.comparison.statistics.signed_ranks import (
    Wilcoxon,
    holm,
    wilcoxon_all_pairs,
    wilcoxon_signed_rank,
    wilcoxon_to_baseline,
)

__all__ = [
    "Friedman",
    "Posterior",
    "TTest",
    "Wilcoxon",
    "WinTieLoss",
    "average_ranks",
    "bayesian_correlated_t_test",
    "bayesian_signed_rank_test",
    "corrected_t_test",
    "datasets_needed",
    "detectable_by_t_test",
    "detectable_by_wilcoxon",
    "friedman",
    "friedman_of_ranks",
    "friedman_permutation_p",
    "hand_till_auc",
    "holm",
    "nemenyi_critical_difference",
    "nemenyi_p",
    "paired_t_test",
    "rank_groups",
    "ranks_per_row",
    "reliable_signs",
    "reliable_win_tie_loss",
    "t_test_power",
    "wilcoxon_all_pairs",
    "wilcoxon_power",
    "wilcoxon_signed_rank",
    "wilcoxon_to_baseline",
    "win_tie_loss",
]
