// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/random.hpp"

#include <algorithm>

#include "select/judge.hpp"

namespace ramify {

/// A code such that rows of this one and lower ones have values up to a threshold, others above.
template <class Key>
std::uint32_t SampledRandomCuts<Key>::last_up_to(double threshold, const Column& column,
                                                 std::span<const Key> keys, std::uint32_t first,
                                                 std::uint32_t last) const {
  // Few values are looked up at once; the steps of a search wait for each other.
  constexpr std::size_t few = 48;
  if (keys.size() > few) return column.last_up_to(threshold, first, last);
  std::uint32_t found = first;
  for (const Key key : keys) {
    const std::uint32_t code = node_.layout.code(key);
    if (column.lower(code) <= threshold) found = std::max(found, code);
  }
  return found;
}

/// Samples the threshold of a column between two codes that occur, and finds the last code on its
/// left. False if it lies within a bin that occurs: such a cut parts nothing.
template <class Key>
bool SampledRandomCuts<Key>::draw(std::span<const Key> keys, std::uint32_t column, SampledCut& cut,
                                  std::uint32_t first, std::uint32_t last) const {
  const Column& info = node_.table.columns[column];
  cut.threshold = random_threshold(info, static_cast<int>(column), node_.query.key, first, last);
  cut.code = last_up_to(cut.threshold, info, keys, first, last);
  return info.upper(cut.code) <= cut.threshold ||
         std::ranges::none_of(keys, [&](Key k) { return node_.layout.code(k) == cut.code; });
}

/// Writes what lies left of the only cut of the block; returns how many rows that are.
template <class Key>
std::uint32_t SampledRandomCuts<Key>::sum_left(std::span<const Key> keys, std::uint32_t code) {
  std::ranges::fill(counts_, Sum{0});
  const Key bound = Key{code + 1} << node_.layout.code_shift();
  const std::uint32_t n_left =
      node_.kernels.count_below(keys.data(), static_cast<std::uint32_t>(keys.size()), node_.weigher,
                                bound, static_cast<int>(counts_.size()), counts_.data());
  for (int k = 0; k < node_.classes.size(); ++k)
    node_.block.left[k * CutBlock::stride] =
        counts_[node_.classes.name[static_cast<std::size_t>(k)]];
  return n_left;
}

template <class Key>
void SampledRandomCuts<Key>::look_at_codes(std::span<const Key> valued, std::uint32_t column,
                                           std::uint32_t first, std::uint32_t last,
                                           SampledCut& cut) {
  CutBlock& block = node_.block;
  const std::uint32_t n_codes = node_.table.columns[column].n_codes();
  cut.threshold = std::numeric_limits<double>::infinity();
  cut.code = first;
  if (first != last && !draw(valued, column, cut, first, last)) return;
  block.code[0] = cut.code;
  block.next_code[0] = first == last ? n_codes : last;  // if any, one that is not the last of all
  block.rows_left[0] = sum_left(valued, cut.code);
  block.n_cuts = 1;
  if (node_.n_missing > 0) return node_.score_with_missing(n_codes, cut);
  node_.score(1, node_.scores);
  node_.left_scores[0] = minus_infinity;
  node_.offer_with_missing(n_codes, cut);
}

template <class Key>
void SampledRandomCuts<Key>::look_at_values(std::span<const std::uint32_t> columns,
                                            std::vector<SampledCut>& cuts) {
  const double* const weight = Weigher<Key>::counts ? nullptr : node_.weigher.weight;
  by_value_.find({node_.rows.values(), node_.query.row_indices, columns, node_.query.key},
                 ClassAdds{node_.layout, weight, static_cast<int>(counts_.size())});
  SampledCut* admissible[CutBlock::capacity];
  int n_cuts = 0;
  const auto score_all = [&] {
    if (n_cuts > 0) node_.score(n_cuts, node_.scores);
    for (int i = 0; i < n_cuts; ++i) admissible[i]->best = admissible[i]->score = node_.scores[i];
    n_cuts = 0;
  };
  for (std::size_t j = 0; j < columns.size(); ++j) {
    SampledCut& cut = cuts[j];
    cut.is_constant = by_value_.is_constant(j);
    if (cut.is_constant || !tried_limits(node_.plan).allow_rows(by_value_.n_left(j), node_.n_rows))
      continue;
    cut.threshold = by_value_.threshold(j);
    for (int k = 0; k < node_.classes.size(); ++k)
      node_.block.left[k * CutBlock::stride + n_cuts] =
          by_value_.left(node_.classes.name[static_cast<std::size_t>(k)], j);
    admissible[n_cuts++] = &cut;
    if (n_cuts == CutBlock::capacity) score_all();
  }
  score_all();
}

template class SampledRandomCuts<CountKey>;
template class SampledRandomCuts<RowKey>;

}  // namespace ramify
