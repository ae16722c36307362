// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/climber.hpp"

#include <algorithm>
#include <cmath>

#include "oblique/for_tests.hpp"

namespace ramify {
namespace {

double largest_of(const Direction& at) {
  double largest = std::fabs(at.bias);
  for (const double weight : at.weight) largest = std::max(largest, std::fabs(weight));
  return largest;
}

}  // namespace

ColumnReader::ColumnReader(const ObliqueProblem& problem)
    : n_rows_(problem.n_rows), n_columns_(problem.n_columns), values_(problem.values) {
  if (problem.by_column) return;
  transposed_.resize(n_rows_ * n_columns_);
  for (std::size_t row = 0; row < n_rows_; ++row)
    for (std::size_t j = 0; j < n_columns_; ++j)
      transposed_[j * n_rows_ + row] = problem.values[row * n_columns_ + j];
  values_ = transposed_.data();
}

void ColumnReader::project(const Direction& at, std::span<double> value) const {
  std::ranges::fill(value, at.bias);
  // A stretch of rows at a time: their sums stay in the cache while column after column is added.
  constexpr std::size_t stretch = 1024;
  for (std::size_t begin = 0; begin < n_rows_; begin += stretch) {
    const std::size_t end = std::min(begin + stretch, n_rows_);
    for (std::size_t j = 0; j < n_columns_; ++j) {
      const double weight = at.weight[j], *x = column(j);
      if (weight == 0) continue;
      for (std::size_t row = begin; row < end; ++row) value[row] += weight * x[row];
    }
  }
}

Climber::Climber(const ObliqueProblem& problem, const ColumnReader& matrix, const LogTable& logs,
                 SideJudge& judge)
    : problem_(problem),
      matrix_(matrix),
      scan_(make_toggle_scan(problem, logs, judge)),
      value_(problem.n_rows),
      ones_(problem.n_rows, 1.0),
      slope_(problem.n_rows) {}

void Climber::start_at(Direction at) {
  at_ = std::move(at);
  settle();
}

void Climber::start_anywhere(Rng& rng) {
  Direction at;
  for (std::size_t j = 0; j < problem_.n_columns; ++j) at.weight.push_back(2 * rng.uniform() - 1);
  at.bias = 2 * rng.uniform() - 1;
  start_at(std::move(at));
}

Line Climber::along_column(std::size_t column) {
  return {.slope = matrix_.column(column), .weight = {}, .column = column, .one_weight = 1};
}

Line Climber::along_bias() { return {.slope = ones_.data(), .weight = {}, .bias = 1}; }

Line Climber::along_any(Rng& rng) {
  random_.weight.clear();
  for (std::size_t j = 0; j < problem_.n_columns; ++j)
    random_.weight.push_back(2 * rng.uniform() - 1);
  random_.bias = 2 * rng.uniform() - 1;
  slope_.resize(problem_.n_rows);
  matrix_.project(random_, slope_);
  return {.slope = slope_.data(), .weight = random_.weight, .bias = random_.bias};
}

bool Climber::go(const Line& line, const Interval& to) {
  const Direction from = at_;
  const double before = score_, t = to.middle();
  for (std::size_t j = 0; j < line.weight.size(); ++j) at_.weight[j] += t * line.weight[j];
  if (line.weight.empty() && line.one_weight != 0) at_.weight[line.column] += t * line.one_weight;
  at_.bias += t * line.bias;
  for (std::size_t row = 0; row < value_.size(); ++row) value_[row] += t * line.slope[row];
  constexpr int many = 32;  // moves accumulate rounding errors
  if (++n_moves_ < many) score_ = scan_->score(value_.data());
  if (n_moves_ >= many || beats(to.score, score_)) settle();
  if (!beats(before, score_)) return true;
  start_at(from);
  return false;
}

void Climber::settle() {
  // Only the ratios of the weights matter. Scaling by a power of two changes no digit.
  const double largest = largest_of(at_);
  if (largest > 0 && std::isfinite(largest)) {
    const double factor = std::ldexp(1.0, -std::ilogb(largest));
    for (double& weight : at_.weight) weight *= factor;
    at_.bias *= factor;
  }
  matrix_.project(at_, value_);
  score_ = scan_->score(value_.data());
  n_moves_ = 0;
}

namespace {

Step best_step(const ObliqueProblem& problem, std::span<const double> value, const double* slope) {
  const LogTable logs(problem);
  const auto scan = make_toggle_scan(problem, logs, *problem.judges[0]);
  const Interval best = scan->best(value.data(), slope);
  return {best.score, best.middle()};
}

}  // namespace

Step coefficient_step(const ObliqueProblem& problem, const Direction& at, int column) {
  const ColumnReader matrix(problem);
  const auto m = static_cast<std::size_t>(column);
  // Positions are the values of the weight itself if the line begins where it is 0.
  Direction rest = at;
  (m < matrix.n_columns() ? rest.weight[m] : rest.bias) = 0;
  std::vector<double> value(problem.n_rows), ones(problem.n_rows, 1.0);
  matrix.project(rest, value);
  return best_step(problem, value, m < matrix.n_columns() ? matrix.column(m) : ones.data());
}

Step combination_step(const ObliqueProblem& problem, const Direction& at, int column,
                      double gamma) {
  const ColumnReader matrix(problem);
  std::vector<double> value(problem.n_rows), slope(problem.n_rows);
  matrix.project(at, value);
  const double* x = matrix.column(static_cast<std::size_t>(column));
  for (std::size_t row = 0; row < slope.size(); ++row) slope[row] = -(x[row] + gamma);
  return best_step(problem, value, slope.data());
}

}  // namespace ramify
