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
    : binned_(binned), limits_(limits), pool_(pool), tree_(binned, limits) {
  for (int i : {0, 1}) {
    rows_[i].resize(binned.n_rows);
    pairs_[i].resize(binned.n_rows);
  }
  is_left_.resize(binned.n_rows);
}

void BoostedGrower::grow(const GrowthRows& data, double* score, const LeafValue& leaf_value) {
  keeps_rows_ = leaf_value != nullptr;
  start(data);
  for (std::vector<int> batch = tree_.take(batch_nodes); !batch.empty();
       batch = tree_.take(batch_nodes))
    partition(batch, score);
  if (leaf_value) renew_leaves(leaf_value);
  add_leaves(score);
}

void BoostedGrower::start(const GrowthRows& data) {
  data_ = data;
  tree_.start(data.scales, data.weight_unit, data.is_used);
  NodeRows own;
  const bool has_all = data.rows.empty();
  own.end = static_cast<std::uint32_t>(has_all ? binned_.n_rows : data.rows.size());
  if (!has_all) {
    own.place = Place::first;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      rows_[0][i] = data.rows[i];
      pairs_[0][i] = data.pairs[data.rows[i]];
    }
  }
  node_rows_.assign(1, own);
  BoostNode& root = tree_[0];
  root.n_rows = own.end;
  const RowSpan every = rows_of(own, 0, own.end);
  Pair sums = 0;
  for (std::size_t i = 0; i < every.size; ++i) {
    sums += every.pairs[i];
    if (!data.weight.empty()) root.weight += data.weight[every.rows ? every.rows[i] : i];
  }
  if (data.weight.empty()) root.weight = root.n_rows;
  tree_.rules().note_sums(root, sums);
  if (tree_.rules().may_split(root)) search({{0}});
}

RowSpan BoostedGrower::rows_of(const NodeRows& node, std::size_t begin, std::size_t end) const {
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
  for (const int number : batch)
    for (const Family& family : tree_.families_of(number)) families.push_back(family);
  search(families);
}

/// Adds two children per node, whose rows are not known yet, and cuts the nodes into chunks.
std::vector<BoostedGrower::Chunk> BoostedGrower::make_children(const std::vector<int>& batch) {
  std::vector<Chunk> chunks;
  for (const int number : batch) {
    const NodeRows own = node_rows_[number];
    for (std::size_t begin = own.begin; begin < own.end; begin += task_rows)
      chunks.push_back({number, begin, std::min<std::size_t>(own.end, begin + task_rows)});
    const int first = tree_.add_children(number);
    const Place place = own.place == Place::first ? Place::second : Place::first;
    const bool has_scored = !keeps_rows_ && tree_[first].depth >= limits_.max_depth;
    node_rows_.insert(node_rows_.end(), 2, {.place = place, .has_scored = has_scored});
  }
  return chunks;
}

/// Marks which rows of a chunk go left. If the children are certain to be leaves, their rows need
/// not be moved, and get the values at once.
void BoostedGrower::mark(Chunk& chunk, double* score) {
  const BoostNode& node = tree_[chunk.node];
  const RowSpan rows = rows_of(node_rows_[chunk.node], chunk.begin, chunk.end);
  std::uint8_t goes[histogram_codes];
  for (std::size_t code = 0; code < histogram_codes; ++code) goes[code] = node.split.goes[code];
  std::uint8_t* is_left = is_left_.data() + chunk.begin;
  chunk.n_left = boost_kernels().divide_rows(binned_.codes.data() + node.split.column,
                                             binned_.stride, goes, rows, is_left);
  const auto row_at = [&](std::size_t i) { return rows.rows ? rows.rows[i] : rows.first + i; };
  if (!data_.weight.empty())
    for (std::size_t i = 0; i < rows.size; ++i)
      if (is_left[i]) chunk.left_weight += data_.weight[row_at(i)];
  if (!node_rows_[node.first_child].has_scored) return;
  const double value[2] = {tree_[node.first_child + 1].value, tree_[node.first_child].value};
  for (std::size_t i = 0; i < rows.size; ++i) score[row_at(i)] += value[is_left[i]];
}

/// Finds where the rows of each child begin and end, and where those of each chunk go.
void BoostedGrower::place_children(const std::vector<int>& batch, std::vector<Chunk>& chunks) {
  for (const int number : batch) {
    NodeRows& left = node_rows_[tree_[number].first_child];
    left.begin = left.end = node_rows_[number].begin;
  }
  for (Chunk& chunk : chunks) {
    const int first = tree_[chunk.node].first_child;
    NodeRows& left = node_rows_[first];
    chunk.to_left = left.end;
    left.end += static_cast<std::uint32_t>(chunk.n_left);
    tree_[first].weight += chunk.left_weight;
  }
  for (const int number : batch) {
    const BoostNode& node = tree_[number];
    NodeRows &left = node_rows_[node.first_child], &right = node_rows_[node.first_child + 1];
    right.begin = left.end;
    right.end = node_rows_[number].end;
    BoostNode &on_left = tree_[node.first_child], &on_right = tree_[node.first_child + 1];
    on_left.n_rows = left.end - left.begin;
    on_right.n_rows = right.end - right.begin;
    if (data_.weight.empty()) on_left.weight = on_left.n_rows;
    on_right.weight = node.weight - on_left.weight;
  }
  for (Chunk& chunk : chunks) {  // what goes right is what remains before it
    const NodeRows& left = node_rows_[tree_[chunk.node].first_child];
    chunk.to_right = left.end + (chunk.begin - left.begin) - (chunk.to_left - left.begin);
  }
}

/// Writes the rows of a chunk to the rows of the children, in the same order.
void BoostedGrower::move_rows(const Chunk& chunk) {
  if (node_rows_[tree_[chunk.node].first_child].has_scored) return;
  const NodeRows& node = node_rows_[chunk.node];
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

/// Counts the histograms of one node of each family, and searches the best split of both.
void BoostedGrower::search(const std::vector<Family>& families) {
  if (families.empty()) return;
  const std::size_t n_blocks = binned_.blocks.size();
  tree_.open(families);
  std::size_t n_rows = 0;
  for (const Family& family : families) n_rows += tree_[family.counted].n_rows;

  // If there are few tasks they are divided by rows, so that all threads have work.
  const std::size_t n_tasks = families.size() * n_blocks;
  std::size_t n_parts = 1;
  if (pool_.size() > 1 && n_tasks < 4 * static_cast<std::size_t>(pool_.size()))
    n_parts = std::clamp<std::size_t>(n_rows / families.size() / task_rows, 1,
                                      static_cast<std::size_t>(pool_.size()));
  while (spare_.size() < (n_parts - 1) * families.size()) spare_.push_back(tree_.make_histogram());
  const auto parts_of = [&](std::size_t f) {
    std::vector<HistogramView> parts{tree_.histogram_of(families[f].counted)};
    for (std::size_t p = 1; p < n_parts; ++p)
      parts.push_back(spare_[f * (n_parts - 1) + p - 1]->view());
    return parts;
  };
  pool_.run(static_cast<int>(n_tasks * n_parts), [&](int i, int) {
    const auto task = static_cast<std::size_t>(i);
    const std::size_t p = task % n_parts, block = task / n_parts % n_blocks;
    const std::size_t f = task / n_parts / n_blocks;
    const NodeRows& own = node_rows_[families[f].counted];
    const std::size_t n = own.end - own.begin;
    const std::vector<HistogramView> parts = parts_of(f);
    const ColumnBlock& columns = binned_.blocks[block];
    parts[p].clear(columns);
    parts[p].add(binned_.codes.data(), binned_.stride, columns,
                 rows_of(own, own.begin + n * p / n_parts, own.begin + n * (p + 1) / n_parts));
    if (n_parts == 1) finish(families[f], block, parts);
  });
  if (n_parts > 1)
    pool_.run(static_cast<int>(n_tasks), [&](int task, int) {
      const std::size_t f = static_cast<std::size_t>(task) / n_blocks;
      finish(families[f], static_cast<std::size_t>(task) % n_blocks, parts_of(f));
    });
  for (const Family& family : families) tree_.settle(family);
}

/// Adds up the histograms of parts of the rows, and searches what they give.
void BoostedGrower::finish(const Family& family, std::size_t block,
                           std::span<const HistogramView> parts) {
  for (std::size_t p = 1; p < parts.size(); ++p) parts[0].add(parts[p], binned_.blocks[block]);
  tree_.search(family, block);
}

void BoostedGrower::renew_leaves(const LeafValue& leaf_value) {
  pool_.run(tree_.n_nodes(), [&](int i, int) {
    if (tree_[i].first_child >= 0) return;
    const NodeRows& node = node_rows_[i];
    const RowSpan own = rows_of(node, node.begin, node.end);
    std::vector<std::uint32_t> every;
    if (!own.rows)
      for (std::uint32_t row = node.begin; row < node.end; ++row) every.push_back(row);
    tree_[i].value =
        limits_.learning_rate * leaf_value(own.rows ? std::span(own.rows, own.size)
                                                    : std::span<const std::uint32_t>(every));
  });
}

/// Adds the values of leaves to the scores of their rows, unless that was done before.
void BoostedGrower::add_leaves(double* score) const {
  pool_.run(tree_.n_nodes(), [&](int i, int) {
    const NodeRows& node = node_rows_[i];
    if (tree_[i].first_child >= 0 || node.has_scored) return;
    const RowSpan own = rows_of(node, node.begin, node.end);
    for (std::size_t k = 0; k < own.size; ++k)
      score[own.rows ? own.rows[k] : own.first + k] += tree_[i].value;
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
      const BoostNode* node = &tree_[0];
      while (node->first_child >= 0)
        node = &tree_[node->first_child + !node->split.goes[codes[node->split.column]]];
      score[rows[i]] += node->value;
    }
  });
}

}  // namespace ramify
