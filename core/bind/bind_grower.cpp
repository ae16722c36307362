// SPDX-License-Identifier: BSD-3-Clause
// The grower that requests sums, to which files and clusters respond.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "distributed/level_grower.hpp"

namespace ramify {
namespace {

nb::tuple arrays_of(const Ways& ways) {
  std::vector<std::int32_t> column, first_child;
  std::vector<std::uint32_t> highest, missing, branches = ways.branches;
  std::vector<std::int64_t> begin;
  for (const Way& way : ways.of_node) {
    column.push_back(way.column);
    first_child.push_back(way.first_child);
    highest.push_back(way.highest);
    missing.push_back(way.missing);
    begin.push_back(way.begin);
  }
  return to_tuple(std::move(column), std::move(first_child), std::move(highest), std::move(missing),
                  std::move(begin), std::move(branches));
}

nb::ndarray<nb::numpy, double> array_of(const std::vector<RegressionScale>& scales) {
  std::vector<double> rows;
  for (const auto& [centre, per_unit, steps] : scales)
    rows.insert(rows.end(), {centre, per_unit, steps.repeats ? 1.0 : 0.0, steps.up, steps.down});
  const std::size_t n = scales.size();
  return to_numpy(std::move(rows), {n, 5});
}

/// One of the arrays of some batches, class-major, with a row for each cut.
template <class Put>
nb::object joined(std::span<const CutBatch> batches, std::size_t m, std::size_t k, Put put) {
  std::vector<double> all(m * k);
  double* to = all.data();
  for (std::size_t stat = 0; stat < k; ++stat)
    for (const CutBatch& batch : batches) to = put(batch, stat, to);
  return nb::cast(to_numpy(std::move(all), {m, k}, {1, static_cast<std::int64_t>(m)}));
}

void score_together(LevelGrower& grower, nb::callable function) {
  grower.score_together([shared = std::make_shared<nb::callable>(std::move(function))](
                            std::span<const CutBatch> batches) {
    const nb::gil_scoped_acquire acquire;
    std::size_t m = 0;
    for (const CutBatch& batch : batches) m += static_cast<std::size_t>(batch.n_cuts);
    const auto k = static_cast<std::size_t>(batches[0].n_stats);
    const auto side = [&](std::vector<double> CutBatch::* sums) {
      return joined(batches, m, k, [=](const CutBatch& batch, std::size_t stat, double* to) {
        const auto n = static_cast<std::size_t>(batch.n_cuts);
        return std::copy_n((batch.*sums).begin() + static_cast<std::ptrdiff_t>(stat * n), n, to);
      });
    };
    const nb::object parent =
        joined(batches, m, k, [](const CutBatch& batch, std::size_t stat, double* to) {
          return std::fill_n(to, batch.n_cuts, batch.parent[stat]);
        });
    const nb::object response = (*shared)(parent, side(&CutBatch::left), side(&CutBatch::right));
    const auto scores = nb::cast<Array1<double>>(response);
    if (scores.shape(0) != m) refuse("the criterion returned the wrong number of scores");
    return copy(scores);
  });
}

/// Defines a method of an array of any of these types.
template <class... T, class Respond>
void def_for(nb::class_<LevelGrower>& grower, const char* name, const char* argument,
             Respond respond) {
  (grower.def(
       name, [respond](LevelGrower& self, Array1<T> values) { respond(self, view(values)); },
       nb::arg(argument)),
   ...);
}

}  // namespace

void bind_grower(nb::module_& m) {
  nb::class_<LevelGrower> grower(m, "LevelGrower", "Grows a tree from sums that it requests.");
  def_for<double, std::int64_t>(
      grower, "respond_regression", "answer",
      [](LevelGrower& self, auto response) { self.respond_regression(response); });
  def_for<std::uint32_t, std::int64_t>(grower, "respond", "sums",
                                       [](LevelGrower& self, auto sums) { self.respond(sums); });
  def_for<std::uint32_t, std::int64_t>(
      grower, "respond_trials", "sums",
      [](LevelGrower& self, auto sums) { self.respond_trials(sums); });
  grower
      .def(nb::init<Table, Layout, double, const Plan&, std::uint64_t, std::size_t>(),
           "codebooks"_a, "layout"_a, "unit"_a, "plan"_a, "n_rows"_a, "budget"_a)
      .def("open",
           [](const LevelGrower& grower) {
             std::vector<std::tuple<int, int, std::uint64_t>> all;
             for (const auto& [node, depth, n_rows] : grower.open())
               all.emplace_back(node, depth, n_rows);
             return all;
           })
      .def("score_together", &score_together, "function"_a,
           "Score the cuts of many nodes in one call f(parent, left, right); each of the three is "
           "(m, K).")
      .def("set_aside", &LevelGrower::set_aside, "node"_a)
      .def("request", &LevelGrower::request_nodes, "max_slots"_a)
      .def("to_learn", &LevelGrower::to_learn)
      .def_prop_ro("regression_request", &LevelGrower::regression_request)
      .def("scales", [](const LevelGrower& grower) { return array_of(grower.scales()); })
      .def_prop_ro("sums_are_small", &LevelGrower::sums_are_small)
      .def_prop_ro("progress", &LevelGrower::progress)
      .def_prop_ro("ways", [](const LevelGrower& grower) { return arrays_of(grower.ways()); })
      .def(
          "point_wish",
          [](const LevelGrower& grower, std::size_t max_numbers) {
            PointWish wish = grower.undecided().point_wish(max_numbers);
            auto points = to_numpy(grower.undecided().points(wish));
            return std::tuple(std::move(wish.nodes), wish.begin, wish.end, std::move(points));
          },
          "max_numbers"_a,
          "Nodes whose sums of points are requested, the columns by whose codes, and the points.")
      .def(
          "respond_points",
          [](LevelGrower& grower, std::vector<int> nodes, std::uint32_t begin, std::uint32_t end,
             Array1<double> sums) {
            if (nodes.empty() || begin >= end || end > grower.layout().n_codes.size())
              refuse("the sums of points must have the shape that was requested");
            grower.respond_points({std::move(nodes), begin, end}, view(sums));
          },
          "nodes"_a, "begin"_a, "end"_a, "sums"_a)
      .def(
          "trials",
          [](const LevelGrower& grower, std::size_t max_slots) {
            std::vector<std::int32_t> rows;
            for (const auto& [node, column, code] : grower.undecided().trials(max_slots))
              rows.insert(rows.end(), {node, column, static_cast<std::int32_t>(code)});
            const std::size_t n = rows.size() / 3;
            return to_numpy(std::move(rows), {n, 3});
          },
          "max_slots"_a,
          "Cuts whose left sides are requested: node, column, highest code on the left.")
      .def_prop_ro("trials_are_small", &LevelGrower::trials_are_small)
      .def(
          "respond_subtree",
          [](LevelGrower& grower, int node, const nb::bytes& part) {
            const Layout& layout = grower.layout();
            grower.respond(node,
                           subtree_from(view(part), layout.n_codes.size(), grower.n_statistics()));
          },
          "node"_a, "part"_a)
      .def("state", [](const LevelGrower& grower) { return bytes_of(grower.state()); })
      .def(
          "restore",
          [](LevelGrower& grower, const nb::bytes& state) { grower.restore(view(state)); },
          "state"_a)
      .def("tree", [](const LevelGrower& grower) { return to_python(grower.tree()); });
}

}  // namespace ramify
