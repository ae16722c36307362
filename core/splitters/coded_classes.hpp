// SPDX-License-Identifier: BSD-3-Clause
// Classes, as ColumnSplitter learns them from coded rows: these lie as row-major codes (or values,
// for random cuts), and a node is a list of row indices. Trees that look at all of their columns,
// which have low cardinality then, keep a histogram for each node that waits.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "search/non_constant_columns.hpp"
#include "search/sampled/search.hpp"
#include "select/admissible.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// Does each node look at few columns?
inline bool samples_columns(const Table& table, const Plan& plan) {
  return plan.random_cuts || (plan.max_columns > 0 && 2 * plan.max_columns <= table.columns.size());
}

template <class Key>
class CodedClasses {
 public:
  using Sum = typename Weigher<Key>::Sum;

  struct Waiting {
    std::uint32_t begin = 0, end = 0;
    int depth = 0, place = 0;
    std::uint64_t key = 0;
    NonConstantColumns::Range non_constant{};
    int cells = -1;  // its slot of counts, if someone has made them
    std::uint32_t n_rows() const { return end - begin; }
  };

  std::size_t expected_nodes(std::uint32_t n_rows) const { return n_rows / 2; }
  bool is_leaf(const Waiting& node, std::span<const double> statistics) const {
    return ramify::is_leaf(plan_, target_, node.depth, node.n_rows(), node.non_constant.n > 0,
                           statistics);
  }
  bool is_worth(const Waiting&, std::span<const double> statistics, const Split& split) const {
    const double weight =
        plan_.min_decrease > 0 ? weight_of(target_, statistics) : 0;  // else not asked
    return pays(plan_, target_, split, 1, weight);
  }
  double gain_unit(const Waiting&) const { return 1; }
  std::span<const double> statistics(const Waiting&, std::size_t branch, Workers workers) const {
    return desks_[static_cast<std::size_t>(workers.first)]->statistics[branch];
  }
  Bounds bounds(const Waiting&) const { return {}; }
  void finish(Waiting& node, Workers workers);

 protected:
  CodedClasses(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
               const Plan& plan, Pool& pool);

  void measure_root(const Node&, const Waiting&) const {}
  /// Counts a node that nobody has counted.
  void start(Waiting& node, std::span<const double> statistics,
             std::span<const std::uint32_t> columns, Workers workers);
  Split best_of(const Waiting&, std::span<const std::uint32_t> columns,
                std::span<std::uint8_t> is_constant, Workers workers) {
    return desk(workers).search.best_of(columns, is_constant);
  }
  void prefetch_cut(const Waiting&, const Split&, Workers) const {}
  std::uint32_t begin_partition(const Waiting& node, const Split& split, Workers workers);
  void end_partition(Waiting& node, std::span<const double> statistics, const Split& split,
                     std::span<Waiting> children, std::span<const std::uint32_t> columns,
                     Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    Desk(const Table& table, const Target& target, const Plan& plan, const IndexedRows& rows,
         int stride)
        : search(table, target, plan, rows), cells(table, stride, CellCall::codes_at_once) {}

    SampledSearch<Key> search;
    NodeCells cells;
    std::vector<RowIndex> spare{};
    std::vector<std::uint32_t> branches{};  // by code, where a threshold does not say it
    std::vector<Sum> counts{};              // on its left, by class
    std::vector<double> statistics[2]{};    // of its children
  };
  Desk& desk(Workers workers) const { return *desks_[static_cast<std::size_t>(workers.first)]; }
  bool needs_cells(const Waiting& node, std::span<const double> statistics) const;
  void count_cells(const Waiting& node, std::span<const std::uint32_t> columns, int slot,
                   Workers workers);
  void share_cells(Waiting& node, std::span<Waiting> children,
                   std::span<const std::uint32_t> columns, Workers workers);
  std::uint32_t partition_by_code(std::span<RowIndex> row_indices, const Split& split, Desk& mine);
  std::uint32_t partition_by_value(std::span<RowIndex> row_indices, const Split& split, Desk& mine);
  std::uint32_t partition_listed(std::span<RowIndex> row_indices, const Split& split, Desk& mine);
  void count_classes(std::span<const RowIndex> row_indices, Desk& mine) const {
    kernels().keys<Key>().count_indices(
        row_indices.data(), static_cast<std::uint32_t>(row_indices.size()),
        {rows_.layout(), target_.weight.data()}, static_cast<int>(n_classes_), mine.counts.data());
  }

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  Pool& pool_;
  IndexedRows rows_;
  std::size_t n_classes_;
  int stride_;                       // of cells
  std::uint32_t min_counted_ = ~0u;  // rows of a node that is counted; none, if columns are sampled
  std::vector<std::unique_ptr<Desk>> desks_;  // by thread
};

}  // namespace ramify
