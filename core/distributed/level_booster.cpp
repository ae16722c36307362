// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/level_booster.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ramify {
namespace {

constexpr std::size_t nodes_in_advance = 32;  // nodes split in advance, where growth is best-first

/// How many histograms fit into a memory budget.
std::size_t histograms_in(std::size_t budget, const BinnedColumns& columns, bool counts_rows) {
  const std::size_t bytes = sizeof(Pair) + (counts_rows ? sizeof(std::uint32_t) : 0);
  return budget / (columns.n_columns() * histogram_codes * bytes);
}

}  // namespace

LevelBooster::LevelBooster(const BinnedColumns& columns, const GrowthLimits& limits,
                           const Scales& scales, double weight_unit,
                           std::vector<std::uint8_t> is_used, std::size_t budget)
    : columns_(columns),
      is_used_(std::move(is_used)),
      is_best_first_(limits.max_leaves > 0),
      tree_(columns, limits, histograms_in(budget, columns, limits.min_leaf_rows > 1)) {
  tree_.start(scales, weight_unit, is_used_);
}

std::vector<int> LevelBooster::request(std::size_t max) {
  std::vector<int> nodes;
  requested_.clear();
  if (tree_.is_complete()) return nodes;
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(max, waiting_.size()));
  requested_.assign(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  for (const Family& family : requested_) nodes.push_back(family.counted);
  return nodes;
}

void LevelBooster::respond(const BoostResponse& response) {
  const std::size_t size = columns_.n_columns() * histogram_codes;
  if (response.sums.size() != requested_.size() * size ||
      response.counts.size() != (needs_counts() ? response.sums.size() : 0))
    throw std::invalid_argument("the sums are not those that were requested");
  respond_rows(response.n_rows, response.weight);
  for (std::size_t i = 0; i < requested_.size(); ++i)
    receive(requested_[i], response.sums.subspan(i * size, size),
            needs_counts() ? response.counts.subspan(i * size, size) : response.counts);
  requested_.clear();
  extend();
}

/// Finds the best splits of a family from the sums of one of its nodes.
void LevelBooster::receive(const Family& family, std::span<const Pair> sums,
                           std::span<const std::uint32_t> counts) {
  if (family.counted == 0)  // every row has a code in the first column
    tree_.rules().note_sums(tree_[0],
                            std::accumulate(sums.begin(), sums.begin() + histogram_codes, Pair{0}));
  tree_.open({&family, 1});
  const HistogramView histogram = tree_.histogram_of(family.counted);
  std::ranges::copy(sums, histogram.sums);
  std::ranges::copy(counts, histogram.counts);
  for (std::size_t block = 0; block < columns_.blocks.size(); ++block) tree_.search(family, block);
  tree_.settle(family);
}

void LevelBooster::respond_rows(std::span<const std::int64_t> n_rows,
                                std::span<const double> weight) {
  if (n_rows.size() != n_nodes() || (!weight.empty() && weight.size() != n_nodes()))
    throw std::invalid_argument("the number of rows must be supplied for every node");
  for (int i = 0; i < tree_.n_nodes(); ++i) {
    BoostNode& node = tree_[i];
    if (node.first_child >= 0) continue;
    node.n_rows = static_cast<std::uint32_t>(n_rows[i]);
    node.weight = weight.empty() ? node.n_rows : weight[i];
  }
}

/// Makes the splits that are known to be taken. Best-first, some more are made with each, so that
/// many nodes are requested at once.
void LevelBooster::extend() {
  for (std::vector<int> taken = tree_.take(GrowingTree::all); !taken.empty();
       taken = tree_.take(GrowingTree::all)) {
    for (const int number : taken) partition(number);
    if (is_best_first_) split_in_advance();
  }
}

/// Splits the open nodes with the highest gains.
void LevelBooster::split_in_advance() {
  std::vector<int> open;
  for (int i = 0; i < tree_.n_nodes(); ++i)
    if (tree_.is_open(i)) open.push_back(i);
  std::ranges::stable_sort(open, [&](int a, int b) { return tree_[a].gain() > tree_[b].gain(); });
  open.resize(std::min(open.size(), nodes_in_advance - 1));
  for (const int number : open) partition(number);
}

/// Makes the children of a node. Those that cannot be split need no sums.
void LevelBooster::partition(int number) {
  tree_.add_children(number);
  for (const Family& family : tree_.families_of(number)) waiting_.push_back(family);
}

BoostWays LevelBooster::ways() const {
  BoostWays ways;
  ways.goes.resize(n_nodes() * BoostWays::goes_bytes);
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    const BoostNode& node = tree_[static_cast<int>(i)];
    const bool is_leaf = node.first_child < 0;
    ways.column.push_back(is_leaf ? 0 : node.split.column);
    ways.first_child.push_back(node.first_child);
    std::uint8_t* goes = ways.goes.data() + i * BoostWays::goes_bytes;
    for (std::size_t code = 0; code < histogram_codes && !is_leaf; ++code)
      if (node.split.goes[code]) goes[code / 8] |= static_cast<std::uint8_t>(1u << code % 8);
  }
  return ways;
}

std::vector<double> LevelBooster::values() const {
  std::vector<double> values(n_nodes());
  values[0] = tree_[0].value;
  for (int i = 0; i < tree_.n_nodes(); ++i)  // children come after their parents
    if (const int first = tree_[i].first_child; first >= 0)
      for (const int child : {first, first + 1})
        values[child] = tree_.is_taken(i) ? tree_[child].value : values[i];
  return values;
}

}  // namespace ramify
