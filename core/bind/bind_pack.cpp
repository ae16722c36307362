// SPDX-License-Identifier: BSD-3-Clause
// Arrays in the narrowest type that holds their numbers; forests have many.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"

namespace ramify {
namespace {

using Shape = std::vector<std::size_t>;
using Shares = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class To, class From>
nb::object copied(std::span<const From> from, const Shape& shape) {
  auto owned = std::make_unique<std::vector<To>>(from.size());
  std::ranges::transform(from, owned->begin(), [](From x) { return static_cast<To>(x); });
  To* data = owned->data();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<To>*>(p); });
  owned.release();
  return nb::cast(nb::ndarray<nb::numpy, To>(data, shape.size(), shape.data(), owner));
}

/// Is it a whole number that integers hold, and not -0? Without calls, which old processors would
/// need for rounding.
bool is_whole(double x) {
  return std::abs(x) < 0x1p31 && x == static_cast<double>(static_cast<std::int64_t>(x)) &&
         !(x == 0 && std::signbit(x));
}

/// The nearest whole number: beyond 2^52 doubles have no other.
double rounded(double x) {
  constexpr double magic = 0x1.8p52;
  return std::abs(x) < 0x1p51 ? (x + magic) - magic : x;
}

/// Are two numbers the same, bit for bit?
template <class T>
bool is_same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  else
    return a == b;
}

/// The same numbers, only one of them if all are equal.
template <class T>
nb::object narrowed(std::span<const T> cells, Shape shape) {
  if (cells.size() > 1 && std::ranges::all_of(cells, [&](T x) { return is_same(x, cells[0]); })) {
    cells = cells.first(1);
    shape = {1};
  }
  if constexpr (std::is_floating_point_v<T>)
    if (!std::ranges::all_of(cells, is_whole)) return copied<T>(cells, shape);
  if (cells.empty()) return copied<T>(cells, shape);
  const auto [low, high] = std::ranges::minmax(cells);
  const auto holds = [low = low, high = high]<class To>(To) {
    return static_cast<double>(low) >= std::numeric_limits<To>::min() &&
           static_cast<double>(high) <= std::numeric_limits<To>::max();
  };
  if (holds(std::int8_t{})) return copied<std::int8_t>(cells, shape);
  if (holds(std::uint8_t{})) return copied<std::uint8_t>(cells, shape);
  if (holds(std::int16_t{})) return copied<std::int16_t>(cells, shape);
  if (holds(std::uint16_t{})) return copied<std::uint16_t>(cells, shape);
  if (holds(std::int32_t{})) return copied<std::int32_t>(cells, shape);
  if (holds(std::uint32_t{})) return copied<std::uint32_t>(cells, shape);
  return copied<T>(cells, shape);
}

/// An array of any of the types that trees have.
nb::object narrow(const nb::handle& given) {
  const auto array = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(given);
  Shape shape;
  for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
  const auto narrow_as = [&]<class T>(T) {
    const std::span cells(static_cast<const T*>(array.data()), array.size());
    return narrowed(cells, std::move(shape));
  };
  if (array.dtype() == nb::dtype<double>()) return narrow_as(double{});
  if (array.dtype() == nb::dtype<std::int64_t>()) return narrow_as(std::int64_t{});
  if (array.dtype() == nb::dtype<std::uint8_t>()) return narrow_as(std::uint8_t{});
  throw nb::type_error("an array of float64, int64 or uint8 is needed");
}

/// Class weights, if the shares of nodes are theirs exactly; else None.
nb::object weights_of(const Shares& shares, const Array1<double>& weight) {
  const std::size_t n = shares.shape(0), width = shares.shape(1) * shares.shape(2);
  if (weight.shape(0) != n) throw nb::value_error("each node has one weight");
  std::vector<double> found(n * width);
  for (std::size_t node = 0; node < n; ++node)
    for (std::size_t i = node * width; i < (node + 1) * width; ++i) {
      found[i] = rounded(shares.data()[i] * weight.data()[node]);
      if (!(found[i] / weight.data()[node] == shares.data()[i])) return nb::none();
    }
  return narrowed(std::span<const double>(found), {n, shares.shape(1), shares.shape(2)});
}

/// All arrays of a tree, in one call: forests have many trees.
nb::tuple pack(const nb::dict& arrays) {
  nb::dict cells;
  nb::object counts = weights_of(nb::cast<Shares>(arrays["value"]),
                                 nb::cast<Array1<double>>(arrays["weighted_n_node_samples"]));
  const bool are_counts = !counts.is_none();
  for (const auto [name, array] : arrays)
    cells[name] = are_counts && nb::cast<std::string>(name) == "value" ? counts : narrow(array);
  return nb::make_tuple(cells, are_counts);
}

}  // namespace

void bind_pack(nb::module_& m) {
  m.def("pack", &pack, nb::arg("arrays"), nb::sig("def pack(arrays: dict) -> tuple[dict, bool]"),
        "Copy the arrays of a tree into the narrowest types that hold their numbers, bit for bit; "
        "one number where all are equal. Also says whether `value` holds the weights of classes, "
        "which it does where the shares are exactly theirs.");
}

}  // namespace ramify
