// SPDX-License-Identifier: BSD-3-Clause
// Compiled several times; see CMakeLists.txt.
#include "oblique/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

static_assert(tile_rows == pack_width);

/// n interleaved packs. One after the other they would wait for each other's long chains of
/// operations: the processor looks ahead about one chain only.
template <int n>
struct Packs {
  Pack at[n];
};
template <int n, class F>
inline Packs<n> each_pack(const F& f) {
  Packs<n> y;
  for (int i = 0; i < n; ++i) y.at[i] = f(i);
  return y;
}
template <int n>
inline Packs<n> operator+(const Packs<n>& a, const Packs<n>& b) {
  return each_pack<n>([&](int i) { return a.at[i] + b.at[i]; });
}
template <int n>
inline Packs<n> operator-(const Packs<n>& a, const Packs<n>& b) {
  return each_pack<n>([&](int i) { return a.at[i] - b.at[i]; });
}
template <int n>
inline Packs<n> operator*(const Packs<n>& a, const Packs<n>& b) {
  return each_pack<n>([&](int i) { return a.at[i] * b.at[i]; });
}
template <int n>
inline Packs<n> operator+(double a, const Packs<n>& b) {
  return each_pack<n>([&](int i) { return a + b.at[i]; });
}
template <int n>
inline Packs<n> operator-(double a, const Packs<n>& b) {
  return each_pack<n>([&](int i) { return a - b.at[i]; });
}
template <int n>
inline Packs<n> operator*(double a, const Packs<n>& b) {
  return each_pack<n>([&](int i) { return a * b.at[i]; });
}

inline Pack distance_of(Pack x) {
#if defined(__GNUC__)
  return from_bits(bits_of(x) & 0x7fffffffffffffff);
#else
  return magnitude(x);
#endif
}
inline Pack lower(Pack a, Pack b) { return select(a > b, b, a); }

/// e^-x for 0 <= x <= 700, to about one unit in the last place.
template <int n>
inline Packs<n> decay_of(const Packs<n>& x) {
#if defined(__GNUC__)
  // x = r - k ln 2 with |r| <= 0.35, and ln 2 split into two parts so that r is exact. The series
  // of e^r is evaluated in parts that do not wait for each other.
  constexpr double magic = 6755399441055744.0;  // puts an integer into the low bits
  const Packs<n> shifted = magic - 1.442695040888963407359924681 * x;
  const Packs<n> k = -magic + shifted;
  const Packs<n> r = (0.0 - x - 6.93147180369123816490e-01 * k) - 1.90821492927058770002e-10 * k;
  constexpr double c2 = 1.0 / 2, c3 = 1.0 / 6, c4 = 1.0 / 24, c5 = 1.0 / 120, c6 = 1.0 / 720,
                   c7 = 1.0 / 5040, c8 = 1.0 / 40320, c9 = 1.0 / 362880, c10 = 1.0 / 3628800,
                   c11 = 1.0 / 39916800, c12 = 1.0 / 479001600;
  const Packs<n> r2 = r * r;
  const Packs<n> r4 = r2 * r2;
  const Packs<n> high = ((c8 + c9 * r) + (c10 + c11 * r) * r2) + c12 * r4;
  const Packs<n> middle = (c4 + c5 * r) + (c6 + c7 * r) * r2;
  const Packs<n> low = (1.0 + r) + (c2 + c3 * r) * r2;
  const Packs<n> series = low + (middle + high * r4) * r4;
  return each_pack<n>(
      [&](int i) { return from_bits(bits_of(series.at[i]) + (bits_of(shifted.at[i]) << 52)); });
#else
  return each_pack<n>(
      [&](int i) { return each(x.at[i], [](double lane) { return std::exp(-lane); }); });
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
template <int n, class Real>
inline void project_tiles(const Real* values, std::size_t n_columns, const double* direction,
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

template <class Real>
void project(const TileMatrix<Real>& matrix, const TileRange& range, const double* direction,
             double bias, double* change) {
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

template <int n, class Real>
inline void add_tiles(const TileMatrix<Real>& matrix, const std::uint32_t* tiles,
                      const double* factor, double* work) {
  const std::size_t n_columns = matrix.n_columns;
  Pack times[n];
  const Real* values[n];
  for (int i = 0; i < n; ++i) {
    times[i] = load<Pack>(factor + tiles[i] * tile_rows);
    values[i] = matrix.values + tiles[i] * n_columns * tile_rows;
  }
  for (std::size_t at = 0; at < n_columns * tile_rows; at += tile_rows) {
    const auto term = [&](int i) { return times[i] * load_pack(values[i] + at); };
    store(work + at, load<Pack>(work + at) + sum_of<n>(term));
  }
}

template <class Real>
void add_rows(const TileMatrix<Real>& matrix, std::span<const std::uint32_t> tiles,
              const double* factor, double* work, double* sum) {
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

/// The shares and the steepness of n tiles.
template <int n>
inline void share_out(const SigmoidRows& rows, const std::uint32_t* tiles, const Shares& shares) {
  const auto load_all = [&](const double* p) {
    return each_pack<n>([&](int i) { return load<Pack>(p + tiles[i] * tile_rows); });
  };
  const Packs<n> t = load_all(rows.t), weight = load_all(rows.weight);
  // 1 / (1 + e^-|t|) and e^-|t| / (1 + e^-|t|): neither loses digits.
  const Packs<n> decay =
      decay_of(each_pack<n>([&](int i) { return lower(distance_of(t.at[i]), spread<Pack>(700)); }));
  const Packs<n> near_one = each_pack<n>([&](int i) { return 1.0 / (1.0 + decay.at[i]); });
  const Packs<n> large = weight * near_one, small = decay * near_one;
  const Packs<n> light = weight * small, steepness = large * small;
  for (int i = 0; i < n; ++i) {
    const std::size_t row = tiles[i] * tile_rows;
    const auto is_right = t.at[i] > spread<Pack>(0);
    store(rows.steepness + row, steepness.at[i]);
    shares.set(row, select(is_right, large.at[i], light.at[i]),
               select(is_right, light.at[i], large.at[i]));
  }
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
  in_groups<3, 1>(n_active, [&]<int n>(std::size_t i) { share_out<n>(rows, active + i, shares); });
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
const ObliqueKernels oblique_table{{project<float>, add_rows<float>},
                                   {project<double>, add_rows<double>},
                                   sweep,
                                   find_entropy,
                                   scale};

}  // namespace ramify::RAMIFY_KERNELS
