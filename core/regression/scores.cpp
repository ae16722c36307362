// SPDX-License-Identifier: BSD-3-Clause
#include "regression/scores.hpp"

#include <cmath>

namespace ramify {

NodeChannels regression_channels(const RegressionTarget& regression, const Node& node,
                                 std::span<const double> sums, std::uint64_t n_rows) {
  NodeChannels result;
  result.n_rows = n_rows;
  result.regression = &node.regression;
  result.n_stats = regression.n_stats();
  result.parent.assign(sums.begin(), sums.end());
  for (std::size_t o = 0; o < node.regression.outputs.size(); ++o) {
    const int first = static_cast<int>(o) * regression.n_stats();
    const int n_present = node.regression.outputs[o].is_varied ? 2 : 1;
    result.outputs.push_back({first, 1, n_present, sums[static_cast<std::size_t>(first)]});
  }
  regression.set(result.channels);
  return result;
}

RegressionCall regression_call(const ChosenCriterion& criterion, const RegressionStatistics& known,
                               std::size_t output, const double* parent) {
  return regression_call(criterion, known.outputs[output].fixed_point, known.impurity, parent);
}

RegressionCall regression_call(const ChosenCriterion& criterion, const FixedPoint& fixed_point,
                               double impurity, const double* parent) {
  const auto [centre, scale] = fixed_point;
  const double mean = centre + scale * (parent[1] / parent[0]);
  double unit = scale * scale;
  switch (criterion.loss()) {
    case RegressionLoss::poisson:
    case RegressionLoss::negative_binomial:
      unit = mean;
      break;
    case RegressionLoss::gamma:
      unit = 1;
      break;
    case RegressionLoss::tweedie:
      if (const double power = criterion.values[0]; power > 0) unit = std::pow(mean, 2 - power);
      break;
    default:
      break;
  }
  return {.parent = parent,
          .left = nullptr,
          .n_cuts = 0,
          .relative = scale / mean,
          .factor = unit / impurity,
          .mean = mean,
          .values = criterion.values};
}

void score_regression(const ChosenCriterion& criterion, const NodeChannels& channels,
                      const double* left, int n_cuts, double* scores) {
  mean_of_outputs(channels, n_cuts, scores, [&](const auto& output, double* out) {
    RegressionCall call =
        regression_call(criterion, *channels.regression, channels.index_of(output),
                        channels.parent.data() + output.first);
    call.left = left + output.first * CutBlock::stride;
    call.n_cuts = n_cuts;
    criterion.numeric->score(call, out);
  });
}

void leave_fixed_point(const FixedPoint& fixed_point, double* sums, std::size_t stride,
                       std::size_t n) {
  const auto [centre, scale] = fixed_point;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = sums[i], sum = scale * sums[stride + i],
                 squares = scale * scale * sums[2 * stride + i];
    sums[stride + i] = centre * weight + sum;
    sums[2 * stride + i] = squares + 2 * centre * sum + centre * centre * weight;
  }
}

}  // namespace ramify
