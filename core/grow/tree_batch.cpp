// SPDX-License-Identifier: BSD-3-Clause
#include "grow/tree_batch.hpp"

#include <utility>

#include "grow/grow.hpp"

namespace ramify {
namespace {

/// The rows with a positive weight, and their target.
struct Weighed {
  std::vector<std::uint32_t> rows;
  Target target;

  Weighed(const TreeBatch& batch, const double* weight) {
    const Target& all = batch.target;
    std::vector<std::uint32_t> kept(all.n_rows + std::size_t{1});
    std::size_t n = 0;
    for (std::uint32_t i = 0; i < all.n_rows; ++i) {  // branch-free: weights are unpredictable
      kept[n] = i;
      n += weight[i] > 0;
    }
    kept.resize(n);
    rows.resize(n);
    std::vector<double> own(n);
    for (std::size_t to = 0; to < n; ++to) {
      rows[to] = batch.rows[kept[to]];
      own[to] = weight[kept[to]];
    }
    const double unit = make_exact(own);
    target = all.some(kept, std::move(own), unit);
    if (!target.is_numeric()) target.note_times();
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
