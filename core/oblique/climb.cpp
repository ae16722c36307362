// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/climb.hpp"

#include "oblique/climber.hpp"

namespace ramify {

Step coefficient_step(const ObliqueProblem& problem, const Direction& at, int column) {
  const ColumnReader matrix(problem);
  const LogTable logs(problem);
  const auto scan = make_toggle_scan(problem, logs, *problem.judges[0]);
  // Positions are the values of the weight itself if the line begins where it is 0.
  Direction rest = at;
  const auto m = static_cast<std::size_t>(column);
  std::vector<double> value(problem.n_rows), slope(problem.n_rows, 1.0);
  const double* line = slope.data();
  if (m < matrix.n_columns()) {
    rest.weight[m] = 0;
    line = matrix.column(m);
  } else {
    rest.bias = 0;
  }
  matrix.project(rest, value);
  const Interval best = scan->best(value.data(), line);
  return {best.score, best.middle()};
}

Step combination_step(const ObliqueProblem& problem, const Direction& at, int column,
                      double gamma) {
  const ColumnReader matrix(problem);
  const LogTable logs(problem);
  const auto scan = make_toggle_scan(problem, logs, *problem.judges[0]);
  std::vector<double> value(problem.n_rows), slope(problem.n_rows);
  matrix.project(at, value);
  const double* x = matrix.column(static_cast<std::size_t>(column));
  for (std::size_t row = 0; row < slope.size(); ++row) slope[row] = -(x[row] + gamma);
  const Interval best = scan->best(value.data(), slope.data());
  return {best.score, best.middle()};
}

}  // namespace ramify
