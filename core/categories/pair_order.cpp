// SPDX-License-Identifier: BSD-3-Clause
#include "categories/pair_order.hpp"

#include <algorithm>
#include <numeric>

namespace ramify {

template <class Sum>
void PairOrder::take(std::span<PairSum<Sum>> cells) {
  std::uint32_t n = 0;
  for (std::uint32_t code = 0; code < cells.size(); ++code) {  // branch-free
    code_[n] = code;
    n += cells[code].any();
  }
  n_ = n;
  total_[0] = total_[1] = 0;
  double share[max];
  for (std::uint32_t i = 0; i < n; ++i) {
    PairSum<Sum>& cell = cells[code_[i]];
    const double both = cell.both(), second = cell.second();
    cell = {};
    sums_[0][i] = both - second;
    sums_[1][i] = second;
    share[i] = second / both;
    total_[0] += both - second;
    total_[1] += second;
  }
  constexpr std::uint32_t few = 32;
  if (n <= few) {
    kernels().order_few(share, static_cast<int>(n), order_);
  } else {
    std::iota(order_, order_ + n, std::uint8_t{0});
    std::sort(order_, order_ + n, [&](std::uint8_t a, std::uint8_t b) {
      return share[a] != share[b] ? share[a] < share[b] : a < b;
    });
  }
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
