// SPDX-License-Identifier: BSD-3-Clause
#include "optimal/pairs.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace ramify::optimal {

bool PairSolver::can_solve(const RowSet& rows) {
  const Problem& problem = rows.problem();
  if (!problem.is_plain() || problem.min_rows > 1 || problem.loss == Loss::costs ||
      rows.n_columns() < 2)
    return false;
  for (std::uint32_t j = 0; j < rows.n_columns(); ++j)
    if (rows.n_cuts(j) != 1) return false;
  return true;
}

/// Lays out the rows class by class.
void PairSolver::read(const RowSet& rows, int depth) {
  rows_ = &rows;
  const Problem& problem = rows.problem();
  n_columns_ = rows.n_columns();
  n_classes_ = static_cast<std::size_t>(problem.n_classes);
  const auto class_of = [&](std::uint32_t row) -> std::size_t {
    const std::uint32_t id = rows.id(row);
    return problem.loss == Loss::two ? problem.value[id] > 0 : problem.class_code[id];
  };
  std::vector<std::uint32_t> sizes(n_classes_), place(rows.n_rows());
  for (std::uint32_t row = 0; row < rows.n_rows(); ++row) place[row] = sizes[class_of(row)]++;
  first_word_.assign(n_classes_ + 1, 0);
  for (std::size_t k = 0; k < n_classes_; ++k)
    first_word_[k + 1] = first_word_[k] + (sizes[k] + 63) / 64;
  n_words_ = first_word_.back();
  if (levels_.size() <= static_cast<std::size_t>(depth))
    levels_.resize(static_cast<std::size_t>(depth) + 1);
  Mask& all = levels_[static_cast<std::size_t>(depth)].mask;
  all.assign(n_words_, 0);
  for (std::uint32_t row = 0; row < rows.n_rows(); ++row) {
    place[row] += 64 * first_word_[class_of(row)];
    all[place[row] / 64] |= std::uint64_t{1} << place[row] % 64;
  }
  bits_.assign(n_columns_ * n_words_, 0);
  for (std::uint32_t j = 0; j < n_columns_; ++j)
    for (std::uint32_t i = 0; i <= rows.end(j, 0); ++i) {
      const std::uint32_t at = place[rows.order(j)[i] & ~run_end];
      bits_[j * n_words_ + at / 64] |= std::uint64_t{1} << at % 64;
    }
}

/// Counts the classes of a set, on the left of each column, and by pairs of columns.
void PairSolver::count(const Mask& mask) {
  masked_.resize(bits_.size());
  total_.assign(n_classes_, 0);
  left_.assign(n_columns_ * n_classes_, 0);
  for (std::size_t k = 0; k < n_classes_; ++k)
    for (std::uint32_t w = first_word_[k]; w < first_word_[k + 1]; ++w) {
      total_[k] += static_cast<std::uint32_t>(std::popcount(mask[w]));
      for (std::size_t j = 0; j < n_columns_; ++j) {
        const std::uint64_t word = bits_[j * n_words_ + w] & mask[w];
        masked_[j * n_words_ + w] = word;
        left_[j * n_classes_ + k] += static_cast<std::uint32_t>(std::popcount(word));
      }
    }
  best_left_.assign(n_columns_, 0);
  best_right_.assign(n_columns_, 0);
  pair_kernels().count({.bits = masked_.data(),
                        .n_columns = n_columns_,
                        .n_words = n_words_,
                        .first_word = first_word_.data(),
                        .n_classes = n_classes_,
                        .total = total_.data(),
                        .left = left_.data(),
                        .best_left = best_left_.data(),
                        .best_right = best_right_.data()});
}

Found PairSolver::solve_two(const Mask& mask) {
  const double penalty = rows_->problem().penalty, tolerance = rows_->problem().tolerance;
  count(mask);
  n_cuts_ += n_columns_;
  std::uint32_t n_rows = 0, top = 0;
  for (const std::uint32_t n : total_) {
    n_rows += n;
    top = std::max(top, n);
  }
  Found best;
  best.cost = n_rows - top;
  const auto offer = [&](double cost, int depth, std::uint32_t column) {
    if (!(cost < best.cost - tolerance)) return;
    best.cost = cost;
    best.depth = depth;
    best.cut = depth == 2 ? rows_->cut(column, 0) : Cut{};
  };
  for (std::uint32_t j = 0; j < n_columns_; ++j) {
    std::uint32_t n_left = 0, top_left = 0, top_right = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      const std::uint32_t n = left_[j * n_classes_ + k];
      n_left += n;
      top_left = std::max(top_left, n);
      top_right = std::max(top_right, total_[k] - n);
    }
    const auto side = [&](std::uint32_t n, std::uint32_t leaf, std::uint32_t stump) {
      return std::min<double>(n - leaf, n - std::max(leaf, stump) + penalty);
    };
    offer(n_rows - top_left - top_right + penalty, 1, j);
    offer(side(n_left, top_left, best_left_[j]) + side(n_rows - n_left, top_right, best_right_[j]) +
              penalty,
          2, j);
  }
  return best;
}

Found PairSolver::solve(const Mask& mask, int depth, const Pause& pause) {
  ++n_sets_;
  Found best = solve_two(mask);
  if (depth == 2) return best;
  const double penalty = rows_->problem().penalty, tolerance = rows_->problem().tolerance;
  Level& own = levels_[static_cast<std::size_t>(depth) - 1];
  own.left.resize(n_words_);
  own.right.resize(n_words_);
  for (std::uint32_t j = 0; j < n_columns_; ++j) {
    if (best.cost <= penalty + tolerance) return best;
    pause(std::exchange(n_sets_, 0), std::exchange(n_cuts_, 0));
    std::uint64_t any_left = 0, any_right = 0;
    for (std::size_t w = 0; w < n_words_; ++w) {
      any_left |= own.left[w] = mask[w] & bits_[j * n_words_ + w];
      any_right |= own.right[w] = mask[w] & ~bits_[j * n_words_ + w];
    }
    if (!any_left || !any_right) continue;
    Found left = solve(own.left, depth - 1, pause);
    if (!(left.cost + penalty < best.cost - tolerance)) continue;
    Found right = solve(own.right, depth - 1, pause);
    const double cost = left.cost + right.cost + penalty;
    if (!(cost < best.cost - tolerance)) continue;
    best = {.cost = cost,
            .is_exact = true,
            .depth = depth,
            .cut = rows_->cut(j, 0),
            .left = std::make_unique<Found>(std::move(left)),
            .right = std::make_unique<Found>(std::move(right))};
  }
  return best;
}

Found PairSolver::solve(const RowSet& rows, int depth, const Pause& pause) {
  read(rows, depth);
  n_cuts_ = 0;
  n_sets_ = static_cast<std::uint64_t>(-1);  // the caller has counted the first set
  Found found = solve(levels_[static_cast<std::size_t>(depth)].mask, depth, pause);
  pause(n_sets_, n_cuts_);
  return found;
}

}  // namespace ramify::optimal
