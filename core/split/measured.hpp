// SPDX-License-Identifier: BSD-3-Clause
// What splitters of trees of one number have in common: a node is measured when it is made, and
// answers by that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "choose/admissible.hpp"
#include "numbers/numbers.hpp"
#include "split/live_columns.hpp"
#include "split/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

struct MeasuredNode {
  int depth = 0, place = 0;
  std::uint64_t key = 0;
  LiveColumns::Part live{};
  bool is_leaf = false;  // there is nothing left to split, or nothing that may be split
  NodeNumbers::Output output{};
  double impurity = 0, sums[2] = {};
};

class MeasuredSplitter {
 public:
  static constexpr unsigned nodes_per_question = 32;

  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return 2048; }
  std::size_t expected_nodes(std::uint32_t n_rows) const {
    return std::min(std::size_t{2} * n_rows, std::size_t{1} << 18);
  }
  bool is_leaf(const MeasuredNode& node, std::span<const double>) const {
    return node.is_leaf || node.live.n == 0;
  }
  bool is_worth(const MeasuredNode& node, std::span<const double>, const Split& split) const {
    return pays(plan_, target_, split, node.impurity, node.sums[0]);
  }
  double gain_unit(const MeasuredNode& node) const { return node.impurity; }
  Bounds bounds(const MeasuredNode&) const {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  void finish(MeasuredNode&, Workers) const {}

 protected:
  MeasuredSplitter(const Target& target, const Plan& plan) : target_(target), plan_(plan) {}

  const Target& target_;
  const Plan& plan_;
  HandedOver handed_over_;
};

}  // namespace ramify
