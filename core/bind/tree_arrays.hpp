// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a Python tree as the core reads them.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bind/arrays.hpp"
#include "data/raw.hpp"
#include "tree/lines.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Spans over the arrays of a tree, which this keeps alive. The arrays may be packed: of narrower
/// types, and with one value where all are equal.
class TreeArrays {
 public:
  explicit TreeArrays(const nb::dict& arrays, bool may_be_packed = false)
      : may_be_packed_(may_be_packed) {
    tree.children_left = take<std::int64_t>(arrays, "children_left", any_size);
    const std::size_t n = tree.children_left.size();
    tree.children_right = take<std::int64_t>(arrays, "children_right", n);
    tree.next_sibling = take<std::int64_t>(arrays, "next_sibling", n);
    tree.feature = take<std::int64_t>(arrays, "feature", n);
    tree.threshold = take<double>(arrays, "threshold", n);
    tree.weight = take<double>(arrays, "weighted_n_node_samples", n);
    tree.kind = take<std::uint8_t>(arrays, "kind", n);
    tree.missing_branch = take<std::int64_t>(arrays, "missing_branch", n);
    tree.default_branch = take<std::int64_t>(arrays, "default_branch", n);
    tree.split_begin = take<std::int64_t>(arrays, "split_begin", n + 1);
    const std::size_t n_listed = list_size(tree.split_begin);
    tree.split_value = take<double>(arrays, "split_value", n_listed);
    tree.split_branch = take<std::int64_t>(arrays, "split_branch", n_listed);
    if (tree.split_value.size() != tree.split_branch.size())
      refuse("split_value and split_branch must have the same length");
    tree.term_begin = take<std::int64_t>(arrays, "term_begin", n + 1);
    const std::size_t n_terms = list_size(tree.term_begin);
    tree.term_column = take<std::int64_t>(arrays, "term_column", n_terms);
    tree.term_category = take<std::int64_t>(arrays, "term_category", n_terms);
    tree.term_weight = take<double>(arrays, "term_weight", n_terms);
    tree.term_fill = take<double>(arrays, "term_fill", n_terms);
    tree.term_share = take<double>(arrays, "term_share", n_terms);
    for (const std::size_t size : {tree.term_category.size(), tree.term_weight.size(),
                                   tree.term_fill.size(), tree.term_share.size()})
      if (size != tree.term_column.size()) refuse("the arrays of terms must have the same length");
  }
  TreeArrays(const TreeArrays&) = delete;
  TreeArrays& operator=(const TreeArrays&) = delete;
  TreeView tree;

 private:
  static constexpr std::size_t any_size = static_cast<std::size_t>(-1);

  /// Lengths of the lists of a packed tree; those of others are checked elsewhere.
  std::size_t list_size(std::span<const std::int64_t> begin) const {
    return may_be_packed_ ? static_cast<std::size_t>(begin.back()) : any_size;
  }

  template <class T>
  std::span<const T> take(const nb::dict& arrays, const char* name, std::size_t size) {
    const auto array =
        nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(arrays[name]);
    std::span<const T> found;
    if (array.dtype() == nb::dtype<T>() && !(may_be_packed_ && array.size() == 1)) {
      kept_.push_back(nb::borrow(arrays[name]));
      found = {static_cast<const T*>(array.data()), array.size()};
    } else if (may_be_packed_) {
      found = widened<T>(array, size);
    } else {
      throw nb::type_error((std::string(name) + " has the wrong type").c_str());
    }
    if (size != any_size && found.size() != size)
      refuse(std::string(name) + " has the wrong length");
    return found;
  }

  /// The values of a packed array, in their original type.
  template <class T, class Array>
  std::span<const T> widened(const Array& array, std::size_t size) {
    std::vector<T>& numbers = std::get<std::vector<T>>(widened_.emplace_back(std::vector<T>()));
    with_type(type_of(array.dtype()), [&]<class From>(From) {
      const auto* cells = static_cast<const From*>(array.data());
      if (array.size() == 1 && size != any_size)
        numbers.assign(size, static_cast<T>(cells[0]));
      else
        numbers.assign(cells, cells + array.size());
    });
    return numbers;
  }

  bool may_be_packed_;
  std::vector<nb::object> kept_;
  std::deque<
      std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::uint8_t>>>
      widened_;
};

/// The lines of a tree by name, checked against its nodes and columns.
inline LinesView lines_view(const nb::dict& lines, std::size_t n_nodes) {
  const auto numbers = [&](const char* name) {
    return view(nb::cast<Array1<double>>(lines[name]));
  };
  const auto whole = [&](const char* name) {
    return view(nb::cast<Array1<std::int64_t>>(lines[name]));
  };
  const LinesView found{whole("begin"),
                        whole("column"),
                        numbers("slope"),
                        numbers("low"),
                        numbers("high"),
                        numbers("fill"),
                        nb::cast<double>(lines["y_low"]),
                        nb::cast<double>(lines["y_high"])};
  const std::size_t n = found.column.size();
  bool fits = found.begin.size() == n_nodes + 1 && found.begin.front() == 0 &&
              std::cmp_equal(found.begin.back(), n) && std::ranges::is_sorted(found.begin) &&
              found.y_low <= found.y_high;
  for (const std::size_t size :
       {found.slope.size(), found.low.size(), found.high.size(), found.fill.size()})
    fits = fits && size == n;
  for (std::size_t i = 0; fits && i < n; ++i)
    fits = found.column[i] >= 0 && found.low[i] <= found.high[i];
  if (!fits) refuse("the lines of a tree do not fit its nodes");
  return found;
}

}  // namespace ramify
