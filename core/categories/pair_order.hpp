// SPDX-License-Identifier: BSD-3-Clause
// The categories of a node with two classes, ordered by the share of the second class: unless
// something limits the choice, one of the prefixes is the best subset (see Subsets, whose numbering
// and sides it follows). It uses no vectors, since the nodes of forests need it millions of times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scan/kernels.hpp"

namespace ramify {

class PairOrder {
 public:
  /// Takes the sums of two classes by code, and clears them.
  template <class Sum>
  void take(std::span<PairSum<Sum>> cells);
  std::uint32_t n_categories() const { return n_; }
  /// Fills in all prefixes, with the side of the lowest category on the left.
  void fill(CutBlock& block) const;
  /// Lists the codes that occur, and the branch of each by the prefix of that number.
  void list(std::uint32_t number, std::vector<std::uint32_t>& codes,
            std::vector<std::uint32_t>& branches) const;

 private:
  static constexpr int max = CodeSums::max_codes;
  std::uint32_t n_ = 0, first_place_ = 0;  // position of the lowest category in the order
  double total_[2] = {0, 0};
  std::uint32_t code_[max];
  double sums_[2][max];
  std::uint8_t order_[max];
};

}  // namespace ramify
