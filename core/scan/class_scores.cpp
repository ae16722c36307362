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

OwnTables::OwnTables(const Target& target, const Plan& plan) {
  const SetCriterion* own = plan.criterion.builtin.get();
  const double total = target.total_weight();
  if (!own || !own->fill_terms || target.unit != 1 || total > 1 << 21) return;
  const int n = static_cast<int>(total) + 1;
  terms_.resize(static_cast<std::size_t>(padded(n)));
  totals_.resize(terms_.size());
  n_classes_ = *std::ranges::max_element(target.n_classes);
  own->fill_terms(own->settings, n_classes_, n, terms_.data());
  own->fill_totals(own->settings, n_classes_, n, totals_.data());
  if (!own->totals_know_classes || n_classes_ > 64) return;
  of_fewer_.resize(static_cast<std::size_t>(n_classes_));
  const int n_small = std::min(n, max_of_fewer);
  for (int k = 2; k < n_classes_; ++k) {
    std::vector<double>& totals = of_fewer_[static_cast<std::size_t>(k)];
    totals.resize(static_cast<std::size_t>(padded(n_small)));
    own->fill_totals(own->settings, k, n_small, totals.data());
  }
}

void ClassScores::score(const SetCriterion& criterion, Score function, const NodeChannels& channels,
                        const double* left, int n_cuts, double* scores, double wanted) const {
  std::vector<std::uint32_t> classes;
  mean_of_outputs(channels, n_cuts, scores, [&](const auto& output, double* out) {
    ScoreCall call{channels.parent.data() + output.first,
                   output.total,
                   output.n_classes,
                   left + output.first * CutBlock::stride,
                   n_cuts,
                   log_table(),
                   unit_,
                   &criterion};
    if (channels.outputs.size() == 1) call.wanted = wanted;
    if (&criterion == own_) call.tables = tables(output);
    if (criterion.knows_classes()) {
      channels.list_classes(output, classes);
      call.classes = classes.data();
    }
    if (n_extra_ > 0) {
      const int first = channels.size() - n_extra_;
      call.extra = channels.parent.data() + first;
      call.extra_left = left + first * CutBlock::stride;
    }
    function(call, out);
  });
}

}  // namespace ramify
