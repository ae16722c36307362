// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "grow/grow.hpp"
#include "grow/tree_batch.hpp"

namespace ramify {
namespace {

void set_weight(Target& target, const std::optional<Array1<double>>& weight) {
  if (!weight) return;
  if (weight->shape(0) != target.n_rows)
    throw nb::value_error("sample_weight must have one value per row");
  target.weight.assign(weight->data(), weight->data() + target.n_rows);
  target.unit = make_exact(target.weight);
}

Target make_target(Array1<std::uint32_t> classes, std::vector<int> n_classes,
                   const std::optional<Array1<double>>& weight,
                   const std::optional<Array1<double>>& extra, int n_extra) {
  Target target;
  target.n_classes = std::move(n_classes);
  if (target.n_classes.empty() || classes.shape(0) % target.n_classes.size() != 0)
    throw nb::value_error("y must have one class per row and output");
  target.n_rows = static_cast<std::uint32_t>(classes.shape(0) / target.n_classes.size());
  target.classes.assign(classes.data(), classes.data() + classes.shape(0));
  for (std::size_t i = 0; i < target.classes.size(); ++i)
    if (target.classes[i] >=
        static_cast<std::uint32_t>(target.n_classes[i % target.n_classes.size()]))
      throw nb::value_error("a class code is out of range");
  set_weight(target, weight);
  target.note_times();
  if (extra) {
    target.n_extra = n_extra;
    if (extra->shape(0) != std::size_t{target.n_rows} * n_extra)
      throw nb::value_error("criterion_data must have one row per row of X");
    target.extra.assign(extra->data(), extra->data() + extra->shape(0));
  }
  return target;
}

/// The regression target, row by row.
Target make_target(Array1<double> numbers, int n_outputs,
                   const std::optional<Array1<double>>& weight) {
  Target target;
  if (n_outputs < 1 || numbers.shape(0) == 0 ||
      numbers.shape(0) % static_cast<std::size_t>(n_outputs) != 0)
    throw nb::value_error("y must have one value per row and output");
  target.n_classes.assign(static_cast<std::size_t>(n_outputs), 1);
  target.n_rows =
      static_cast<std::uint32_t>(numbers.shape(0) / static_cast<std::size_t>(n_outputs));
  target.values.assign(numbers.data(), numbers.data() + numbers.shape(0));
  for (const double number : target.values)
    if (!(std::abs(number) <= 1e150)) throw nb::value_error("a value of y is too large");
  set_weight(target, weight);
  return target;
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
  const auto n = tree.size();
  const auto n_outputs = static_cast<std::size_t>(tree.n_outputs);
  const auto max_classes = static_cast<std::size_t>(tree.max_classes);
  nb::dict arrays;
  arrays["children_left"] = to_numpy(std::move(tree.children_left));
  arrays["children_right"] = to_numpy(std::move(tree.children_right));
  arrays["feature"] = to_numpy(std::move(tree.feature));
  arrays["threshold"] = to_numpy(std::move(tree.threshold));
  arrays["impurity"] = to_numpy(std::move(tree.impurity));
  arrays["n_node_samples"] = to_numpy(std::move(tree.n_node_samples));
  arrays["weighted_n_node_samples"] = to_numpy(std::move(tree.weighted_n_node_samples));
  arrays["gain"] = to_numpy(std::move(tree.gain));
  arrays["next_sibling"] = to_numpy(std::move(tree.next_sibling));
  arrays["kind"] = to_numpy(std::move(tree.kind));
  arrays["optimal"] = to_numpy(std::move(tree.optimal));
  arrays["missing_branch"] = to_numpy(std::move(tree.missing_branch));
  arrays["default_branch"] = to_numpy(std::move(tree.default_branch));
  arrays["split_begin"] = to_numpy(std::move(tree.split_begin));
  arrays["split_value"] = to_numpy(std::move(tree.split_value));
  arrays["split_branch"] = to_numpy(std::move(tree.split_branch));
  arrays["term_begin"] = to_numpy(std::move(tree.term_begin));
  arrays["term_column"] = to_numpy(std::move(tree.term_column));
  arrays["term_category"] = to_numpy(std::move(tree.term_category));
  arrays["term_weight"] = to_numpy(std::move(tree.term_weight));
  arrays["term_fill"] = to_numpy(std::move(tree.term_fill));
  arrays["term_share"] = to_numpy(std::move(tree.term_share));
  if (!tree.ledger.node.empty()) arrays["ledger"] = to_python(std::move(tree.ledger));
  arrays["value"] = to_numpy(std::move(tree.value), {n, n_outputs, max_classes});
  return arrays;
}

namespace {

/// The rows of the table that a target belongs to.
std::vector<std::uint32_t> rows_of(const Target& target, const Table& table,
                                   const std::optional<Array1<std::uint32_t>>& rows) {
  std::vector<std::uint32_t> used(target.n_rows);
  if (rows) {
    if (rows->shape(0) != target.n_rows)
      throw nb::value_error("X and y must have the same number of rows");
    used.assign(rows->data(), rows->data() + target.n_rows);
  } else {
    std::iota(used.begin(), used.end(), 0u);
  }
  for (const std::uint32_t row : used)
    if (row >= table.n_rows) throw nb::value_error("a row is not in the table");
  return used;
}

/// The same plan, which checks for signals now and then.
Plan interruptible(const Plan& plan, const std::optional<nb::callable>& progress) {
  Plan mine = plan;
  mine.should_stop = [&progress](double done) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) (*progress)(done);
    return false;
  };
  return mine;
}

nb::dict grow_on(const Target& target, const Table& table,
                 const std::optional<Array1<std::uint32_t>>& rows, const Plan& plan,
                 const std::optional<nb::callable>& progress) {
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  const Plan mine = interruptible(plan, progress);
  Tree tree;
  {
    const nb::gil_scoped_release release;
    tree = grow(table, used, target, mine);
  }
  return to_python(std::move(tree));
}

/// Several trees, each as `pack` returns it, with the shapes of the arrays.
nb::list grow_many(const Target& target, const Table& table,
                   const std::optional<Array1<std::uint32_t>>& rows,
                   const std::optional<Array2<double>>& weights, const Array1<std::uint64_t>& seeds,
                   const Plan& plan, const std::optional<nb::callable>& progress) {
  if (weights && (weights->shape(0) != seeds.shape(0) || weights->shape(1) != target.n_rows))
    throw nb::value_error("weights must have shape (n_trees, n_rows)");
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  const Plan mine = interruptible(plan, progress);
  std::vector<PackedTree> trees;
  {
    const nb::gil_scoped_release release;
    trees =
        grow_batch({table, used, target, view(seeds), weights ? weights->data() : nullptr}, mine);
  }
  nb::list packed;
  for (PackedTree& tree : trees) packed.append(to_python(std::move(tree)));
  return packed;
}

nb::dict grow_tree(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                   Array1<std::uint32_t> classes, std::vector<int> n_classes,
                   const std::optional<Array1<double>>& weight,
                   const std::optional<Array1<double>>& extra, int n_extra, const Plan& plan,
                   const std::optional<nb::callable>& progress) {
  return grow_on(make_target(classes, std::move(n_classes), weight, extra, n_extra), table, rows,
                 plan, progress);
}

/// The same for regression.
nb::dict grow_regression(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                         Array1<double> numbers, int n_outputs,
                         const std::optional<Array1<double>>& weight, const Plan& plan,
                         const std::optional<nb::callable>& progress) {
  return grow_on(make_target(numbers, n_outputs, weight), table, rows, plan, progress);
}

nb::list grow_trees(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                    Array1<std::uint32_t> classes, std::vector<int> n_classes,
                    const std::optional<Array1<double>>& weight,
                    const std::optional<Array1<double>>& extra, int n_extra,
                    const std::optional<Array2<double>>& weights, Array1<std::uint64_t> seeds,
                    const Plan& plan, const std::optional<nb::callable>& progress) {
  return grow_many(make_target(classes, std::move(n_classes), weight, extra, n_extra), table, rows,
                   weights, seeds, plan, progress);
}

nb::list grow_regression_trees(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                               Array1<double> numbers, int n_outputs,
                               const std::optional<Array1<double>>& weight,
                               const std::optional<Array2<double>>& weights,
                               Array1<std::uint64_t> seeds, const Plan& plan,
                               const std::optional<nb::callable>& progress) {
  return grow_many(make_target(numbers, n_outputs, weight), table, rows, weights, seeds, plan,
                   progress);
}

}  // namespace

void bind_grow(nb::module_& m) {
  m.def("grow", &grow_tree, nb::arg("table"), nb::arg("rows").none(), nb::arg("classes"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("extra").none(), nb::arg("n_extra"),
        nb::arg("plan"), nb::arg("progress").none());
  m.def("grow_regression", &grow_regression, nb::arg("table"), nb::arg("rows").none(),
        nb::arg("numbers"), nb::arg("n_outputs"), nb::arg("weight").none(), nb::arg("plan"),
        nb::arg("progress").none());
  m.def("grow_trees", &grow_trees, nb::arg("table"), nb::arg("rows").none(), nb::arg("classes"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("extra").none(), nb::arg("n_extra"),
        nb::arg("weights").none(), nb::arg("seeds"), nb::arg("plan"), nb::arg("progress").none(),
        "Grow several trees that differ in seed and, if `weights` are given, in the weights of "
        "rows. Each is returned as by `pack`, with the shapes of its arrays.");
  m.def("grow_regression_trees", &grow_regression_trees, nb::arg("table"), nb::arg("rows").none(),
        nb::arg("numbers"), nb::arg("n_outputs"), nb::arg("weight").none(),
        nb::arg("weights").none(), nb::arg("seeds"), nb::arg("plan"), nb::arg("progress").none());
}

}  // namespace ramify
