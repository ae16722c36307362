// SPDX-License-Identifier: BSD-3-Clause
// One random cut per sampled column, by the values of rows or by their codes: no order is needed.
#pragma once

#include <span>
#include <vector>

#include "search/random_cuts.hpp"
#include "search/sampled/node.hpp"

namespace ramify {

template <class Key>
class SampledRandomCuts {
 public:
  using Sum = typename Weigher<Key>::Sum;

  explicit SampledRandomCuts(SampledNode<Key>& node) : node_(node), counts_(node.n_all_classes()) {}

  /// Cuts by value: neither codes nor an order are needed.
  void look_at_values(std::span<const std::uint32_t> columns, std::vector<SampledCut>& cuts);
  /// The cut of a column by the codes of its rows, which are from the first to the last; where
  /// rows have no value and the others one only, that of the value against the rest.
  void look_at_codes(std::span<const Key> valued, std::uint32_t column, std::uint32_t first,
                     std::uint32_t last, SampledCut& cut);

  /// Of the node that was searched last, if its cuts were by value: these.
  const RandomCuts& by_value() const { return by_value_; }

 private:
  std::uint32_t last_up_to(double threshold, const Column& column, std::span<const Key> keys,
                           std::uint32_t first, std::uint32_t last) const;
  bool draw(std::span<const Key> keys, std::uint32_t column, SampledCut& cut, std::uint32_t first,
            std::uint32_t last) const;
  std::uint32_t sum_left(std::span<const Key> keys, std::uint32_t code);

  SampledNode<Key>& node_;
  RandomCuts by_value_;
  std::vector<Sum> counts_;
};

}  // namespace ramify
