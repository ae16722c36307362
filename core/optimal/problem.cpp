// SPDX-License-Identifier: BSD-3-Clause
#include "optimal/problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "optimal/columns.hpp"

namespace ramify::optimal {
namespace {

/// Divides whole numbers by the power of two that they have in common; returns it.
double strip(std::span<double> values) {
  std::uint64_t bits = 0;
  for (const double x : values) bits |= static_cast<std::uint64_t>(std::abs(x));
  const double common = std::ldexp(1.0, bits == 0 ? 0 : std::countr_zero(bits));
  for (double& x : values) x /= common;
  return common;
}

bool all_are_one(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return x == 1; });
}

/// Two classes: an error of a row costs its height.
void set_two(Problem& problem, const Target& target, std::span<const double> costs) {
  const std::size_t n = problem.n_rows;
  problem.loss = Loss::two;
  std::vector<double> height(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double cost = costs.empty() ? 1 : costs[target.classes[i] == 1 ? 2 : 1];
    height[i] = target.weight_of(static_cast<std::uint32_t>(i)) * cost;
  }
  problem.unit = target.unit * make_exact(height);
  problem.unit *= strip(height);
  problem.value = height;
  for (std::size_t i = 0; i < n; ++i)
    if (target.classes[i] == 0) problem.value[i] = -height[i];
  if (!all_are_one(height)) problem.height = std::move(height);
}

void set_classes(Problem& problem, const Target& target) {
  problem.loss = Loss::classes;
  problem.class_code = target.classes;
  problem.unit = target.unit;
  std::vector<double> weight = target.weight;
  problem.unit *= strip(weight);
  if (weight.empty() || all_are_one(weight)) return;
  problem.value = weight;
  problem.height = std::move(weight);
}

/// Several classes with costs: rows of the same class and weight share a line of what answers cost.
void set_costs(Problem& problem, const Target& target, std::span<const double> costs) {
  const auto n_classes = static_cast<std::size_t>(problem.n_classes);
  problem.loss = Loss::costs;
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> lines;
  for (std::uint32_t i = 0; i < problem.n_rows; ++i) {
    const std::uint32_t k = target.classes[i];
    const auto [found, is_new] = lines.try_emplace({k, target.weight_of(i)}, lines.size());
    problem.class_code.push_back(found->second);
    if (!is_new) continue;
    for (std::size_t answer = 0; answer < n_classes; ++answer)
      problem.costs.push_back(target.weight_of(i) * costs[k * n_classes + answer]);
  }
  // Every sum over all rows must be exact.
  const double largest = *std::ranges::max_element(problem.costs);
  const bool is_whole =
      std::ranges::all_of(problem.costs, [](double x) { return x == std::trunc(x); });
  double unit = 1;
  if (!is_whole || largest * problem.n_rows > 0x1p52) unit = exact_unit(largest, problem.n_rows);
  for (double& cost : problem.costs) cost = std::nearbyint(cost / unit);
  problem.unit = target.unit * unit;
  problem.unit *= strip(problem.costs);
  for (std::uint32_t i = 0; i < problem.n_rows; ++i) {
    const auto line =
        problem.costs.begin() + static_cast<std::ptrdiff_t>(problem.class_code[i] * n_classes);
    problem.height.push_back(
        *std::max_element(line, line + static_cast<std::ptrdiff_t>(n_classes)));
  }
}

/// Squared errors of values scaled to -1 .. 1, in weights of the target.
void set_numbers(Problem& problem, const Target& target) {
  const std::size_t n = problem.n_rows;
  problem.loss = Loss::numbers;
  const auto [low, high] = std::ranges::minmax(target.values);
  const double middle = low / 2 + high / 2, reach = high / 2 - low / 2;
  const double scale = reach > 0 ? std::ldexp(1.0, std::ilogb(reach) + 1) : 1;
  double heaviest = 0;
  for (std::uint32_t i = 0; i < n; ++i) heaviest = std::max(heaviest, target.weight_of(i));
  const double step = exact_unit(heaviest, n);
  const auto rounded = [step](double x) { return std::nearbyint(x / step) * step; };
  problem.weight.resize(n);
  problem.value.resize(n);
  problem.square.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double w = target.weight_of(i), y = (target.values[i] - middle) / scale;
    problem.weight[i] = w;
    problem.value[i] = rounded(w * y);
    problem.square[i] = rounded(w * y * y);
  }
  problem.height_unit = exact_unit(4 * heaviest, n);
  problem.unit = target.unit * scale * scale;
}

}  // namespace

Problem make_problem(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                     std::span<const double> costs, double penalty, std::uint32_t min_rows) {
  Problem problem;
  problem.min_rows = std::max(min_rows, 1u);
  problem.n_rows = target.n_rows;
  problem.n_classes = target.n_classes[0];
  if (target.is_numeric())
    set_numbers(problem, target);
  else if (problem.n_classes == 2)
    set_two(problem, target, costs);
  else if (!costs.empty())
    set_costs(problem, target, costs);
  else
    set_classes(problem, target);
  problem.penalty = penalty * target.total_weight() * target.unit / problem.unit;
  const bool is_whole =
      problem.loss != Loss::numbers && problem.penalty == std::trunc(problem.penalty);
  std::vector<std::uint32_t> all(problem.n_rows);
  for (std::uint32_t i = 0; i < problem.n_rows; ++i) all[i] = i;
  if (!is_whole) problem.tolerance = 1e-9 * (leaf_of(problem, all).loss + problem.penalty);
  add_columns(problem, table, rows);
  return problem;
}

}  // namespace ramify::optimal
