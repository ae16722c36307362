// SPDX-License-Identifier: BSD-3-Clause
// The best split of a node of coded rows. Nothing is kept in order: the keys of the rows are made
// for each column that is looked at, or its rows are counted.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "search/sampled/categories.hpp"
#include "search/sampled/histograms.hpp"
#include "search/sampled/random.hpp"
#include "search/sampled/sorted_keys.hpp"

namespace ramify {

template <class Key>
class SampledSearch {
 public:
  SampledSearch(const Table& table, const Target& target, const Plan& plan,
                const IndexedRows& rows);

  void start(const SampledQuery& query);
  /// The best split of the node by some columns, or one that does not exist; those that are
  /// constant are marked.
  Split best_of(std::span<const std::uint32_t> columns, std::span<std::uint8_t> is_constant);

  /// Of the node at hand, if it has random cuts by value: these.
  const RandomCuts& random_cuts() const { return random_.by_value(); }

 private:
  void look_at(std::span<const std::uint32_t> columns);
  void look_at_group(std::span<const std::uint32_t> columns, SampledCut* cuts);
  void look_at_pairs(std::span<const std::uint32_t> columns, SampledCut* const* cuts);
  void look_at_keys(std::span<const std::uint32_t> columns, SampledCut* const* cuts);
  void gather(std::span<const std::uint32_t> columns);
  SampledCut best_of_keys(Key* keys, std::uint32_t column);
  SampledCut best_of_valued(std::span<Key> valued, std::uint32_t column);
  void list_codes(Split& split);
  Split split_at(std::uint32_t column, const SampledCut& cut);

  std::unique_ptr<SampledNode<Key>> node_;  // where it is stays the same: others refer to it
  SortedKeys<Key> sorted_;
  SampledHistograms<Key> histograms_;
  SampledCategories<Key> categories_;
  SampledRandomCuts<Key> random_;
  std::vector<SampledCut> cuts_;            // of the columns that are looked at
  std::vector<Key> keys_[columns_at_once];  // of the columns that are looked at together
};

}  // namespace ramify
