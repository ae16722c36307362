// SPDX-License-Identifier: BSD-3-Clause
#include "scan/class_scores.hpp"

namespace ramify {

std::vector<double> make_log_table(const Target& target, const Plan& plan) {
  const bool uses_logs = plan.criterion.composed || !plan.also.empty() ||
                         (plan.criterion.builtin && plan.criterion.builtin->uses_logs);
  const double total = target.total_weight();
  if (!uses_logs || total > 1 << 21) return {};
  std::vector<double> table(static_cast<std::size_t>(total) + 1);
  for (std::size_t x = 1; x < table.size(); ++x)
    table[x] = static_cast<double>(x) * RAMIFY_KERNELS::log2_of(static_cast<double>(x));
  return table;
}

void ClassScores::score(Score function, const NodeChannels& channels, const double* left,
                        int n_cuts, double* scores) const {
  mean_of_outputs(channels, n_cuts, scores, [&](const auto& output, double* out) {
    function({channels.parent.data() + output.first, output.total, output.n_classes,
              left + output.first * CutBlock::stride, n_cuts, log_table(), unit_},
             out);
  });
}

}  // namespace ramify
