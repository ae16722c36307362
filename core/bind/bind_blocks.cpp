// SPDX-License-Identifier: BSD-3-Clause
// Blocks of rows: their layout, where their rows go, and what they respond to requests.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "bind/blocks.hpp"
#include "distributed/requests.hpp"
#include "rows/point_sums.hpp"
#include "util/bytes.hpp"

namespace ramify {
namespace {

/// Throws ValueError if the arrays do not fit the layout.
Block block_of(const Layout& layout, const ByteCodes& byte_codes, const IntCodes& int_codes,
               const AnyArray& labels, const MaybeWeight& weight, double unit) {
  const std::size_t n = byte_codes.shape(0);
  const int bytes = (labels.dtype().bits + 7) / 8;
  const bool is_number = labels.dtype() == nb::dtype<double>();
  const bool is_unsigned =
      static_cast<nb::dlpack::dtype_code>(labels.dtype().code) == nb::dlpack::dtype_code::UInt;
  check_codes(layout, byte_codes, int_codes);
  if ((layout.is_numeric() ? !is_number : !is_unsigned || bytes > 4) || labels.ndim() != 2 ||
      labels.shape(0) != n || labels.shape(1) != layout.n_classes.size() ||
      (n > 0 &&
       (labels.stride(1) != 1 || labels.stride(0) != static_cast<std::int64_t>(labels.shape(1)))))
    refuse(
        "labels must be unsigned integers, or float64 in regression, of shape (n_rows, n_outputs) "
        "in C order");
  if (weight.has_value() != layout.is_weighted || (weight && weight->shape(0) != n))
    refuse("the block must have weights if the layout has, one per row, and none otherwise");
  return {.n_rows = n,
          .byte_codes = byte_codes.data(),
          .int_codes = int_codes.data(),
          .labels = labels.data(),
          .label_bytes = bytes,
          .weight = weight ? weight->data() : nullptr,
          .unit = unit,
          .values = is_number ? static_cast<const double*>(labels.data()) : nullptr};
}

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
  ways.branches = copy(branches);
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

/// Writes or reads a request.
template <class Bytes, class Request>
void transfer(Bytes& bytes, Request& request) {
  bytes(request.kind, request.loss, request.parameter);
  bytes.wide(request.n_slots, request.n_outputs);
  bytes(request.at);
  bytes.each(request.steps, 21,
             [&](auto& own) { bytes(own.repeats, own.up, own.finer, own.exponent); });
}

nb::bytes state_of(const RegressionRequest& request) {
  ByteWriter to;
  transfer(to, request);
  return bytes_of(to.take());
}

RegressionRequest request_from(const nb::bytes& state) {
  ByteReader from(view(state));
  RegressionRequest request;
  transfer(from, request);
  if (request.kind > RegressionRequest::Kind::loss || request.loss > RegressionLoss::crps ||
      !from.is_at_end())
    refuse("unknown kind of regression request");
  const bool has_places = request.kind != RegressionRequest::Kind::weight &&
                          request.kind != RegressionRequest::Kind::range;
  const std::size_t n = has_places ? request.n_slots * request.n_outputs : 0;
  if (request.at.size() != n || request.steps.size() != n)
    refuse("a regression request must have one origin and one step per slot and output");
  return request;
}

/// The rows of a block with the nodes that they have reached, and the slot of each node that is
/// asked about. All lengths and types are checked here.
class RoutedBlock {
 public:
  using Sums = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  RoutedBlock(const Layout& layout, const Ways& ways, ByteCodes byte_codes, IntCodes int_codes,
              AnyArray labels, MaybeWeight weight, double unit, Written<std::int32_t> nodes,
              Array1<std::int32_t> slots)
      : layout_(layout),
        ways_(ways),
        block_(block_of(layout, byte_codes, int_codes, labels, weight, unit)),
        nodes_(view(nodes)),
        slots_(view(slots)),
        kept_{byte_codes, int_codes, labels, weight, nodes, slots} {
    if (nodes_.size() != block_.n_rows) refuse("nodes must have one entry per row");
    if (slots_.size() < ways.of_node.size()) refuse("slots must have one entry per node");
    for (const std::int32_t slot : slots_)
      n_slots_ = std::max(n_slots_, static_cast<std::size_t>(std::max(slot + 1, 0)));
  }

  /// Adds the sums of the rows to those of their slots; returns the number of rows.
  std::uint64_t count(const Sums& sums, const std::optional<Array2<double>>& given) const {
    const auto scales = given ? scales_of(*given) : std::vector<RegressionScale>();
    if (layout_.is_numeric() && n_slots_ * layout_.n_classes.size() > scales.size())
      refuse("scales must have one entry per slot and output");
    if (n_slots_ * layout_.slot_size() > sums.shape(0)) refuse("a slot is not in the sums");
    const Count what{layout_, ways_, slots_, scales};
    if (!layout_.is_numeric() && sums.dtype() == nb::dtype<std::uint32_t>())
      return without_gil(
          [&] { return ramify::count(block_, what, nodes_, of<std::uint32_t>(sums)); });
    return without_gil([&] { return ramify::count(block_, what, nodes_, of<std::int64_t>(sums)); });
  }

  /// Adds the points of the rows.
  void add_points(Array1<double> points, std::uint32_t begin, std::uint32_t end,
                  Written<double> sums) const {
    if (layout_.is_numeric() || layout_.n_int_columns > 0 || layout_.n_classes.size() != 1)
      refuse("sums of points need low-cardinality columns and one classification output");
    if (begin >= end || end > layout_.n_codes.size()) refuse("the range of columns is invalid");
    const PointCount what{layout_, ways_, slots_, view(points), begin, end};
    const std::size_t size = layout_.n_cells * layout_.n_classes_all;
    const std::size_t n_slots = points.shape(0) / size;
    if (n_slots_ > n_slots || points.shape(0) != n_slots * size ||
        sums.shape(0) != n_slots * what.slot_size())
      refuse("points and sums must have one entry per slot");
    without_gil([&] { ramify::add_points(block_, what, nodes_, view(sums)); });
  }

  /// Adds the response of the rows to a regression request.
  void respond(const RegressionRequest& request, const Sums& sums) const {
    if (!layout_.is_numeric() || request.n_outputs != layout_.n_classes.size())
      refuse("a regression request needs blocks with a regression target");
    if (n_slots_ > request.n_slots) refuse("a slot is not in the request");
    if (sums.shape(0) != request.n_slots * request.width())
      refuse("the response array has the wrong length");
    const auto respond_as = [&]<class T>(std::span<T> response) {
      const nb::gil_scoped_release release;
      route(block_, layout_, ways_, nodes_);
      ramify::respond(block_, request, nodes_, slots_, response);
    };
    request.is_of_largest() ? respond_as(of<double>(sums)) : respond_as(of<std::int64_t>(sums));
  }

 private:
  template <class T>
  static std::span<T> of(const Sums& sums) {
    if (sums.dtype() != nb::dtype<T>()) refuse("the sums have the wrong type");
    return {static_cast<T*>(sums.data()), sums.shape(0)};
  }

  const Layout& layout_;
  const Ways& ways_;
  Block block_;
  std::span<std::int32_t> nodes_;
  std::span<const std::int32_t> slots_;
  std::size_t n_slots_ = 0;  // from the first to the highest that a node has
  std::tuple<ByteCodes, IntCodes, AnyArray, MaybeWeight, Written<std::int32_t>,
             Array1<std::int32_t>>
      kept_;
};

void route_block(const Layout& layout, const Ways& ways, const ByteCodes& byte_codes,
                 const IntCodes& int_codes, Written<std::int32_t> nodes) {
  check_codes(layout, byte_codes, int_codes);
  if (nodes.shape(0) != byte_codes.shape(0)) refuse("nodes must have one entry per row");
  const Block block{.n_rows = byte_codes.shape(0),
                    .byte_codes = byte_codes.data(),
                    .int_codes = int_codes.data()};
  without_gil([&] { route(block, layout, ways, view(nodes)); });
}

}  // namespace

void bind_blocks(nb::module_& m) {
  nb::class_<Layout>(m, "Layout", "Layout of the codes in a block, and of the sums in a slot.")
      .def(nb::new_(&layout_of), "n_codes"_a, "n_classes"_a, "is_weighted"_a, "n_stats"_a = 0,
           "counts_classes"_a = false)
      .def_ro("n_byte_columns", &Layout::n_byte_columns)
      .def_ro("n_int_columns", &Layout::n_int_columns)
      .def_ro("n_cells", &Layout::n_cells)
      .def_ro("n_codes", &Layout::n_codes)
      .def_ro("n_classes", &Layout::n_classes)
      .def_ro("is_weighted", &Layout::is_weighted)
      .def_ro("place", &Layout::place)
      .def_prop_ro("slot_size", &Layout::slot_size);
  nb::class_<Ways>(m, "Ways", "Where the rows of split nodes go.")
      .def(nb::new_(&ways_of), "layout"_a, "column"_a, "first_child"_a, "highest"_a, "missing"_a,
           "begin"_a, "branches"_a);
  nb::class_<RegressionRequest>(m, "RegressionRequest", "A request for target statistics of nodes.")
      .def(nb::init<>())
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](RegressionRequest& request, const nb::bytes& state) {
             new (&request) RegressionRequest(request_from(state));
           })
      .def_ro("n_slots", &RegressionRequest::n_slots)
      .def_prop_ro("width", &RegressionRequest::width)
      .def_prop_ro("is_of_largest", &RegressionRequest::is_of_largest);
  nb::class_<RoutedBlock>(m, "RoutedBlock", "The rows of a checked block, routed to nodes.")
      .def(nb::init<const Layout&, const Ways&, ByteCodes, IntCodes, AnyArray, MaybeWeight, double,
                    Written<std::int32_t>, Array1<std::int32_t>>(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), "layout"_a, "ways"_a, "byte_codes"_a,
           "int_codes"_a, "labels"_a, "weight"_a, "unit"_a, "nodes"_a, "slots"_a)
      .def("count", &RoutedBlock::count, "sums"_a, "scales"_a = nb::none(),
           "Route the rows, and add those whose node has a slot; return their number.")
      .def("add_points", &RoutedBlock::add_points, "points"_a, "begin"_a, "end"_a, "sums"_a,
           "Route the rows, and add the points of those whose node has a slot.")
      .def("respond", &RoutedBlock::respond, "request"_a, "answer"_a,
           "Route the rows, and add their response to a regression request.");
  m.def(
      "check_block",
      [](const Layout& layout, const ByteCodes& byte_codes, const IntCodes& int_codes,
         const AnyArray& labels, const MaybeWeight& weight) {
        if (!is_within(block_of(layout, byte_codes, int_codes, labels, weight, 1), layout))
          refuse("a code or a label of a block is out of range");
      },
      "layout"_a, "byte_codes"_a, "int_codes"_a, "labels"_a, "weight"_a);
  m.def("route_block", &route_block, "layout"_a, "ways"_a, "byte_codes"_a, "int_codes"_a,
        "nodes"_a);
}

}  // namespace ramify
