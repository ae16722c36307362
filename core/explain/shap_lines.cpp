// SPDX-License-Identifier: BSD-3-Clause
// A leaf with a line is worth a sum of terms, each of which looks at one column. So the game of a
// leaf is that of a leaf with a constant, which holds what all terms say of their known side, and
// one more for every column on which row and background disagree and that no test above has given
// to either: there the difference counts in coalitions that hold this column, too.
#include "explain/shap_lines.hpp"

#include <algorithm>

#include "explain/coalitions.hpp"
#include "util/parallel.hpp"

namespace ramify {
namespace {

class LineWalk {
 public:
  LineWalk(const ShapTree& shap, const LinesView& lines, std::size_t n_columns)
      : shap_(shap), lines_(lines), coalitions_(n_columns, shap.n_on_path + 1, 1) {}

  /// Adds to `values()`; interactions, if requested, directly to the sums.
  void explain(const double* x, const double* b, double factor, std::size_t row,
               const ShapSums& sums) {
    x_ = x, b_ = b;
    coalitions_.start(1, {}, factor, row, sums);
    walk(0, coalitions_.result());
  }
  std::vector<double>& values() { return coalitions_.values(); }

 private:
  void walk(std::size_t node, double* result) {
    while (!shap_.is_leaf(node)) {
      const auto column = static_cast<std::size_t>(shap_.tree.feature[node]);
      const std::size_t to_x = child(node, x_[column]), to_b = child(node, b_[column]);
      const Coalitions::Side side = coalitions_.side(column);
      if (to_x != to_b && side == Coalitions::none)
        return coalitions_.part(
            column, result, [&](double* below) { walk(to_x, below); },
            [&](double* below) { walk(to_b, below); });
      node = side == Coalitions::of_b ? to_b : to_x;
    }
    reach(node, result);
  }

  std::size_t child(std::size_t node, double x) const {
    return static_cast<std::size_t>(child_at(shap_.tree, node, shap_.branch(node, x)));
  }

  void reach(std::size_t leaf, double* result) {
    double known = shap_.value_of(leaf)[0];
    differs_.clear();
    for (auto i = lines_.begin[leaf]; i < lines_.begin[leaf + 1]; ++i) {
      const LineTerm term{.column = lines_.column[i],
                          .slope = lines_.slope[i],
                          .low = lines_.low[i],
                          .high = lines_.high[i],
                          .fill = lines_.fill[i]};
      const auto column = static_cast<std::size_t>(term.column);
      const double of_x = term.value(x_[column]), of_b = term.value(b_[column]);
      const Coalitions::Side side = coalitions_.side(column);
      known += side == Coalitions::of_x ? of_x : of_b;
      if (side == Coalitions::none && of_x != of_b) differs_.push_back({column, of_x - of_b});
    }
    double total[2] = {0, 0}, own[2] = {0, 0};
    coalitions_.reach(&known, total);
    for (const Difference& each : differs_) {
      coalitions_.part(
          each.column, own, [&](double* below) { coalitions_.reach(&each.size, below); },
          [&](double* below) { below[0] = below[1] = 0; });
      total[0] += own[0];
      total[1] += own[1];
    }
    result[0] = total[0];
    result[1] = total[1];
  }

  struct Difference {
    std::size_t column;
    double size;
  };
  const ShapTree& shap_;
  const LinesView& lines_;
  Coalitions coalitions_;
  std::vector<Difference> differs_;
  const double *x_ = nullptr, *b_ = nullptr;
};

}  // namespace

void explain_lines(const ShapTree& tree, const LinesView& lines, const RowMatrix& X,
                   const RowMatrix& others, double factor, const ShapSums& sums,
                   const ShapOptions& options) {
  constexpr std::size_t block = 16;
  const auto n_blocks = static_cast<int>((X.n_rows + block - 1) / block);
  Pool pool(std::max(1, std::min(options.n_threads, n_blocks)));
  std::vector<LineWalk> workers(pool.size(), LineWalk(tree, lines, sums.n_columns));
  pool.run(n_blocks, [&](int number, int worker) {
    LineWalk& mine = workers[worker];
    const std::size_t first = static_cast<std::size_t>(number) * block;
    for (std::size_t row = first; row < std::min(X.n_rows, first + block); ++row) {
      if (worker == 0) options.poll();
      std::ranges::fill(mine.values(), 0.0);
      for (std::size_t i = 0; i < others.n_rows; ++i)
        mine.explain(X.row(row), others.row(i), factor, row, sums);
      for (std::size_t column = 0; column < sums.n_columns; ++column)
        sums.of(row, column)[0] += factor * mine.values()[column];
    }
  });
}

}  // namespace ramify
