// SPDX-License-Identifier: BSD-3-Clause
// The search of most splitters: the best split of each column of a node, and the best of these. How
// a column is searched depends on the target and the plan, and is chosen in one place, `way_of`.
#pragma once

#include <span>
#include <vector>

#include "expressions/finalists.hpp"
#include "regression/order_search.hpp"
#include "search/blocks.hpp"
#include "search/class_sums.hpp"
#include "search/scratch.hpp"

namespace ramify {

class Search {
 public:
  Search(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
         const Plan& plan, const Store& store, Pool& pool,
         const RegressionTarget* regression = nullptr);

  /// The best split of a node, or one that does not exist. Removes from `node.live` what turns out
  /// constant.
  Split best(Node& node, std::span<Scratch> scratch) const;

  /// The classes that occur in a node, for those who part it in ways of their own; the scores of
  /// such ways are those of `scorer`.
  NodeChannels present_classes(const Node& node) const {
    return classes_.of(node.sums, node.n_rows(), true);
  }
  const Scorer& scorer() const { return scorer_; }

  const Training training;

 private:
  /// How the best split of a column is found, or its best cut, once a test has chosen it.
  enum class Way { chaid, quest, multiway, order, class_sums, blocks };
  Way way_of(int column) const;

  NodeChannels channels_of(const Node& node, std::span<const double> sums,
                           std::uint64_t n_rows) const;
  NodeChannels known_channels(const Node& node, int column) const;
  /// A column that was chosen and is looked at once more: use(column).
  template <class Use>
  void look_again(const Node& node, int column, Scratch& scratch, Use use) const;

  void start(const Node& node, const NodeChannels& channels, std::span<Scratch> scratch) const;
  std::vector<Split> best_of_each(const Node& node, const NodeChannels& channels,
                                  std::span<const std::uint32_t> columns,
                                  std::span<Scratch> scratch) const;
  std::vector<Split> best_of_bounded(const Node& node, const NodeChannels& channels,
                                     std::span<const std::uint32_t> columns,
                                     std::span<Scratch> scratch) const;
  std::vector<Split> best_of_known(const Node& node, const NodeChannels& channels,
                                   std::span<const std::uint32_t> columns, Scratch& scratch) const;
  std::vector<Split> best_of_batch(const Node& node, const NodeChannels& channels,
                                   std::span<const std::uint32_t> columns, Scratch& scratch) const;
  Split best_of_one(const Node& node, const NodeChannels& channels, int column,
                    Scratch& scratch) const;
  Split best_of_known(const Node& node, int column, Scratch& scratch) const;
  Split best_of_column(const NodeColumn& column, Scratch& scratch) const;
  Split choose(const Node& node, const NodeChannels& channels, std::span<const Split> found,
               std::span<Scratch> scratch) const;
  Split finished(const Node& node, Split split, Scratch& scratch) const;
  Split best_by_test(const Node& node, const NodeChannels& channels, std::span<const Split> found,
                     Scratch& scratch) const;
  Split best_cut_of(const Node& node, const NodeChannels& channels, int column,
                    Scratch& scratch) const;
  Split tested(const NodeColumn& column, Scratch& scratch) const;
  bool asks_in_batches() const {
    return training.plan.criterion.interpreted && training.plan.by_test != ByTest::chaid &&
           training.plan.by_test != ByTest::quest;
  }

  Pool& pool_;
  const RegressionTarget* regression_;  // null if classes are learnt
  ClassChannels classes_;
  Scorer scorer_;
  Finalists finalists_;
  BlockSearch blocks_;
  ClassSumSearch class_sums_;
  std::optional<OrderSearch> order_;  // if a loss needs the order of numbers
  std::vector<Way> ways_;             // of each column
  bool weights_are_counts_;
};

}  // namespace ramify
