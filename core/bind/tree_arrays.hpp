// SPDX-License-Identifier: BSD-3-Clause
// A tree of Python's as the engine walks it.
#pragma once

#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Spans over the arrays of a tree, which the arrays here keep alive.
class TreeArrays {
 public:
  explicit TreeArrays(const nb::dict& arrays) {
    tree.children_left = take<std::int64_t>(arrays, "children_left");
    tree.children_right = take<std::int64_t>(arrays, "children_right");
    tree.next_sibling = take<std::int64_t>(arrays, "next_sibling");
    tree.feature = take<std::int64_t>(arrays, "feature");
    tree.threshold = take<double>(arrays, "threshold");
    tree.weight = take<double>(arrays, "weighted_n_node_samples");
    tree.kind = take<std::uint8_t>(arrays, "kind");
    tree.missing_branch = take<std::int64_t>(arrays, "missing_branch");
    tree.default_branch = take<std::int64_t>(arrays, "default_branch");
    tree.split_begin = take<std::int64_t>(arrays, "split_begin", 1);
    tree.split_value = take<double>(arrays, "split_value", any_size);
    tree.split_branch = take<std::int64_t>(arrays, "split_branch", any_size);
    if (tree.split_value.size() != tree.split_branch.size())
      throw nb::value_error("split_value and split_branch must be of one length");
    tree.term_begin = take<std::int64_t>(arrays, "term_begin", 1);
    tree.term_column = take<std::int64_t>(arrays, "term_column", any_size);
    tree.term_category = take<std::int64_t>(arrays, "term_category", any_size);
    tree.term_weight = take<double>(arrays, "term_weight", any_size);
    tree.term_fill = take<double>(arrays, "term_fill", any_size);
    tree.term_share = take<double>(arrays, "term_share", any_size);
    for (const std::size_t size : {tree.term_category.size(), tree.term_weight.size(),
                                   tree.term_fill.size(), tree.term_share.size()})
      if (size != tree.term_column.size())
        throw nb::value_error("the arrays of terms must be of one length");
  }
  TreeView tree;

 private:
  static constexpr std::size_t any_size = static_cast<std::size_t>(-1);

  template <class T>
  std::span<const T> take(const nb::dict& arrays, const char* name, std::size_t extra = 0) {
    const auto array = nb::cast<Array1<T>>(arrays[name]);
    kept_.push_back(nb::borrow(arrays[name]));
    if (extra != any_size && array.shape(0) != tree.children_left.size() + extra &&
        !tree.children_left.empty())
      throw nb::value_error((std::string(name) + " has the wrong length").c_str());
    return view(array);
  }
  std::vector<nb::object> kept_;
};

}  // namespace ramify
