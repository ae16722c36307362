// SPDX-License-Identifier: BSD-3-Clause
#include "rows/row_indices.hpp"

#include <algorithm>
#include <bit>

namespace ramify {

ItemLayout key_layout(const Target& target) {
  ItemLayout layout;
  layout.class_bits = std::bit_width(static_cast<unsigned>(target.n_classes[0] - 1));
  if (!target.times.empty())
    layout.times_bits = std::bit_width(static_cast<unsigned>(std::ranges::max(target.times)));
  else if (!target.weight.empty())
    layout.row_bits = std::bit_width(target.n_rows - 1);
  return layout;
}

bool has_keys(const Table& table, const Target& target) {
  if (!target.is_plain()) return false;
  std::uint32_t n_codes = 0;
  for (const Column& column : table.columns) n_codes = std::max(n_codes, column.n_codes());
  const int low_bits = key_layout(target).code_shift(), bits = low_bits + std::bit_width(n_codes);
  if (target.is_integer()) return bits <= 31;
  return low_bits <= 32 && bits <= 63 && std::ranges::min(target.weight) > 0;
}

IndexedRows::IndexedRows(const Table& table, std::span<const std::uint32_t> rows,
                         const Target& target, bool by_value)
    : layout_(key_layout(target)), row_indices_(target.n_rows) {
  if (by_value) values_ = table.row_values();
  if (!values_.values) records_ = table.row_codes();
  for (std::uint32_t i = 0; i < target.n_rows; ++i) {
    const std::uint32_t times = layout_.times_bits ? target.times[i] : 0,
                        row = layout_.row_bits ? i : 0;
    row_indices_[i] = {static_cast<std::uint32_t>(layout_.make(0, target.classes[i], row, times)),
                       rows[i]};
  }
}

}  // namespace ramify
