// SPDX-License-Identifier: BSD-3-Clause
// A column as a node sees it: its distinct values, and what the rows of each sum to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model_trees/node_parts.hpp"
#include "model_trees/rules.hpp"
#include "model_trees/sample.hpp"
#include "util/rng.hpp"

namespace ramify {

struct Runs {
  std::vector<double> value, weight, sum, squares;  // of the known rows, by ascending value
  double missing_weight = 0, missing_sum = 0, missing_squares = 0;
  std::size_t n_missing = 0;

  std::size_t size() const { return value.size(); }
  double known_weight() const;

  /// Reads a column.
  void read(const LineSample& sample, std::uint32_t column, Segment node, const NodeParts& parts,
            bool needs_squares);
  /// Sorts categories by the mean of their rows, the lower code first among equals.
  void sort_by_mean();

 private:
  std::vector<std::uint32_t> order_;
  std::vector<double> copy_;
};

/// The threshold between two neighbouring values.
double between(double low, double high);

/// The sides that rows with a missing value may take: one or both, or none to try if no value is
/// missing in the node (then the heavier one is taken).
struct MissingSides {
  bool left, right;
};
inline MissingSides sides_to_try(ModelTreeRules::MissingSide rule, bool has_missing) {
  if (!has_missing) return {.left = false, .right = true};
  return {.left = rule != ModelTreeRules::MissingSide::right,
          .right = rule != ModelTreeRules::MissingSide::left};
}

/// The columns that a node looks at: drawn without replacement by the key of the node, some at
/// first, then one at a time for as long as none of them admits a cut.
class DrawnColumns {
 public:
  DrawnColumns(std::uint32_t n_columns, std::uint32_t n_wanted, std::uint64_t key);
  /// The next columns, ascending; none if all have been drawn.
  std::span<const std::uint32_t> next();

 private:
  std::vector<std::uint32_t> columns_;
  std::size_t wanted_, drawn_ = 0;
  Rng rng_;
};

}  // namespace ramify
