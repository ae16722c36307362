// SPDX-License-Identifier: BSD-3-Clause
#include "boost/search.hpp"

#include <algorithm>
#include <array>

namespace ramify {
namespace {

/// Codes without rows, and missing values where there were none, follow the heavier side.
void fill_up(BoostSplit& split, Pair total) {
  if (hessian_of(split.left) >= hessian_of(total - split.left)) split.goes |= ~split.seen;
}

/// Lists where each code of a numeric column goes.
void spell_out(BoostSplit& split, const BinCut& cut, const ColumnSums& column) {
  split.saw_missing = column.sums[column.n_codes] != 0;
  for (std::uint32_t code = 0; code < column.n_codes; ++code) {
    split.seen.set(code);
    split.goes.set(code, code <= cut.code);
  }
  if (split.saw_missing) {
    split.seen.set(column.n_codes);
    split.goes.set(column.n_codes, cut.missing_left);
  }
  fill_up(split, column.total);
}

/// Sorts the categories of a node into an order in which they are cut like numeric values.
BoostSplit split_categories(const ColumnSums& column, const CutRules& rules) {
  std::array<std::uint32_t, histogram_codes> code;
  std::array<double, histogram_codes> ratio;
  std::array<Pair, histogram_codes + 1> sums;
  std::array<std::uint32_t, histogram_codes + 1> counts;
  std::uint32_t n = 0;
  for (std::uint32_t c = 0; c <= column.n_codes; ++c)
    if (column.sums[c] != 0) {
      ratio[c] = gradient_of(column.sums[c]) / (hessian_of(column.sums[c]) + rules.l2);
      code[n++] = c;
    }
  std::sort(code.begin(), code.begin() + n, [&](std::uint32_t a, std::uint32_t b) {
    return ratio[a] != ratio[b] ? ratio[a] < ratio[b] : a < b;
  });
  for (std::uint32_t i = 0; i < n; ++i) {
    sums[i] = column.sums[code[i]];
    counts[i] = column.counts ? column.counts[code[i]] : 0;
  }
  sums[n] = 0;  // no missing values besides
  counts[n] = 0;
  const BinCut cut = boost_kernels().find_cut(
      {sums.data(), column.counts ? counts.data() : nullptr, n, column.total, column.n_rows},
      rules);
  BoostSplit split{.score = cut.score, .left = cut.left};
  if (!split.exists()) return split;
  split.saw_missing = column.sums[column.n_codes] != 0;
  const bool is_limited = rules.min_rows > 1 || rules.min_hessian > 0;
  split.is_optimal = (rules.l2 == 0 && !is_limited) || n == 2;
  for (std::uint32_t i = 0; i < n; ++i) {
    split.seen.set(code[i]);
    split.goes.set(code[i], i <= cut.code);
  }
  fill_up(split, column.total);
  return split;
}

}  // namespace

BoostSplit find_split(const BinnedColumns& binned, const ColumnBlock& block, const BlockSums& sums,
                      const CutRules& rules, std::span<const std::uint8_t> is_used) {
  BoostSplit best;
  BinCut best_cut;
  const auto sums_of = [&](std::uint32_t number) {
    const std::size_t begin = (number - block.first) * histogram_codes;
    return ColumnSums{sums.sums + begin, sums.counts ? sums.counts + begin : nullptr,
                      binned.column(number).n_codes(), sums.total, sums.n_rows};
  };
  for (int j = 0; j < block.width; ++j) {
    const std::uint32_t number = block.first + static_cast<std::uint32_t>(j);
    if (!is_used.empty() && !is_used[number]) continue;
    if (binned.column(number).is_categorical) {
      const BoostSplit split = split_categories(sums_of(number), rules);
      if (!split.beats(best)) continue;
      best = split;
    } else {
      const BinCut cut = boost_kernels().find_cut(sums_of(number), rules);
      const BoostSplit split{.score = cut.score, .code = cut.code, .left = cut.left};
      if (!split.beats(best)) continue;
      best = split;
      best_cut = cut;
    }
    best.column = number;
  }
  if (best.exists() && !binned.column(best.column).is_categorical)  // only now: it takes a while
    spell_out(best, best_cut, sums_of(best.column));
  return best;
}

}  // namespace ramify
