// SPDX-License-Identifier: BSD-3-Clause
// Regression nodes whose columns are all sorted lists without missing values, the common case:
// fully grown trees have as many nodes as rows, so here everything is done once per node and not
// once per column.
#pragma once

#include <cstdint>
#include <span>

#include "regression/target.hpp"
#include "scan/cuts.hpp"
#include "scan/plain_kernels.hpp"
#include "select/split.hpp"

namespace ramify {

class PlainNodes {
 public:
  PlainNodes(const Training& training, const RegressionTarget* regression);

  /// Whether a node is small enough. With random cuts any is, unless several threads may share it.
  bool may_search(const Node& node, bool is_alone) const {
    const bool is_small = node.n_rows() <= CutBlock::capacity;
    return is_possible_ && (is_small || (training_.plan.random_cuts && is_alone));
  }

  /// Returns the best split of a node among some of its columns. Removes columns from
  /// `node.non_constant` that turn out constant.
  Split best(Node& node, std::span<const std::uint32_t> columns, CutBuffers& buffers) const {
    return training_.plan.random_cuts ? best_random(node, columns)
                                      : best_of_all(node, columns, buffers);
  }

 private:
  Split best_of_all(Node& node, std::span<const std::uint32_t> columns, CutBuffers& buffers) const;
  Split best_random(Node& node, std::span<const std::uint32_t> columns) const;

  Training training_;
  const RegressionTarget* regression_;
  bool is_possible_;  // in this fit
  const PlainKernel* kernel_ = nullptr;
};

}  // namespace ramify
