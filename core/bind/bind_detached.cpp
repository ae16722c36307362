// SPDX-License-Identifier: BSD-3-Clause
// Subtrees that are grown separately, from rows whose codes are known.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <type_traits>

#include "bind/bind.hpp"
#include "bind/blocks.hpp"
#include "data/known_codes.hpp"
#include "grow/detached_subtree.hpp"

namespace ramify {
namespace {

/// A table of rows whose codes are known.
Table table_of(const Table& books, const Layout& layout, const Narrow& narrow, const Wide& wide) {
  if (books.columns.size() != layout.n_codes.size() || narrow.shape(1) != layout.n_narrow ||
      wide.shape(1) != layout.n_wide || wide.shape(0) != narrow.shape(0))
    refuse("the codes must have the columns of the layout, and all the same rows");
  if (narrow.shape(0) >= std::size_t{1} << 31) refuse("a table has at most 2^31 - 1 rows");
  Table table;
  table.columns = books.columns;
  table.n_rows = static_cast<std::uint32_t>(narrow.shape(0));
  const nb::gil_scoped_release release;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    Column& column = table.columns[j];
    const bool fits =
        layout.is_low_cardinality(j)
            ? take_codes(column, narrow.data() + layout.place[j], layout.n_narrow, table.n_rows)
            : take_codes(column, wide.data() + layout.place[j], layout.n_wide, table.n_rows);
    if (!fits) throw std::invalid_argument("a code is not in its codebook");
  }
  return table;
}

/// The target of a node's rows.
template <class Label>
Target part_target(const Table& table, const Array2<Label>& labels,
                   const std::vector<int>& n_classes, const MaybeWeight& weight, double unit) {
  Target target;
  target.n_rows = table.n_rows;
  target.n_classes = n_classes;
  target.unit = unit;
  if (labels.shape(0) != target.n_rows || (weight && weight->shape(0) != target.n_rows) ||
      labels.shape(1) != n_classes.size() || target.n_rows == 0)
    refuse("labels and weights must have one entry per row");
  if (weight) target.weight.assign(weight->data(), weight->data() + target.n_rows);
  if constexpr (std::is_same_v<Label, double>) {
    target.values.assign(labels.data(), labels.data() + labels.size());
    if (std::ranges::any_of(n_classes, [](int n) { return n != 1; }))
      refuse("a regression output must have one class");
  } else {
    target.classes.assign(labels.data(), labels.data() + labels.size());
    for (std::size_t i = 0; i < target.classes.size(); ++i)
      if (target.classes[i] >= static_cast<std::uint32_t>(n_classes[i % n_classes.size()]))
        refuse("a class code is out of range");
    target.note_times();
  }
  return target;
}

/// Grows a subtree from all rows of a table; their weights are in units of the context.
template <class Label>
nb::bytes part_of(const Table& table, const Array2<Label>& labels,
                  const std::vector<int>& n_classes, const MaybeWeight& weight, const Plan& plan,
                  const NodeContext& context) {
  const Target target = part_target(table, labels, n_classes, weight, context.unit);
  for (const std::uint32_t column : context.non_constant)
    if (column >= table.columns.size()) refuse("a non-constant column is not in the table");
  std::vector<std::uint32_t> rows(target.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  Plan mine = plan;
  mine.should_stop = [](double) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return false;
  };
  std::vector<std::uint8_t> bytes;
  {
    const nb::gil_scoped_release release;
    bytes = to_bytes(grow_detached(table, rows, target, mine, context));
  }
  return nb::bytes(bytes.data(), bytes.size());
}

using ContextState = std::tuple<std::uint64_t, int, double, double, std::uint64_t, double, double,
                                std::vector<std::uint32_t>, std::uint64_t>;

}  // namespace

void bind_parts(nb::module_& m) {
  nb::class_<NodeContext>(m, "NodeContext", "What a subtree inherits.")
      .def(nb::init<>())
      .def("__getstate__",
           [](const NodeContext& c) -> ContextState {
             return {c.key,   c.depth, c.unit,         c.training_weight, c.n_training_rows,
                     c.lower, c.upper, c.non_constant, c.n_rows};
           })
      .def("__setstate__",
           [](NodeContext& c, const ContextState& s) {
             new (&c) NodeContext{std::get<0>(s), std::get<1>(s), std::get<2>(s),
                                  std::get<3>(s), std::get<4>(s), std::get<5>(s),
                                  std::get<6>(s), std::get<7>(s), std::get<8>(s)};
           })
      .def_rw("key", &NodeContext::key)
      .def_rw("depth", &NodeContext::depth)
      .def_rw("unit", &NodeContext::unit)
      .def_rw("training_weight", &NodeContext::training_weight)
      .def_rw("n_training_rows", &NodeContext::n_training_rows)
      .def_rw("lower", &NodeContext::lower)
      .def_rw("upper", &NodeContext::upper)
      .def_rw("live", &NodeContext::non_constant)
      .def_rw("n_rows", &NodeContext::n_rows);
  m.def("grow_detached", &part_of<std::uint32_t>, nb::arg("table"), nb::arg("labels"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("plan"), nb::arg("context"));
  m.def("grow_detached", &part_of<double>, nb::arg("table"), nb::arg("numbers"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("plan"), nb::arg("context"));
  m.def("table_of_codes", &table_of, nb::arg("codebooks"), nb::arg("layout"), nb::arg("narrow"),
        nb::arg("wide"));
}

}  // namespace ramify
