// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "tree/check.hpp"
#include "tree/predict.hpp"
#include "tree/prune.hpp"

namespace ramify {
void bind_tree(nb::module_& m) {
  nb::class_<Predictor>(m, "Predictor", "A tree laid out for prediction.")
      .def(
          "__init__",
          [](Predictor* self, Array1<std::int64_t> left, Array1<std::int64_t> right,
             Array1<std::int64_t> feature, Array1<double> threshold,
             Array1<std::uint8_t> missing_left) {
            new (self) Predictor(view(left), view(right), view(feature), view(threshold),
                                 view(missing_left));
          },
          nb::arg("children_left"), nb::arg("children_right"), nb::arg("feature"),
          nb::arg("threshold"), nb::arg("missing_go_to_left"))
      .def(
          "apply",
          [](const Predictor& self, AnyArray X, bool has_missing, int n_threads) {
            const RawMatrix matrix = raw_matrix(X);
            if (matrix.n_columns < self.n_columns())
              throw nb::value_error(("X has " + std::to_string(matrix.n_columns) +
                                     " columns, the tree looks at " +
                                     std::to_string(self.n_columns()))
                                        .c_str());
            std::vector<std::int64_t> leaves(static_cast<std::size_t>(matrix.n_rows));
            {
              const nb::gil_scoped_release release;
              self.apply(matrix, has_missing, leaves.data(), n_threads);
            }
            return to_numpy(std::move(leaves));
          },
          nb::arg("X"), nb::arg("has_missing"), nb::arg("n_threads"));
  m.def(
      "inspect",
      [](AnyArray X) {
        const Unusual found = inspect(raw_matrix(X));
        return nb::make_tuple(found.has_missing, found.infinite_row, found.infinite_column);
      },
      nb::arg("X"), "Whether a value is missing; row and column of an infinite number, or -1, -1.");
  m.def(
      "prune",
      [](Array1<std::int64_t> left, Array1<std::int64_t> right, Array1<double> risk, double up_to) {
        PruningPath path = prune(view(left), view(right), view(risk), up_to);
        return nb::make_tuple(to_numpy(std::move(path.alphas)), to_numpy(std::move(path.risks)),
                              to_numpy(std::move(path.is_leaf)));
      },
      nb::arg("children_left"), nb::arg("children_right"), nb::arg("risk"), nb::arg("up_to"));
  m.def(
      "what_is_wrong",
      [](Array1<std::int64_t> left, Array1<std::int64_t> right, Array1<std::int64_t> feature,
         std::int64_t n_features) {
        return what_is_wrong(view(left), view(right), view(feature), n_features);
      },
      nb::arg("children_left"), nb::arg("children_right"), nb::arg("feature"),
      nb::arg("n_features"));
}

}  // namespace ramify
