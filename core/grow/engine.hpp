// SPDX-License-Identifier: BSD-3-Clause
// Which splitter grows a tree; docs/design/engines.md has the table. The number of threads is not
// among the conditions.
#pragma once

#include "data/table.hpp"
#include "plan/plan.hpp"

namespace ramify {

enum class Engine {
  axis,             // sorted lists and records: every plan but dGMML's
  lists,            // flagged lists: plain trees of numeric columns
  low_cardinality,  // row-major codes and counts by code: plain trees of columns of few codes
  sampled,          // row-major codes: nodes that look at few columns, or at one random cut of each
  regression_lists,   // flagged lists: plain trees of numbers by their squared error
  random_regression,  // row-major values: numbers, with one random cut of each column
  dgmml               // row-major values and moments
};

/// Chooses the engine. Where several can grow a tree, the trees are the same.
Engine engine_for(const Table& table, const Target& target, const Plan& plan);

}  // namespace ramify
