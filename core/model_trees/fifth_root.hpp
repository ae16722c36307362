// SPDX-License-Identifier: BSD-3-Clause
// The cuts of M5': the fifth root of the variance must fall (Wang, Witten 1997).
#pragma once

#include <cstdint>
#include <optional>

#include "model_trees/rules.hpp"
#include "model_trees/runs.hpp"

namespace ramify {

/// Weight, sum and sum of squares of some rows.
struct FifthRootSums {
  double weight = 0, sum = 0, squares = 0;

  FifthRootSums operator+(const FifthRootSums& o) const {
    return {weight + o.weight, sum + o.sum, squares + o.squares};
  }
  FifthRootSums operator-(const FifthRootSums& o) const {
    return {weight - o.weight, sum - o.sum, squares - o.squares};
  }
  double variance() const;
};

/// V^(1/5) - sum_t rho_t V_t^(1/5). A variance far below that of the node is rounding, and 0.
double fifth_root_score(const FifthRootSums& left, const FifthRootSums& right);

struct FifthRootCut {
  double score = 0;
  Division division{};
  FifthRootSums left{}, right{};
};

/// The best cuts of columns in one node, whose rows weigh `weight` and have sums about their mean.
class FifthRootSearch {
 public:
  FifthRootSearch(const ModelTreeRules& rules, double weight, double squares);

  /// Both return whether the column admits a cut.
  bool consider_numbers(const Runs& runs, std::uint32_t column);
  bool consider_categories(Runs& runs, std::uint32_t column, std::uint32_t n_categories);
  const std::optional<FifthRootCut>& best() const { return best_; }

 private:
  /// Calls found(missing_left) for each side of the missing values with which a cut is better.
  template <class Found>
  bool consider(const Runs& runs, const FifthRootSums& left, bool takes_all, Found found);
  bool side_without_missing(double left_weight) const;

  const ModelTreeRules& rules_;
  FifthRootSums all_;
  double least_, tolerance_;
  std::optional<FifthRootCut> best_;
};

}  // namespace ramify
