// SPDX-License-Identifier: BSD-3-Clause
// Labels that are whole numbers not far apart, numbered without a sort.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ramify {

struct NumberedLabels {
  std::vector<std::int64_t> classes;  // that occur, ascending
  std::vector<std::uint32_t> codes;   // of each row: which of these
};

/// Nothing if there are no labels, or if they are too far apart to be counted.
std::optional<NumberedLabels> number_labels(std::span<const std::int64_t> labels);

}  // namespace ramify
