// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "data/content_order.hpp"
#include "tree/forest.hpp"

namespace ramify {
namespace {

using Array2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

RawMatrix matrix_for(const Forest& forest, const AnyArray& X) {
  const RawMatrix matrix = raw_matrix(X);
  if (matrix.n_columns < forest.n_columns())
    throw nb::value_error(("X has " + std::to_string(matrix.n_columns) +
                           " columns, the trees look at " + std::to_string(forest.n_columns()))
                              .c_str());
  return matrix;
}

/// The numbers of all nodes, which the arrays keep alive; one array per tree.
Forest::Values values_of(const Forest& forest, const std::vector<Array2>& tables) {
  if (tables.size() != forest.n_trees())
    throw nb::value_error("one table of values per tree is needed");
  Forest::Values values{{}, tables[0].shape(1)};
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables[t].shape(0) != forest.tree(t).n_nodes() || tables[t].shape(1) != values.n_values)
      throw nb::value_error("a table must have one line of values per node of its tree");
    values.of_tree.emplace_back(tables[t].data(), tables[t].size());
  }
  return values;
}

Forest::Skip skip_of(const Forest& forest, const RawMatrix& X, const std::optional<Mask>& skip) {
  if (!skip) return {};
  if (skip->shape(0) != forest.n_trees() || skip->shape(1) != static_cast<std::size_t>(X.n_rows))
    throw nb::value_error("skip must have one line per tree and one entry per row");
  return {skip->data(), skip->size()};
}

nb::ndarray<nb::numpy, double> sum(const Forest& self, AnyArray X, bool has_missing,
                                   const std::vector<Array2>& tables, std::size_t n_votes,
                                   const std::optional<Mask>& skip, int n_threads) {
  const RawMatrix matrix = matrix_for(self, X);
  const Forest::Values values = values_of(self, tables);
  const Forest::Skip skipped = skip_of(self, matrix, skip);
  if (n_votes > 0 && values.n_values % n_votes != 0)
    throw nb::value_error("the values must part into equal shares, one per vote");
  const auto n_rows = static_cast<std::size_t>(matrix.n_rows);
  std::vector<double> sums(n_rows * values.n_values);
  {
    const nb::gil_scoped_release release;
    if (n_votes > 0)
      self.vote(matrix, has_missing, values, n_votes, skipped, sums.data(), n_threads);
    else
      self.sum(matrix, has_missing, values, skipped, sums.data(), n_threads);
  }
  return to_numpy(std::move(sums), {n_rows, values.n_values});
}

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<Forest>(m, "Forest", "Trees that are asked together.")
      .def(
          "__init__",
          [](Forest* self, const std::vector<const Predictor*>& trees) {
            if (trees.empty()) throw nb::value_error("a forest needs a tree");
            for (const Predictor* tree : trees)
              if (!tree) throw nb::value_error("a tree of a forest must not be None");
            new (self) Forest(trees);
          },
          nb::arg("trees"), nb::keep_alive<1, 2>(), "Keeps the list, and with it the trees, alive.")
      .def(
          "apply",
          [](const Forest& self, AnyArray X, bool has_missing, int n_threads) {
            const RawMatrix matrix = matrix_for(self, X);
            const auto n_rows = static_cast<std::size_t>(matrix.n_rows);
            std::vector<std::int64_t> leaves(n_rows * self.n_trees());
            {
              const nb::gil_scoped_release release;
              self.apply(matrix, has_missing, leaves.data(), n_threads);
            }
            return to_numpy(std::move(leaves), {n_rows, self.n_trees()});
          },
          nb::arg("X"), nb::arg("has_missing"), nb::arg("n_threads"),
          "The leaf of every row in every tree.")
      .def("sum", &sum, nb::arg("X"), nb::arg("has_missing"), nb::arg("tables"), nb::arg("n_votes"),
           nb::arg("skip").none(), nb::arg("n_threads"),
           "Add the values of the leaves that rows reach, tree by tree; or, if n_votes is not 0, "
           "one vote for the largest in each of so many equal parts of them.");
  m.def(
      "content_order",
      [](const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
         Array1<std::uint32_t> classes) {
        std::vector<std::uint32_t> used(rows ? rows->shape(0) : table.n_rows);
        if (rows)
          used.assign(rows->data(), rows->data() + rows->shape(0));
        else
          std::iota(used.begin(), used.end(), 0u);
        for (const std::uint32_t row : used)
          if (row >= table.n_rows) throw nb::value_error("a row is not in the table");
        if (used.empty() || classes.shape(0) % used.size() != 0)
          throw nb::value_error("y must have one class per row and output");
        std::vector<std::uint32_t> order;
        {
          const nb::gil_scoped_release release;
          order = content_order(table, used, view(classes));
        }
        return to_numpy(std::move(order));
      },
      nb::arg("table"), nb::arg("rows").none(), nb::arg("classes"),
      "Places of rows, sorted by what the rows hold.");
}

}  // namespace ramify
