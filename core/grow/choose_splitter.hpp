// SPDX-License-Identifier: BSD-3-Clause
// Which splitter grows a tree: the only place that chooses. docs/design/engines.md has the table in
// words. The number of threads is not among the conditions.
#pragma once

#include "data/table.hpp"
#include "plan/plan.hpp"

namespace ramify {

enum class SplitterKind {
  dgmml,             // row-major values and moments
  coded_regression,  // row-major values: regression with one random cut of each column
  regression_lists,  // flagged lists: plain regression trees by their squared error
  coded_classes,     // row-major codes: few columns per node, one random cut of each, or few codes
  lists,             // flagged lists: plain trees of numeric columns
  axis               // sorted lists and records: every plan but dGMML's
};

/// The first row of the table whose condition holds. Where several splitters can grow a tree, the
/// trees are the same.
SplitterKind choose_splitter(const Table& table, const Target& target, const Plan& plan);

}  // namespace ramify
