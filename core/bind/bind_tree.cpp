// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/tree_arrays.hpp"
#include "tree/check.hpp"
#include "tree/leaf_values.hpp"
#include "tree/predict.hpp"

namespace ramify {
namespace {

using Sums = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// `trees` says how many columns it looks at.
template <class Trees>
RawMatrix matrix_for(const Trees& trees, const AnyArray& X) {
  const RawMatrix matrix = raw_matrix(X);
  if (matrix.n_columns < trees.n_columns())
    refuse("X has " + std::to_string(matrix.n_columns) + " columns, the trees use " +
           std::to_string(trees.n_columns()));
  return matrix;
}

void make_leaf_values(LeafValues* self, const Predictor& predictor, const nb::list& tables,
                      std::size_t n_votes, std::size_t n_parts,
                      const std::optional<nb::list>& lines) {
  if (tables.size() != predictor.n_trees()) refuse("there must be one table of values per tree");
  if (n_parts == 0) refuse("n_parts must not be 0");
  const auto table_of = [&](std::size_t t) { return nb::cast<Array2<double>>(tables[t]); };
  const std::size_t n_values = table_of(0).shape(1);
  if (n_values == 0 || (n_votes > 0 && n_values % n_votes != 0))
    refuse("the number of values must be a positive multiple of the number of votes");
  for (std::size_t t = 0; t < tables.size(); ++t)
    if (table_of(t).shape(0) != predictor.n_nodes(t) || table_of(t).shape(1) != n_values)
      refuse("a table must have one row of values per node of its tree");
  std::vector<LinesView> views;
  if (lines) {
    if (lines->size() != tables.size() || n_values != 1 || n_votes != 0)
      refuse("every tree must have lines, or none, and one value per node");
    for (std::size_t t = 0; t < tables.size(); ++t)
      views.push_back(lines_view(nb::cast<nb::dict>((*lines)[t]), predictor.n_nodes(t)));
  }
  new (self) LeafValues(predictor, n_values, n_votes, n_parts);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const Array2<double> table = table_of(t);
    self->append({table.data(), table.size()}, lines ? &views[t] : nullptr);
  }
}

void add(const LeafValues& self, AnyArray X, bool has_missing, Sums sums, std::size_t first,
         std::size_t last, const std::optional<Mask>& skip, int n_threads) {
  const RawMatrix matrix = matrix_for(self, X);
  const auto n_rows = static_cast<std::size_t>(matrix.n_rows);
  if (first > last || last > self.n_trees() || sums.shape(0) != n_rows ||
      sums.shape(1) != self.n_parts() * self.n_values())
    refuse("X, trees and sums must have matching shapes");
  LeafValues::Skip skipped;
  if (skip) {
    if (skip->shape(0) != self.n_trees() || skip->shape(1) != n_rows)
      refuse("skip must have shape (n_trees, n_rows)");
    skipped = {skip->data(), skip->size()};
  }
  const nb::gil_scoped_release release;
  Stop stop(raise_signals);
  self.add(matrix, has_missing, first, last, skipped, sums.data(), n_threads, stop);
}

/// Everything needed to predict single rows, made once for many rows.
class OneRow {
 public:
  OneRow(const LeafValues& leaf_values, std::vector<double> start, double divisor,
         std::size_t n_columns, bool takes_missing)
      : leaf_values_(leaf_values),
        start_(std::move(start)),
        divisor_(divisor),
        n_columns_(n_columns),
        takes_missing_(takes_missing) {
    if (start_.size() != leaf_values.n_parts() * leaf_values.n_values() ||
        static_cast<std::int64_t>(n_columns) < leaf_values.n_columns())
      refuse("values, start and columns must have matching lengths");
  }

  /// The sums of a row, divided; None if the row needs the general path.
  nb::object predict(const nb::object& row) const {
    if (PyList_Check(row.ptr()) || PyTuple_Check(row.ptr())) {
      std::vector<double> values;
      return nb::try_cast(row, values) ? answered(values) : nb::none();
    }
    Array1<double> values;
    return nb::try_cast(row, values) ? answered(view(values)) : nb::none();
  }

 private:
  nb::object answered(std::span<const double> values) const {
    if (values.size() != n_columns_) return nb::none();
    const RawMatrix X{values.data(),
                      1,
                      static_cast<std::int64_t>(values.size()),
                      static_cast<std::int64_t>(values.size_bytes()),
                      sizeof(double),
                      RawColumn::Type::f64};
    const Unusual found = inspect(X);
    if (found.infinite_row >= 0 || (found.has_missing && !takes_missing_)) return nb::none();
    std::vector<double> sums = start_;
    Stop never;
    leaf_values_.add(X, found.has_missing, 0, leaf_values_.n_trees(), {}, sums.data(), 1, never);
    nb::list means;
    for (const double sum : sums) means.append(sum / divisor_);
    return means;
  }

  const LeafValues& leaf_values_;
  std::vector<double> start_;
  double divisor_;
  std::size_t n_columns_;
  bool takes_missing_;
};

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<Predictor>(m, "Predictor", "Trees laid out for prediction.")
      .def(
          "__init__",
          [](Predictor* self, const nb::list& trees) {
            if (trees.size() == 0) refuse("a predictor needs at least one tree");
            Predictor made;
            for (const nb::handle tree : trees)
              made.append(TreeArrays(nb::cast<nb::dict>(tree), true).tree);
            new (self) Predictor(std::move(made));
          },
          "trees"_a, "From the arrays of each tree, as they are or packed.")
      .def("__len__", &Predictor::n_trees)
      .def_prop_ro(
          "is_fractional", [](const Predictor& self) { return self.is_fractional(); },
          "Whether missing values go down every branch somewhere.")
      .def(
          "apply",
          [](const Predictor& self, AnyArray X, bool has_missing, int n_threads) {
            const RawMatrix matrix = matrix_for(self, X);
            const auto n_rows = static_cast<std::size_t>(matrix.n_rows);
            std::vector<std::int64_t> leaves(n_rows * self.n_trees());
            Stop stop(raise_signals);
            without_gil([&] { self.apply(matrix, has_missing, leaves.data(), n_threads, stop); });
            return to_numpy(std::move(leaves), {n_rows, self.n_trees()});
          },
          "X"_a, "has_missing"_a, "n_threads"_a, "The leaf of every row in every tree.");
  nb::class_<LeafValues>(m, "Answers", "Values of the leaves of trees, to be added up.")
      .def("__init__", &make_leaf_values, "predictor"_a, "tables"_a, "n_votes"_a, "n_parts"_a,
           "lines"_a = nb::none(), nb::keep_alive<1, 2>(),
           "From a row of values per node of each tree. Tree i adds to part i % n_parts; if "
           "n_votes is not 0, it adds one vote for the largest value in each of n_votes equal "
           "sections of a row. `lines`, of each tree by name, are added to the values.")
      .def_prop_ro(
          "width", [](const LeafValues& self) { return self.n_parts() * self.n_values(); },
          "Number of sums per row.")
      .def("add", &add, "X"_a, "has_missing"_a, "sums"_a, "first"_a, "last"_a, "skip"_a,
           "n_threads"_a,
           "Add the predictions of trees first .. last - 1 to the sums (n_rows, n_parts * "
           "n_values).");
  nb::class_<OneRow>(m, "OneRow", "Predicts single rows; made once for many.")
      .def(nb::init<const LeafValues&, std::vector<double>, double, std::size_t, bool>(),
           "answers"_a, "start"_a, "divisor"_a, "n_columns"_a, "takes_missing"_a,
           nb::keep_alive<1, 2>())
      .def("predict", &OneRow::predict, "row"_a,
           nb::sig("def predict(self, row: object) -> list[float] | None"),
           "The sums of a row, from `start`, divided; None if the row has another length, or a "
           "value that is not finite (NaN where it may be missing is fine).");
  m.def(
      "inspect",
      [](AnyArray X) {
        const Unusual found = inspect(raw_matrix(X));
        return nb::make_tuple(found.has_missing, found.infinite_row, found.infinite_column);
      },
      "X"_a, "Whether a value is missing; row and column of an infinite value, or -1, -1.");
  m.def(
      "what_is_wrong",
      [](const nb::dict& arrays, std::int64_t n_features) {
        return what_is_wrong(TreeArrays(arrays).tree, n_features);
      },
      "arrays"_a, "n_features"_a,
      "What is wrong with the arrays of a tree; empty if they are valid.");
}

}  // namespace ramify
