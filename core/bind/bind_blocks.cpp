// SPDX-License-Identifier: BSD-3-Clause
// Trees from rows that lie in blocks: the seams that files and clusters use.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "grow/asked.hpp"

namespace ramify {
namespace {

template <class T>
using Written = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes2 = Array2<std::uint8_t>;

Block block_of(const Codes2& codes) {
  Block block;
  block.n_rows = static_cast<std::uint32_t>(codes.shape(0));
  block.n_columns = codes.shape(1);
  block.codes = codes.data();
  return block;
}

void need_rows(const char* what, std::size_t n, const Codes2& codes) {
  if (n != codes.shape(0))
    throw nb::value_error((std::string(what) + " has " + std::to_string(n) +
                           " entries, the codes " + std::to_string(codes.shape(0)) + " rows")
                              .c_str());
}

/// Codebooks without rows: bins from low to high, or the number of categories where it is not below
/// zero.
Table codebooks(const std::vector<Array1<double>>& low, const std::vector<Array1<double>>& high,
                const std::vector<std::int64_t>& n_categories,
                const std::vector<bool>& has_missing) {
  const std::size_t n = n_categories.size();
  if (low.size() != n || high.size() != n || has_missing.size() != n)
    throw nb::value_error("low, high, n_categories and has_missing must have one entry per column");
  Table table;
  table.columns.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    Column& column = table.columns[j];
    column.n_missing = has_missing[j];
    column.is_categorical = n_categories[j] >= 0;
    if (column.is_categorical) {
      column.n_categories = static_cast<std::uint32_t>(n_categories[j]);
      continue;
    }
    if (low[j].shape(0) != high[j].shape(0))
      throw nb::value_error("low and high must have one number per bin");
    column.lowest = Values({low[j].data(), low[j].data() + low[j].shape(0)});
    column.highest = Values({high[j].data(), high[j].data() + high[j].shape(0)});
  }
  return table;
}

void check_codes(const Codes2& codes, std::span<const std::size_t> first_cell,
                 std::size_t n_cells) {
  if (codes.shape(1) != first_cell.size())
    throw nb::value_error("the codes must have one column per codebook");
  for (std::size_t j = 0; j < codes.shape(1); ++j) {
    const std::size_t n = (j + 1 < first_cell.size() ? first_cell[j + 1] : n_cells) - first_cell[j];
    for (std::size_t row = 0; row < codes.shape(0); ++row)
      if (codes.data()[row * codes.shape(1) + j] >= n)
        throw nb::value_error("a code is not in its codebook");
  }
}

void count_block(const AskedGrower& grower, const Codes2& codes, Array1<std::int32_t> slots,
                 Array1<std::uint32_t> classes, const std::optional<Array1<double>>& weight,
                 std::size_t n_classes, Written<std::int64_t> sums) {
  need_rows("slots", slots.shape(0), codes);
  need_rows("classes", classes.shape(0), codes);
  if (weight) need_rows("weight", weight->shape(0), codes);
  check_codes(codes, grower.first_cell(), grower.n_cells());
  const std::size_t per_slot = grower.n_cells() * (n_classes + 1);
  for (std::size_t i = 0; i < slots.shape(0); ++i)
    if (slots.data()[i] >= 0 &&
        (static_cast<std::size_t>(slots.data()[i]) + 1) * per_slot > sums.shape(0))
      throw nb::value_error("a slot is not in the sums");
  for (std::size_t i = 0; i < classes.shape(0); ++i)
    if (classes.data()[i] >= n_classes) throw nb::value_error("a class is out of range");
  Block block = block_of(codes);
  block.classes = classes.data();
  block.weight = weight ? weight->data() : nullptr;
  count(block, view(slots), grower.first_cell(), grower.n_cells(), n_classes,
        {sums.data(), sums.shape(0)});
}

void route_block(const AskedGrower& grower, const Codes2& codes, Written<std::int32_t> nodes) {
  need_rows("nodes", nodes.shape(0), codes);
  check_codes(codes, grower.first_cell(), grower.n_cells());
  for (std::size_t i = 0; i < nodes.shape(0); ++i)
    if (nodes.data()[i] < 0) throw nb::value_error("a node has a number of at least 0");
  route(block_of(codes), grower.routes(), {nodes.data(), nodes.shape(0)});
}

/// The rows of a node, their weights in units of the context.
Part part_of(const Table& table, Array1<std::uint32_t> rows, Array1<std::uint32_t> classes,
             int n_classes, const std::optional<Array1<double>>& weight, const Plan& plan,
             const NodeContext& context) {
  Target target;
  target.n_rows = static_cast<std::uint32_t>(rows.shape(0));
  target.n_classes = {n_classes};
  target.unit = context.unit;
  if (classes.shape(0) != target.n_rows || (weight && weight->shape(0) != target.n_rows))
    throw nb::value_error("classes and weights must have one entry per row");
  target.classes.assign(classes.data(), classes.data() + target.n_rows);
  if (weight) target.weight.assign(weight->data(), weight->data() + target.n_rows);
  for (const std::uint32_t k : target.classes)
    if (k >= static_cast<std::uint32_t>(n_classes))
      throw nb::value_error("a class code is out of range");
  for (const std::uint32_t row : view(rows))
    if (row >= table.n_rows) throw nb::value_error("a row is not in the table");
  for (const std::uint32_t column : context.live)
    if (column >= table.columns.size()) throw nb::value_error("a live column is not in the table");
  target.note_times();
  const nb::gil_scoped_release release;
  return grow_part(table, view(rows), target, plan, context);
}

}  // namespace

void bind_blocks(nb::module_& m) {
  nb::class_<NodeContext>(m, "NodeContext", "What a part of a tree inherits.")
      .def(nb::init<>())
      .def_rw("key", &NodeContext::key)
      .def_rw("depth", &NodeContext::depth)
      .def_rw("unit", &NodeContext::unit)
      .def_rw("training_weight", &NodeContext::training_weight)
      .def_rw("n_training_rows", &NodeContext::n_training_rows)
      .def_rw("lower", &NodeContext::lower)
      .def_rw("upper", &NodeContext::upper)
      .def_rw("live", &NodeContext::live);
  nb::class_<Part>(m, "Part", "A part of a tree that was grown apart.");
  nb::class_<AskedGrower>(m, "AskedGrower", "Grows a tree from sums that it asks for.")
      .def(nb::init<Table, int, double, const Plan&, std::uint32_t, double>(), nb::arg("codebooks"),
           nb::arg("n_classes"), nb::arg("unit"), nb::arg("plan"), nb::arg("n_rows"),
           nb::arg("training_weight"))
      .def_prop_ro("n_cells", &AskedGrower::n_cells)
      .def("ask", &AskedGrower::ask)
      .def("context", &AskedGrower::context, nb::arg("node"))
      .def(
          "tell", [](AskedGrower& grower, Array1<std::int64_t> sums) { grower.tell(view(sums)); },
          nb::arg("sums"))
      .def(
          "tell_part",
          [](AskedGrower& grower, int node, const Part& part) { grower.tell(node, part); },
          nb::arg("node"), nb::arg("part"))
      .def("count", &count_block, nb::arg("codes"), nb::arg("slots"), nb::arg("classes"),
           nb::arg("weight").none(), nb::arg("n_classes"), nb::arg("sums"))
      .def("route", &route_block, nb::arg("codes"), nb::arg("nodes"))
      .def("tree", [](const AskedGrower& grower) { return to_python(grower.tree()); });
  m.def("codebooks", &codebooks, nb::arg("low"), nb::arg("high"), nb::arg("n_categories"),
        nb::arg("has_missing"));
  m.def("grow_part", &part_of, nb::arg("table"), nb::arg("rows"), nb::arg("classes"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("plan"), nb::arg("context"));
  m.def(
      "learn_bins",
      [](Array1<double> values, std::uint32_t max_codes) {
        return to_numpy(learn_bins({values.data(), values.data() + values.shape(0)}, max_codes));
      },
      nb::arg("values"), nb::arg("max_codes"));
  m.def(
      "exact_weights",
      [](Array1<double> weight) {
        std::vector<double> units(weight.data(), weight.data() + weight.shape(0));
        const double unit = make_exact(units);
        return nb::make_tuple(to_numpy(std::move(units)), unit);
      },
      nb::arg("weight"), "Weights as whole multiples of a unit, and the unit.");
}

}  // namespace ramify
