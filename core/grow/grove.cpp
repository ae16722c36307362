// SPDX-License-Identifier: BSD-3-Clause
#include "grow/grove.hpp"

#include "grow/grow.hpp"

namespace ramify {
namespace {

/// The rows that weigh something, and what is to be learnt of them.
struct Weighed {
  std::vector<std::uint32_t> rows;
  Target target;

  Weighed(const Grove& grove, const double* weight) {
    const Target& all = grove.target;
    target.n_classes = all.n_classes;
    target.n_extra = all.n_extra;
    const std::size_t n_outputs = all.n_classes.size(),
                      n_extra = static_cast<std::size_t>(all.n_extra);
    std::size_t n = 0;
    for (std::size_t i = 0; i < all.n_rows; ++i) n += weight[i] > 0;
    target.n_rows = static_cast<std::uint32_t>(n);
    rows.resize(n);
    target.weight.resize(n);
    target.classes.resize(all.classes.empty() ? 0 : n * n_outputs);
    target.numbers.resize(all.numbers.empty() ? 0 : n * n_outputs);
    target.extra.resize(n * n_extra);
    std::size_t to = 0;
    for (std::size_t i = 0; i < all.n_rows; ++i) {
      if (!(weight[i] > 0)) continue;
      rows[to] = grove.rows[i];
      target.weight[to] = weight[i];
      for (std::size_t o = 0; o < n_outputs; ++o) {
        if (!all.classes.empty())
          target.classes[to * n_outputs + o] = all.classes[i * n_outputs + o];
        if (!all.numbers.empty())
          target.numbers[to * n_outputs + o] = all.numbers[i * n_outputs + o];
      }
      for (std::size_t j = 0; j < n_extra; ++j)
        target.extra[to * n_extra + j] = all.extra[i * n_extra + j];
      ++to;
    }
    target.unit = make_exact(target.weight);
    if (!target.is_numeric()) target.note_times();
  }
};

}  // namespace

std::vector<PackedTree> grow_grove(const Grove& grove, const Plan& plan) {
  std::vector<PackedTree> trees;
  trees.reserve(grove.seeds.size());
  Plan mine = plan;
  for (std::size_t i = 0; i < grove.seeds.size(); ++i) {
    mine.seed = grove.seeds[i];
    const auto grown = [&](std::span<const std::uint32_t> rows, const Target& target) {
      return pack(grow(grove.table, rows, target, mine, true));
    };
    if (grove.weights) {
      const Weighed weighed(grove, grove.weights + i * grove.target.n_rows);
      trees.push_back(grown(weighed.rows, weighed.target));
    } else {
      trees.push_back(grown(grove.rows, grove.target));
    }
  }
  return trees;
}

}  // namespace ramify
