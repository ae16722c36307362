// SPDX-License-Identifier: BSD-3-Clause
#include "data/known_codes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "data/raw.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// A small set of numbers: open addressing in a table at most a quarter full.
class NumberSet {
 public:
  explicit NumberSet(std::size_t limit)
      : slots_(std::bit_ceil(4 * (limit + 1)), std::numeric_limits<double>::quiet_NaN()) {}

  /// Adds a number; returns whether it is new.
  bool add(double x) {
    std::size_t at = mix(std::bit_cast<std::uint64_t>(x)) & (slots_.size() - 1);
    while (slots_[at] == slots_[at]) {
      if (slots_[at] == x) return false;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = x;
    return true;
  }

 private:
  std::vector<double> slots_;
};

constexpr std::size_t lanes = 16;

/// Counts for several values at once how many of 255 edges are at most each; unused edges are
/// infinite. There are no branches, and the searches are interleaved: a single one would wait for
/// memory.
inline void find_codes(const double* edges, const double* x, std::uint32_t* code) {
  for (std::size_t i = 0; i < lanes; ++i) code[i] = 0;
  for (std::uint32_t step = 128; step > 0; step /= 2)
    for (std::size_t i = 0; i < lanes; ++i) code[i] += edges[code[i] + step - 1] <= x[i] ? step : 0;
}

template <class From, class To>
bool fill_codes(Column& column, const From* codes, std::size_t stride, std::uint32_t n) {
  std::vector<To> own(n);
  const std::uint32_t missing = column.n_codes();
  std::uint32_t n_missing = 0;
  bool fits = true;
  for (std::uint32_t row = 0; row < n; ++row) {
    const std::uint32_t code = codes[row * stride];
    own[row] = static_cast<To>(code);
    n_missing += code == missing;
    fits = fits && code <= missing;
  }
  // Whether a column has missing values is known from all rows.
  column.n_missing = std::max(n_missing, std::min(column.n_missing, 1u));
  column.codes = std::move(own);
  return fits;
}

}  // namespace

std::vector<double> new_values(const RawColumn& raw, std::span<const double> known,
                               std::size_t limit) {
  NumberSet seen(limit);
  for (const double x : known) seen.add(x);
  std::vector<double> found;
  constexpr std::size_t stretch = 256;
  double values[stretch], last = std::numeric_limits<double>::quiet_NaN();
  for (std::uint32_t row = 0; row < raw.n_rows; ++row) {
    if (row % stretch == 0)
      read_some(raw, row, std::min<std::size_t>(stretch, raw.n_rows - row), values);
    const double x = values[row % stretch] + 0.0;
    if (x == last || std::isnan(x)) continue;
    last = x;
    if (!seen.add(x)) continue;
    found.push_back(x);
    if (known.size() + found.size() > limit) break;
  }
  std::ranges::sort(found);
  return found;
}

KnownCodes encode_into(const RawColumn& raw, std::span<const double> lowest, std::uint8_t* codes,
                       std::int64_t stride, std::span<double> low, std::span<double> high) {
  KnownCodes found;
  std::array<double, 256> edges;
  edges.fill(std::numeric_limits<double>::infinity());
  std::copy(lowest.begin() + 1, lowest.end(), edges.begin());
  const auto missing = static_cast<std::uint32_t>(lowest.size());
  double x[lanes] = {};
  std::uint32_t code[lanes];
  for (std::uint32_t first = 0; first < raw.n_rows; first += lanes) {
    const std::uint32_t n = std::min<std::uint32_t>(lanes, raw.n_rows - first);
    read_some(raw, first, n, x);
    for (double& each : x) each += 0.0;  // -0 and 0 are one value
    find_codes(edges.data(), x, code);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t own = code[i];
      if (!(std::abs(x[i]) <= std::numeric_limits<double>::max())) {
        if (x[i] == x[i]) {
          found.infinite_row = first + i;
          return found;
        }
        own = missing;
        ++found.n_missing;
      } else {
        low[own] = std::min(low[own], x[i]);
        high[own] = std::max(high[own], x[i]);
      }
      codes[static_cast<std::int64_t>(first + i) * stride] = static_cast<std::uint8_t>(own);
    }
  }
  return found;
}

bool take_codes(Column& column, const std::uint8_t* codes, std::size_t stride, std::uint32_t n) {
  return fill_codes<std::uint8_t, std::uint8_t>(column, codes, stride, n);
}

bool take_codes(Column& column, const std::uint32_t* codes, std::size_t stride, std::uint32_t n) {
  return column.n_codes() < 65536
             ? fill_codes<std::uint32_t, std::uint16_t>(column, codes, stride, n)
             : fill_codes<std::uint32_t, std::uint32_t>(column, codes, stride, n);
}

}  // namespace ramify
