// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/users.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "regression/scores.hpp"

namespace ramify {

void UserCuts::show(const NodeChannels& channels, const NodeChannels::Output& output,
                    std::span<const CutPiece> pieces, CutBatch& batch) const {
  const std::size_t which = channels.index_of(output);
  const bool is_numeric = channels.regression != nullptr;
  const auto n_classes = static_cast<std::size_t>(is_numeric ? 0 : target_.n_classes[which]);
  const std::size_t n_stats = is_numeric ? static_cast<std::size_t>(channels.n_stats)
                                         : n_classes + static_cast<std::size_t>(target_.n_extra);
  // The channel of a class; -1 if the class does not occur.
  const auto channel_of = [&](std::size_t k) {
    if (is_numeric) return output.first + static_cast<int>(k);
    if (k >= n_classes) return channels.size() - target_.n_extra + static_cast<int>(k - n_classes);
    const std::size_t name = classes_.first_class(which) + k;
    return channels.is_present[name] ? static_cast<int>(channels.channel[name]) : -1;
  };
  std::size_t m = 0;
  for (const CutPiece& piece : pieces) m += static_cast<std::size_t>(piece.n_cuts);
  batch.n_stats = static_cast<int>(n_stats);
  batch.n_cuts = static_cast<int>(m);
  batch.parent.assign(n_stats, 0);
  batch.left.resize(n_stats * m);
  batch.right.resize(n_stats * m);
  for (std::size_t k = 0; k < n_stats; ++k) {
    const int channel = channel_of(k);
    double *to_left = batch.left.data() + k * m, *to_right = batch.right.data() + k * m;
    if (channel < 0) {
      std::fill_n(to_left, m, 0.0);
      std::fill_n(to_right, m, 0.0);
      continue;
    }
    const double whole = channels.parent[static_cast<std::size_t>(channel)];
    batch.parent[k] = whole * target_.unit;
    for (const CutPiece& piece : pieces) {
      const double* left = piece.left + channel * CutBlock::stride;
      for (int i = 0; i < piece.n_cuts; ++i) {
        *to_left++ = left[i] * target_.unit;
        *to_right++ = (whole - left[i]) * target_.unit;
      }
    }
  }
  if (!is_numeric) return;
  const FixedPoint& fixed_point = channels.fixed_point_of(output);
  leave_fixed_point(fixed_point, batch.parent.data(), 1, 1);
  leave_fixed_point(fixed_point, batch.left.data(), m, m);
  leave_fixed_point(fixed_point, batch.right.data(), m, m);
}

void ask_compiled(CompiledCriterion criterion, void* user_data, const CutBatch& batch,
                  double* scores) {
  criterion(batch.n_cuts, batch.n_stats, batch.parent.data(), batch.left.data(), batch.right.data(),
            scores, user_data);
  for (int i = 0; i < batch.n_cuts; ++i)
    if (!(scores[i] < std::numeric_limits<double>::infinity()))
      throw std::invalid_argument("the compiled criterion returned " +
                                  std::string(std::isnan(scores[i]) ? "NaN" : "+inf") +
                                  "; scores must be finite, or -inf to refuse a cut");
}

}  // namespace ramify
