// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "tree/check.hpp"
#include "tree/predict.hpp"
#include "tree/prune.hpp"

namespace ramify {
namespace {

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

void check_columns(const Predictor& predictor, const RawMatrix& matrix) {
  if (matrix.n_columns < predictor.n_columns())
    throw nb::value_error(("X has " + std::to_string(matrix.n_columns) +
                           " columns, the tree looks at " + std::to_string(predictor.n_columns()))
                              .c_str());
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<Predictor>(m, "Predictor", "A tree laid out for prediction.")
      .def(
          "__init__",
          [](Predictor* self, const nb::dict& arrays) {
            new (self) Predictor(TreeArrays(arrays).tree);
          },
          nb::arg("arrays"))
      .def(
          "apply",
          [](const Predictor& self, AnyArray X, bool has_missing, int n_threads) {
            const RawMatrix matrix = raw_matrix(X);
            check_columns(self, matrix);
            std::vector<std::int64_t> leaves(static_cast<std::size_t>(matrix.n_rows));
            {
              const nb::gil_scoped_release release;
              self.apply(matrix, has_missing, leaves.data(), n_threads);
            }
            return to_numpy(std::move(leaves));
          },
          nb::arg("X"), nb::arg("has_missing"), nb::arg("n_threads"))
      .def(
          "average",
          [](const Predictor& self, AnyArray X, Array1<double> value, std::size_t n_values,
             int n_threads) {
            const RawMatrix matrix = raw_matrix(X);
            check_columns(self, matrix);
            const auto n_rows = static_cast<std::size_t>(matrix.n_rows);
            std::vector<double> averages(n_rows * n_values);
            {
              const nb::gil_scoped_release release;
              self.average(matrix, view(value), n_values, averages.data(), n_threads);
            }
            return to_numpy(std::move(averages), {n_rows, n_values});
          },
          nb::arg("X"), nb::arg("value"), nb::arg("n_values"), nb::arg("n_threads"),
          "Average the values of the leaves that each row reaches.");
  m.def(
      "inspect",
      [](AnyArray X) {
        const Unusual found = inspect(raw_matrix(X));
        return nb::make_tuple(found.has_missing, found.infinite_row, found.infinite_column);
      },
      nb::arg("X"), "Whether a value is missing; row and column of an infinite number, or -1, -1.");
  m.def(
      "prune",
      [](const nb::dict& arrays, Array1<double> risk, double up_to) {
        PruningPath path = prune(TreeArrays(arrays).tree, view(risk), up_to);
        return nb::make_tuple(to_numpy(std::move(path.alphas)), to_numpy(std::move(path.risks)),
                              to_numpy(std::move(path.is_leaf)));
      },
      nb::arg("arrays"), nb::arg("risk"), nb::arg("up_to"));
  m.def(
      "what_is_wrong",
      [](const nb::dict& arrays, std::int64_t n_features) {
        return what_is_wrong(TreeArrays(arrays).tree, n_features);
      },
      nb::arg("arrays"), nb::arg("n_features"),
      "What is wrong with the arrays of a tree; nothing if they can be walked.");
}

}  // namespace ramify
