// SPDX-License-Identifier: BSD-3-Clause
// Compiled several times; see CMakeLists.txt.
#include "boost/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "simd/pack.hpp"
#include "simd/prefetch.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

constexpr std::size_t ahead = 24;  // rows whose codes are prefetched

/// Calls visit(codes of the row, place in the span) for each row, in order.
template <class Visit>
inline void each_row(const std::uint8_t* codes, std::size_t stride, const RowSpan& rows,
                     Visit visit) {
  if (!rows.rows) {
    const std::uint8_t* line = codes + rows.first * stride;
    for (std::size_t i = 0; i < rows.size; ++i, line += stride) visit(line, i);
    return;
  }
  const std::size_t far = rows.size > ahead ? rows.size - ahead : 0;
  for (std::size_t i = 0; i < far; ++i) {
    prefetch(codes + rows.rows[i + ahead] * stride);
    visit(codes + rows.rows[i] * stride, i);
  }
  for (std::size_t i = far; i < rows.size; ++i) visit(codes + rows.rows[i] * stride, i);
}

/// Adds the pair of each row, or one, to the sum of its code in each column.
template <int width, class Sum>
void add_columns(const std::uint8_t* codes, std::size_t stride, const RowSpan& rows, Sum* sums) {
  each_row(codes, stride, rows, [&](const std::uint8_t* line, std::size_t i) {
    Sum own = 1;
    if constexpr (std::is_same_v<Sum, Pair>) own = rows.pairs[i];
    for (int j = 0; j < width; ++j)
      sums[static_cast<std::size_t>(j) * histogram_codes + line[j]] += own;
  });
}

/// Calls call.operator()<width>() for a width from 1 to block_columns.
template <class Call>
inline void with_width(int width, Call call) {
  [&]<int... n>(std::integer_sequence<int, n...>) {
    ((width == n + 1 ? call.template operator()<n + 1>() : void()), ...);
  }(std::make_integer_sequence<int, block_columns>{});
}

template <class Sum>
void add_rows(const std::uint8_t* codes, std::size_t stride, int width, const RowSpan& rows,
              Sum* sums) {
  with_width(width, [&]<int n>() { add_columns<n>(codes, stride, rows, sums); });
}

/// The best of the cuts behind codes 0 .. n_cuts - 1, with `start` on the left already.
inline BinCut best_cut(const ColumnSums& column, std::uint32_t n_cuts, Pair start,
                       std::uint32_t n_start, const CutRules& rules) {
  constexpr int width = pack_width;
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  alignas(64) double gradient[histogram_codes + width], hessian[histogram_codes + width];
  alignas(64) double score[histogram_codes + width];
  Pair left = start;
  for (std::uint32_t i = 0; i < n_cuts; ++i) {
    left += column.sums[i];
    gradient[i] = gradient_of(left);
    hessian[i] = hessian_of(left);
  }
  for (std::uint32_t i = n_cuts; i % width != 0; ++i) {
    gradient[i] = 0;
    hessian[i] = -1;  // below any minimum
  }
  const double all_gradient = gradient_of(column.total), all_hessian = hessian_of(column.total);
  // A side with zero hessian has no best value. All hessians are integers.
  const Pack min = spread<Pack>(std::ceil(std::max(rules.min_hessian, 1.0)) - 0.5);
  Pack best = spread<Pack>(nothing);
  for (std::uint32_t i = 0; i < n_cuts; i += width) {
    const Pack left_g = load<Pack>(gradient + i), left_h = load<Pack>(hessian + i);
    const Pack right_g = all_gradient - left_g, right_h = all_hessian - left_h;
    const Pack below_left = left_h + rules.l2, below_right = right_h + rules.l2;
    const Pack sum = (left_g * left_g * below_right + right_g * right_g * below_left) /
                     (below_left * below_right);
    const Pack smaller = select(left_h > right_h, right_h, left_h);
    const Pack here = select(smaller > min, sum, spread<Pack>(nothing));
    store(score + i, here);
    best = select(here > best, here, best);
  }
  if (rules.min_rows > 1) {
    best = spread<Pack>(nothing);
    std::uint32_t n_left = n_start;
    for (std::uint32_t i = 0; i < n_cuts; ++i) {
      n_left += column.counts[i];
      if (n_left < rules.min_rows || column.n_rows - n_left < rules.min_rows) score[i] = nothing;
      best[0] = std::max(best[0], score[i]);
    }
  }
  double highest = best[0];
  for (int lane = 1; lane < width; ++lane) highest = std::max(highest, double{best[lane]});
  BinCut cut;
  if (highest == nothing) return cut;
  cut.score = highest;
  while (score[cut.code] != highest) ++cut.code;
  cut.left = start;
  for (std::uint32_t i = 0; i <= cut.code; ++i) cut.left += column.sums[i];
  return cut;
}

BinCut find_cut(const ColumnSums& column, const CutRules& rules) {
  const Pair missing = column.sums[column.n_codes];
  const std::uint32_t n_missing = column.counts ? column.counts[column.n_codes] : 0;
  if (missing == 0 && n_missing == 0)
    return column.n_codes < 2 ? BinCut{} : best_cut(column, column.n_codes - 1, 0, 0, rules);
  BinCut cut = best_cut(column, column.n_codes, 0, 0, rules);
  if (column.n_codes < 2) return cut;
  BinCut other = best_cut(column, column.n_codes - 1, missing, n_missing, rules);
  other.missing_left = true;
  return other.score > cut.score ? other : cut;
}

std::size_t divide_rows(const std::uint8_t* codes, std::size_t stride, const std::uint8_t* goes,
                        const RowSpan& rows, std::uint8_t* is_left) {
  std::size_t n_left = 0;
  each_row(codes, stride, rows, [&](const std::uint8_t* line, std::size_t i) {
    is_left[i] = goes[*line];
    n_left += is_left[i];
  });
  return n_left;
}

/// The nearest integer, ties to even, of |x| < 2^51: adding 1.5 * 2^52 leaves it in the low bits.
inline std::int64_t rounded(double x) {
  constexpr double magic = 6755399441055744.0;
  return std::bit_cast<std::int64_t>(x + magic) - std::bit_cast<std::int64_t>(magic);
}

void make_pairs(const double* gradient, const double* hessian, const double* factor, std::size_t n,
                double gradient_scale, double hessian_scale, Pair* pairs) {
  if (!factor) {
    for (std::size_t i = 0; i < n; ++i)
      pairs[i] =
          (rounded(gradient[i] * gradient_scale) << 32) + rounded(hessian[i] * hessian_scale);
    return;
  }
  // Rounded before weighting: a row of weight two equals the row twice.
  for (std::size_t i = 0; i < n; ++i)
    pairs[i] = pair_of(rounded(gradient[i] * gradient_scale) * static_cast<std::int64_t>(factor[i]),
                       rounded(hessian[i] * hessian_scale) * static_cast<std::int64_t>(factor[i]));
}

}  // namespace

extern const BoostKernels boost_table;
const BoostKernels boost_table{add_rows<Pair>, add_rows<std::uint32_t>, find_cut, divide_rows,
                               make_pairs};

}  // namespace ramify::RAMIFY_KERNELS
