// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/tree_arrays.hpp"
#include "explain/shap.hpp"
#include "explain/shap_lines.hpp"
#include "explain/shap_planes.hpp"
#include "util/stop.hpp"

namespace ramify {
namespace {

/// Trees whose values add up to the scores of rows.
class Explainer {
 public:
  Explainer(const std::vector<nb::dict>& trees, std::vector<Array2<double>> values,
            std::vector<std::size_t> first, std::size_t n_columns, std::size_t n_outputs)
      : tables_(std::move(values)), n_columns_(n_columns), n_outputs_(n_outputs) {
    if (trees.size() != tables_.size() || trees.size() != first.size())
      refuse("every tree needs values, and an output that they are added to");
    for (std::size_t t = 0; t < trees.size(); ++t) {
      arrays_.emplace_back(trees[t]);
      const TreeView& tree = arrays_.back().tree;
      if (tables_[t].shape(0) != tree.size() || first[t] + tables_[t].shape(1) > n_outputs)
        refuse("the values of a tree must have a row per node, and fit into the outputs");
      const std::size_t n_values = tables_[t].shape(1);
      trees_.emplace_back(tree, std::span(tables_[t].data(), tables_[t].size()), n_values);
      const ShapTree& shap = trees_.back();
      if (!shap.used.empty() && shap.used.back() >= n_columns)
        refuse("a tree tests a column that does not exist");
      parts_.push_back({&shap, first[t]});
      has_planes_ = has_planes_ || shap.has_planes;
    }
  }

  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  bool has_planes() const { return has_planes_; }

  auto expectation() const {
    std::vector<double> sum(n_outputs_);
    for (const ShapTerm& part : parts_) {
      const std::vector<double> own = shap_expectation(*part.tree);
      for (std::size_t k = 0; k < own.size(); ++k) sum[part.first + k] += own[k];
    }
    return to_numpy(std::move(sum));
  }

  auto marginal(const Array2<double>& X, const std::vector<std::size_t>& columns) const {
    const RowMatrix rows = rows_of(X);
    std::vector<std::uint8_t> takes_part(n_columns_);
    for (const std::size_t column : columns) takes_part.at(column) = 1;
    std::vector<double> sums(rows.n_rows * n_outputs_);
    without_gil([&] {
      Stop stop(raise_signals);
      for (std::size_t row = 0; row < rows.n_rows && !stop.is_wanted(0); ++row)
        for (const ShapTerm& part : parts_)
          add_marginal(*part.tree, rows.row(row), takes_part,
                       sums.data() + row * n_outputs_ + part.first);
    });
    return to_numpy(std::move(sums), {rows.n_rows, n_outputs_});
  }

  /// For trees without hyperplanes: along paths, or against background rows.
  nb::tuple explain(const Array2<double>& X, const std::optional<Array2<double>>& others,
                    bool interactions, int n_threads) const {
    Result result(X.shape(0), n_columns_, n_outputs_, interactions);
    const RowMatrix rows = rows_of(X);
    const RowMatrix background = others ? background_of(*others) : RowMatrix{};
    {
      const nb::gil_scoped_release release;
      Stop stop(raise_signals);
      const ShapOptions options{n_threads, stop.pause_of(0)};
      for (const ShapTerm& part : parts_) {
        ShapSums sums = result.sums();
        sums.first = part.first;
        if (others)
          explain_pairs(*part.tree, rows, background, 1 / static_cast<double>(background.n_rows),
                        sums, options);
        else
          explain_paths(*part.tree, rows, sums, options);
      }
    }
    return std::move(result).to_python();
  }

  /// For model trees, against background rows; `lines` are those of each tree, by name.
  nb::tuple lines(const Array2<double>& X, const Array2<double>& others,
                  const std::vector<nb::dict>& lines, bool interactions, int n_threads) const {
    if (lines.size() != trees_.size() || n_outputs_ != 1 || has_planes_)
      refuse("every tree must have lines, and one value per node");
    std::vector<LinesView> views;
    for (std::size_t t = 0; t < lines.size(); ++t) {
      views.push_back(lines_view(lines[t], trees_[t].tree.size()));
      for (const std::int64_t column : views.back().column)
        if (std::cmp_greater_equal(column, n_columns_)) refuse("a line has a column too far");
      if (trees_[t].is_fractional) refuse("missing values of a model tree go one way");
    }
    Result result(X.shape(0), n_columns_, n_outputs_, interactions);
    const RowMatrix rows = rows_of(X), background = background_of(others);
    {
      const nb::gil_scoped_release release;
      Stop stop(raise_signals);
      const ShapOptions options{n_threads, stop.pause_of(0)};
      for (std::size_t t = 0; t < views.size(); ++t)
        explain_lines(trees_[t], views[t], rows, background,
                      1 / static_cast<double>(background.n_rows), result.sums(), options);
    }
    return std::move(result).to_python();
  }

  nb::tuple planes(const Array2<double>& X, const Array2<double>& others, bool interactions,
                   std::size_t max_pieces, std::size_t n_samples, std::uint64_t seed,
                   int n_threads) const {
    Result result(X.shape(0), n_columns_, n_outputs_, interactions);
    const RowMatrix rows = rows_of(X), background = background_of(others);
    Stop stop(raise_signals);
    PlaneReport report = without_gil([&] {
      return explain_planes(parts_, rows, background, result.sums(), {max_pieces, n_samples, seed},
                            {n_threads, stop.pause_of(0)});
    });
    const nb::tuple found = std::move(result).to_python();
    return nb::make_tuple(found[0], found[1], to_numpy(std::move(report.is_exact)),
                          to_numpy(std::move(report.error), {rows.n_rows, n_columns_, n_outputs_}));
  }

 private:
  struct Result {
    Result(std::size_t rows, std::size_t columns, std::size_t outputs, bool interactions)
        : n_rows(rows), n_columns(columns), n_outputs(outputs), values(rows * columns * outputs) {
      if (interactions) pairs.resize(values.size() * columns);
    }
    ShapSums sums() {
      return {values.data(), pairs.empty() ? nullptr : pairs.data(), n_columns, n_outputs, 0};
    }
    nb::tuple to_python() && {
      nb::object both = nb::none();
      if (!pairs.empty())
        both = nb::cast(to_numpy(std::move(pairs), {n_rows, n_columns, n_columns, n_outputs}));
      return nb::make_tuple(to_numpy(std::move(values), {n_rows, n_columns, n_outputs}), both);
    }
    std::size_t n_rows, n_columns, n_outputs;
    std::vector<double> values, pairs;
  };

  RowMatrix rows_of(const Array2<double>& X) const {
    if (X.shape(1) != n_columns_)
      refuse("X has " + std::to_string(X.shape(1)) + " columns, the trees have " +
             std::to_string(n_columns_));
    return {{X.data(), X.size()}, X.shape(0), X.shape(1)};
  }
  RowMatrix background_of(const Array2<double>& others) const {
    if (others.shape(0) == 0) refuse("there are no background rows; give at least one");
    return rows_of(others);
  }

  std::deque<TreeArrays> arrays_;
  std::vector<Array2<double>> tables_;
  std::deque<ShapTree> trees_;
  std::vector<ShapTerm> parts_;
  std::size_t n_columns_, n_outputs_;
  bool has_planes_ = false;
};

}  // namespace

void bind_explain(nb::module_& m) {
  nb::class_<Explainer>(m, "Explainer", "Trees whose values add up, prepared for explanations.")
      .def(nb::init<const std::vector<nb::dict>&, std::vector<Array2<double>>,
                    std::vector<std::size_t>, std::size_t, std::size_t>(),
           "trees"_a, "values"_a, "first"_a, "n_columns"_a, "n_outputs"_a)
      .def_prop_ro("has_planes", &Explainer::has_planes)
      .def("expectation", &Explainer::expectation, "The scores if no column takes part.")
      .def("marginal", &Explainer::marginal, "X"_a, "columns"_a,
           "The scores of rows if only some columns take part, [row, output].")
      .def("explain", &Explainer::explain, "X"_a, "others"_a, "interactions"_a, "n_threads"_a,
           "Shapley values [row, column, output], and interactions off the diagonal or None.")
      .def("lines", &Explainer::lines, "X"_a, "others"_a, "lines"_a, "interactions"_a,
           "n_threads"_a, "The same for model trees, before answers are clipped to their range.")
      .def("planes", &Explainer::planes, "X"_a, "others"_a, "interactions"_a, "max_pieces"_a,
           "n_samples"_a, "seed"_a, "n_threads"_a,
           "The same with hyperplanes; also which rows are exact, and standard errors.");
}

}  // namespace ramify
