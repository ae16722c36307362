// SPDX-License-Identifier: BSD-3-Clause
#include "boost/growing_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ramify {

GrowingTree::GrowingTree(const BinnedColumns& columns, const GrowthLimits& limits,
                         std::size_t max_kept)
    : columns_(columns), limits_(limits), max_kept_(max_kept) {}

void GrowingTree::start(const Scales& scales, double weight_unit,
                        std::span<const std::uint8_t> is_used) {
  rules_ = GrowthRules(limits_, scales, weight_unit);
  is_used_ = is_used;
  nodes_.assign(1, {});
  states_.assign(1, {});
  open_.clear();
  n_leaves_ = 1;
  n_reached_ = n_unknown_ = 0;
  n_kept_ = 0;
  free_slots_.resize(slots_.size());
  std::iota(free_slots_.begin(), free_slots_.end(), 0);
  reach(0);
}

std::vector<int> GrowingTree::take(std::size_t max) {
  if (limits_.max_leaves == 0) {
    const std::size_t n = std::min(open_.size(), max);
    std::vector<int> taken(open_.end() - static_cast<std::ptrdiff_t>(n), open_.end());
    open_.resize(open_.size() - n);
    for (const int number : taken) states_[number].is_taken = true;
    return taken;
  }
  while (n_unknown_ == 0 && !open_.empty() && n_leaves_ < limits_.max_leaves) {
    const auto best = std::ranges::max_element(open_, [&](int a, int b) {
      const double gain_a = nodes_[a].gain(), gain_b = nodes_[b].gain();
      return gain_a != gain_b ? gain_a < gain_b : states_[a].order > states_[b].order;
    });
    const int number = *best, first = nodes_[number].first_child;
    open_.erase(best);
    states_[number].is_taken = true;
    ++n_leaves_;
    if (first < 0) return {number};
    reach(first);  // split in advance
    reach(first + 1);
  }
  return {};
}

bool GrowingTree::is_complete() const {
  const bool is_full = limits_.max_leaves > 0 && n_leaves_ >= limits_.max_leaves;
  return n_unknown_ == 0 && (open_.empty() || is_full);
}

/// A node was made by a split that was taken.
void GrowingTree::reach(int number) {
  State& state = states_[number];
  state.order = n_reached_++;
  if (!state.is_known)
    ++n_unknown_;
  else if (state.is_open)
    open_.push_back(number);
}

/// The best split of a node is known, or that it has none.
void GrowingTree::learn(int number) {
  State& state = states_[number];
  if (std::exchange(state.is_known, true) || state.order < 0) return;
  --n_unknown_;
  if (state.is_open) open_.push_back(number);
}

int GrowingTree::add_children(int number) {
  const int first = n_nodes();
  nodes_[number].first_child = first;
  const auto [left, right] = rules_.children_of(nodes_[number]);
  nodes_.insert(nodes_.end(), {left, right});
  states_.resize(nodes_.size());
  if (!states_[number].is_taken) return first;
  reach(first);
  reach(first + 1);
  return first;
}

std::vector<GrowingTree::Family> GrowingTree::families_of(int number) {
  const int first = nodes_[number].first_child, second = first + 1;
  std::vector<int> searched;
  for (const int child : {first, second})
    if (rules_.may_split(nodes_[child]))
      searched.push_back(child);
    else
      learn(child);
  if (states_[number].slot < 0) {
    std::vector<Family> families;
    for (const int child : searched) families.push_back({child});
    return families;
  }
  if (searched.empty()) {
    free_slot(number);
    --n_kept_;
    return {};
  }
  const auto size_of = [&](int child) {
    return std::pair(nodes_[child].n_rows, hessian_of(nodes_[child].sums));
  };
  const bool left_is_larger = size_of(first) > size_of(second);
  return {{first + left_is_larger, first + !left_is_larger, number}};
}

std::unique_ptr<BoostHistogram> GrowingTree::make_histogram() const {
  return std::make_unique<BoostHistogram>(columns_.n_columns(), counts_rows());
}

void GrowingTree::take_slot(int number) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<int>(slots_.size()));
    slots_.push_back(make_histogram());
  }
  states_[number].slot = free_slots_.back();
  free_slots_.pop_back();
}

void GrowingTree::free_slot(int number) {
  free_slots_.push_back(std::exchange(states_[number].slot, -1));
}

void GrowingTree::open(std::span<const Family> families) {
  int n_found = 0;
  for (const Family& family : families) {
    take_slot(family.counted);
    states_[family.counted].found = n_found++;
    if (family.other < 0) continue;
    states_[family.other].slot = std::exchange(states_[family.parent].slot, -1);
    states_[family.other].found = n_found++;
    --n_kept_;
  }
  found_.assign(static_cast<std::size_t>(n_found) * columns_.blocks.size(), BoostSplit{});
}

void GrowingTree::search(const Family& family, std::size_t block) {
  find(family.counted, block);
  if (family.other < 0) return;
  histogram_of(family.other).subtract(histogram_of(family.counted), columns_.blocks[block]);
  find(family.other, block);
}

void GrowingTree::find(int number, std::size_t block) {
  const BoostNode& node = nodes_[number];
  if (!rules_.may_split(node)) return;
  const ColumnBlock& columns = columns_.blocks[block];
  const auto place = static_cast<std::size_t>(states_[number].found);
  found_[place * columns_.blocks.size() + block] =
      find_split(columns_, columns, histogram_of(number).of(columns, node.sums, node.n_rows),
                 rules_.cut_rules(), is_used_);
}

void GrowingTree::settle(const Family& family) {
  if (family.other >= 0) choose(family.other);
  choose(family.counted);
}

void GrowingTree::choose(int number) {
  BoostNode& node = nodes_[number];
  State& state = states_[number];
  const std::size_t n_blocks = columns_.blocks.size();
  const BoostSplit* found = found_.data() + static_cast<std::size_t>(state.found) * n_blocks;
  for (std::size_t block = 0; block < n_blocks; ++block)
    if (found[block].beats(node.split)) node.split = found[block];
  state.is_open = rules_.is_worth_it(node);
  if (state.is_open && n_kept_ < max_kept_)
    ++n_kept_;
  else
    free_slot(number);
  learn(number);
}

Tree GrowingTree::tree() const {
  return write_tree(columns_, rules_, nodes_, [this](int number) { return is_taken(number); });
}

}  // namespace ramify
