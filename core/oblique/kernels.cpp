// SPDX-License-Identifier: BSD-3-Clause
// Compiled several times; see CMakeLists.txt.
#include "oblique/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "util/pack.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

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
  const FourPacks row = transpose(x);
  return (row.a + row.b) + (row.c + row.d);
}

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

/// The rows of a group; where the matrix has no more, its last one.
template <class Real>
struct Group {
  const Real* row[rows_per_group];

  Group(const RowBlock<Real>& block, std::size_t begin) {
    for (std::size_t i = 0; i < rows_per_group; ++i)
      row[i] = block.values + std::min(begin + i, block.n_rows - 1) * block.n_columns;
  }
};

template <class Real>
void project(const RowBlock<Real>& block, std::size_t begin, std::size_t end, const double* theta,
             double bias, double* out) {
  const std::size_t n_whole = block.n_whole(), n_columns = block.n_columns;
  for (; begin < end; begin += rows_per_group) {
    const Group<Real> group(block, begin);
    Pack sum[rows_per_group];
    for (Pack& s : sum) s = spread<Pack>(0);
    const auto add = [&](std::size_t column, const double* factor) {
      const Pack times = load<Pack>(factor);
      for (std::size_t i = 0; i < rows_per_group; ++i)
        sum[i] += times * load_pack(group.row[i] + column);
    };
    for (std::size_t column = 0; column < n_whole; column += 4) add(column, theta + column);
    if (n_whole < n_columns) add(n_columns - 4, theta + n_whole);
    store(out + begin, lane_sums({sum[0], sum[1], sum[2], sum[3]}) + bias);
    store(out + begin + 4, lane_sums({sum[4], sum[5], sum[6], sum[7]}) + bias);
  }
}

template <class Real>
void add_rows(const RowBlock<Real>& block, std::size_t begin, std::size_t end, const double* factor,
              double* sum) {
  const std::size_t n_whole = block.n_whole(), n_columns = block.n_columns;
  for (; begin < end; begin += rows_per_group) {
    const Group<Real> group(block, begin);
    const auto add = [&](std::size_t column, double* place) {
      const auto term = [&](std::size_t i) {
        return factor[begin + i] * load_pack(group.row[i] + column);
      };
      const Pack first = (term(0) + term(1)) + (term(2) + term(3));
      const Pack second = (term(4) + term(5)) + (term(6) + term(7));
      store(place, load<Pack>(place) + (first + second));
    };
    for (std::size_t column = 0; column < n_whole; column += 4) add(column, sum + column);
    if (n_whole < n_columns) add(n_columns - 4, sum + n_whole);
  }
}

template <bool weighted>
double sweep_rows(const SigmoidCall& call) {
  const std::size_t n_slots = call.n_classes + 1;
  // [row in pack][class][right, left, rate, nothing]: one sum per row of a pack, so that rows of
  // the same class need not wait for each other.
  std::fill_n(call.work, 16 * n_slots, 0.0);
  Pack least = spread<Pack>(INFINITY);
  for (std::size_t row = call.begin; row < call.end; row += 4) {
    const Pack change = load<Pack>(call.change + row);
    const Pack t = load<Pack>(call.place + row) + call.step * change;
    const Pack distance = magnitude(t);
    least = select(least > distance, distance, least);
    // 1 / (1 + e^-|t|) and e^-|t| / (1 + e^-|t|): neither loses digits.
    const Pack decay = exp_of(
        select(distance > spread<Pack>(700), spread<Pack>(-700), spread<Pack>(0) - distance));
    Pack large = 1.0 / (1.0 + decay);
    const Pack small = decay * large;
    if constexpr (weighted) large = large * load<Pack>(call.weight + row);
    const Pack steepness = small * large;
    Pack light = small;
    if constexpr (weighted) light = light * load<Pack>(call.weight + row);
    store(call.steepness + row, steepness);
    const auto is_right = t > spread<Pack>(0);
    const FourPacks by_row =
        transpose({select(is_right, large, light), select(is_right, light, large),
                   steepness * change, spread<Pack>(0)});
    const auto add = [&](std::size_t lane, Pack x) {
      double* place = call.work + 4 * (lane * n_slots + call.label[row + lane]);
      store(place, load<Pack>(place) + x);
    };
    add(0, by_row.a);
    add(1, by_row.b);
    add(2, by_row.c);
    add(3, by_row.d);
  }
  for (std::size_t k = 0; k < call.n_classes; ++k) {
    const auto lane = [&](std::size_t i) { return load<Pack>(call.work + 4 * (i * n_slots + k)); };
    const Pack sum = (lane(0) + lane(1)) + (lane(2) + lane(3));
    call.right[k] = sum[0];
    call.left[k] = sum[1];
    call.rate[k] = sum[2];
  }
  return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

double sweep(const SigmoidCall& call) {
  return call.weight ? sweep_rows<true>(call) : sweep_rows<false>(call);
}

/// Sums of packs of classes; places beyond the last class hold 0.
inline double total(const double* x, std::size_t n) {
  Pack sum = spread<Pack>(0);
  for (std::size_t k = 0; k < n; k += 4) sum += load<Pack>(x + k);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void find_entropy(EntropyCall& call) {
  const std::size_t n = call.n_classes;
  const Pack tiny = spread<Pack>(1e-300);  // 0 log 0 = 0
  const auto log_of = [&](Pack x) { return log2_of(larger(x, tiny)); };
  const Pack log_right = log_of(spread<Pack>(total(call.right, n)));
  const Pack log_left = log_of(spread<Pack>(total(call.left, n)));
  Pack entropy = spread<Pack>(0), slope = spread<Pack>(0);
  for (std::size_t k = 0; k < n; k += 4) {
    const Pack right = load<Pack>(call.right + k), left = load<Pack>(call.left + k);
    const Pack bits_right = log_right - log_of(right), bits_left = log_left - log_of(left);
    const Pack ratio = bits_right - bits_left;
    entropy += right * bits_right + left * bits_left;
    slope += load<Pack>(call.rate + k) * ratio;
    store(call.ratio + k, ratio);
  }
  call.entropy = (entropy[0] + entropy[1]) + (entropy[2] + entropy[3]);
  call.slope = (slope[0] + slope[1]) + (slope[2] + slope[3]);
}

double advance(const SigmoidCall& call, const double* ratio, double* place) {
  Pack sum = spread<Pack>(0);
  for (std::size_t row = call.begin; row < call.end; row += 4) {
    const std::uint32_t* label = call.label + row;
    const Pack times{ratio[label[0]], ratio[label[1]], ratio[label[2]], ratio[label[3]]};
    const Pack x = load<Pack>(call.steepness + row) * times;
    sum += x;
    store(call.steepness + row, x);
    store(place + row, load<Pack>(place + row) + call.step * load<Pack>(call.change + row));
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

extern const ObliqueKernels oblique_table;
const ObliqueKernels oblique_table{{project<float>, add_rows<float>},
                                   {project<double>, add_rows<double>},
                                   sweep,
                                   find_entropy,
                                   advance};

}  // namespace ramify::RAMIFY_KERNELS
