// SPDX-License-Identifier: BSD-3-Clause
// The measures that an expression may use besides criteria, each a row of a table with its
// properties. They are computed in expressions/sum_measures.cpp and structure/row_measures.cpp.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace ramify {

enum class Measure {
  imbalance,           // rarest over most frequent class of the node
  class_auc,           // how well the cut ranks each class against the rest
  sensitive_auc,       // the same for the groups of a sensitive attribute
  branch_balance,      // how equal the branches are in weight
  prior_accuracy,      // of the majority of both sides, classes weighted to given shares
  separating_gap,      // width of the gap at a cut that separates the classes
  cluster_validity,    // share of a column's variance that lies between the classes
  segments,            // runs of labels on both sides
  segment_ratio,       // fewer over more runs
  cluster_complexity,  // few runs per row
  bnm,                 // between-node margin
  csn                  // class separation
};

/// What a measure needs: sums on both sides of a cut, the rows of a node, or all columns of a row
/// at once.
enum class Sees { sums, rows, space };

struct MeasureInfo {
  /// A parameter as Python names it, and its default.
  struct Parameter {
    std::string_view name;  // empty: there is none
    double otherwise = 0;
  };
  Measure measure;
  std::string_view name;
  Sees sees;
  Parameter first = {}, second = {};
};

inline constexpr MeasureInfo measures[] = {
    {Measure::imbalance, "imbalance", Sees::sums},
    {Measure::class_auc, "class_auc", Sees::sums},
    {Measure::sensitive_auc, "sensitive_auc", Sees::sums, {"mean", 0}},
    {Measure::branch_balance, "branch_balance", Sees::sums},
    {Measure::prior_accuracy, "prior_accuracy", Sees::sums},  // and a list, `prior`
    {Measure::separating_gap, "separating_gap", Sees::rows},
    {Measure::cluster_validity, "cluster_validity", Sees::rows},
    {Measure::segments, "segments", Sees::rows, {"split", 0}, {"weighted", 1}},
    {Measure::segment_ratio, "segment_ratio", Sees::rows, {"split", 0}, {"weighted", 1}},
    {Measure::cluster_complexity, "cluster_complexity", Sees::rows},
    {Measure::bnm, "bnm", Sees::space, {"penalty", 1}, {"scale", 0}},
    {Measure::csn, "csn", Sees::space, {"code", 0}, {"child", 0}},
};

/// Returns the table row of a measure.
constexpr const MeasureInfo& about(Measure measure) {
  return measures[static_cast<std::size_t>(measure)];
}

static_assert([] {
  for (std::size_t i = 0; i < std::size(measures); ++i)
    if (static_cast<std::size_t>(measures[i].measure) != i) return false;
  return true;
}());

}  // namespace ramify
