// SPDX-License-Identifier: BSD-3-Clause
#include "data/row_codes.hpp"

#include <algorithm>
#include <variant>

namespace ramify {

CodeRecords RowCodes::of(std::span<const Column> columns, std::size_t n_rows) {
  std::call_once(is_made_, [&] { make(columns, n_rows); });
  return records_;
}

void RowCodes::make(std::span<const Column> columns, std::size_t n_rows) {
  records_.n_columns = columns.size();
  records_.width = 1;
  for (const Column& column : columns)
    records_.width =
        std::max(records_.width,
                 std::visit([](const auto& codes) { return static_cast<int>(sizeof(codes[0])); },
                            column.codes));
  const std::size_t n_bytes = n_rows * columns.size() * static_cast<std::size_t>(records_.width);
  codes_.reset(new std::uint32_t[n_bytes / sizeof(std::uint32_t) + 1]);
  records_.codes = codes_.get();
  if (records_.width == 1)
    copy(columns, n_rows, reinterpret_cast<std::uint8_t*>(codes_.get()));
  else if (records_.width == 2)
    copy(columns, n_rows, reinterpret_cast<std::uint16_t*>(codes_.get()));
  else
    copy(columns, n_rows, codes_.get());
}

/// A stretch of rows at a time: its records stay in cache while column after column is written into
/// them.
template <class Code>
void RowCodes::copy(std::span<const Column> columns, std::size_t n_rows, Code* to) const {
  constexpr std::size_t stretch = 512;
  const std::size_t stride = columns.size();
  for (std::size_t first = 0; first < n_rows; first += stretch) {
    const std::size_t last = std::min(n_rows, first + stretch);
    for (std::size_t j = 0; j < stride; ++j)
      std::visit(
          [&](const auto& codes) {
            for (std::size_t row = first; row < last; ++row)
              to[row * stride + j] = static_cast<Code>(codes[row]);
          },
          columns[j].codes);
  }
}

}  // namespace ramify
