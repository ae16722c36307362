// SPDX-License-Identifier: BSD-3-Clause
// The search for the best small tree.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <string>

#include "bind/arrays.hpp"
#include "bind/tree_arrays.hpp"
#include "optimal/search.hpp"
#include "optimal/write_tree.hpp"

namespace ramify {
namespace {

using Clock = std::chrono::steady_clock;

/// Which limits a search has, as Python gives them.
optimal::SearchOptions options_of(const nb::dict& given) {
  optimal::SearchOptions options;
  options.max_depth = nb::cast<int>(given["max_depth"]);
  options.horizon = nb::cast<int>(given["horizon"]);
  options.max_gap = nb::cast<double>(given["max_gap"]);
  options.n_threads = nb::cast<int>(given["n_threads"]);
  options.all_roots = nb::cast<bool>(given["all_roots"]);
  if (!given["max_subproblems"].is_none())
    options.max_subproblems = nb::cast<std::uint64_t>(given["max_subproblems"]);
  return options;
}

optimal::LeafImpurity impurity_of(const std::string& name) {
  if (name == "gini") return optimal::LeafImpurity::gini;
  if (name == "entropy") return optimal::LeafImpurity::entropy;
  if (name == "variance") return optimal::LeafImpurity::variance;
  if (name == "misclassification") return optimal::LeafImpurity::misclassification;
  refuse("impurity='" + name + "' is unknown");
}

/// Why the search is to end: the clock, or a user who has something to keep.
class Patience {
 public:
  Patience(std::optional<double> seconds, bool may_keep)
      : may_keep_(may_keep),
        end_(seconds ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::chrono::duration<double>(std::min(*seconds, 1e9)))
                     : Clock::time_point::max()) {}

  void check() {
    heed([] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
    if (Clock::now() < end_) return;
    why = "time";
    throw optimal::Halted{};
  }
  /// Calls what may be interrupted; the first interrupt ends the search, and is forgotten.
  template <class Call>
  void heed(Call call) {
    const nb::gil_scoped_acquire acquire;
    try {
      call();
    } catch (nb::python_error& error) {
      if (!may_keep_ || !error.matches(PyExc_KeyboardInterrupt)) throw;
      why = "interrupt";
      throw optimal::Halted{};
    }
  }
  void keep() { may_keep_ = true; }

  std::string why;

 private:
  bool may_keep_;
  Clock::time_point end_;
};

nb::dict best_tree(const Table& table, const Maybe<std::uint32_t>& rows, const Target& target,
                   const std::optional<Array2<double>>& costs, double penalty,
                   const std::string& impurity, const nb::list& known, const nb::dict& limits,
                   std::optional<double> seconds, const std::optional<nb::callable>& progress) {
  const std::vector<std::uint32_t> used = used_rows(table, rows);
  if (used.size() != target.n_rows) refuse("X and y must have the same number of rows");
  if (target.n_outputs() != 1) refuse("y must have one output");
  const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
  if (costs && (costs->shape(0) != n_classes || costs->shape(1) != n_classes))
    refuse("costs must have one row and one column per class");
  optimal::SearchOptions options = options_of(limits);
  const auto min_rows = nb::cast<std::uint32_t>(limits["min_rows"]);
  const optimal::LeafImpurity kind = impurity_of(impurity);
  Patience patience(seconds, known.size() > 0);
  std::deque<TreeArrays> arrays;
  for (const nb::handle each : known) arrays.emplace_back(nb::cast<nb::dict>(each));
  std::vector<double> known_costs;
  std::vector<std::int64_t> known_leaves;
  options.check = [&] { patience.check(); };
  optimal::SearchResult result;
  optimal::WrittenTree written;
  optimal::Problem problem;
  without_gil([&] {
    const std::span<const double> cost =
        costs ? std::span(costs->data(), costs->size()) : std::span<const double>{};
    problem = optimal::make_problem(table, used, target, cost, penalty, min_rows);
    const optimal::TreeSource source{
        .problem = problem, .table = table, .target = target, .rows = used, .impurity = kind};
    for (const TreeArrays& each : arrays) {
      std::optional<optimal::Found> tree = optimal::known_tree(source, each.tree);
      known_costs.push_back(tree ? tree->cost * problem.unit : NAN);
      known_leaves.push_back(tree ? optimal::n_leaves(*tree) : 0);
      if (tree) options.known.push_back(std::move(*tree));
    }
    options.report = [&](double best, double bound, std::size_t n_open, bool is_better) {
      if (is_better) patience.keep();
      if (!progress) return;
      patience.heed(
          [&] { (*progress)(best* problem.unit, bound* problem.unit, n_open, is_better); });
    };
    result = optimal::search(problem, options);
    written = optimal::write_tree(source, result.tree);
    return 0;
  });
  nb::dict found;
  found["loss"] = written.loss * problem.unit;
  found["tree"] = to_python(std::move(written.tree));
  found["known"] = to_numpy(std::move(known_costs));
  found["known_leaves"] = to_numpy(std::move(known_leaves));
  found["cost"] = result.cost * problem.unit;
  found["bound"] = result.bound * problem.unit;
  found["penalty"] = problem.penalty * problem.unit;
  found["is_exact"] = result.cost <= result.bound + problem.tolerance;
  found["n_subproblems"] = result.n_subproblems;
  found["n_cuts"] = result.n_cuts;
  std::string why = result.is_over_budget ? "subproblems" : result.is_close ? "gap" : "";
  if (result.is_halted) why = patience.why;
  found["stopped_by"] = why;
  std::vector<double> roots;
  for (const auto& own : problem.columns_of) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t column : own)
      if (column < result.root_costs.size()) least = std::min(least, result.root_costs[column]);
    roots.push_back(least * problem.unit);
  }
  found["roots"] = to_numpy(std::move(roots));
  return found;
}

}  // namespace

void bind_optimal(nb::module_& m) {
  m.def("best_tree", &best_tree, "table"_a, "rows"_a, "target"_a, "costs"_a.none(), "penalty"_a,
        "impurity"_a, "known"_a, "limits"_a, "seconds"_a.none(), "progress"_a.none(),
        "The tree of least loss and penalties. `known` are arrays of trees of the same rows. Costs "
        "have a penalty per split.");
}

}  // namespace ramify
