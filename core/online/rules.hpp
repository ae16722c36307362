// SPDX-License-Identifier: BSD-3-Clause
// What was chosen for an online tree.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "online/bounds.hpp"
#include "online/leaf.hpp"
#include "plan/plan.hpp"

namespace ramify::online {

/// What must be certain before a leaf is split: that its split is not chance, or that its column is
/// the best, too; the last is VFDT's heuristic.
enum class Certain : std::uint8_t { split, column, hoeffding };

/// How the difference of two gains is bounded.
enum class Bound : std::uint8_t { mcdiarmid, normal };

enum class Drift : std::uint8_t { none, replace, reevaluate };

/// One criterion, and how it becomes certain. Several share delta, and the first that is certain
/// decides.
struct Contest {
  Plan plan;
  Bound bound = Bound::normal;
  GainType type = GainType::of_n_rows;
  BoundedImpurity impurity = BoundedImpurity::gini;  // for McDiarmid's bound
  double range = 1;                                  // of gains, for Hoeffding's bound
  bool is_in_bits = false;  // whether that is to be multiplied by log2 of the classes
};

struct Rules {
  std::vector<Contest> contests;
  Certain certain = Certain::split;
  double delta = 0.01;
  double tie_threshold = 0.05;
  std::uint32_t grace_period = 100;
  double min_branch_share = 0.01;
  std::uint64_t min_leaf_rows = 1;
  int max_depth = std::numeric_limits<int>::max();
  std::uint64_t max_leaves = 0;   // 0: no limit
  std::uint64_t max_bytes = 0;    // of sums and moments; 0: no limit
  std::uint32_t max_columns = 0;  // drawn at each attempt; 0: all
  Predictor predictor = Predictor::adaptive;
  Drift drift = Drift::none;
  double max_share = 0.99;  // of a class in a leaf that is searched

  bool keeps_recent() const {
    bool keeps = false;
    const bool compares = certain == Certain::column || drift == Drift::reevaluate;
    for (const Contest& contest : contests)
      keeps = keeps || (compares && contest.bound == Bound::normal);
    return keeps;
  }
};

}  // namespace ramify::online
