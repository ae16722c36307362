// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/flips.hpp"

#include <algorithm>

#include "simd/clones.hpp"

namespace ramify {
namespace {

struct Scale {
  double reach, flat;
  std::int32_t n_buckets;
};

/// t / (reach + |t|) maps positions to (-1, 1), finely near 0 and with space for the tails of a
/// quotient. It needs one division, and not the position itself. Rows whose slope is mere rounding
/// never flip: a hyperplane that separated them would have no digits left for the other columns.
RAMIFY_CLONES void find_keys(const double* value, const double* slope, std::size_t n, Scale scale,
                             std::uint16_t* key) {
  // In stretches, with values of one width at a time, so that the compiler vectorises it.
  constexpr std::size_t stretch = 256;
  std::int32_t bucket[stretch], is_right[stretch];
  const double reach = scale.reach, flat = scale.flat, never = scale.n_buckets;
  const double half = 0.5 * never, last = never - 0.5;
  for (std::size_t begin = 0; begin < n; begin += stretch) {
    const std::size_t size = std::min(stretch, n - begin);
    const double *v = value + begin, *x = slope + begin;
    for (std::size_t i = 0; i < size; ++i) {
      const double steep = std::fabs(x[i]);
      const double away = reach * steep + std::fabs(v[i]);
      const double squashed = (x[i] < 0 ? v[i] : -v[i]) / (away > 1e-300 ? away : 1e-300);
      const double place = (squashed + 1) * half;
      const double inside = place < last ? place : last;
      const double begins = x[i] < 0 ? 1.0 : 0.0, stays = v[i] < 0 ? 0.0 : 1.0;
      bucket[i] = static_cast<std::int32_t>(steep > flat ? inside : never);
      is_right[i] = static_cast<std::int32_t>(steep > flat ? begins : stays);
    }
    for (std::size_t i = 0; i < size; ++i)
      key[begin + i] = static_cast<std::uint16_t>(2 * bucket[i] + is_right[i]);
  }
}

void sort(Flip* begin, Flip* end) {
  constexpr std::ptrdiff_t few = 24;
  if (end - begin > few)
    return std::sort(begin, end, [](const Flip& a, const Flip& b) { return a.place < b.place; });
  for (Flip* at = begin + 1; at < end; ++at) {
    const Flip flip = *at;
    Flip* to = at;
    for (; to > begin && flip.place < to[-1].place; --to) *to = to[-1];
    *to = flip;
  }
}

}  // namespace

bool FlipOrder::locate(const double* value, const double* slope, std::size_t n_buckets) {
  value_ = value;
  slope_ = slope;
  n_buckets_ = n_buckets;
  if (!find_scale()) return false;
  find_keys(value, slope, key_.size(), {reach_, flat_, static_cast<std::int32_t>(n_buckets)},
            key_.data());
  return true;
}

/// Estimates the usual scale from some of the rows. Returns false if no row has a slope.
bool FlipOrder::find_scale() {
  const std::size_t n = key_.size(), some = 64;
  double values = 0, slopes = 0, n_seen = 0;
  const auto add_every = [&](std::size_t step) {
    values = slopes = n_seen = 0;
    for (std::size_t row = 0; row < n; row += step) {
      values += std::fabs(value_[row]);
      slopes += std::fabs(slope_[row]);
      ++n_seen;
    }
  };
  add_every(n / some + 1);
  if (slopes == 0) add_every(1);
  if (slopes == 0) return false;
  flat_ = 1e-10 * slopes / n_seen;
  reach_ = values / slopes;
  if (!(reach_ > 0) || !std::isfinite(reach_)) reach_ = 1;
  return true;
}

std::span<const Flip> FlipOrder::sorted(std::span<const std::uint32_t> size) {
  end_.assign(n_buckets_, 0);
  std::uint32_t n = 0;
  for (std::size_t b = 0; b < n_buckets_; ++b) {
    end_[b] = n;
    n += size[b];
  }
  flips_.resize(n);
  for (std::size_t row = 0; row < key_.size(); ++row) {
    const std::uint32_t bucket = key_[row] / 2u;
    if (bucket == n_buckets_ || size[bucket] == 0) continue;
    flips_[end_[bucket]++] = {-value_[row] / slope_[row], static_cast<std::uint32_t>(row),
                              problem_.label[row], key_[row] % 2 == 1};
  }
  for (std::size_t b = 0; b < n_buckets_; ++b)
    sort(flips_.data() + (end_[b] - size[b]), flips_.data() + end_[b]);
  return flips_;
}

}  // namespace ramify
