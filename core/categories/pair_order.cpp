// SPDX-License-Identifier: BSD-3-Clause
#include "categories/pair_order.hpp"

#include <algorithm>
#include <utility>

namespace ramify {

template <class Sum>
void PairOrder::take(std::span<PairSum<Sum>> cells) {
  std::uint32_t n = 0;
  for (std::uint32_t code = 0; code < cells.size(); ++code) {  // without a branch
    code_[n] = code;
    n += cells[code].any();
  }
  n_ = n;
  total_[0] = total_[1] = 0;
  std::pair<double, std::uint8_t> mixed[most];  // share and category
  std::uint8_t second_only[most];
  std::uint32_t n_first_only = 0, n_mixed = 0, n_second_only = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    PairSum<Sum>& cell = cells[code_[i]];
    const double both = cell.both(), second = cell.second(), first = both - second;
    cell = {};
    sums_[0][i] = first;
    sums_[1][i] = second;
    total_[0] += first;
    total_[1] += second;
    const auto category = static_cast<std::uint8_t>(i);
    if (second == 0)
      order_[n_first_only++] = category;
    else if (first == 0)
      second_only[n_second_only++] = category;
    else
      mixed[n_mixed++] = {second / both, category};
  }
  std::sort(mixed, mixed + n_mixed);
  std::uint32_t at = n_first_only;
  for (std::uint32_t i = 0; i < n_mixed; ++i) order_[at++] = mixed[i].second;
  std::copy_n(second_only, n_second_only, order_ + at);
  first_place_ = static_cast<std::uint32_t>(std::find(order_, order_ + n_, 0) - order_);
}

template void PairOrder::take(std::span<PairSum<std::uint32_t>>);
template void PairOrder::take(std::span<PairSum<double>>);

void PairOrder::fill(CutBlock& block) const {
  double left[2] = {};
  for (std::uint32_t i = 0; i + 1 < n_; ++i)
    for (int k : {0, 1}) {
      left[k] += sums_[k][order_[i]];
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
