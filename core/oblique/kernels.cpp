// SPDX-License-Identifier: BSD-3-Clause
// Compiled several times; see CMakeLists.txt.
#include "oblique/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

static_assert(tile_rows == pack_width);

inline Pack distance_of(Pack x) {
#if defined(__GNUC__)
  return from_bits(bits_of(x) & 0x7fffffffffffffff);
#else
  return magnitude(x);
#endif
}
inline Pack lower(Pack a, Pack b) { return select(a > b, b, a); }

/// e^-x for 0 <= x <= 700, to about one unit in the last place.
inline Pack decay_of(Pack x) {
#if defined(__GNUC__)
  // x = r - k ln 2 with |r| <= 0.35, and ln 2 split into two parts so that r is exact. The series
  // of e^r is evaluated in parts that do not wait for each other.
  constexpr double magic = 6755399441055744.0;  // puts an integer into the low bits
  const Pack shifted = magic - 1.442695040888963407359924681 * x;
  const Pack k = shifted - magic;
  const Pack r = (0.0 - x - 6.93147180369123816490e-01 * k) - 1.90821492927058770002e-10 * k;
  constexpr double c2 = 1.0 / 2, c3 = 1.0 / 6, c4 = 1.0 / 24, c5 = 1.0 / 120, c6 = 1.0 / 720,
                   c7 = 1.0 / 5040, c8 = 1.0 / 40320, c9 = 1.0 / 362880, c10 = 1.0 / 3628800,
                   c11 = 1.0 / 39916800, c12 = 1.0 / 479001600;
  const Pack r2 = r * r, r4 = r2 * r2;
  const Pack high = ((c8 + c9 * r) + (c10 + c11 * r) * r2) + c12 * r4;
  const Pack middle = (c4 + c5 * r) + (c6 + c7 * r) * r2;
  const Pack low = (1.0 + r) + (c2 + c3 * r) * r2;
  const Pack series = low + (middle + high * r4) * r4;
  return from_bits(bits_of(series) + (bits_of(shifted) << 52));
#else
  return each(x, [](double lane) { return std::exp(-lane); });
#endif
}

/// Calls f<size>(i) for groups of the items 0 .. n - 1, of the first size as long as there are
/// enough.
template <int size, int... smaller, class F>
inline void in_groups(std::size_t n, const F& f, std::size_t i = 0) {
  for (; i + size <= n; i += size) f.template operator()<size>(i);
  if constexpr (sizeof...(smaller) > 0) in_groups<smaller...>(n, f, i);
}

/// The projections of n consecutive tiles.
template <int n>
inline void project_tiles(const double* values, std::size_t n_columns, const double* direction,
                          double bias, double* change) {
  Pack sum[n];
  for (Pack& s : sum) s = spread<Pack>(bias);
  for (std::size_t column = 0; column < n_columns; ++column) {
    const Pack times = spread<Pack>(direction[column]);
    for (int i = 0; i < n; ++i)
      sum[i] += times * load_pack(values + (i * n_columns + column) * tile_rows);
  }
  for (int i = 0; i < n; ++i) store(change + i * tile_rows, sum[i]);
}

void project(const TileMatrix& matrix, const TileRange& range, const double* direction, double bias,
             double* change) {
  const std::size_t n_columns = matrix.n_columns;
  in_groups<8, 2, 1>(range.end - range.begin, [&]<int n>(std::size_t i) {
    const std::size_t row = (range.begin + i) * tile_rows;
    project_tiles<n>(matrix.values + row * n_columns, n_columns, direction, bias, change + row);
  });
}

/// The sum of the n terms f(0) .. f(n - 1), pairwise: a chain of additions would take longer.
template <int n, class F>
inline Pack sum_of(const F& f, int begin = 0) {
  if constexpr (n == 1) {
    return f(begin);
  } else {
    static_assert(n % 2 == 0, "a term would be left out");
    return sum_of<n / 2>(f, begin) + sum_of<n / 2>(f, begin + n / 2);
  }
}

template <int n>
inline void add_tiles(const TileMatrix& matrix, const std::uint32_t* tiles, const double* factor,
                      double* work) {
  const std::size_t n_columns = matrix.n_columns;
  Pack times[n];
  const double* values[n];
  for (int i = 0; i < n; ++i) {
    times[i] = load<Pack>(factor + tiles[i] * tile_rows);
    values[i] = matrix.values + tiles[i] * n_columns * tile_rows;
  }
  for (std::size_t at = 0; at < n_columns * tile_rows; at += tile_rows) {
    const auto term = [&](int i) { return times[i] * load_pack(values[i] + at); };
    store(work + at, load<Pack>(work + at) + sum_of<n>(term));
  }
}

void add_rows(const TileMatrix& matrix, std::span<const std::uint32_t> tiles, const double* factor,
              double* work, double* sum) {
  std::fill_n(work, (matrix.n_columns + 3) / 4 * 4 * tile_rows, 0.0);
  in_groups<8, 2, 1>(tiles.size(),
                     [&]<int n>(std::size_t i) { add_tiles<n>(matrix, &tiles[i], factor, work); });
  for (std::size_t column = 0; column < matrix.n_columns; column += 4) {
    const auto lanes = [&](std::size_t j) { return load<Pack>(work + (column + j) * tile_rows); };
    store(sum + column, lane_sums({lanes(0), lanes(1), lanes(2), lanes(3)}));
  }
}

/// Calls visit(class, begin, end) with the rows of each class of a range.
template <class Visit>
inline void each_class(const TileRange& range, const Visit& visit) {
  std::size_t tile = range.begin;
  for (std::size_t k = range.first_class; tile < range.end; ++k) {
    const std::size_t end = std::min(range.class_end[k], range.end);
    visit(k, tile * tile_rows, end * tile_rows);
    tile = end;
  }
}

/// Where a sweep keeps the shares of each row that go right and left, from row `begin` on.
struct Shares {
  double *right, *left;
  std::size_t begin;

  void set(std::size_t row, Pack to_right, Pack to_left) const {
    store(right + (row - begin), to_right);
    store(left + (row - begin), to_left);
  }
};

/// The shares and the steepness of a tile.
inline void share_out(const SigmoidRows& rows, std::size_t row, const Shares& shares) {
  const Pack t = load<Pack>(rows.t + row), weight = load<Pack>(rows.weight + row);
  // 1 / (1 + e^-|t|) and e^-|t| / (1 + e^-|t|): neither loses digits.
  const Pack decay = decay_of(lower(distance_of(t), spread<Pack>(700)));
  const Pack near_one = 1.0 / (1.0 + decay);
  const Pack large = weight * near_one, small = decay * near_one, light = weight * small;
  const auto is_right = t > spread<Pack>(0);
  store(rows.steepness + row, large * small);
  shares.set(row, select(is_right, large, light), select(is_right, light, large));
}

Sweep sweep(const TileRange& range, const SigmoidRows& given, double* work, SigmoidSums* sums) {
  const SigmoidRows rows = given;  // a copy, so that the compiler knows that no store changes it
  const std::size_t begin = range.begin * tile_rows, end = range.end * tile_rows;
  const Shares shares{work, work + (end - begin), begin};
  std::uint32_t* active = rows.active + range.begin;
  const Pack zero = spread<Pack>(0);
  Pack min = spread<Pack>(INFINITY);
  std::size_t n_active = 0;
  for (std::size_t row = begin; row < end; row += tile_rows) {
    const Pack t = load<Pack>(rows.place + row) + rows.step * load<Pack>(rows.change + row);
    const Pack weight = load<Pack>(rows.weight + row), distance = distance_of(t);
    store(rows.t + row, t);
    store(rows.steepness + row, zero);
    shares.set(row, select(t > zero, weight, zero), select(t > zero, zero, weight));
    min = lower(min, distance);
    active[n_active] = static_cast<std::uint32_t>(row / tile_rows);
    n_active += any(spread<Pack>(far_away) > distance);
  }
  for (std::size_t i = 0; i < n_active; ++i) share_out(rows, active[i] * tile_rows, shares);
  each_class(range, [&](std::size_t k, std::size_t row, std::size_t last) {
    Pack right = zero, left = zero, rate = zero;
    for (; row < last; row += tile_rows) {
      right += load<Pack>(shares.right + (row - begin));
      left += load<Pack>(shares.left + (row - begin));
      rate += load<Pack>(rows.steepness + row) * load<Pack>(rows.change + row);
    }
    store(&sums[k - range.first_class].right, lane_sums({right, left, rate, zero}));
  });
  return {n_active, std::min(std::min(min[0], min[1]), std::min(min[2], min[3]))};
}

WeightedEntropySums find_entropy(const SigmoidSums* sums, std::size_t n_classes, double* ratio) {
  const Pack tiny = spread<Pack>(1e-300);  // 0 log 0 = 0
  const auto log_of = [&](Pack x) { return log2_of(larger(x, tiny)); };
  Pack both = spread<Pack>(0);
  for (std::size_t k = 0; k < n_classes; ++k) both += load<Pack>(&sums[k].right);
  const Pack log_both = log_of(both);
  const Pack log_right = spread<Pack>(log_both[0]), log_left = spread<Pack>(log_both[1]);
  Pack entropy = spread<Pack>(0), slope = spread<Pack>(0);
  for (std::size_t k = 0; k < n_classes; k += 4) {
    const auto of_class = [&](std::size_t i) { return load<Pack>(&sums[k + i].right); };
    const FourPacks four = transpose({of_class(0), of_class(1), of_class(2), of_class(3)});
    const Pack bits_right = log_right - log_of(four.a), bits_left = log_left - log_of(four.b);
    entropy += four.a * bits_right + four.b * bits_left;
    slope += four.c * (bits_right - bits_left);
    store(ratio + k, bits_right - bits_left);
  }
  return {lane_sum(entropy), lane_sum(slope)};
}

double scale(const TileRange& range, std::span<const std::uint32_t> tiles, const double* ratio,
             double* steepness) {
  Pack sum = spread<Pack>(0);
  std::size_t k = range.first_class;
  for (const std::uint32_t tile : tiles) {
    while (tile >= range.class_end[k]) ++k;
    const Pack product = load<Pack>(steepness + tile * tile_rows) * ratio[k];
    sum += product;
    store(steepness + tile * tile_rows, product);
  }
  return lane_sum(sum);
}

}  // namespace

extern const ObliqueKernels oblique_table;
const ObliqueKernels oblique_table{.project = project,
                                   .add_rows = add_rows,
                                   .sweep = sweep,
                                   .find_entropy = find_entropy,
                                   .scale = scale};

}  // namespace ramify::RAMIFY_KERNELS
