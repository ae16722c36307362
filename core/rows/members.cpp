// SPDX-License-Identifier: BSD-3-Clause
#include "rows/members.hpp"

#include <algorithm>
#include <bit>
#include <variant>

namespace ramify {

ItemLayout key_layout(const Target& target) {
  ItemLayout layout;
  layout.class_bits = std::bit_width(static_cast<unsigned>(target.n_classes[0] - 1));
  if (!target.times.empty())
    layout.times_bits = std::bit_width(static_cast<unsigned>(std::ranges::max(target.times)));
  return layout;
}

int key_bits(const Table& table, const Target& target) {
  std::uint32_t n_codes = 0;
  for (const Column& column : table.columns) n_codes = std::max(n_codes, column.n_codes());
  return key_layout(target).code_shift() + std::bit_width(n_codes);
}

MemberRows::MemberRows(const Table& table, std::span<const std::uint32_t> rows,
                       const Target& target)
    : layout_(key_layout(target)), members_(target.n_rows) {
  for (std::uint32_t row = 0; row < target.n_rows; ++row) {
    const std::uint32_t times = layout_.times_bits ? target.times[row] : 0;
    members_[row] = {static_cast<std::uint32_t>(layout_.make(0, target.classes[row], 0, times)),
                     row};
  }
  records_.n_columns = table.columns.size();
  records_.width = 1;
  for (const Column& column : table.columns)
    records_.width =
        std::max(records_.width,
                 std::visit([](const auto& codes) { return static_cast<int>(sizeof(codes[0])); },
                            column.codes));
  const std::size_t n_bytes =
      target.n_rows * records_.n_columns * static_cast<std::size_t>(records_.width);
  codes_.reset(new std::uint32_t[n_bytes / sizeof(std::uint32_t) + 1]);
  records_.codes = codes_.get();
  if (records_.width == 1)
    copy_codes(table, rows, reinterpret_cast<std::uint8_t*>(codes_.get()));
  else if (records_.width == 2)
    copy_codes(table, rows, reinterpret_cast<std::uint16_t*>(codes_.get()));
  else
    copy_codes(table, rows, codes_.get());
}

/// A stretch of rows at a time: its records stay in cache while column after column is written into
/// them.
template <class Code>
void MemberRows::copy_codes(const Table& table, std::span<const std::uint32_t> rows,
                            Code* to) const {
  constexpr std::size_t stretch = 512;
  const std::size_t stride = records_.n_columns;
  for (std::size_t first = 0; first < rows.size(); first += stretch) {
    const std::size_t last = std::min(rows.size(), first + stretch);
    for (std::size_t j = 0; j < stride; ++j)
      std::visit(
          [&](const auto& codes) {
            for (std::size_t row = first; row < last; ++row)
              to[row * stride + j] = static_cast<Code>(codes[rows[row]]);
          },
          table.columns[j].codes);
  }
}

}  // namespace ramify
