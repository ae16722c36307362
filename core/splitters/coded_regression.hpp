// SPDX-License-Identifier: BSD-3-Clause
// Regression by random cuts, as ColumnSplitter learns it from coded rows: one pass over the values
// of the rows finds the ends of all columns, a second one what lies left of the cuts. Nothing is
// sorted or coded.
#pragma once

#include <span>
#include <vector>

#include "search/random_cuts.hpp"
#include "splitters/measured.hpp"
#include "util/parallel.hpp"

namespace ramify {

class CodedRegression : public MeasuredSplitter {
 public:
  struct Waiting : MeasuredNode {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t n_rows() const { return end - begin; }
  };

  std::span<const double> statistics(const Waiting& node, std::size_t, Workers workers) {
    return desk(workers).statistics = {node.output.value, node.impurity, node.sums[0]};
  }

 protected:
  CodedRegression(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                  const Plan& plan, Pool& pool);

  void measure_root(Node& node, Waiting& root) {
    measure(root, desks_[0]);
    write_root(root, node);
  }
  void start(const Waiting&, std::span<const double>, std::span<const std::uint32_t>,
             Workers) const {}
  Split best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                std::span<std::uint8_t> is_constant, Workers workers);
  void prefetch_cut(const Waiting&, const Split&, Workers) const {}
  std::uint32_t begin_partition(const Waiting& node, const Split& split, Workers workers);
  void end_partition(const Waiting&, std::span<const double>, const Split&,
                     std::span<Waiting> children, std::span<const std::uint32_t>, Workers workers) {
    for (Waiting& child : children) measure(child, desk(workers));
  }

 private:
  /// What one thread needs.
  struct Desk {
    RegressionBuffers regression;
    std::vector<RowIndex> spare;
    RandomCuts cuts;
    std::vector<double> statistics;
  };
  Desk& desk(Workers workers) { return desks_[static_cast<std::size_t>(workers.first)]; }
  std::span<RowIndex> row_indices(const Waiting& node) {
    return std::span(row_indices_).subspan(node.begin, node.n_rows());
  }
  void measure(Waiting& node, Desk& mine);
  Split first_of_best(const Waiting& node, const RandomCuts& cuts) const;

  ValueRecords records_;
  std::vector<RowIndex> row_indices_;  // by target and by record
  std::vector<Desk> desks_;            // by thread
};

}  // namespace ramify
