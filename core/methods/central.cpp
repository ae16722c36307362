// SPDX-License-Identifier: BSD-3-Clause
#include "methods/central.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ramify {

CentralCuts::CentralCuts(const Training& training, const NodeColumn& column)
    : column_(training.column(column.number)) {
  std::vector<std::pair<std::uint32_t, double>> weights;  // by code
  each_code(training, column.node, column.number, [&](std::uint32_t row, std::uint32_t code) {
    if (code < column_.n_codes()) weights.emplace_back(code, training.target.weight_of(row));
  });
  if (weights.empty()) return;
  std::ranges::sort(weights);
  // Integer multiples of a unit, so that sums are exact: a weight of two equals the row twice.
  std::size_t n = 0;
  for (const auto& [code, weight] : weights)
    if (n > 0 && weights[n - 1].first == code)
      weights[n - 1].second += weight;
    else
      weights[n++] = {code, weight};
  weights.resize(n);
  const auto value = [&](std::uint32_t code) {
    return column_.lower(code) + (column_.upper(code) - column_.lower(code)) / 2;
  };
  double total = 0;
  for (const auto& each : weights) total += each.second;
  const double base = value(weights.front().first);
  double sum = 0, before = 0;
  bool has_median = false;
  for (std::size_t i = 0; i < n; ++i) {
    const auto [code, weight] = weights[i];
    sum += weight / total * (value(code) - base);
    before += weight;
    if (has_median || 2 * before < total) continue;
    has_median = true;
    median_ = value(code);
    if (2 * before == total) median_ += (value(weights[i + 1].first) - median_) / 2;
  }
  mean_ = base + sum;
}

bool CentralCuts::lies_between(double threshold, std::uint32_t code,
                               std::uint32_t next_code) const {
  return next_code < column_.n_codes() && column_.upper(code) <= threshold &&
         threshold < column_.lower(next_code);
}

void CentralCuts::keep(CutBlock& block, int n_channels) const {
  int n = 0;
  for (int i = 0; i < block.n_cuts; ++i) {
    const std::uint32_t code = block.code_at(i), next = block.next_code_at(i);
    const bool parts_missing = next >= column_.n_codes();  // all values against the missing ones
    if (!parts_missing && !lies_between(mean_, code, next) && !lies_between(median_, code, next))
      continue;
    for (int k = 0; k < n_channels; ++k) {
      double* left = block.left + k * CutBlock::stride;
      left[n] = left[i];
    }
    block.rows_left[n] = block.rows_left[i];
    if (block.is_supplied) block.supplied_left[n] = block.supplied_left[i];
    block.code[n] = block.code[i];
    block.next_code[n] = block.next_code[i];
    ++n;
  }
  block.n_cuts = n;
  constexpr int pack = CutBlock::stride - CutBlock::capacity;
  for (int k = 0; n > 0 && k < n_channels; ++k) {  // packs read beyond the end
    double* left = block.left + k * CutBlock::stride;
    std::fill_n(left + n, pack, left[n - 1]);
  }
}

double CentralCuts::threshold(const Split& split) const {
  return lies_between(mean_, split.code, split.next_code) ? mean_ : median_;
}

}  // namespace ramify
