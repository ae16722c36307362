// SPDX-License-Identifier: BSD-3-Clause
#include "rows/weighing.hpp"

#include <algorithm>

namespace ramify {

std::optional<Weighing> weigh_rows(const Target& target, int max_classes) {
  Weighing weighing;
  if (target.weight.empty()) return weighing;
  if (!std::ranges::all_of(target.weight, [](double weight) { return weight > 0; })) return {};
  weighing.by_row = target.n_classes[0] > max_classes;
  if (weighing.by_row) return weighing;
  weighing.of_class.resize(static_cast<std::size_t>(target.n_classes[0]));
  for (std::uint32_t row = 0; row < target.n_rows; ++row) {
    double& known = weighing.of_class[target.classes[row]];
    if (known == 0) known = target.weight[row];
    if (known == target.weight[row]) continue;
    weighing.of_class.clear();
    weighing.by_row = true;
    return weighing;
  }
  return weighing;
}

}  // namespace ramify
