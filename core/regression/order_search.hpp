// SPDX-License-Identifier: BSD-3-Clause
// The search for losses that are not functions of sums: absolute error and quantiles need the order
// of the target values, so rows move from side to side one by one.
#pragma once

#include <span>

#include "categories/search.hpp"
#include "regression/ordered.hpp"
#include "select/split.hpp"

namespace ramify {

class OrderSearch {
 public:
  OrderSearch(const Training& training, const RegressionTarget& regression)
      : training_(training), regression_(regression) {}

  /// Returns the best split of a numeric column.
  Split best(const NodeColumn& column, CutBuffers& cuts, OrderBuffers& order) const;

  /// Returns the best split of a categorical column. Prefixes of one order are judged like the cuts
  /// of a numeric column; other subsets one by one.
  Split best_of_categories(const NodeColumn& column, CategoryBuffers& categories, CutBuffers& cuts,
                           OrderBuffers& order) const;

 private:
  struct Verdict {
    double score, tie;
  };
  void list_rows(const NodeColumn& column, std::span<const std::uint32_t> codes,
                 OrderBuffers& order) const;
  void judge_cuts(const NodeColumn& column, OrderBuffers& order) const;
  void judge_ties(const NodeChannels& channels, OrderBuffers& order) const;
  void fill_block(const Column& info, const OrderBuffers& order, std::size_t first,
                  CutBuffers& cuts) const;
  template <class IsLeft>
  Verdict judge_subset(const NodeColumn& column, IsLeft is_left, bool fixed_left,
                       const OrderBuffers& order, OrderBuffers& alone) const;
  bool is_absolute() const { return training_.plan.criterion.loss() == RegressionLoss::absolute; }
  /// Factor from losses to fractions of the node's loss.
  double unit_of(const NodeColumn& column) const {
    const NodeChannels& channels = column.channels;
    const auto n_outputs = static_cast<double>(channels.outputs.size());
    return (is_absolute() ? 2 : 1) /
           (channels.outputs[0].total * n_outputs * column.node.regression.impurity);
  }

  Training training_;
  const RegressionTarget& regression_;
};

}  // namespace ramify
