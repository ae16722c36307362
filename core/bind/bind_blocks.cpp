// SPDX-License-Identifier: BSD-3-Clause
// Blocks of rows: their layout, where their rows go, and their sums.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bind/bind.hpp"
#include "bind/blocks.hpp"
#include "rows/point_sums.hpp"

namespace ramify {

Block block_of(const Layout& layout, const Narrow& narrow, const Wide& wide, const AnyArray& labels,
               const MaybeWeight& weight, double unit) {
  const std::size_t n = narrow.shape(0);
  const int bytes = (labels.dtype().bits + 7) / 8;
  const bool is_number = labels.dtype() == nb::dtype<double>();
  const bool is_unsigned =
      static_cast<nb::dlpack::dtype_code>(labels.dtype().code) == nb::dlpack::dtype_code::UInt;
  if (narrow.shape(1) != layout.n_narrow || wide.shape(1) != layout.n_wide || wide.shape(0) != n)
    refuse("the codes must have the columns of the layout, and all the same rows");
  if ((layout.is_numeric() ? !is_number : !is_unsigned || bytes > 4) || labels.ndim() != 2 ||
      labels.shape(0) != n || labels.shape(1) != layout.n_classes.size() ||
      (n > 0 &&
       (labels.stride(1) != 1 || labels.stride(0) != static_cast<std::int64_t>(labels.shape(1)))))
    refuse(
        "labels must be unsigned integers, or float64 in regression, of shape (n_rows, n_outputs) "
        "in C order");
  if (weight.has_value() != layout.is_weighted || (weight && weight->shape(0) != n))
    refuse("the block must have weights if the layout has, one per row, and none otherwise");
  return {n,           narrow.data(),
          wide.data(), labels.data(),
          bytes,       weight ? weight->data() : nullptr,
          unit,        is_number ? static_cast<const double*>(labels.data()) : nullptr};
}

namespace {

Layout layout_of(std::vector<std::uint32_t> n_codes, std::vector<int> n_classes, bool is_weighted,
                 int n_stats, bool counts_classes) {
  if (n_stats != 0 && n_stats != 2 && n_stats != 3) refuse("n_stats must be 2 or 3 in regression");
  if (n_codes.empty() || n_classes.empty() ||
      std::ranges::any_of(n_classes, [](int n) { return n < 1; }))
    refuse("a layout needs at least one column and one class");
  if (std::ranges::any_of(n_codes, [](std::uint32_t n) { return n >= 1u << 31; }))
    refuse("a column has too many codes");
  return {std::move(n_codes), std::move(n_classes), is_weighted, n_stats, counts_classes};
}

Ways ways_of(const Layout& layout, Array1<std::int32_t> column, Array1<std::int32_t> first_child,
             Array1<std::uint32_t> highest, Array1<std::uint32_t> missing,
             Array1<std::int64_t> begin, Array1<std::uint32_t> branches) {
  const std::size_t n = column.shape(0);
  if (first_child.shape(0) != n || highest.shape(0) != n || missing.shape(0) != n ||
      begin.shape(0) != n)
    refuse("the arrays of ways must have one entry per node");
  Ways ways;
  ways.branches.assign(branches.data(), branches.data() + branches.shape(0));
  for (std::size_t i = 0; i < n; ++i) {
    const Way way{column.data()[i], first_child.data()[i], highest.data()[i], missing.data()[i],
                  begin.data()[i]};
    ways.of_node.push_back(way);
    if (way.column < 0) continue;
    const auto own = static_cast<std::size_t>(way.column);
    if (own >= layout.n_codes.size()) refuse("a way tests a column that does not exist");
    std::uint32_t max = std::max(way.missing, 1u);
    if (way.begin >= 0) {
      const std::size_t first = static_cast<std::size_t>(way.begin);
      if (first + layout.n_codes[own] + 1 > ways.branches.size())
        refuse("a way has no list of branches");
      max = *std::max_element(ways.branches.begin() + way.begin,
                              ways.branches.begin() + way.begin + layout.n_codes[own] + 1);
    }
    if (way.first_child <= static_cast<std::int64_t>(i) ||
        static_cast<std::size_t>(way.first_child) + max >= n)
      refuse("a way leads to a node that does not exist");
  }
  return ways;
}

/// Rows of: centre, units, whether weights are repeats, steps up and down.
std::vector<RegressionScale> scales_of(const Array2<double>& given) {
  if (given.shape(0) > 0 && given.shape(1) != 5)
    refuse("a fixed-point scale must have five entries");
  std::vector<RegressionScale> scales(given.shape(0));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const double* own = given.data() + i * 5;
    scales[i].centre = own[0];
    scales[i].per_unit = own[1];
    scales[i].steps.repeats = own[2] != 0;
    scales[i].steps.up = own[3];
    scales[i].steps.down = own[4];
  }
  return scales;
}

/// Routes the rows of a block, and counts those whose node has a slot; returns their number.
std::uint64_t count_block(const Layout& layout, const Ways& ways, const Narrow& narrow,
                          const Wide& wide, const AnyArray& labels, const MaybeWeight& weight,
                          double unit, Written<std::int32_t> nodes, Array1<std::int32_t> slots,
                          nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu> sums,
                          const std::optional<Array2<double>>& given) {
  const Block block = block_of(layout, narrow, wide, labels, weight, unit);
  const std::vector<RegressionScale> scales =
      given ? scales_of(*given) : std::vector<RegressionScale>();
  if (nodes.shape(0) != block.n_rows) refuse("nodes must have one entry per row");
  if (slots.shape(0) < ways.of_node.size()) refuse("slots must have one entry per node");
  for (std::size_t i = 0; i < slots.shape(0); ++i) {
    if (layout.is_numeric() && slots.data()[i] >= 0 &&
        (static_cast<std::size_t>(slots.data()[i]) + 1) * layout.n_classes.size() > scales.size())
      refuse("scales must have one entry per slot and output");
    if (slots.data()[i] >= 0 &&
        (static_cast<std::size_t>(slots.data()[i]) + 1) * layout.slot_size() > sums.shape(0))
      refuse("a slot is not in the sums");
  }
  const bool is_small = sums.dtype() == nb::dtype<std::uint32_t>();
  if (!is_small && sums.dtype() != nb::dtype<std::int64_t>())
    refuse("sums must be uint32 or int64");
  if (is_small && layout.is_numeric()) refuse("sums must be int64 in regression");
  const Count what{layout, ways, view(slots), scales};
  const std::span<std::int32_t> of_row{nodes.data(), block.n_rows};
  const nb::gil_scoped_release release;
  if (is_small)
    return count(block, what, of_row,
                 std::span(static_cast<std::uint32_t*>(sums.data()), sums.shape(0)));
  return count(block, what, of_row,
               std::span(static_cast<std::int64_t*>(sums.data()), sums.shape(0)));
}

/// Routes the rows of a block, and adds the points of those whose node has a slot.
void add_point_block(const Layout& layout, const Ways& ways, const Narrow& narrow, const Wide& wide,
                     const AnyArray& labels, const MaybeWeight& weight, double unit,
                     Written<std::int32_t> nodes, Array1<std::int32_t> slots, Array1<double> points,
                     std::uint32_t begin, std::uint32_t end, Written<double> sums) {
  const Block block = block_of(layout, narrow, wide, labels, weight, unit);
  if (layout.is_numeric() || layout.n_wide > 0 || layout.n_classes.size() != 1)
    refuse("sums of points need low-cardinality columns and one classification output");
  if (begin >= end || end > layout.n_codes.size()) refuse("the range of columns is invalid");
  const PointCount what{layout, ways, view(slots), view(points), begin, end};
  if (nodes.shape(0) != block.n_rows) refuse("nodes must have one entry per row");
  if (slots.shape(0) < ways.of_node.size()) refuse("slots must have one entry per node");
  const std::size_t size = layout.n_cells * layout.n_classes_all, n_slots = points.shape(0) / size;
  for (std::size_t i = 0; i < slots.shape(0); ++i)
    if (slots.data()[i] >= static_cast<std::int64_t>(n_slots))
      refuse("points must have an entry for every slot");
  if (points.shape(0) != n_slots * size || sums.shape(0) != n_slots * what.slot_size())
    refuse("points and sums must have one entry per slot");
  const nb::gil_scoped_release release;
  add_points(block, what, {nodes.data(), block.n_rows}, {sums.data(), sums.shape(0)});
}

void route_block(const Layout& layout, const Ways& ways, const Narrow& narrow, const Wide& wide,
                 Written<std::int32_t> nodes) {
  if (narrow.shape(1) != layout.n_narrow || wide.shape(1) != layout.n_wide ||
      wide.shape(0) != narrow.shape(0) || nodes.shape(0) != narrow.shape(0))
    refuse("the codes must have the columns of the layout, and all the same rows");
  const Block block{narrow.shape(0), narrow.data(), wide.data()};
  const nb::gil_scoped_release release;
  route(block, layout, ways, {nodes.data(), nodes.shape(0)});
}

}  // namespace

void bind_blocks(nb::module_& m) {
  nb::class_<Layout>(m, "Layout", "Layout of the codes in a block, and of the sums in a slot.")
      .def(nb::new_(&layout_of), nb::arg("n_codes"), nb::arg("n_classes"), nb::arg("is_weighted"),
           nb::arg("n_stats") = 0, nb::arg("counts_classes") = false)
      .def_ro("n_narrow", &Layout::n_narrow)
      .def_ro("n_wide", &Layout::n_wide)
      .def_ro("n_cells", &Layout::n_cells)
      .def_ro("n_codes", &Layout::n_codes)
      .def_ro("n_classes", &Layout::n_classes)
      .def_ro("is_weighted", &Layout::is_weighted)
      .def_ro("place", &Layout::place)
      .def_prop_ro("n_channels", &Layout::n_channels)
      .def_prop_ro("slot_size", &Layout::slot_size);
  nb::class_<Ways>(m, "Ways", "Where the rows of split nodes go.")
      .def(nb::new_(&ways_of), nb::arg("layout"), nb::arg("column"), nb::arg("first_child"),
           nb::arg("highest"), nb::arg("missing"), nb::arg("begin"), nb::arg("branches"));
  m.def("count_block", &count_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("labels"), nb::arg("weight").none(), nb::arg("unit"),
        nb::arg("nodes"), nb::arg("slots"), nb::arg("sums"), nb::arg("scales").none() = nb::none(),
        "Route the rows of a checked block, and count those whose node has a slot.");
  m.def("add_points", &add_point_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("labels"), nb::arg("weight").none(), nb::arg("unit"),
        nb::arg("nodes"), nb::arg("slots"), nb::arg("points"), nb::arg("begin"), nb::arg("end"),
        nb::arg("sums"),
        "Route the rows of a block, and add the points of those whose node has a slot.");
  m.def(
      "check_block",
      [](const Layout& layout, const Narrow& narrow, const Wide& wide, const AnyArray& labels,
         const MaybeWeight& weight) {
        if (!is_within(block_of(layout, narrow, wide, labels, weight, 1), layout))
          refuse("a code or a label of a block is out of range");
      },
      nb::arg("layout"), nb::arg("narrow"), nb::arg("wide"), nb::arg("labels"),
      nb::arg("weight").none());
  m.def("route_block", &route_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("nodes"));
}

}  // namespace ramify
