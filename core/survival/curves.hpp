// SPDX-License-Identifier: BSD-3-Clause
// What the leaves of a survival tree keep: their distinct times with the weights of events and of
// censorings. Curves are made of these when they are asked for; no table of nodes by times exists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace ramify {

class SurvivalLists;
struct TimeOrder;

/// Leaf i, in preorder, has the entries begin[i] .. begin[i + 1] - 1, ascending by time.
struct LeafCurves {
  std::vector<std::int64_t> begin{0};
  std::vector<std::int64_t> time;  // place among all distinct times
  std::vector<double> events;
  std::vector<double> others;  // censored; or, of brief curves, at risk

  /// Forests keep the times of events only, with the weight at risk.
  LeafCurves brief() const;
};

/// The leaves of a grown tree: their rows are segments, one after the other.
LeafCurves leaf_curves(const Tree& tree, const TimeOrder& order, const SurvivalLists& lists);

/// Which function of time is asked for.
enum class CurveKind { survival, hazard };

/// The curves of a tree in anyone's memory.
struct CurveView {
  std::span<const std::int64_t> begin, time;
  std::span<const double> events, others;
  bool is_brief;
};

/// Adds the curve of the leaf of each row to `sums`, at times that are given by their place (-1
/// before the first), ascending; rows of leaf -1 get nothing.
void add_curves(const CurveView& curves, CurveKind kind, std::span<const std::int64_t> leaves,
                std::span<const std::int64_t> places, std::span<double> sums);

}  // namespace ramify
