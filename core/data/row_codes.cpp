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
  const auto width = static_cast<std::size_t>(records_.width);
  void* const to = memory_.reserve(n_rows * columns.size() * width);
  records_.codes = to;
  const auto write = [&]<class Code>(Code* codes) {
    write_records(columns, n_rows, 512, codes,
                  [](const Column&, std::uint32_t code) { return code; });
  };
  if (records_.width == 1)
    write(static_cast<std::uint8_t*>(to));
  else if (records_.width == 2)
    write(static_cast<std::uint16_t*>(to));
  else
    write(static_cast<std::uint32_t*>(to));
}

}  // namespace ramify
