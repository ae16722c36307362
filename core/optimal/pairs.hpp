// SPDX-License-Identifier: BSD-3-Clause
// Sets of rows whose columns have two values each. Such columns have no neighbouring cuts, so
// bounds along a column do nothing. But a set is then a mask of bits, and the rows of every pair of
// columns are counted at once (Demirović et al. 2022, MurTree).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "optimal/found.hpp"

namespace ramify::optimal {

/// What the pairs of a set are counted from: a bit per row, the rows of a class side by side.
struct PairCount {
  const std::uint64_t* bits = nullptr;  // of each column, the rows of the set on its left
  std::size_t n_columns = 0, n_words = 0;
  const std::uint32_t* first_word = nullptr;  // of each class, and the end
  std::size_t n_classes = 0;
  const std::uint32_t* total = nullptr;  // rows of each class
  const std::uint32_t* left = nullptr;   // and of those on the left of each column
  std::uint32_t* best_left = nullptr;    // of each column: most rows that a stump gets right there
  std::uint32_t* best_right = nullptr;
};

struct PairKernels {
  void (*count)(const PairCount&);
};
const PairKernels& pair_kernels();

class PairSolver {
 public:
  /// Rows that count one each, columns of two values, errors.
  static bool can_solve(const RowSet& rows);

  /// Called with the sets that were solved, besides the first, and the cuts that were scored since
  /// the last call; may throw.
  using Pause = std::function<void(std::uint64_t n_sets, std::uint64_t n_cuts)>;

  /// Finds the best tree of a depth of at least two.
  Found solve(const RowSet& rows, int depth, const Pause& pause);

 private:
  struct Level {
    std::vector<std::uint64_t> mask, left, right;
  };
  using Mask = std::vector<std::uint64_t>;

  void read(const RowSet& rows, int depth);
  Found solve(const Mask& mask, int depth, const Pause& pause);
  Found solve_two(const Mask& mask);
  void count(const Mask& mask);

  std::uint64_t n_sets_ = 0, n_cuts_ = 0;
  const RowSet* rows_ = nullptr;
  std::size_t n_words_ = 0, n_columns_ = 0, n_classes_ = 0;
  std::vector<std::uint64_t> bits_, masked_;
  std::vector<std::uint32_t> first_word_, total_, left_, best_left_, best_right_;
  std::vector<Level> levels_;  // by depth
};

}  // namespace ramify::optimal
