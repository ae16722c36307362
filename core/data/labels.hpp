// SPDX-License-Identifier: BSD-3-Clause
// Numbers integer labels within a small range without sorting them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ramify {

struct NumberedLabels {
  std::vector<std::int64_t> classes;  // that occur, ascending
  std::vector<std::uint32_t> codes;   // of each row: the index into `classes`
};

/// Returns nothing if there are no labels, or if their range is too large to count.
std::optional<NumberedLabels> number_labels(std::span<const std::int64_t> labels);

}  // namespace ramify
