// SPDX-License-Identifier: BSD-3-Clause
// The splitter of plain trees whose columns have few codes: rows lie as row-major codes, a node is
// a list of members with counts by column, code and class, and a small node a word of bits.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rows/node_cells.hpp"
#include "search/column_sampler.hpp"
#include "search/low_cardinality_search.hpp"
#include "search/non_constant_columns.hpp"
#include "select/admissible.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

class LowCardinalitySplitter {
 public:
  struct Waiting {
    std::uint32_t begin, end;
    int depth, place;
    std::uint64_t key;
    NonConstantColumns::Range non_constant;
    std::uint64_t mask = 0;  // its rows, if they are bits; see MaskBlock
    int cells = -1;          // its counts, if someone has made them
    std::uint32_t n_rows() const { return end - begin; }
  };
  static constexpr unsigned nodes_per_request = 32;  // to look at the clock takes time

  LowCardinalitySplitter(const Table& table, std::span<const std::uint32_t> rows,
                         const Target& target, const Plan& plan, Pool& pool);

  Waiting root(const Node& node);
  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return 2048; }
  std::size_t expected_nodes(std::uint32_t n_rows) const { return n_rows / 2; }
  bool is_leaf(const Waiting& node, std::span<const double> statistics) const {
    return ramify::is_leaf(plan_, target_, node.depth, node.n_rows(), node.non_constant.n > 0,
                           statistics);
  }
  Split best(Waiting& node, std::span<const double> statistics, Workers workers,
             const std::function<bool()>& must_stop);
  bool is_worth(const Waiting&, std::span<const double> statistics, const Split& split) const {
    return pays(plan_, target_, split, 1, weight_of(target_, statistics));
  }
  double gain_unit(const Waiting&) const { return 1; }
  void partition(Waiting& node, std::span<const double> statistics, Split& split, Workers workers,
                 std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting&, std::size_t branch, Workers workers) const {
    return desks_[static_cast<std::size_t>(workers.first)]->statistics[branch];
  }
  Bounds bounds(const Waiting&) const { return {}; }
  void finish(Waiting& node, Workers workers);
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    LowCardinalitySearch search;
    NodeCells cells;
    ColumnSampler sampler;
    NonConstantColumns non_constant;
    std::vector<RowIndex> spare;
    std::vector<std::uint32_t> counts;  // on its left
    std::vector<double> statistics[2];  // of its children
    std::vector<std::uint8_t> is_constant;
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  bool is_counted(std::span<const double> statistics) const;
  void prepare(Waiting& node, std::span<const double> statistics,
               std::span<const std::uint32_t> columns, Workers workers, Desk& mine);
  void count(std::span<const RowIndex> row_indices, std::span<const std::uint32_t> columns,
             int cells, Workers workers, Desk& mine);
  void look_at(const Waiting& node, std::span<const std::uint32_t> columns, Desk& mine) const;
  void share_cells(Waiting& node, std::span<Waiting> children, Workers workers, Desk& mine);
  std::uint32_t partition_rows(const Waiting& node, const Split& split, Desk& mine);
  std::uint32_t partition_masks(const Waiting& node, const Split& split, Desk& mine,
                                std::uint64_t& left);

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  Pool& pool_;
  IndexedRows rows_;
  Store no_store_;
  ClassScores scores_;
  std::vector<std::unique_ptr<Desk>> desks_;  // by thread
  HandedOver handed_over_;                    // live columns of nodes for other threads
  std::size_t n_classes_;
  int stride_;
};

}  // namespace ramify
