// SPDX-License-Identifier: BSD-3-Clause
// The splitter of trees of numbers that draw their cuts: one pass over the values of the rows finds
// the ends of all columns, a second one what lies left of the cuts. Nothing is sorted or coded.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "search/column_sampler.hpp"
#include "search/random_cuts.hpp"
#include "splitters/measured.hpp"
#include "util/parallel.hpp"

namespace ramify {

class RandomRegression : public MeasuredSplitter {
 public:
  struct Waiting : MeasuredNode {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t n_rows() const { return end - begin; }
  };

  RandomRegression(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                   const Plan& plan, Pool& pool);

  /// Measures the node, too.
  Waiting root(Node& node);
  Split best(Waiting& node, std::span<const double> statistics, Workers workers,
             const std::function<bool()>& must_stop);
  void partition(Waiting& node, std::span<const double> statistics, Split& split, Workers workers,
                 std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting& node, std::size_t, Workers workers);
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    NonConstantColumns non_constant{};
    ColumnSampler sampler{};
    RegressionBuffers regression{};
    std::vector<RowIndex> spare{};
    RandomCuts cuts{};
    std::vector<double> statistics{};
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  std::span<RowIndex> row_indices(const Waiting& node) {
    return std::span(row_indices_).subspan(node.begin, node.n_rows());
  }
  void measure(Waiting& node, Desk& mine);
  Split first_of_best(const Waiting& node, const RandomCuts& cuts) const;

  ValueRecords records_;
  std::vector<RowIndex> row_indices_;  // by target and by record
  std::vector<std::unique_ptr<Desk>> desks_;
};

}  // namespace ramify
