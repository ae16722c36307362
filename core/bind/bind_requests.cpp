// SPDX-License-Identifier: BSD-3-Clause
// Requests for the target statistics of nodes, to which blocks of rows respond.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "bind/bind.hpp"
#include "bind/blocks.hpp"
#include "distributed/requests.hpp"

namespace ramify {
namespace {

using RequestState = std::tuple<int, int, double, std::size_t, std::size_t, std::vector<double>,
                                std::vector<std::tuple<bool, double, double, int>>>;

RequestState state_of(const RegressionRequest& request) {
  std::vector<std::tuple<bool, double, double, int>> steps;
  for (const TermSteps& own : request.steps)
    steps.emplace_back(own.repeats, own.up, own.finer, own.exponent);
  return {static_cast<int>(request.kind),
          static_cast<int>(request.loss),
          request.parameter,
          request.n_slots,
          request.n_outputs,
          request.at,
          std::move(steps)};
}

RegressionRequest request_from(const RequestState& state) {
  const auto& [kind, loss, parameter, n_slots, n_outputs, at, steps] = state;
  if (kind < 0 || kind > static_cast<int>(RegressionRequest::Kind::loss) || loss < 0 ||
      loss > static_cast<int>(RegressionLoss::crps))
    refuse("unknown kind of regression request");
  RegressionRequest request{static_cast<RegressionRequest::Kind>(kind),
                            static_cast<RegressionLoss>(loss),
                            parameter,
                            n_slots,
                            n_outputs,
                            at,
                            {}};
  for (const auto& [repeats, up, finer, exponent] : steps) {
    TermSteps& own = request.steps.emplace_back();
    own.repeats = repeats;
    own.up = up;
    own.finer = finer;
    own.exponent = exponent;
  }
  const bool has_places = request.kind != RegressionRequest::Kind::weight &&
                          request.kind != RegressionRequest::Kind::range;
  const std::size_t n = has_places ? n_slots * n_outputs : 0;
  if (request.at.size() != n || request.steps.size() != n)
    refuse("a regression request must have one origin and one step per slot and output");
  return request;
}

/// Routes the rows of a block, and adds their response to a regression request.
void respond_block(const Layout& layout, const Ways& ways, const Narrow& narrow, const Wide& wide,
                   const AnyArray& labels, const MaybeWeight& weight, double unit,
                   Written<std::int32_t> nodes, Array1<std::int32_t> slots,
                   const RegressionRequest& request,
                   nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu> sums) {
  const Block block = block_of(layout, narrow, wide, labels, weight, unit);
  if (!layout.is_numeric() || request.n_outputs != layout.n_classes.size())
    refuse("a regression request needs blocks with a regression target");
  if (nodes.shape(0) != block.n_rows) refuse("nodes must have one entry per row");
  if (slots.shape(0) < ways.of_node.size()) refuse("slots must have one entry per node");
  for (std::size_t i = 0; i < slots.shape(0); ++i)
    if (slots.data()[i] >= static_cast<std::int64_t>(request.n_slots))
      refuse("a slot is not in the request");
  const bool is_of_largest = request.is_of_largest();
  if (sums.shape(0) != request.n_slots * request.width() ||
      sums.dtype() != (is_of_largest ? nb::dtype<double>() : nb::dtype<std::int64_t>()))
    refuse("the response array has the wrong type or length");
  const std::span<std::int32_t> of_row{nodes.data(), block.n_rows};
  const nb::gil_scoped_release release;
  route(block, layout, ways, of_row);
  if (is_of_largest)
    respond(block, request, of_row, view(slots),
            std::span(static_cast<double*>(sums.data()), sums.shape(0)));
  else
    respond(block, request, of_row, view(slots),
            std::span(static_cast<std::int64_t*>(sums.data()), sums.shape(0)));
}

}  // namespace

void bind_requests(nb::module_& m) {
  nb::class_<RegressionRequest>(m, "RegressionRequest", "A request for target statistics of nodes.")
      .def(nb::init<>())
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](RegressionRequest& request, const RequestState& state) {
             new (&request) RegressionRequest(request_from(state));
           })
      .def_ro("n_slots", &RegressionRequest::n_slots)
      .def_prop_ro("width", &RegressionRequest::width)
      .def_prop_ro("is_of_largest", &RegressionRequest::is_of_largest);
  m.def("respond_block", &respond_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("labels"), nb::arg("weight").none(), nb::arg("unit"),
        nb::arg("nodes"), nb::arg("slots"), nb::arg("question"), nb::arg("answer"),
        "Route the rows of a checked block, and add their response.");
}

}  // namespace ramify
