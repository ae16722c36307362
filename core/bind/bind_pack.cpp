// SPDX-License-Identifier: BSD-3-Clause
// The arrays of trees: as they are, or in the narrowest type that holds their values, since forests
// have many.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "tree/packed.hpp"

namespace ramify {
namespace {

using Shape = std::vector<std::size_t>;
using Shares = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// Hands over values; without the shape if one value stands for all.
nb::object to_python(CompactArray&& cells, const Shape& shape) {
  return std::visit(
      [&]<class T>(std::vector<T>& kept) -> nb::object {
        const std::size_t n_cells =
            std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies());
        if (kept.size() != n_cells) return nb::cast(to_numpy(std::move(kept)));
        return nb::cast(to_numpy(std::move(kept), shape));
      },
      cells);
}

/// An array of any of the types that trees have.
nb::object narrow(const nb::handle& given) {
  const auto array = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(given);
  Shape shape;
  for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
  const auto narrow_as = [&]<class T>(T) {
    return to_python(narrowed(std::span(static_cast<const T*>(array.data()), array.size())), shape);
  };
  if (array.dtype() == nb::dtype<double>()) return narrow_as(double{});
  if (array.dtype() == nb::dtype<std::int64_t>()) return narrow_as(std::int64_t{});
  if (array.dtype() == nb::dtype<std::uint8_t>()) return narrow_as(std::uint8_t{});
  throw nb::type_error("the array must be float64, int64 or uint8");
}

/// Class weights, if they yield the shares of nodes exactly; else None.
nb::object narrow_weights(const Shares& shares, const Array1<double>& weight) {
  const std::size_t n = shares.shape(0), width = shares.shape(1) * shares.shape(2);
  if (weight.shape(0) != n) refuse("there must be one weight per node");
  const std::vector<double> found =
      weights_of(std::span(shares.data(), n * width), view(weight), width);
  if (found.empty()) return nb::none();
  return to_python(narrowed(std::span(found)), {n, shares.shape(1), shares.shape(2)});
}

/// All arrays of a tree, in one call: forests have many trees.
nb::tuple pack_arrays(const nb::dict& arrays) {
  nb::dict cells;
  nb::object counts = narrow_weights(nb::cast<Shares>(arrays["value"]),
                                     nb::cast<Array1<double>>(arrays["weighted_n_node_samples"]));
  const bool are_counts = !counts.is_none();
  for (const auto [name, array] : arrays)
    cells[name] = are_counts && nb::cast<std::string>(name) == "value" ? counts : narrow(array);
  return nb::make_tuple(cells, are_counts);
}

nb::dict to_python(Ledger&& ledger) {
  const std::size_t n = ledger.node.size();
  const std::size_t n_also = n > 0 ? ledger.also.size() / n : 0;
  nb::dict arrays;
  arrays["node"] = to_numpy(std::move(ledger.node));
  arrays["feature"] = to_numpy(std::move(ledger.feature));
  arrays["threshold"] = to_numpy(std::move(ledger.threshold));
  arrays["score"] = to_numpy(std::move(ledger.score));
  arrays["missing_left"] = to_numpy(std::move(ledger.missing_left));
  arrays["chosen"] = to_numpy(std::move(ledger.chosen));
  arrays["left_begin"] = to_numpy(std::move(ledger.left_begin));
  arrays["left_codes"] = to_numpy(std::move(ledger.left_codes));
  arrays["also"] = to_numpy(std::move(ledger.also), {n, n_also});
  return arrays;
}

}  // namespace

nb::dict to_python(Tree&& tree) {
  nb::dict arrays;
  const Shape shape = tree.value_shape();
  each_array(tree,
             [&](const char* name, auto& cells) { arrays[name] = to_numpy(std::move(cells)); });
  if (!tree.ledger.node.empty()) arrays["ledger"] = to_python(std::move(tree.ledger));
  arrays["value"] = to_numpy(std::move(tree.value), shape);
  return arrays;
}

nb::tuple to_python(PackedTree&& tree) {
  nb::dict cells, shapes;
  for (PackedArray& array : tree.arrays) {
    const nb::str name(array.name.data(), array.name.size());
    cells[name] = to_python(std::move(array.cells), array.shape);
    nb::list shape;
    for (const std::size_t n : array.shape) shape.append(n);
    shapes[name] = nb::tuple(shape);
  }
  return nb::make_tuple(cells, shapes, tree.has_counts);
}

void bind_pack(nb::module_& m) {
  m.def("pack", &pack_arrays, "arrays"_a, nb::sig("def pack(arrays: dict) -> tuple[dict, bool]"),
        "Copy the arrays of a tree into the narrowest types that hold their values exactly; a "
        "single value where all are equal. Also return whether `value` holds class weights, which "
        "it does where these yield the shares exactly.");
}

}  // namespace ramify
