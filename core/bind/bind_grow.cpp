// SPDX-License-Identifier: BSD-3-Clause
// Growing: the target, trees, and subtrees that are grown separately.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/interrupts.hpp"
#include "grow/detached_subtree.hpp"
#include "grow/grow.hpp"
#include "grow/tree_batch.hpp"

namespace ramify {
namespace {

/// Sets the weights of rows, which are multiples of `unit` if that is given.
void set_weight(Target& target, const MaybeWeight& weight, std::optional<double> unit) {
  if (weight && weight->shape(0) != target.n_rows)
    refuse("sample_weight must have one value per row");
  target.weight = copy(weight);
  if (unit)
    target.unit = *unit;
  else if (weight)
    target.unit = make_exact(target.weight);
}

/// The number of rows of a target whose values lie row by row.
std::uint32_t n_rows_of(std::size_t n_values, std::size_t n_outputs, const char* what) {
  if (n_outputs == 0 || n_values == 0 || n_values % n_outputs != 0)
    refuse("y must have one " + std::string(what) + " per row and output");
  return static_cast<std::uint32_t>(n_values / n_outputs);
}

Target class_target(Array1<std::uint32_t> classes, std::vector<int> n_classes,
                    const MaybeWeight& weight, const std::optional<Array2<double>>& extra,
                    std::optional<double> unit) {
  Target target;
  target.n_rows = n_rows_of(classes.shape(0), n_classes.size(), "class");
  target.n_classes = std::move(n_classes);
  target.classes = copy(classes);
  for (std::size_t i = 0; i < target.classes.size(); ++i)
    if (std::cmp_greater_equal(target.classes[i], target.n_classes[i % target.n_classes.size()]))
      refuse("a class code is out of range");
  set_weight(target, weight, unit);
  target.note_times();
  if (extra) {
    if (extra->shape(0) != target.n_rows) refuse("criterion_data must have one row per row of X");
    target.n_extra = static_cast<int>(extra->shape(1));
    target.extra.assign(extra->data(), extra->data() + extra->size());
  }
  return target;
}

Target regression_target(Array1<double> numbers, std::size_t n_outputs, const MaybeWeight& weight,
                         std::optional<double> unit) {
  Target target;
  target.n_rows = n_rows_of(numbers.shape(0), n_outputs, "value");
  target.n_classes.assign(n_outputs, 1);
  target.values = copy(numbers);
  for (const double number : target.values)
    if (!(std::abs(number) <= 1e150)) refuse("a value of y is too large");
  set_weight(target, weight, unit);
  return target;
}

/// The rows of the table that a target belongs to.
std::vector<std::uint32_t> rows_of(const Target& target, const Table& table,
                                   const Maybe<std::uint32_t>& rows) {
  std::vector<std::uint32_t> used = used_rows(table, rows);
  if (used.size() != target.n_rows) refuse("X and y must have the same number of rows");
  return used;
}

nb::dict grow_tree(const Table& table, const Maybe<std::uint32_t>& rows, const Target& target,
                   const Plan& plan, const std::optional<nb::callable>& progress) {
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  const Plan mine = interruptible(plan, progress);
  return to_python(without_gil([&] { return grow(table, used, target, mine); }));
}

nb::list grow_trees(const Table& table, const Maybe<std::uint32_t>& rows, const Target& target,
                    const std::optional<Array2<double>>& weights, Array1<std::uint64_t> seeds,
                    const Plan& plan, const std::optional<nb::callable>& progress) {
  if (weights && (weights->shape(0) != seeds.shape(0) || weights->shape(1) != target.n_rows))
    refuse("weights must have shape (n_trees, n_rows)");
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  const Plan mine = interruptible(plan, progress);
  const TreeBatch batch{.table = table,
                        .rows = used,
                        .target = target,
                        .seeds = view(seeds),
                        .weights = weights ? weights->data() : nullptr};
  nb::list packed;
  for (PackedTree& tree : without_gil([&] { return grow_batch(batch, mine); }))
    packed.append(to_python(std::move(tree)));
  return packed;
}

/// Grows a subtree from all rows of a table; their weights are in units of the context.
nb::bytes grow_subtree(const Table& table, const Target& target, const Plan& plan,
                       const NodeContext& context) {
  if (target.n_rows != table.n_rows) refuse("labels and weights must have one entry per row");
  for (const std::uint32_t column : context.non_constant)
    if (column >= table.columns.size()) refuse("a non-constant column is not in the table");
  const std::vector<std::uint32_t> rows = rows_of(target, table, {});
  const Plan mine = interruptible(plan);
  return bytes_of(
      without_gil([&] { return to_bytes(grow_detached(table, rows, target, mine, context)); }));
}

void bind_contexts(nb::module_& m) {
  using State = std::tuple<std::uint64_t, int, double, double, std::uint64_t, double, double,
                           std::vector<std::uint32_t>, std::uint64_t>;
  nb::class_<NodeContext>(m, "NodeContext", "What a subtree inherits.")
      .def(nb::init<>())
      .def("__getstate__",
           [](const NodeContext& c) -> State {
             return {c.key,   c.depth, c.unit,         c.training_weight, c.n_training_rows,
                     c.lower, c.upper, c.non_constant, c.n_rows};
           })
      .def("__setstate__",
           [](NodeContext& c, const State& state) {
             new (&c) NodeContext(std::make_from_tuple<NodeContext>(state));
           })
      .def_ro("unit", &NodeContext::unit)
      .def_ro("n_rows", &NodeContext::n_rows);
}

}  // namespace

void bind_grow(nb::module_& m) {
  nb::class_<Target>(m, "Target", "What is predicted, row by row, and the weights of the rows.");
  m.def("class_target", &class_target, "classes"_a, "n_classes"_a, "weight"_a,
        "extra"_a = nb::none(), "unit"_a = nb::none());
  m.def("regression_target", &regression_target, "numbers"_a, "n_outputs"_a, "weight"_a,
        "unit"_a = nb::none());
  m.def("grow", &grow_tree, "table"_a, "rows"_a, "target"_a, "plan"_a, "progress"_a);
  m.def("grow_trees", &grow_trees, "table"_a, "rows"_a, "target"_a, "weights"_a, "seeds"_a,
        "plan"_a, "progress"_a,
        "Grow several trees that differ in seed and, if `weights` are given, in the weights of "
        "rows. Each is returned as by `pack`, with the shapes of its arrays.");
  bind_contexts(m);
  m.def("grow_detached", &grow_subtree, "table"_a, "target"_a, "plan"_a, "context"_a);
}

}  // namespace ramify
