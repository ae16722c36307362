// SPDX-License-Identifier: BSD-3-Clause
// The best split of a node that looks at a few sampled columns. Nothing is kept in order: the keys
// of the rows are made for each column that is looked at, or its rows are counted.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "search/column_sampler.hpp"
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

  /// The best split of a node, or one that does not exist. Removes from `non_constant` what turns
  /// out constant.
  Split best(const SampledQuery& query, std::vector<std::uint32_t>& non_constant);

  /// Of the node that was searched last, if it had random cuts by value: these.
  const RandomCuts& random_cuts() const { return random_.by_value(); }

 private:
  void look_at(const SampledQuery& query, std::span<const std::uint32_t> columns);
  void look_at_group(const SampledQuery& query, std::span<const std::uint32_t> columns,
                     SampledCut* cuts);
  void look_at_pairs(const SampledQuery& query, std::span<const std::uint32_t> columns,
                     SampledCut* const* cuts);
  void look_at_keys(const SampledQuery& query, std::span<const std::uint32_t> columns,
                    SampledCut* const* cuts);
  void gather(const SampledQuery& query, std::span<const std::uint32_t> columns);
  SampledCut best_of_keys(Key* keys, std::uint32_t column, std::uint64_t key);
  SampledCut best_with_missing(std::span<Key> valued, std::uint32_t column, std::uint64_t key);
  void list_codes(const SampledQuery& query, Split& split);
  Split split_at(const SampledQuery& query, std::uint32_t column, const SampledCut& cut);

  std::unique_ptr<SampledNode<Key>> node_;  // where it is stays the same: others refer to it
  SortedKeys<Key> sorted_;
  SampledHistograms<Key> histograms_;
  SampledCategories<Key> categories_;
  SampledRandomCuts<Key> random_;
  ColumnSampler sampler_;
  std::vector<SampledCut> cuts_;            // of the columns that are looked at
  std::vector<Key> keys_[columns_at_once];  // of the columns that are looked at together
};

}  // namespace ramify
