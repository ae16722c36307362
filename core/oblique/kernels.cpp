// SPDX-License-Identifier: BSD-3-Clause
// Compiled several times; see CMakeLists.txt.
#include "oblique/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "util/pack.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

static_assert(tile_rows == pack_width);

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define RAMIFY_HAS_SHUFFLE
#endif
#endif

struct FourPacks {
  Pack a, b, c, d;
};

/// Four packs as the columns of a matrix; gives the rows.
inline FourPacks transpose(const FourPacks& x) {
#ifdef RAMIFY_HAS_SHUFFLE
  const Pack ab_even = __builtin_shufflevector(x.a, x.b, 0, 4, 2, 6);
  const Pack ab_odd = __builtin_shufflevector(x.a, x.b, 1, 5, 3, 7);
  const Pack cd_even = __builtin_shufflevector(x.c, x.d, 0, 4, 2, 6);
  const Pack cd_odd = __builtin_shufflevector(x.c, x.d, 1, 5, 3, 7);
  return {__builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5),
          __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5),
          __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7),
          __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7)};
#else
  return {Pack{x.a[0], x.b[0], x.c[0], x.d[0]}, Pack{x.a[1], x.b[1], x.c[1], x.d[1]},
          Pack{x.a[2], x.b[2], x.c[2], x.d[2]}, Pack{x.a[3], x.b[3], x.c[3], x.d[3]}};
#endif
}

/// The sum over the lanes of each of four packs.
inline Pack lane_sums(const FourPacks& x) {
  const FourPacks lane = transpose(x);
  return (lane.a + lane.b) + (lane.c + lane.d);
}
inline double lane_sum(Pack x) { return (x[0] + x[1]) + (x[2] + x[3]); }

inline Pack load_pack(const double* p) { return load<Pack>(p); }
inline Pack load_pack(const float* p) {
#if defined(__GNUC__)
  typedef float Floats __attribute__((vector_size(pack_width * sizeof(float))));
  Floats x;
  std::memcpy(&x, p, sizeof(x));
  return __builtin_convertvector(x, Pack);
#else
  return Pack{p[0], p[1], p[2], p[3]};
#endif
}

inline Pack distance_of(Pack x) {
#if defined(__GNUC__)
  return from_bits(bits_of(x) & 0x7fffffffffffffff);
#else
  return magnitude(x);
#endif
}

/// e^-x for x >= 0, to about one unit in the last place; x is taken as 700 at most. Like exp_of,
/// but with short chains of operations: the sweep waits for this.
inline Pack decay_of(Pack x) {
#if defined(__GNUC__)
  constexpr double magic = 6755399441055744.0;
  const Pack limited = select(x > spread<Pack>(700), spread<Pack>(700), x);
  const Pack shifted = magic - limited * 1.442695040888963407359924681;
  const Pack k = shifted - magic;
  const Pack r = (-limited - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  constexpr double c2 = 1.0 / 2, c3 = 1.0 / 6, c4 = 1.0 / 24, c5 = 1.0 / 120, c6 = 1.0 / 720,
                   c7 = 1.0 / 5040, c8 = 1.0 / 40320, c9 = 1.0 / 362880, c10 = 1.0 / 3628800,
                   c11 = 1.0 / 39916800, c12 = 1.0 / 479001600;
  const Pack r2 = r * r;
  const Pack r4 = r2 * r2;
  const Pack r8 = r4 * r4;
  const Pack low = (1.0 + r) + (c2 + c3 * r) * r2;
  const Pack middle = (c4 + c5 * r) + (c6 + c7 * r) * r2;
  const Pack high = (c8 + c9 * r) + (c10 + c11 * r) * r2 + c12 * r4;
  const Pack series = (low + middle * r4) + high * r8;
  return from_bits(bits_of(series) + (bits_of(shifted) << 52));
#else
  return each(x, [](double lane) { return std::exp(-std::min(lane, 700.0)); });
#endif
}

/// The projections of n tiles that lie one after the other.
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
  std::size_t tile = range.begin;
  const auto next = [&]<int n>() {
    project_tiles<n>(matrix.values + tile * n_columns * tile_rows, n_columns, direction, bias,
                     change + tile * tile_rows);
    tile += n;
  };
  while (tile + 8 <= range.end) next.template operator()<8>();
  while (tile + 2 <= range.end) next.template operator()<2>();
  if (tile < range.end) next.template operator()<1>();
}

/// The sum of the n terms f(0) .. f(n - 1), in pairs: a chain of additions would take longer.
template <int n, class F>
inline Pack sum_of(const F& f, int begin = 0) {
  if constexpr (n == 1) {
    return f(begin);
  } else {
    return sum_of<n / 2>(f, begin) + sum_of<n / 2>(f, begin + n / 2);
  }
}

template <int n, class Real>
inline void add_tiles(const Real* values, std::size_t n_columns, const double* factor,
                      double* work) {
  Pack times[n];
  for (int i = 0; i < n; ++i) times[i] = load<Pack>(factor + i * tile_rows);
  for (std::size_t column = 0; column < n_columns; ++column) {
    double* sum = work + column * tile_rows;
    const auto term = [&](int i) {
      return times[i] * load_pack(values + (i * n_columns + column) * tile_rows);
    };
    store(sum, load<Pack>(sum) + sum_of<n>(term));
  }
}

template <class Real>
void add_rows(const TileMatrix<Real>& matrix, const TileRange& range, const double* factor,
              double* work, double* sum) {
  const std::size_t n_columns = matrix.n_columns;
  std::fill_n(work, (n_columns + 3) / 4 * 4 * tile_rows, 0.0);
  std::size_t tile = range.begin;
  const auto next = [&]<int n>() {
    add_tiles<n>(matrix.values + tile * n_columns * tile_rows, n_columns, factor + tile * tile_rows,
                 work);
    tile += n;
  };
  while (tile + 8 <= range.end) next.template operator()<8>();
  while (tile + 2 <= range.end) next.template operator()<2>();
  if (tile < range.end) next.template operator()<1>();
  for (std::size_t column = 0; column < n_columns; column += 4) {
    const auto lanes = [&](std::size_t i) { return load<Pack>(work + (column + i) * tile_rows); };
    store(sum + column, lane_sums({lanes(0), lanes(1), lanes(2), lanes(3)}));
  }
}

/// Calls visit(class, tiles begin .. end - 1) for the classes of a range.
template <class Visit>
inline void each_class(const TileRange& range, const Visit& visit) {
  std::size_t tile = range.begin;
  for (std::size_t k = range.first_class; tile < range.end; ++k) {
    const std::size_t end = std::min(range.class_end[k], range.end);
    visit(k, tile * tile_rows, end * tile_rows);
    tile = end;
  }
}

double sweep(const TileRange& range, const SigmoidRows& rows, SideSums* sums) {
  const double *weight = rows.weight, *place = rows.place, *change = rows.change;
  double* steepness = rows.steepness;
  const Pack step = spread<Pack>(rows.step), zero = spread<Pack>(0);
  Pack least = spread<Pack>(INFINITY);
  each_class(range, [&](std::size_t k, std::size_t row, std::size_t end) {
    Pack sum_right = zero, sum_left = zero, sum_rate = zero;
    for (; row < end; row += tile_rows) {
      const Pack moved = load<Pack>(change + row);
      const Pack t = load<Pack>(place + row) + step * moved;
      const Pack distance = distance_of(t);
      least = select(least > distance, distance, least);
      // 1 / (1 + e^-|t|) and e^-|t| / (1 + e^-|t|): neither loses digits.
      const Pack decay = decay_of(distance);
      const Pack near_one = 1.0 / (1.0 + decay);
      const Pack small = decay * near_one;
      const Pack large = load<Pack>(weight + row) * near_one;
      const Pack light = load<Pack>(weight + row) * small;
      const Pack steep = large * small;
      store(steepness + row, steep);
      const auto is_right = t > zero;
      sum_right += select(is_right, large, light);
      sum_left += select(is_right, light, large);
      sum_rate += steep * moved;
    }
    store(&sums[k - range.first_class].right, lane_sums({sum_right, sum_left, sum_rate, zero}));
  });
  return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

WeightedEntropySums find_entropy(const SideSums* sums, std::size_t n_classes, double* ratio) {
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

double advance(const TileRange& range, const SigmoidRows& rows, const double* ratio) {
  double *place = rows.place, *steepness = rows.steepness;
  const double* change = rows.change;
  const Pack step = spread<Pack>(rows.step);
  Pack sum = spread<Pack>(0);
  each_class(range, [&](std::size_t k, std::size_t row, std::size_t end) {
    const Pack times = spread<Pack>(ratio[k]);
    for (; row < end; row += tile_rows) {
      const Pack product = load<Pack>(steepness + row) * times;
      sum += product;
      store(steepness + row, product);
      store(place + row, load<Pack>(place + row) + step * load<Pack>(change + row));
    }
  });
  return lane_sum(sum);
}

}  // namespace

extern const ObliqueKernels oblique_table;
const ObliqueKernels oblique_table{{project<float>, add_rows<float>},
                                   {project<double>, add_rows<double>},
                                   sweep,
                                   find_entropy,
                                   advance};

}  // namespace ramify::RAMIFY_KERNELS
