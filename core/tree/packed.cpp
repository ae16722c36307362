// SPDX-License-Identifier: BSD-3-Clause
#include "tree/packed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ramify {
namespace {

/// Whether it is an integer that integer types hold, and not -0. Avoids the library calls that old
/// processors need for rounding.
bool is_integer(double x) {
  return std::abs(x) < 0x1p31 && x == static_cast<double>(static_cast<std::int64_t>(x)) &&
         !(x == 0 && std::signbit(x));
}

/// The nearest integer: beyond 2^52 all doubles are integers.
double rounded(double x) {
  constexpr double magic = 0x1.8p52;
  return std::abs(x) < 0x1p51 ? (x + magic) - magic : x;
}

/// Whether two numbers are equal bit for bit.
template <class T>
bool is_same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  else
    return a == b;
}

template <class To, class From>
std::vector<To> copied(std::span<const From> from) {
  std::vector<To> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<To>(from[i]);
  return to;
}

/// Integers from low to high, which are known.
template <class T>
CompactArray as_integers(std::span<const T> cells, T low, T high) {
  const auto holds = [&]<class To>(To) {
    return static_cast<double>(low) >= std::numeric_limits<To>::min() &&
           static_cast<double>(high) <= std::numeric_limits<To>::max();
  };
  if (holds(std::int8_t{})) return copied<std::int8_t>(cells);
  if (holds(std::uint8_t{})) return copied<std::uint8_t>(cells);
  if (holds(std::int16_t{})) return copied<std::int16_t>(cells);
  if (holds(std::uint16_t{})) return copied<std::uint16_t>(cells);
  if (holds(std::int32_t{})) return copied<std::int32_t>(cells);
  if (holds(std::uint32_t{})) return copied<std::uint32_t>(cells);
  if constexpr (std::is_floating_point_v<T>)
    return copied<double>(cells);
  else
    return copied<std::int64_t>(cells);
}

template <class T>
CompactArray narrowed_of(std::span<const T> cells) {
  const auto differs = [&](T x) { return !is_same(x, cells[0]); };
  if (cells.size() > 1 && std::ranges::none_of(cells, differs)) cells = cells.first(1);
  if constexpr (std::is_floating_point_v<T>)
    if (cells.empty() || !std::ranges::all_of(cells, is_integer)) return copied<double>(cells);
  if (cells.empty()) return copied<std::int8_t>(cells);
  T low = cells[0], high = cells[0];
  for (const T x : cells) {
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  return as_integers(cells, low, high);
}

}  // namespace

CompactArray narrowed(std::span<const double> cells) { return narrowed_of(cells); }
CompactArray narrowed(std::span<const std::int64_t> cells) { return narrowed_of(cells); }
CompactArray narrowed(std::span<const std::uint8_t> cells) { return narrowed_of(cells); }

std::vector<double> weights_of(std::span<const double> shares, std::span<const double> weight,
                               std::size_t width) {
  std::vector<double> found(shares.size());
  for (std::size_t node = 0; node < weight.size(); ++node)
    for (std::size_t i = node * width; i < (node + 1) * width; ++i) {
      found[i] = rounded(shares[i] * weight[node]);
      if (!(found[i] / weight[node] == shares[i])) return {};
    }
  return found;
}

PackedTree pack(const Tree& tree) {
  PackedTree packed{};
  each_array(tree, [&](std::string_view name, const auto& cells) {
    packed.arrays.push_back({name, narrowed(std::span(cells)), {cells.size()}});
  });
  const std::vector<std::size_t> shape = tree.value_shape();
  const std::size_t width = shape[1] * shape[2];
  const std::vector<double> weights = weights_of(tree.value, tree.weighted_n_node_samples, width);
  packed.has_counts = !weights.empty();
  packed.arrays.push_back(
      {"value", narrowed(std::span(packed.has_counts ? weights : tree.value)), shape});
  return packed;
}

}  // namespace ramify
