// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/level_booster.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace ramify {
namespace {

constexpr std::size_t nodes_in_advance = 32;  // nodes split in advance, where growth is best-first

}  // namespace

LevelBooster::LevelBooster(const BinnedColumns& columns, const GrowthLimits& limits,
                           const Scales& scales, double weight_unit,
                           std::vector<std::uint8_t> is_used, std::size_t budget)
    : columns_(columns),
      limits_(limits),
      growth_(columns, limits_, scales, weight_unit),
      is_used_(std::move(is_used)),
      max_kept_(budget / (histogram_size() * (sizeof(Pair) + (needs_counts() ? 4 : 0)))) {
  nodes_.emplace_back();
  waiting_.push_back({0, -1, -1});
}

std::vector<int> LevelBooster::request(std::size_t max) {
  std::vector<int> nodes;
  requested_.clear();
  if (is_done_) return nodes;
  const std::size_t n = std::min(max, waiting_.size());
  requested_.assign(waiting_.begin(), waiting_.begin() + n);
  waiting_.erase(waiting_.begin(), waiting_.begin() + n);
  for (const Family& family : requested_) nodes.push_back(family.counted);
  return nodes;
}

void LevelBooster::respond(const BoostResponse& response) {
  const std::size_t size = histogram_size();
  if (response.sums.size() != requested_.size() * size ||
      response.counts.size() != (needs_counts() ? response.sums.size() : 0))
    throw std::invalid_argument("the sums are not those that were requested");
  respond_rows(response.n_rows, response.weight);
  for (std::size_t slot = 0; slot < requested_.size(); ++slot) {
    const Family family = requested_[slot];
    auto own = std::make_unique<BoostHistogram>(columns_.n_columns(), needs_counts());
    const HistogramView view = own->view();
    std::ranges::copy(response.sums.subspan(slot * size, size), view.sums);
    if (needs_counts()) std::ranges::copy(response.counts.subspan(slot * size, size), view.counts);
    if (family.counted == 0)  // every row has a code in the first column
      growth_.note_sums(nodes_[0],
                        std::accumulate(view.sums, view.sums + histogram_codes, Pair{0}));
    if (family.other >= 0) {
      std::unique_ptr<BoostHistogram> rest = std::move(nodes_[family.parent].own);
      --n_kept_;
      for (const ColumnBlock& block : columns_.blocks) rest->view().subtract(view, block);
      know(family.other, std::move(rest));
    }
    know(family.counted, std::move(own));
  }
  requested_.clear();
  extend();
}

void LevelBooster::respond_rows(std::span<const std::int64_t> n_rows,
                                std::span<const double> weight) {
  if (n_rows.size() != nodes_.size() || (!weight.empty() && weight.size() != nodes_.size()))
    throw std::invalid_argument("the number of rows must be supplied for every node");
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    if (node.first_child >= 0) continue;
    node.n_rows = static_cast<std::uint32_t>(n_rows[i]);
    node.weight = weight.empty() ? node.n_rows : weight[i];
  }
}

/// Finds the best split of a node, and keeps its sums while they are useful.
void LevelBooster::know(int number, std::unique_ptr<BoostHistogram> histogram) {
  Node& node = nodes_[number];
  node.is_known = true;
  if (!growth_.may_split(node)) return;
  for (const ColumnBlock& block : columns_.blocks) {
    const BlockSums sums = histogram->view().of(block, node.sums, node.n_rows);
    const BoostSplit split = find_split(columns_, block, sums, growth_.rules(), is_used_);
    if (split.score > node.split.score) node.split = split;
  }
  node.is_open = growth_.is_worth_it(node);
  if (!node.is_open || n_kept_ >= max_kept_) return;
  node.own = std::move(histogram);
  ++n_kept_;
}

/// Splits nodes whose splits are made, or may be, and lets their children wait.
void LevelBooster::extend() {
  const std::size_t n = nodes_.size();
  if (limits_.max_leaves == 0) {
    for (std::size_t i = 0; i < n; ++i)
      if (nodes_[i].is_open && nodes_[i].first_child < 0) {
        nodes_[i].is_taken = true;
        partition(static_cast<int>(i));
      }
    is_done_ = waiting_.empty();
    return;
  }
  for (int next = replay(); next >= 0; next = replay()) {
    std::vector<int> others;
    for (std::size_t i = 0; i < n; ++i)
      if (nodes_[i].is_open && nodes_[i].first_child < 0 && static_cast<int>(i) != next)
        others.push_back(static_cast<int>(i));
    std::ranges::stable_sort(others, [&](int a, int b) {
      return growth_.gain_of(nodes_[a]) > growth_.gain_of(nodes_[b]);
    });
    partition(next);
    for (std::size_t i = 0; i < std::min(others.size(), nodes_in_advance - 1); ++i)
      partition(others[i]);
  }
}

/// Makes the children of a node. Those that cannot be split need no sums.
void LevelBooster::partition(int number) {
  const auto first = static_cast<int>(nodes_.size());
  const auto [left, right] = growth_.children_of(nodes_[number]);
  nodes_[number].first_child = first;
  bool may[2];
  for (int i : {0, 1}) {
    Node child;
    static_cast<BoostNode&>(child) = i == 0 ? left : right;
    may[i] = child.depth < limits_.max_depth &&
             hessian_of(child.sums) >= 2 * growth_.rules().min_hessian;
    child.is_known = !may[i];
    nodes_.push_back(std::move(child));
  }
  const bool left_is_larger = hessian_of(left.sums) > hessian_of(right.sums);
  Node& node = nodes_[number];
  if (node.own && may[0] && may[1]) {
    waiting_.push_back({first + left_is_larger, first + !left_is_larger, number});
    return;
  }
  if (node.own) --n_kept_;
  node.own.reset();
  for (int i : {0, 1})
    if (may[i]) waiting_.push_back({first + i, -1, -1});
}

/// Makes splits in the order of their gains, as far as they are known. Returns the node that is
/// next but has no children yet; -1 if sums are needed first, or if the tree is complete.
int LevelBooster::replay() {
  using Best = std::tuple<double, int, int>;  // gain, then the lower index; the node
  std::priority_queue<Best> open;
  std::uint32_t n_leaves = 1;
  int n_made = 0;
  bool is_known = true;
  const auto reach = [&](int i) {
    is_known &= nodes_[i].is_known;
    if (nodes_[i].is_open) open.emplace(growth_.gain_of(nodes_[i]), -n_made, i);
    ++n_made;
  };
  for (Node& node : nodes_) node.is_taken = false;
  reach(0);
  while (is_known) {
    if (open.empty() || n_leaves >= limits_.max_leaves) {
      is_done_ = true;
      return -1;
    }
    const int node = std::get<2>(open.top());
    if (nodes_[node].first_child < 0) return node;
    open.pop();
    nodes_[node].is_taken = true;
    ++n_leaves;
    reach(nodes_[node].first_child);
    reach(nodes_[node].first_child + 1);
  }
  return -1;
}

BoostWays LevelBooster::ways() const {
  BoostWays ways;
  ways.goes.resize(nodes_.size() * BoostWays::goes_bytes);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
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
  std::vector<double> values(nodes_.size());
  values[0] = nodes_[0].value;
  for (std::size_t i = 0; i < nodes_.size(); ++i)  // children come after their parents
    if (const int first = nodes_[i].first_child; first >= 0)
      for (const int child : {first, first + 1})
        values[child] = nodes_[i].is_taken ? nodes_[child].value : values[i];
  return values;
}

Tree LevelBooster::tree() const {
  std::vector<BoostNode> made(nodes_.begin(), nodes_.end());
  for (std::size_t i = 0; i < made.size(); ++i)
    if (!nodes_[i].is_taken) made[i].first_child = -1;
  return growth_.tree([&](int i) -> const BoostNode& { return made[i]; });
}

}  // namespace ramify
