// SPDX-License-Identifier: BSD-3-Clause
#include "grow/tree_batch.hpp"

#include <algorithm>

#include "grow/grow.hpp"

namespace ramify {
namespace {

/// The rows with a positive weight, and their target.
struct Weighed {
  std::vector<std::uint32_t> rows;
  Target target;

  Weighed(const TreeBatch& batch, const double* weight) {
    const Target& all = batch.target;
    target.n_classes = all.n_classes;
    target.n_extra = all.n_extra;
    std::vector<std::uint32_t> kept(all.n_rows + std::size_t{1});
    std::size_t n = 0;
    for (std::uint32_t i = 0; i < all.n_rows; ++i) {  // branch-free: weights are unpredictable
      kept[n] = i;
      n += weight[i] > 0;
    }
    kept.resize(n);
    target.n_rows = static_cast<std::uint32_t>(n);
    rows.resize(n);
    target.weight.resize(n);
    for (std::size_t to = 0; to < n; ++to) {
      rows[to] = batch.rows[kept[to]];
      target.weight[to] = weight[kept[to]];
    }
    const std::size_t n_outputs = all.n_classes.size();
    copy(all.classes, kept, n_outputs, target.classes);
    copy(all.values, kept, n_outputs, target.values);
    copy(all.extra, kept, static_cast<std::size_t>(all.n_extra), target.extra);
    target.unit = make_exact(target.weight);
    if (!target.is_numeric()) target.note_times();
  }

 private:
  /// Copies the values of some rows, `width` each; nothing if there are none.
  template <class T>
  static void copy(const std::vector<T>& all, std::span<const std::uint32_t> kept,
                   std::size_t width, std::vector<T>& to) {
    if (all.empty()) return;
    to.resize(kept.size() * width);
    auto at = to.begin();
    for (const std::uint32_t i : kept) at = std::copy_n(all.begin() + i * width, width, at);
  }
};

}  // namespace

std::vector<PackedTree> grow_batch(const TreeBatch& batch, const Plan& plan) {
  std::vector<PackedTree> trees;
  trees.reserve(batch.seeds.size());
  Plan mine = plan;
  for (std::size_t i = 0; i < batch.seeds.size(); ++i) {
    mine.seed = batch.seeds[i];
    const auto grown = [&](std::span<const std::uint32_t> rows, const Target& target) {
      return pack(grow(batch.table, rows, target, mine));
    };
    if (batch.weights) {
      const Weighed weighed(batch, batch.weights + i * batch.target.n_rows);
      trees.push_back(grown(weighed.rows, weighed.target));
    } else {
      trees.push_back(grown(batch.rows, batch.target));
    }
  }
  return trees;
}

}  // namespace ramify
