// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/tree_arrays.hpp"
#include "tree/check.hpp"
#include "tree/predict.hpp"
#include "tree/prune.hpp"

namespace ramify {
namespace {

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
