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
  void look_at_values(const SampledQuery& query, std::span<const std::uint32_t> columns,
                      std::vector<SampledCut>& cuts);
  /// Cuts by code, of at most columns_at_once columns of numbers without missing values: scored
  /// together. `keys` has those of each column.
  struct KeyedColumn {
    std::uint32_t column;
    const Key* keys;
    SampledCut* cut;
  };
  void look_at_codes(std::span<const KeyedColumn> columns, std::uint64_t key);
  /// The cut of a column that has missing values: of one value only, that of the values against the
  /// rest.
  void look_at_missing(std::span<const Key> valued, std::uint32_t column, std::uint64_t key,
                       SampledCut& cut);

  /// Of the node that was searched last, if its cuts were by value: these.
  const RandomCuts& by_value() const { return by_value_; }

 private:
  std::uint32_t last_up_to(double threshold, const Column& column, std::span<const Key> keys,
                           std::uint32_t first, std::uint32_t last) const;
  bool draw(std::span<const Key> keys, std::uint32_t column, std::uint64_t key, SampledCut& cut,
            std::uint32_t first, std::uint32_t last) const;
  std::uint32_t sum_left(std::span<const Key> keys, std::uint32_t code, int place);

  SampledNode<Key>& node_;
  RandomCuts by_value_;
  std::vector<Sum> counts_;
};

}  // namespace ramify
