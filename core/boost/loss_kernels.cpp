// SPDX-License-Identifier: BSD-3-Clause
// Calls no function of the system's mathematical library, so that all machines give the same bits.
#include "boost/loss_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "boost/total.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

constexpr double ln2 = 0.693147180559945309417232121458;
constexpr double steepest = 700;  // beyond it an exponential overflows

template <class V>
struct Slope {
  V gradient, hessian, loss;
};

template <class V>
inline V limited(V x) {
  const V far = spread<V>(steepest), near = spread<V>(-steepest);
  const V upper = select(x > far, far, x);
  return select(near > upper, near, upper);
}

// --- one score per row: f(y, score)

struct LogLoss {
  template <class V>
  Slope<V> operator()(V y, V score) const {
    const V s = limited(score), e = exp_of(0.0 - s), p = 1.0 / (1.0 + e);
    return {p - y, p * (e * p), ln2 * log2_of(1.0 + e) + (1.0 - y) * s};
  }
};
struct SquaredError {
  template <class V>
  Slope<V> operator()(V y, V score) const {
    const V rest = y - score;
    return {score - y, spread<V>(1), rest * rest * 0.5};
  }
};
struct AbsoluteError {
  template <class V>
  Slope<V> operator()(V y, V score) const {
    const V rest = y - score, none = spread<V>(0);
    const V sign = select(rest > none, spread<V>(-1), select(none > rest, spread<V>(1), none));
    return {sign, spread<V>(1), magnitude(rest)};
  }
};
struct QuantileLoss {
  double q;
  template <class V>
  Slope<V> operator()(V y, V score) const {
    const V rest = y - score;
    const V slope = select(rest > spread<V>(0), spread<V>(-q), spread<V>(1 - q));
    return {slope, spread<V>(1), 0.0 - slope * rest};
  }
};
struct Poisson {  // without terms that do not depend on the score
  template <class V>
  Slope<V> operator()(V y, V score) const {
    const V mean = exp_of(limited(score));
    return {mean - y, mean, mean - y * score};
  }
};
struct Gamma {
  template <class V>
  Slope<V> operator()(V y, V score) const {
    const V share = y * exp_of(0.0 - limited(score));
    return {1.0 - share, share, score + share};
  }
};

template <class V, bool has_loss, class F>
inline void slope_at(F f, const double* score, const double* target, std::size_t row, Slopes to) {
  const Slope<V> slope = f(load<V>(target + row), load<V>(score + row));
  store(to.gradient + row, slope.gradient);
  store(to.hessian + row, slope.hessian);
  if constexpr (has_loss) store(to.loss + row, slope.loss);
}

template <bool has_loss, class F>
void slopes_of(F f, const double* score, const double* target, std::size_t n, Slopes to) {
  std::size_t row = 0;
  for (; row + pack_width <= n; row += pack_width)
    slope_at<Pack, has_loss>(f, score, target, row, to);
  for (; row < n; ++row) slope_at<double, has_loss>(f, score, target, row, to);
}

template <class F>
void slopes(F f, const double* score, const double* target, std::size_t n, Slopes to) {
  return to.loss ? slopes_of<true>(f, score, target, n, to)
                 : slopes_of<false>(f, score, target, n, to);
}

void differentiate(Loss loss, double quantile, const double* score, const double* target,
                   std::size_t n, Slopes to) {
  switch (loss) {
    case Loss::log_loss:
      return slopes(LogLoss{}, score, target, n, to);
    case Loss::absolute_error:
      return slopes(AbsoluteError{}, score, target, n, to);
    case Loss::quantile:
      return slopes(QuantileLoss{quantile}, score, target, n, to);
    case Loss::poisson:
      return slopes(Poisson{}, score, target, n, to);
    case Loss::gamma:
      return slopes(Gamma{}, score, target, n, to);
    default:
      return slopes(SquaredError{}, score, target, n, to);
  }
}

// --- several scores per row

/// Rows whose highest scores, sums and losses stay in the first-level cache while class after class
/// is read. Class by class because the scores of one row lie far apart: with thousands of classes,
/// each in its own page.
constexpr std::size_t softmax_rows = 256;

/// Some rows, in the strides of the caller, and intermediate results of each.
struct SoftmaxTile {
  const double *score, *target;
  std::size_t n, n_scores, stride, to_stride;
  Slopes to;
  alignas(64) double highest[softmax_rows], total[softmax_rows], level[softmax_rows];
};

/// Calls use(V{}, row) for packs of rows, and for the rows behind the last pack.
template <class Use>
inline void each_pack(std::size_t n, Use use) {
  std::size_t row = 0;
  for (; row + pack_width <= n; row += pack_width) use(Pack{}, row);
  for (; row < n; ++row) use(double{}, row);
}

inline void softmax_tile(SoftmaxTile& tile) {
  const std::size_t n = tile.n, n_scores = tile.n_scores;
  double *const highest = tile.highest, *const total = tile.total, *const level = tile.level;
  std::copy_n(tile.score, n, highest);
  for (std::size_t k = 1; k < n_scores; ++k)
    each_pack(n, [&, score = tile.score + k * tile.stride]<class V>(V, std::size_t row) {
      store(highest + row, larger(load<V>(score + row), load<V>(highest + row)));
    });
  std::fill_n(total, n, 0.0);
  for (std::size_t k = 0; k < n_scores; ++k)
    each_pack(n, [&, score = tile.score + k * tile.stride,
                  gradient = tile.to.gradient + k * tile.to_stride]<class V>(V, std::size_t row) {
      const V e = exp_of(limited(load<V>(score + row) - load<V>(highest + row)));
      store(gradient + row, e);
      store(total + row, load<V>(total + row) + e);
    });
  double* const loss = tile.to.loss;
  if (loss)
    each_pack(n, [&]<class V>(V, std::size_t row) {
      store(level + row, ln2 * log2_of(load<V>(total + row)) + load<V>(highest + row));
    });
  for (std::size_t k = 0; k < n_scores; ++k)
    each_pack(n, [&, score = tile.score + k * tile.stride,
                  gradient = tile.to.gradient + k * tile.to_stride,
                  hessian = tile.to.hessian + k * tile.to_stride]<class V>(V, std::size_t row) {
      const V p = load<V>(gradient + row) / load<V>(total + row);
      const V y = load<V>(tile.target + row);
      const auto is_own = spread<V>(0.5) > magnitude(y - static_cast<double>(k));
      store(gradient + row, select(is_own, p - 1.0, p));
      store(hessian + row, p * (1.0 - p));
      if (!loss) return;
      const V before = k == 0 ? spread<V>(0) : load<V>(loss + row);
      store(loss + row, select(is_own, load<V>(level + row) - load<V>(score + row), before));
    });
}

void softmax(const double* score, const double* target, std::size_t n, std::size_t n_scores,
             std::size_t stride, std::size_t to_stride, Slopes to) {
  SoftmaxTile tile;
  tile.n_scores = n_scores;
  tile.stride = stride;
  tile.to_stride = to_stride;
  for (std::size_t row = 0; row < n; row += softmax_rows) {
    tile.score = score + row;
    tile.target = target + row;
    tile.n = std::min(softmax_rows, n - row);
    tile.to = {to.gradient + row, to.hessian + row, to.loss ? to.loss + row : nullptr};
    softmax_tile(tile);
  }
}

// --- exact sums

constexpr std::size_t tile_rows = 8192;  // their coarse and fine sums are exact in a double

inline int bin_of(double magnitude) {
  const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
  return exponent < Total::lowest ? -1 : (exponent - Total::lowest) / Total::width;
}

/// What a tile adds to a bin, in lanes.
template <class V>
struct Binning {
  V coarse = spread<V>(0), fine = spread<V>(0);
  V others = spread<V>(0);  // the sum of values in other bins, or in none

  inline void add(V x, V size, double bottom, double top, double up) {
    constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
    const V none = spread<V>(0);
    const V own = select(spread<V>(bottom) > size, none, select(spread<V>(top) > size, x, none));
    const V steps = own * up, whole = (steps + magic) - magic;
    coarse = coarse + whole;
    fine = fine + (steps - whole);
    others = others + magnitude(x - own);
  }
};

template <bool has_weight, bool is_magnitude>
struct Tile {
  const double *x, *weight;
  std::size_t n;
  std::int64_t* digits;

  template <class V>
  inline V at(std::size_t i) const {
    V own = load<V>(x + i);
    if constexpr (is_magnitude) own = magnitude(own);
    if constexpr (has_weight) own = own * load<V>(weight + i);
    return own;
  }
  template <class V>
  inline void visit(Binning<V>& to, std::size_t i, double low, double high, double up) const {
    const V own = at<V>(i);
    to.add(own, is_magnitude ? own : magnitude(own), low, high, up);
  }

  static void split(double steps, std::int64_t* to) {
    const auto whole = static_cast<std::int64_t>(steps);
    to[0] += whole >> 32;
    to[1] += whole & 0xffffffff;
  }

  /// Returns whether all values are in this bin, or 0.
  bool add_bin(int bin) {
    const int bottom = Total::lowest + bin * Total::width, top = bottom + Total::width;
    const double low = std::ldexp(1.0, bottom), up = std::ldexp(1.0, Total::coarse_bits - top);
    const double high = top > 1023 ? std::numeric_limits<double>::infinity() : std::ldexp(1.0, top);
    Binning<Pack> lanes;
    Binning<double> one;
    std::size_t i = 0;
    for (; i + pack_width <= n; i += pack_width) visit(lanes, i, low, high, up);
    for (; i < n; ++i) visit(one, i, low, high, up);
    for (int lane = 0; lane < pack_width; ++lane) {
      one.coarse += lanes.coarse[lane];
      one.fine += lanes.fine[lane];
      one.others += lanes.others[lane];
    }
    split(one.coarse, digits + 4 * bin);
    split(std::ldexp(one.fine, Total::fine_bits), digits + 4 * bin + 2);
    return one.others == 0;
  }

  /// Most tiles have one bin or two; the first guess is that of the first value.
  void add() {
    const int guess = std::clamp(bin_of(std::abs(at<double>(0))), 0, Total::n_bins - 1);
    if (add_bin(guess)) return;
    double min = std::numeric_limits<double>::infinity(), max = 0;
    bool is_odd = false;
    for (std::size_t i = 0; i < n; ++i) {
      const double size = std::abs(at<double>(i));
      is_odd |= !(size < std::numeric_limits<double>::infinity());
      if (size > 0) min = std::min(min, size);
      max = std::max(max, size);
    }
    digits[Total::n_digits - 1] += is_odd;  // NaN or infinite
    if (is_odd) return;
    for (int bin = std::max(bin_of(min), 0); bin <= bin_of(max); ++bin)
      if (bin != guess) add_bin(bin);
  }
};

template <bool has_weight, bool is_magnitude>
void add_tiles(const double* x, const double* weight, std::size_t n, std::int64_t* digits) {
  for (std::size_t i = 0; i < n; i += tile_rows)
    Tile<has_weight, is_magnitude>{x + i, has_weight ? weight + i : nullptr,
                                   std::min(tile_rows, n - i), digits}
        .add();
}

void add_exactly(const double* x, const double* weight, bool is_magnitude, std::size_t n,
                 std::int64_t* digits) {
  if (weight)
    return is_magnitude ? add_tiles<true, true>(x, weight, n, digits)
                        : add_tiles<true, false>(x, weight, n, digits);
  return is_magnitude ? add_tiles<false, true>(x, weight, n, digits)
                      : add_tiles<false, false>(x, weight, n, digits);
}

double add_roughly(const double* x, const double* weight, std::size_t n) {
  Pack lanes = spread<Pack>(0);
  std::size_t i = 0;
  for (; i + pack_width <= n; i += pack_width) {
    const Pack size = magnitude(load<Pack>(x + i));
    lanes = lanes + (weight ? size * load<Pack>(weight + i) : size);
  }
  double sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  for (; i < n; ++i) sum += weight ? std::abs(x[i]) * weight[i] : std::abs(x[i]);
  return sum;
}

}  // namespace

extern const LossKernels loss_table;
const LossKernels loss_table{differentiate, softmax, add_exactly, add_roughly};

}  // namespace ramify::RAMIFY_KERNELS
