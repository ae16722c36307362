// SPDX-License-Identifier: BSD-3-Clause
#include "categories/pair_order.hpp"

#include <algorithm>
#include <utility>

namespace ramify {

void PairOrder::take(const CountCall& call) {
  n_ = 0;
  total_[0] = total_[1] = 0;
  std::pair<double, std::uint8_t> mixed[most];  // share and category
  std::uint8_t second_only[most];
  std::uint32_t n_first_only = 0, n_mixed = 0, n_second_only = 0;
  for (std::uint32_t code = 0; code < call.n_codes; ++code) {
    std::uint32_t* here = call.counts + code * static_cast<std::uint32_t>(call.stride);
    const std::uint32_t first = here[0], second = here[1];
    if (first + second == 0) continue;
    here[0] = here[1] = 0;
    const auto i = static_cast<std::uint8_t>(n_);
    code_[n_] = code;
    counts_[0][n_] = first;
    counts_[1][n_++] = second;
    total_[0] += first;
    total_[1] += second;
    if (second == 0)
      order_[n_first_only++] = i;
    else if (first == 0)
      second_only[n_second_only++] = i;
    else
      mixed[n_mixed++] = {static_cast<double>(second) / (first + second), i};
  }
  std::sort(mixed, mixed + n_mixed);
  std::uint32_t at = n_first_only;
  for (std::uint32_t i = 0; i < n_mixed; ++i) order_[at++] = mixed[i].second;
  std::copy_n(second_only, n_second_only, order_ + at);
  first_place_ = static_cast<std::uint32_t>(std::find(order_, order_ + n_, 0) - order_);
}

void PairOrder::fill(CutBlock& block) const {
  double left[2] = {};
  for (std::uint32_t i = 0; i + 1 < n_; ++i)
    for (int k : {0, 1}) {
      left[k] += counts_[k][order_[i]];
      block.left[k * CutBlock::stride + static_cast<int>(i)] =
          i >= first_place_ ? left[k] : total_[k] - left[k];
    }
  block.n_cuts = static_cast<int>(n_) - 1;
}

void PairOrder::list(std::uint32_t number, std::vector<std::uint32_t>& codes,
                     std::vector<std::uint32_t>& branches) const {
  codes.assign(code_, code_ + n_);
  branches.assign(n_, number >= first_place_ ? 1u : 0u);
  for (std::uint32_t i = 0; i <= number; ++i) branches[order_[i]] ^= 1u;
}

}  // namespace ramify
