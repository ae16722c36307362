// SPDX-License-Identifier: BSD-3-Clause
// The search for the best tree of at most some depth: best first over intervals of cuts.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "optimal/depth_two.hpp"
#include "optimal/found.hpp"
#include "util/stop.hpp"

namespace ramify::optimal {

/// Thrown when the budget is used up, or the user wants to stop; there is a tree all the same.
struct Halted {};

struct SearchOptions {
  int max_depth = 3;
  int horizon = 0;           // of lookahead; 0: none, the search is exact
  std::vector<Found> known;  // trees that others have found; the first of the best counts
  double max_gap = 0;
  std::uint64_t max_subproblems = std::uint64_t{1} << 62;
  int n_threads = 1;
  bool all_roots = false;
  /// Called now and then; it throws Halted to stop with the best tree so far.
  std::function<void()> check;
  /// Called when there is a better tree, and now and then: the best cost, a bound of it, and the
  /// number of open intervals.
  std::function<void(double best, double bound, std::size_t n_open, bool is_better)> report;
};

/// The best tree that was found, and a bound of what any tree costs. Costs count a penalty for each
/// split, none for the first leaf.
struct SearchResult {
  Found tree;
  double cost = 0, bound = 0;
  std::uint64_t n_subproblems = 0, n_cuts = 0;
  bool is_halted = false, is_over_budget = false, is_close = false;
  std::vector<double> root_costs;  // by search column: the least cost of a tree that tests it first
};

SearchResult search(const Problem& problem, const SearchOptions& options);

}  // namespace ramify::optimal
