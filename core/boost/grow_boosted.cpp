// SPDX-License-Identifier: BSD-3-Clause
#include "boost/grow_boosted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ramify {
namespace {

constexpr std::size_t task_rows = 8192;
constexpr std::size_t batch_nodes = 64;  // split at once: more would only hold more histograms

}  // namespace

BoostedGrower::BoostedGrower(const Binned& binned, const GrowthLimits& limits, Pool& pool)
    : binned_(binned), limits_(limits), pool_(pool) {
  for (int i : {0, 1}) {
    rows_[i].resize(binned.n_rows);
    pairs_[i].resize(binned.n_rows);
  }
  is_left_.resize(binned.n_rows);
}

void BoostedGrower::grow(const GrowthRows& data, double* score, const LeafValue& leaf_value) {
  keeps_rows_ = leaf_value != nullptr;
  start(data);
  for (std::vector<int> batch = take(); !batch.empty(); batch = take()) partition(batch, score);
  if (leaf_value) renew_leaves(leaf_value);
  add_leaves(score);
}

void BoostedGrower::start(const GrowthRows& data) {
  data_ = data;
  growth_ = Growth(binned_, limits_, data.scales, data.weight_unit);
  nodes_.clear();
  open_.clear();
  free_slots_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) free_slots_.push_back(static_cast<int>(i));
  n_leaves_ = 1;

  Node root;
  const bool has_all = data.rows.empty();
  root.end = static_cast<std::uint32_t>(has_all ? binned_.n_rows : data.rows.size());
  if (!has_all) {
    root.place = Place::first;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      rows_[0][i] = data.rows[i];
      pairs_[0][i] = data.pairs[data.rows[i]];
    }
  }
  root.n_rows = root.end;
  const RowSpan every = rows_of(root, 0, root.end);
  Pair sums = 0;
  for (std::size_t i = 0; i < every.size; ++i) {
    sums += every.pairs[i];
    if (!data.weight.empty()) root.weight += data.weight[every.rows ? every.rows[i] : i];
  }
  if (data.weight.empty()) root.weight = root.n_rows;
  growth_.note_sums(root, sums);
  nodes_.push_back(root);
  if (growth_.may_split(root)) search({{0, -1, -1}});
}

/// The nodes that are split next: all that are open, the last ones first so that few histograms are
/// kept; or, if leaves are limited, the best.
std::vector<int> BoostedGrower::take() {
  if (limits_.max_leaves == 0) {
    const std::size_t n = std::min(open_.size(), batch_nodes);
    std::vector<int> batch(open_.end() - n, open_.end());
    open_.resize(open_.size() - n);
    return batch;
  }
  if (open_.empty() || n_leaves_ >= static_cast<int>(limits_.max_leaves)) return {};
  const auto best = std::ranges::max_element(open_, [&](int a, int b) {
    const double gain_a = growth_.gain_of(nodes_[a]), gain_b = growth_.gain_of(nodes_[b]);
    return gain_a != gain_b ? gain_a < gain_b : a > b;
  });
  const int node = *best;
  open_.erase(best);
  return {node};
}

RowSpan BoostedGrower::rows_of(const Node& node, std::size_t begin, std::size_t end) const {
  if (node.place == Place::every_row)
    return {nullptr, data_.pairs.data() + begin, begin, end - begin};
  const int i = node.place == Place::first ? 0 : 1;
  return {rows_[i].data() + begin, pairs_[i].data() + begin, begin, end - begin};
}

/// Makes the children of nodes and moves their rows, then searches the splits of the children.
void BoostedGrower::partition(const std::vector<int>& batch, double* score) {
  std::vector<Chunk> chunks = make_children(batch);
  pool_.run(static_cast<int>(chunks.size()), [&](int i, int) { mark(chunks[i], score); });
  place_children(batch, chunks);
  pool_.run(static_cast<int>(chunks.size()), [&](int i, int) { move_rows(chunks[i]); });

  std::vector<Family> families;
  for (const int number : batch) {
    Node& node = nodes_[number];
    const int slot = std::exchange(node.slot, -1), first = node.first_child;
    if (growth_.may_split(nodes_[first]) || growth_.may_split(nodes_[first + 1])) {
      const bool left_is_larger = nodes_[first].n_rows > nodes_[first + 1].n_rows;
      families.push_back({first + left_is_larger, first + !left_is_larger, slot});
    } else {
      free_slots_.push_back(slot);
    }
  }
  search(families);
}

/// Adds two children per node, whose rows are not known yet, and cuts the nodes into chunks.
std::vector<BoostedGrower::Chunk> BoostedGrower::make_children(const std::vector<int>& batch) {
  std::vector<Chunk> chunks;
  for (const int number : batch) {
    const auto first = static_cast<int>(nodes_.size());
    Node& node = nodes_[number];
    node.first_child = first;
    for (std::size_t begin = node.begin; begin < node.end; begin += task_rows)
      chunks.push_back({number, begin, std::min<std::size_t>(node.end, begin + task_rows)});
    const Place place = node.place == Place::first ? Place::second : Place::first;
    const auto [left, right] = growth_.children_of(node);
    for (const BoostNode& own : {left, right}) {
      Node child{own};
      child.place = place;
      child.has_scored = !keeps_rows_ && child.depth >= limits_.max_depth;
      nodes_.push_back(child);  // invalidates `node`
    }
    ++n_leaves_;
  }
  return chunks;
}

/// Marks which rows of a chunk go left. If the children are certain to be leaves, their rows need
/// not be moved, and get the values at once.
void BoostedGrower::mark(Chunk& chunk, double* score) {
  const Node& node = nodes_[chunk.node];
  const RowSpan rows = rows_of(node, chunk.begin, chunk.end);
  std::uint8_t goes[histogram_codes];
  for (std::size_t code = 0; code < histogram_codes; ++code) goes[code] = node.split.goes[code];
  std::uint8_t* is_left = is_left_.data() + chunk.begin;
  chunk.n_left = boost_kernels().divide_rows(binned_.codes.data() + node.split.column,
                                             binned_.stride, goes, rows, is_left);
  const auto row_at = [&](std::size_t i) { return rows.rows ? rows.rows[i] : rows.first + i; };
  if (!data_.weight.empty())
    for (std::size_t i = 0; i < rows.size; ++i)
      if (is_left[i]) chunk.left_weight += data_.weight[row_at(i)];
  const Node& left = nodes_[node.first_child];
  if (!left.has_scored) return;
  const double value[2] = {nodes_[node.first_child + 1].value, left.value};
  for (std::size_t i = 0; i < rows.size; ++i) score[row_at(i)] += value[is_left[i]];
}

/// Finds where the rows of each child begin and end, and where those of each chunk go.
void BoostedGrower::place_children(const std::vector<int>& batch, std::vector<Chunk>& chunks) {
  for (const int number : batch)
    nodes_[nodes_[number].first_child].begin = nodes_[nodes_[number].first_child].end =
        nodes_[number].begin;
  for (Chunk& chunk : chunks) {
    Node& left = nodes_[nodes_[chunk.node].first_child];
    chunk.to_left = left.end;
    left.end += static_cast<std::uint32_t>(chunk.n_left);
    left.weight += chunk.left_weight;
  }
  for (const int number : batch) {
    const Node& node = nodes_[number];
    Node &left = nodes_[node.first_child], &right = nodes_[node.first_child + 1];
    right.begin = left.end;
    right.end = node.end;
    left.n_rows = left.end - left.begin;
    right.n_rows = right.end - right.begin;
    if (data_.weight.empty()) left.weight = left.n_rows;
    right.weight = node.weight - left.weight;
  }
  for (Chunk& chunk : chunks) {  // what goes right is what remains before it
    const Node& left = nodes_[nodes_[chunk.node].first_child];
    chunk.to_right = left.end + (chunk.begin - left.begin) - (chunk.to_left - left.begin);
  }
}

/// Writes the rows of a chunk to the rows of the children, in the same order.
void BoostedGrower::move_rows(const Chunk& chunk) {
  const Node& node = nodes_[chunk.node];
  if (nodes_[node.first_child].has_scored) return;
  const RowSpan from = rows_of(node, chunk.begin, chunk.end);
  const int buffer = node.place == Place::first ? 1 : 0;
  const std::uint8_t* is_left = is_left_.data() + chunk.begin;
  std::uint32_t* rows = rows_[buffer].data();
  Pair* pairs = pairs_[buffer].data();
  std::size_t left = chunk.to_left, right = chunk.to_right;
  for (std::size_t i = 0; i < from.size; ++i) {
    const std::size_t place = is_left[i] ? left : right;
    left += is_left[i];
    right += !is_left[i];
    rows[place] = from.rows ? from.rows[i] : static_cast<std::uint32_t>(from.first + i);
    pairs[place] = from.pairs[i];
  }
}

std::unique_ptr<BoostHistogram> BoostedGrower::make_histogram() const {
  return std::make_unique<BoostHistogram>(binned_.n_columns(), limits_.min_leaf_rows > 1);
}

int BoostedGrower::take_slot() {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<int>(slots_.size()));
    slots_.push_back(make_histogram());
  }
  const int slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

/// Counts the histograms of one node of each family, and searches the best split of both.
void BoostedGrower::search(const std::vector<Family>& families) {
  if (families.empty()) return;
  const std::size_t n_blocks = binned_.blocks.size();
  int n_found = 0;
  std::size_t n_rows = 0;
  for (const Family& family : families) {
    nodes_[family.counted].slot = take_slot();
    nodes_[family.counted].found = n_found++;
    n_rows += nodes_[family.counted].n_rows;
    if (family.other < 0) continue;
    nodes_[family.other].slot = family.parent_slot;
    nodes_[family.other].found = n_found++;
  }
  found_.assign(static_cast<std::size_t>(n_found) * n_blocks, BoostSplit{});

  // If there are few tasks they are divided by rows, so that all threads have work.
  const std::size_t n_tasks = families.size() * n_blocks;
  std::size_t n_parts = 1;
  if (pool_.size() > 1 && n_tasks < 4 * static_cast<std::size_t>(pool_.size()))
    n_parts = std::clamp<std::size_t>(n_rows / families.size() / task_rows, 1,
                                      static_cast<std::size_t>(pool_.size()));
  while (spare_.size() < (n_parts - 1) * families.size()) spare_.push_back(make_histogram());
  const auto parts_of = [&](std::size_t f) {
    std::vector<HistogramView> parts{slots_[nodes_[families[f].counted].slot]->view()};
    for (std::size_t p = 1; p < n_parts; ++p)
      parts.push_back(spare_[f * (n_parts - 1) + p - 1]->view());
    return parts;
  };
  pool_.run(static_cast<int>(n_tasks * n_parts), [&](int i, int) {
    const auto task = static_cast<std::size_t>(i);
    const std::size_t p = task % n_parts, block = task / n_parts % n_blocks;
    const std::size_t f = task / n_parts / n_blocks;
    const Node& node = nodes_[families[f].counted];
    const std::size_t n = node.n_rows;
    const std::vector<HistogramView> parts = parts_of(f);
    count(node, binned_.blocks[block], node.begin + n * p / n_parts,
          node.begin + n * (p + 1) / n_parts, parts[p]);
    if (n_parts == 1) finish(families[f], block, parts);
  });
  if (n_parts > 1)
    pool_.run(static_cast<int>(n_tasks), [&](int task, int) {
      const std::size_t f = static_cast<std::size_t>(task) / n_blocks;
      finish(families[f], static_cast<std::size_t>(task) % n_blocks, parts_of(f));
    });
  for (const Family& family : families) {
    settle(family.counted);
    if (family.other >= 0) settle(family.other);
  }
}

void BoostedGrower::count(const Node& node, const ColumnBlock& block, std::size_t begin,
                          std::size_t end, const HistogramView& histogram) const {
  histogram.clear(block);
  histogram.add(binned_.codes.data(), binned_.stride, block, rows_of(node, begin, end));
}

/// Adds up partial histograms, subtracts them from the parent for the sibling, and searches splits
/// while all of it is in the cache.
void BoostedGrower::finish(const Family& family, std::size_t block,
                           std::span<const HistogramView> parts) {
  const ColumnBlock& columns = binned_.blocks[block];
  for (std::size_t p = 1; p < parts.size(); ++p) parts[0].add(parts[p], columns);
  look(family.counted, block);
  if (family.other < 0) return;
  slots_[family.parent_slot]->view().subtract(parts[0], columns);
  look(family.other, block);
}

void BoostedGrower::look(int number, std::size_t block) {
  const Node& node = nodes_[number];
  if (!growth_.may_split(node)) return;
  const ColumnBlock& columns = binned_.blocks[block];
  const BlockSums sums = slots_[node.slot]->view().of(columns, node.sums, node.n_rows);
  const auto place = static_cast<std::size_t>(node.found);
  found_[place * binned_.blocks.size() + block] =
      find_split(binned_, columns, sums, growth_.rules(), data_.is_used);
}

/// Chooses the best split of all blocks; a node without one is a leaf.
void BoostedGrower::settle(int number) {
  Node& node = nodes_[number];
  const std::size_t n_blocks = binned_.blocks.size();
  const auto place = static_cast<std::size_t>(node.found);
  for (std::size_t block = 0; block < n_blocks; ++block)
    if (const BoostSplit& split = found_[place * n_blocks + block]; split.score > node.split.score)
      node.split = split;
  if (growth_.is_worth_it(node))
    open_.push_back(number);
  else
    free_slots_.push_back(std::exchange(node.slot, -1));
}

void BoostedGrower::renew_leaves(const LeafValue& leaf_value) {
  pool_.run(static_cast<int>(nodes_.size()), [&](int i, int) {
    Node& node = nodes_[i];
    if (node.first_child >= 0) return;
    const RowSpan own = rows_of(node, node.begin, node.end);
    std::vector<std::uint32_t> every;
    if (!own.rows)
      for (std::uint32_t row = node.begin; row < node.end; ++row) every.push_back(row);
    node.value =
        limits_.learning_rate * leaf_value(own.rows ? std::span(own.rows, own.size)
                                                    : std::span<const std::uint32_t>(every));
  });
}

/// Adds the values of leaves to the scores of their rows, unless that was done before.
void BoostedGrower::add_leaves(double* score) const {
  pool_.run(static_cast<int>(nodes_.size()), [&](int i, int) {
    const Node& node = nodes_[i];
    if (node.first_child >= 0 || node.has_scored) return;
    const RowSpan own = rows_of(node, node.begin, node.end);
    for (std::size_t k = 0; k < own.size; ++k)
      score[own.rows ? own.rows[k] : own.first + k] += node.value;
  });
}

void BoostedGrower::add_to(const Binned& binned, std::span<const std::uint32_t> rows,
                           double* score) const {
  const auto n_chunks = static_cast<int>((rows.size() + task_rows - 1) / task_rows);
  pool_.run(n_chunks, [&](int chunk, int) {
    const std::size_t end =
        std::min(rows.size(), (static_cast<std::size_t>(chunk) + 1) * task_rows);
    for (std::size_t i = static_cast<std::size_t>(chunk) * task_rows; i < end; ++i) {
      const std::uint8_t* codes = binned.codes.data() + rows[i] * binned.stride;
      const Node* node = nodes_.data();
      while (node->first_child >= 0)
        node = &nodes_[node->first_child + !node->split.goes[codes[node->split.column]]];
      score[rows[i]] += node->value;
    }
  });
}

}  // namespace ramify
