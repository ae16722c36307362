// SPDX-License-Identifier: BSD-3-Clause
#include "survival/target.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ramify {

WholeWeights::WholeWeights(std::span<const double> given, std::size_t n) {
  if (given.empty()) {
    weight.assign(n, 1);
    return;
  }
  double total = 0, largest = 0;
  for (const double w : given) {
    total += w;
    largest = std::max(largest, w);
    are_whole = are_whole && w == std::floor(w);
  }
  are_whole = are_whole && total < 0x1p31;
  if (!are_whole) unit = std::ldexp(1.0, std::ilogb(largest) + 1 - 20);
  weight.resize(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    weight[i] = static_cast<std::uint32_t>(std::nearbyint(given[i] / unit));
}

TimeOrder::TimeOrder(const SurvivalTarget& target, std::span<const std::uint32_t> rows)
    : times(target.times) {
  WholeWeights whole(target.weight, target.n_rows());
  unit = whole.unit;
  are_whole = whole.are_whole;
  // By counting: rows of one time stay in their order.
  std::vector<std::uint32_t> start(times.size() + 1, 0), order(target.n_rows());
  for (const std::uint32_t at : target.place) ++start[at + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  for (std::uint32_t i = 0; i < target.n_rows(); ++i) order[start[target.place[i]]++] = i;
  for (const std::uint32_t i : order) {
    if (whole.weight[i] == 0) continue;  // a row without weight is no row
    table_row.push_back(rows[i]);
    place.push_back(target.place[i]);
    event.push_back(target.event[i]);
    weight.push_back(whole.weight[i]);
  }
  later_events.resize(times.size() + 1);
  for (std::size_t at = times.size(); at-- > 0;)
    later_events[at] = later_events[at + 1] + target.has_event[at];
}

}  // namespace ramify
