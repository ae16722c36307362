// SPDX-License-Identifier: BSD-3-Clause
// The best split of a node whose rows are elsewhere, from its sums alone: by the search that grows
// trees in memory.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dgmml/search.hpp"
#include "rows/block.hpp"
#include "search/search.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// Sums of a slot, [cell][channel], as a search reads them; `units` is empty in classification.
NodeSums node_sums(const Layout& layout, std::span<const std::int64_t> sums,
                   std::span<const double> units = {});

/// What a search finds.
struct FoundSplit {
  Split split;
  std::vector<std::uint32_t> non_constant;  // columns
  std::vector<Recorded> recorded;
};

class SumSearch {
 public:
  /// All of these must outlive this.
  SumSearch(const Table& table, const Target& target, const Plan& plan)
      : table_(table), target_(target), plan_(plan) {}

  /// Begins once target and plan hold the weight of all rows.
  void start();
  bool has_started() const { return search_ != nullptr; }
  /// `cuts`, if not null, are those that are counted for this node.
  FoundSplit best(Node node, const NodeSums& sums, RequestedCuts* cuts = nullptr);
  /// Forgets a search that threw.
  void abandon() { scratch_ = std::vector<Scratch>(1); }

 private:
  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  Pool pool_{1};
  Store store_;
  std::unique_ptr<RegressionTarget> regression_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<DgmmlSearch> dgmml_;  // used instead, if there is one
  DgmmlScratch dgmml_scratch_;
  std::vector<Scratch> scratch_{1};
};

/// Calls a user's function with the cuts of many nodes at once. A search that lacks scores is
/// abandoned, and restarted when they are there: most make one request.
class BatchScorer {
 public:
  /// Scores the cuts of several nodes, a batch each, in one call.
  using Function = std::function<std::vector<double>(std::span<const CutBatch>)>;
  /// Calls its argument with each node and its sums.
  using EachNode = std::function<void(std::function<void(int, std::span<const std::int64_t>)>)>;

  explicit BatchScorer(Function function) : function_(std::move(function)) {}

  /// Scores the cuts of the node that is being searched.
  void score(CutBatch&& batch, double* scores);
  /// Searches all nodes.
  std::map<int, FoundSplit> search(
      SumSearch& search, const EachNode& each,
      const std::function<FoundSplit(int, std::span<const std::int64_t>)>& best);

 private:
  /// The scores of a node, request by request, and the next request.
  struct Requested {
    std::vector<std::vector<double>> answers;
    std::size_t next = 0;
    CutBatch request{};
  };
  void request(std::span<Requested*> requested) const;

  Function function_;
  Requested* current_ = nullptr;  // the node being searched
};

}  // namespace ramify
