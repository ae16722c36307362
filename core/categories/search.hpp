// SPDX-License-Identifier: BSD-3-Clause
// The search in a categorical column: a subset of the categories against the rest, or one branch
// for each.
#pragma once

#include <vector>

#include "categories/subsets.hpp"
#include "scan/cuts.hpp"
#include "select/split.hpp"

namespace ramify {

/// Buffers for the categories of a node; each thread keeps them for the next node.
struct CategoryBuffers {
  CategorySums sums;
  Subsets subsets;
  std::vector<double> fixed;  // sums of the rows whose side the user chose
  std::vector<double> terms;
};

/// Sums the rows of each category that occurs in the node. The last may be "missing", unless such
/// rows are left out.
void collect_categories(const Training& training, const NodeColumn& column, CategorySums& sums);

/// Whether missing values of these categories go to a side that the user chose.
bool has_named_side(const Training& training, int column, const CategorySums& categories);

/// Prepares the subsets of a column. Returns false if it is constant in the node.
bool start_subsets(const Training& training, const NodeColumn& column, CategoryBuffers& buffers);

/// Visits the subsets of a column in the way that the cuts of a numeric one are visited: see
/// each_block.
template <class Start, class Visit>
bool each_subset(const Training& training, const NodeColumn& column, CategoryBuffers& categories,
                 CutBuffers& cuts, Start start, Visit visit) {
  CutBlock& block = cuts.start(column.channels.size());
  if (!start_subsets(training, column, categories)) return false;
  start(ColumnRange{});
  for (categories.subsets.next(block); block.n_cuts > 0; categories.subsets.next(block)) visit(0);
  return true;
}

/// Visits the cuts of any column: subsets of categories, or thresholds.
template <class Start, class Visit>
bool each_cut(const Training& training, const NodeColumn& column, CategoryBuffers& categories,
              CutBuffers& cuts, Start start, Visit visit) {
  return training.column(column.number).is_categorical
             ? each_subset(training, column, categories, cuts, start, visit)
             : each_block(training, column, cuts, start, visit);
}

/// One branch for each category.
Split best_multiway(const Training& training, const NodeColumn& column, CategoryBuffers& buffers);

/// Lists the categories that the chosen subset of a column puts on either side.
void list_codes(const Training& training, const NodeColumn& column, Split& split,
                CategoryBuffers& buffers);

}  // namespace ramify
