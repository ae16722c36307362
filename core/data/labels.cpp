// SPDX-License-Identifier: BSD-3-Clause
#include "data/labels.hpp"

#include <algorithm>
#include <utility>

namespace ramify {

std::optional<NumberedLabels> number_labels(std::span<const std::int64_t> labels) {
  if (labels.empty()) return {};
  std::int64_t low = labels[0], high = labels[0];
  for (const std::int64_t label : labels) {
    low = std::min(low, label);
    high = std::max(high, label);
  }
  // Modulo 2^64, which holds the difference of any two labels.
  const auto from_low = [low](std::int64_t label) {
    return static_cast<std::uint64_t>(label) - static_cast<std::uint64_t>(low);
  };
  constexpr std::size_t few = 1000;
  if (from_low(high) >= std::max(few, labels.size())) return {};
  NumberedLabels numbered;
  std::vector<std::uint32_t> number(from_low(high) + 1);
  for (const std::int64_t label : labels) number[from_low(label)] = 1;
  std::uint32_t n_classes = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i]) numbered.classes.push_back(low + static_cast<std::int64_t>(i));
    n_classes += std::exchange(number[i], n_classes);
  }
  numbered.codes.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) numbered.codes[i] = number[from_low(labels[i])];
  return numbered;
}

}  // namespace ramify
