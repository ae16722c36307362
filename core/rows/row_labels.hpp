// SPDX-License-Identifier: BSD-3-Clause
// What an item of a list says of its row. Where rows have weights, that is class and weight in one
// number: few pairs occur where weights are those of classes, or small whole numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/table.hpp"

namespace ramify {

struct RowLabels {
  std::size_t n = 0;                    // labels in all
  std::vector<std::uint32_t> of_row;    // empty if all rows weigh one: a label is a class then
  std::vector<std::uint32_t> class_of;  // of each label, ascending, if rows have weights
  std::vector<double> weight;           // of each label, in units

  bool has_weights() const { return !of_row.empty(); }
  std::uint32_t of(const Target& target, std::uint32_t row) const {
    return has_weights() ? of_row[row] : target.classes[row];
  }
};

/// Nothing if rows have weights and more than `most` labels, or a weight of 0.
std::optional<RowLabels> label_rows(const Target& target, int most);

}  // namespace ramify
