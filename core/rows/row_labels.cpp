// SPDX-License-Identifier: BSD-3-Clause
#include "rows/row_labels.hpp"

#include <algorithm>

namespace ramify {

std::optional<RowLabels> label_rows(const Target& target, int most) {
  RowLabels labels;
  const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
  labels.n = n_classes;
  if (target.weight.empty()) return labels;
  std::vector<std::vector<double>> weights(n_classes);  // of each class, those that occur
  int n = 0;
  for (std::uint32_t row = 0; row < target.n_rows; ++row) {
    const double weight = target.weight[row];
    std::vector<double>& known = weights[target.classes[row]];
    if (std::ranges::find(known, weight) != known.end()) continue;
    if (!(weight > 0) || ++n > most) return {};
    known.push_back(weight);
  }
  std::vector<std::uint32_t> first(n_classes);  // label of each class
  for (std::size_t k = 0; k < n_classes; ++k) {
    std::ranges::sort(weights[k]);
    first[k] = static_cast<std::uint32_t>(labels.weight.size());
    labels.weight.insert(labels.weight.end(), weights[k].begin(), weights[k].end());
    labels.class_of.resize(labels.weight.size(), static_cast<std::uint32_t>(k));
  }
  labels.n = labels.weight.size();
  labels.of_row.resize(target.n_rows);
  for (std::uint32_t row = 0; row < target.n_rows; ++row) {
    const std::uint32_t k = target.classes[row];
    const auto place = std::ranges::find(weights[k], target.weight[row]) - weights[k].begin();
    labels.of_row[row] = first[k] + static_cast<std::uint32_t>(place);
  }
  return labels;
}

}  // namespace ramify
