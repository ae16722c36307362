// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/grow.hpp"

namespace ramify {

ModelTree grow_model_tree(const Table& table, std::span<const std::uint32_t> rows,
                          const Target& target, const ModelTreeRules& rules) {
  LineSample sample(table, rows, target);
  ModelTreeRules own = rules;
  if (own.y_low > own.y_high) {
    own.y_low = sample.y_low;
    own.y_high = sample.y_high;
  }
  const std::vector<GrownNode> nodes =
      own.method == ModelTreeRules::Method::pilot ? grow_pilot(sample, own) : grow_m5(sample, own);
  return assemble_lines(nodes, sample, own.y_low, own.y_high);
}

}  // namespace ramify
