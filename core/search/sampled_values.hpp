// SPDX-License-Identifier: BSD-3-Clause
// Random cuts of sampled columns by the values of rows.
#pragma once

#include <algorithm>

#include "search/sampled.hpp"
#include "select/judge.hpp"

namespace ramify {

/// One random cut per column, by values: neither codes nor an order are needed.
template <class Key>
void SampledSearch<Key>::look_at_values(const NodeQuery& node,
                                        std::span<const std::uint32_t> columns) {
  const auto n = static_cast<std::uint32_t>(node.row_indices.size());
  const double* const weight = Weigher<Key>::counts ? nullptr : weigher_.weight;
  random_cuts_.find({node.values, node.row_indices, columns, node.key},
                    ClassAdds{layout_, weight, static_cast<int>(counts_.size())});
  cuts_.assign(columns.size(), {});
  Cut* admissible[CutBlock::capacity];
  int n_cuts = 0;
  const auto score_all = [&] {
    if (n_cuts > 0) score(n_cuts, scores_);
    for (int i = 0; i < n_cuts; ++i) admissible[i]->best = admissible[i]->score = scores_[i];
    n_cuts = 0;
  };
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Cut& cut = cuts_[j];
    cut.is_constant = random_cuts_.is_constant(j);
    if (cut.is_constant || !tried_limits(plan_).allow_rows(random_cuts_.n_left(j), n)) continue;
    cut.threshold = random_cuts_.threshold(j);
    for (int k = 0; k < classes_.size(); ++k)
      block_.left[k * CutBlock::stride + n_cuts] =
          random_cuts_.left(classes_.name[static_cast<std::size_t>(k)], j);
    admissible[n_cuts++] = &cut;
    if (n_cuts == CutBlock::capacity) score_all();
  }
  score_all();
}

}  // namespace ramify
