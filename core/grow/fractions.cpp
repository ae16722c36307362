// SPDX-License-Identifier: BSD-3-Clause
#include "grow/fractions.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ramify {
namespace {

/// Some rows of a target, with other weights. Rows behind the first n_known with less than a
/// millionth of an average training row's weight are dropped, so that a row cannot be in ever more
/// leaves; in regression with less than a hundredth, since such trees end only at single rows.
Target some_rows(const Plan& plan, const Target& whole, std::vector<std::uint32_t>& rows,
                 std::vector<double> weight, std::size_t n_known) {
  const double unit = make_exact(weight) * whole.unit;
  const double min = (whole.is_numeric() ? 1e-2 : 1e-6) * plan.training_weight /
                     static_cast<double>(plan.n_training_rows) / unit;
  std::vector<std::uint32_t> kept;
  std::vector<double> kept_weight;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((i >= n_known && weight[i] < min) || weight[i] <= 0) continue;
    kept.push_back(rows[i]);
    kept_weight.push_back(weight[i]);
  }
  rows = std::move(kept);
  return whole.some(rows, std::move(kept_weight), unit);
}

}  // namespace

void sum_all(const Target& target, const Plan& plan, Node& node) {
  if (!target.is_numeric()) {
    for (std::uint32_t row = 0; row < target.n_rows; ++row) target.add_row(row, node.sums);
    return;
  }
  std::vector<std::uint32_t> rows(target.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  RegressionBuffers buffers;
  Node all = node;  // the first rows of a store of its own
  all.begin = 0;
  all.end = target.n_rows;
  RegressionTarget(target, plan).learn(all, rows, buffers);
  node.sums = std::move(all.sums);
  node.regression = std::move(all.regression);
}

void Fractions::partition(const AxisSplitter& splitter, const Plan& plan, const Recorder& recorder,
                          std::span<const std::uint32_t> rows, const Target& target,
                          const Node& node, const Split& split, Fragment& fragment,
                          int fragment_index, int place) {
  std::vector<Node> children = splitter.children_of(node, split);
  std::vector<Problem> problems(children.size());
  std::vector<std::vector<std::uint32_t>> known(children.size());
  std::vector<std::uint32_t> missing;
  std::vector<double> share(children.size());
  double all = 0;
  splitter.each_row(node, split,
                    [&](std::uint32_t row, std::uint32_t, std::uint32_t branch, bool is_missing) {
                      if (is_missing) return missing.push_back(row);
                      known[branch].push_back(row);
                      share[branch] += target.weight_of(row);
                      all += target.weight_of(row);
                    });
  for (std::size_t i = 0; i < children.size(); ++i) {
    std::vector<double> weight;
    for (const std::uint32_t row : known[i]) weight.push_back(target.weight_of(row));
    const std::size_t n_known = known[i].size();
    known[i].insert(known[i].end(), missing.begin(), missing.end());
    for (const std::uint32_t row : missing)
      weight.push_back(target.weight_of(row) * (share[i] / all));
    problems[i].target = some_rows(plan, target, known[i], std::move(weight), n_known);
    for (const std::uint32_t row : known[i]) problems[i].rows.push_back(rows[row]);
    children[i].end = problems[i].target.n_rows;
    sum_all(problems[i].target, plan, children[i]);
  }
  if (children.size() == 2) splitter.set_bounds(split, children[0], children[1]);
  const auto first_place = static_cast<int>(fragment.nodes.size());
  MajorityChild heaviest;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Node& child = children[i];
    fragment.add(child.n_rows(), statistics_of(target, child), {child.lower, child.upper});
    heaviest.add(static_cast<std::int64_t>(i), share[i]);
  }
  recorder.write(fragment, place, split, first_place, heaviest);
  for (std::size_t i = 0; i < children.size(); ++i) {
    problems[i].fragment = fragment_index;
    problems[i].place = first_place + static_cast<int>(i);
    problems[i].root = std::move(children[i]);
    const std::lock_guard lock(lock_);
    waiting_.push_back(std::move(problems[i]));
  }
}

}  // namespace ramify
