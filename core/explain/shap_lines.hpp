// SPDX-License-Identifier: BSD-3-Clause
// Shapley values of model trees against background rows.
#pragma once

#include "explain/shap.hpp"
#include "tree/lines.hpp"

namespace ramify {

/// Adds the Shapley values of rows, each against each background row, times `factor`; of a tree
/// whose missing values go one way. What is explained is the sum of a leaf's line before it is
/// clipped to the range of the answers.
void explain_lines(const ShapTree& tree, const LinesView& lines, const RowMatrix& X,
                   const RowMatrix& others, double factor, const ShapSums& sums,
                   const ShapOptions& options);

}  // namespace ramify
