// SPDX-License-Identifier: BSD-3-Clause
#include "tree/packed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ramify {
namespace {

/// A double that this is added to is rounded to an integer, which the lowest bits of the sum hold.
constexpr double magic = 0x1.8p52;

/// The nearest integer: beyond 2^52 all doubles are integers.
double rounded(double x) { return std::abs(x) < 0x1p51 ? (x + magic) - magic : x; }

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

/// The bits that a type needs to hold some numbers. Without a branch, since trees of many classes
/// have millions of values.
struct NeededBits {
  std::uint64_t magnitude = 0;  // of all x; of ~x for a negative x
  std::uint64_t all = 0;        // the highest: is any negative?
  std::uint64_t rest = 0;       // not 0 if there are other numbers than integers, or -0

  void add(std::int64_t x) {
    magnitude |= static_cast<std::uint64_t>(x < 0 ? ~x : x);
    all |= static_cast<std::uint64_t>(x);
  }
  void add(double x) {
    const double shifted = x + magic;
    rest |= std::bit_cast<std::uint64_t>(shifted - magic) ^ std::bit_cast<std::uint64_t>(x);
    add(static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) -  // large ones wrap around
                                  std::bit_cast<std::uint64_t>(magic)));
  }
  template <class To>
  bool fit() const {
    const bool is_negative = all >> 63 != 0;
    return rest == 0 && (std::is_signed_v<To> || !is_negative) &&
           magnitude <= static_cast<std::uint64_t>(std::numeric_limits<To>::max());
  }
};

template <class T>
CompactArray narrowed_of(std::span<const T> cells) {
  const auto differs = [&](T x) { return !is_same(x, cells[0]); };
  if (cells.size() > 1 && std::ranges::none_of(cells, differs)) cells = cells.first(1);
  constexpr bool is_real = std::is_floating_point_v<T>;
  using Widest = std::conditional_t<is_real, double, std::int64_t>;
  if (is_real && cells.empty()) return copied<double>(cells);
  NeededBits bits;
  for (const T x : cells) bits.add(Widest{x});
  if (bits.fit<std::int8_t>()) return copied<std::int8_t>(cells);
  if (bits.fit<std::uint8_t>()) return copied<std::uint8_t>(cells);
  if (bits.fit<std::int16_t>()) return copied<std::int16_t>(cells);
  if (bits.fit<std::uint16_t>()) return copied<std::uint16_t>(cells);
  if (bits.fit<std::int32_t>()) return copied<std::int32_t>(cells);
  if (bits.fit<std::uint32_t>()) return copied<std::uint32_t>(cells);
  return copied<Widest>(cells);
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
