// SPDX-License-Identifier: BSD-3-Clause
// The splitter of trees whose nodes look at a few sampled columns, as those of forests do: rows lie
// as row-major codes, and a node is a list of row indices.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "search/non_constant_columns.hpp"
#include "search/sampled/search.hpp"
#include "select/admissible.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

template <class Key>
class SampledSplitter {
 public:
  using Sum = typename Weigher<Key>::Sum;

  struct Waiting {
    std::uint32_t begin, end;
    int depth, place;
    std::uint64_t key;
    NonConstantColumns::Range non_constant;
    std::uint32_t n_rows() const { return end - begin; }
  };
  static constexpr unsigned nodes_per_request = 32;  // to look at the clock takes time

  SampledSplitter(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                  const Plan& plan, Pool& pool);

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
    const double weight =
        plan_.min_decrease > 0 ? weight_of(target_, statistics) : 0;  // else not asked
    return pays(plan_, target_, split, 1, weight);
  }
  double gain_unit(const Waiting&) const { return 1; }
  void partition(Waiting& node, std::span<const double> statistics, Split& split, Workers workers,
                 std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting&, std::size_t branch, Workers workers) const {
    return desks_[static_cast<std::size_t>(workers.first)]->statistics[branch];
  }
  Bounds bounds(const Waiting&) const { return {}; }
  void finish(Waiting&, Workers) const {}
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    SampledSearch<Key> search;
    std::vector<RowIndex> spare;
    NonConstantColumns non_constant;
    std::vector<std::uint32_t> branches;  // by code, where a threshold does not say it
    std::vector<Sum> counts;              // on its left, by class
    std::vector<double> statistics[2];    // of its children
  };
  std::uint32_t partition_by_code(std::span<RowIndex> row_indices, const Waiting& node,
                                  const Split& split, Desk& mine);
  std::uint32_t partition_by_value(std::span<RowIndex> row_indices, const Waiting& node,
                                   const Split& split, Desk& mine);
  std::uint32_t partition_listed(std::span<RowIndex> row_indices, const Waiting& node,
                                 const Split& split, Desk& mine);
  void count(std::span<const RowIndex> row_indices, Desk& mine) const {
    kernels().keys<Key>().count_indices(
        row_indices.data(), static_cast<std::uint32_t>(row_indices.size()),
        {rows_.layout(), target_.weight.data()}, static_cast<int>(n_classes_), mine.counts.data());
  }
  Desk& desk(Workers workers) const { return *desks_[static_cast<std::size_t>(workers.first)]; }

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  IndexedRows rows_;
  std::vector<std::unique_ptr<Desk>> desks_;  // by thread
  HandedOver handed_over_;                    // live columns of nodes for other threads
  std::size_t n_classes_;
};

}  // namespace ramify
