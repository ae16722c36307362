// SPDX-License-Identifier: BSD-3-Clause
// All choices of a fit in one plain struct: the criterion, perhaps an expression (expression.hpp),
// the limits, the splitter. It is filled in bind/ and read everywhere; nothing here computes
// anything.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/expression.hpp"
#include "plan/oblique_rules.hpp"

namespace ramify {

/// Built in (for classification or regression), compiled, interpreted or composed: exactly one is
/// set.
struct ChosenCriterion {
  std::shared_ptr<const SetCriterion> builtin = nullptr;
  CompiledCriterion compiled = nullptr;
  void* user_data = nullptr;
  bool declared_quasi_convex = false;  // by the user; see CriterionInfo
  InterpretedCriterion interpreted = nullptr;
  InterpretedCriterion interpreted_tie_break = nullptr;
  std::shared_ptr<const ComposedCriterion> composed = nullptr;
  const RegressionKernel* numeric = nullptr;  // built in, for regression
  double values[max_parameters] = {};         // its parameters
  bool splits_on_ties = false;  // a gain of zero suffices if the tie-break is above zero

  bool is_builtin() const { return builtin != nullptr; }
  bool is_quasi_convex() const {
    return (builtin && builtin->quasi_convex) || (numeric && numeric->info->is_quasi_convex);
  }
  /// Whether a regression criterion rejects sides that have nothing but zeros.
  bool refuses_zeros() const {
    return (loss() == RegressionLoss::poisson && shrink() == 0) ||
           (loss() == RegressionLoss::tweedie && values[0] > 1 - 1e-8 && values[0] < 1 + 1e-8);
  }
  RegressionLoss loss() const { return numeric ? numeric->loss : RegressionLoss::squared; }
  /// The quantile that leaves predict, if they predict one.
  double level() const { return loss() == RegressionLoss::quantile ? values[0] : 0.5; }
  /// The coefficient of variation of Poisson rates before any row is seen; 0: there is no prior.
  double shrink() const { return loss() == RegressionLoss::poisson ? values[0] : 0; }
  /// Whether a regression criterion needs the order of the target values, not only sums.
  bool is_ordered() const { return numeric && !numeric->score; }
  bool has_tie_break() const {
    return (builtin && builtin->tie_break) || interpreted_tie_break ||
           (composed && !composed->tie.empty());
  }
  /// Built-in criteria see only the classes that occur in a node; a user's criterion sees all of
  /// them.
  bool sees_present_classes() const { return builtin || composed; }
  bool calls_interpreter() const {
    return interpreted || (composed && composed->calls_interpreter);
  }
};

/// Quinlan's rules of C4.5, release 8. With any of them a column's cut is chosen by information
/// gain and the columns compete by gain ratio.
struct C45Rules {
  bool threshold_cost = false;  // a cut among many costs log2(tries) / n bits
  bool average_gain = false;    // only columns of at least average gain compete
  double min_branch = 0;        // clamp(0.1 n / K, min_branch, 25) weight in either branch; 0 = off
  bool any() const { return threshold_cost || average_gain || min_branch > 0; }
};

/// Where rows with a missing value go.
enum class Missing { both, left, right, fractional };

/// Which partitions of the categories of a column are tried.
enum class Categories { subset, one_vs_rest, multiway };

/// Trees that choose the column by a statistical test, not by a criterion.
enum class ByTest { none, chaid, quest, ctree, guide };

/// Whether a test chooses the column, and the criterion its cut.
inline bool is_cut_by_criterion(ByTest test) {
  return test == ByTest::ctree || test == ByTest::guide;
}

struct ChaidRules {
  double alpha_merge = 0.05;
  double alpha_split = 0.05;
  bool resplit = false;  // try to split merged groups of three and more categories again
  bool binary = false;   // merge until two groups are left
};

/// The rules of conditional inference trees, as in R's partykit.
struct CtreeRules {
  double alpha = 0.05;
  double min_share = 0.01;    // of a node's weight that each child must have: `minprob`
  std::uint32_t n_tries = 2;  // columns whose cuts are tried, most significant first: `splittry`
  double tol = 0;             // columns whose linear statistic varies by less are not tested
};

/// Where dGMML cuts the column it has chosen.
enum class SplitPoint { gap, median, mean, midpoint };  // the last only if nothing else works

/// The rules of dGMML (Li, Chen 2022), which ranks the columns by class means and spreads.
struct DgmmlRules {
  SplitPoint split_point = SplitPoint::gap;
  std::uint32_t n_gap_points = 10;  // half of them from either class
  bool by_scatter = false;          // class means against the overall mean, not against each other
  bool falls_back = true;           // to one split by Gini where all class means are equal
  bool by_code = false;             // moments of binned columns come from class counts by code
};

/// Trees whose nodes may be split by hyperplanes.
struct Oblique {
  enum class Scale { none, global, node };
  ObliqueRules method;
  Scale scale = Scale::global;  // of columns, to [-1, 1], before they are mixed
  bool compare_axis = true;     // only hyperplanes better than any split of one column
  bool scans = false;           // cut by the criterion, even if the method has its own cut
  std::uint32_t max_terms = 0;  // columns of a hyperplane; 0 = any number
  std::int64_t min_rows = 0;    // of a node split by a hyperplane; -1 = 2 per column
  std::vector<std::vector<std::uint32_t>> groups;  // columns that may be mixed; empty = all
};

enum class Impurities { gini, entropy, misclassification };

struct Plan {
  ChosenCriterion criterion;
  C45Rules c45;
  bool threshold_cost = false;             // a cut among many costs log2(tries) / n of the score
  Impurities impurity = Impurities::gini;  // what the tree reports of its nodes, and prunes by

  int max_depth = std::numeric_limits<int>::max();
  std::uint64_t min_split_rows = 2;
  double max_purity = 1;  // a node whose largest class has this share is a leaf
  std::uint64_t min_leaf_rows = 1;
  double min_leaf_share = 0;   // of the total weight
  double min_leaf_weight = 0;  // the same in units of the target
  std::uint64_t n_training_rows = 0;
  double training_weight = 0;  // these three are set by grow()
  double min_decrease = 0;
  std::uint32_t max_leaves = 0;  // 0 = no limit, depth-first; else best-first

  std::uint32_t max_columns = 0;  // 0 = all
  bool random_cuts = false;
  bool central_cuts = false;  // numeric columns are cut at their mean or median only
  std::uint64_t seed = 0;
  bool threshold_is_value = false;
  std::vector<int> monotonic;  // per column: -1, 0 or 1; empty if none

  Missing missing = Missing::both;
  Categories categories = Categories::subset;
  std::uint32_t max_exhaustive = 8;  // categories of which all subsets are tried
  std::uint32_t max_subset = 0;      // categories on the smaller side; 0 = any number
  bool gives_up = false;             // a child that is too small makes the node a leaf
  bool splits_at_zero = false;       // split impure nodes even without a gain
  std::uint32_t n_recorded = 0;      // candidate splits recorded for each node
  bool is_binned = false;        // whether codes stand for bins; structure is then measured by code
  std::vector<Expression> also;  // further scores of the recorded splits
  ByTest by_test = ByTest::none;
  ChaidRules chaid;
  double quest_alpha = 0.05;
  CtreeRules ctree;
  bool guide_interactions = false;  // test pairs of columns where none is significant alone
  std::optional<DgmmlRules> dgmml;  // if set, the criterion is not used
  std::optional<Oblique> oblique;

  /// Whether columns compete by something else than the scores of their cuts.
  bool corrects_scores() const { return c45.any() || threshold_cost; }

  int n_threads = 1;
  /// Called between nodes by the thread that called grow(), with the fraction of rows that have
  /// reached a leaf. Returning true stops the growth.
  std::function<bool(double)> should_stop;
};

/// Calls visit(expression) for all expressions of a plan.
template <class Visit>
void each_expression(const Plan& plan, Visit visit) {
  if (const auto& composed = plan.criterion.composed) {
    visit(composed->score);
    visit(composed->relative);
    visit(composed->tie);
    for (const auto& choice : composed->then) visit(choice.by);
  }
  for (const Expression& expression : plan.also) visit(expression);
}

/// The user's name for the criterion of a plan.
inline std::string name_of(const ChosenCriterion& criterion) {
  if (criterion.composed) return criterion.composed->text;
  if (criterion.builtin) return std::string(criterion.builtin->info->name);
  return criterion.numeric ? std::string(criterion.numeric->info->name) : "the user's criterion";
}

/// Whether a plan needs the rows of a node, not only sums.
inline bool reads_rows(const Plan& plan) {
  bool reads = false;
  each_expression(plan, [&](const Expression& expression) {
    reads = reads || has_step(expression, looks_at_rows);
  });
  return reads;
}

/// Thrown when `should_stop` stopped the growth.
struct Stopped {};

}  // namespace ramify
