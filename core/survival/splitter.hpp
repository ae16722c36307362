// SPDX-License-Identifier: BSD-3-Clause
// The splitter of survival trees: owns the rows in sorted lists and the order of time, measures
// nodes, and asks the search for their best splits.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/column_sampler.hpp"
#include "splitters/splitter.hpp"
#include "survival/search.hpp"
#include "util/parallel.hpp"

namespace ramify {

class SurvivalSplitter {
 public:
  struct Waiting : ListSegment {
    int depth = 0, place = 0;
    std::uint64_t key = 0;
    std::vector<std::uint32_t> non_constant;  // columns not known to be constant here
    double risk = 0, impurity = 0, weight = 0, events = 0;
  };
  static constexpr unsigned nodes_per_request = 1;

  SurvivalSplitter(const Table& table, const TimeOrder& order, const Target& target,
                   const Plan& plan, const SurvivalRules& rules, Pool& pool);

  Waiting root(std::uint64_t key);
  double unit() const { return order_.unit; }
  std::uint32_t min_shared_rows() const { return 512; }
  std::size_t expected_nodes(std::uint32_t n_rows) const {
    return std::min(std::size_t{n_rows} + 2, std::size_t{1} << 18);
  }
  bool is_leaf(const Waiting& node, std::span<const double> statistics) const;
  Split best(Waiting& node, std::span<const double> statistics, Workers workers,
             const std::function<bool()>& must_stop);
  bool is_worth(const Waiting& node, std::span<const double> statistics, const Split& split) const;
  double gain_unit(const Waiting&) const { return 1; }
  void partition(Waiting& node, std::span<const double> statistics, Split& split, Workers workers,
                 std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting& node, std::size_t, Workers workers);
  Bounds bounds(const Waiting&) const {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  void finish(Waiting& node, Workers) const { node.non_constant = {}; }
  void hand_over(Waiting&) const {}
  void take_over(Waiting&, Workers) const {}

  /// The rows of all nodes; those of a leaf are a segment in the order of time.
  const SurvivalLists& lists() const { return lists_; }

 private:
  /// What one thread needs.
  struct Desk {
    SurvivalSums sums;
    SearchRoom room;
    SurvivalLists::Room parting;
    ColumnSampler sampler;
    std::vector<Split> found;
    double statistics[3] = {};
  };
  Desk& desk(int worker) { return *desks_[static_cast<std::size_t>(worker)]; }
  void measure(Waiting& node) const;
  RootScores root_scores() const;

  const Table& table_;
  const TimeOrder& order_;
  const Target& target_;
  const Plan& plan_;
  const SurvivalRules& rules_;
  Pool& pool_;
  SurvivalLists lists_;
  RootScores root_scores_;
  SurvivalSearch search_;
  std::vector<std::unique_ptr<Desk>> desks_;  // by thread
};

}  // namespace ramify
