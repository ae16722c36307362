// SPDX-License-Identifier: BSD-3-Clause
#include "data/row_values.hpp"

#include <algorithm>

namespace ramify {

ValueRecords RowValues::of(std::span<const Column> columns, std::size_t n_rows) {
  std::call_once(is_made_, [&] { make(columns, n_rows); });
  return records_;
}

void RowValues::make(std::span<const Column> columns, std::size_t n_rows) {
  const bool is_plain = std::ranges::none_of(columns, [](const Column& column) {
    return column.is_categorical || column.n_missing > 0 || column.highest.size() > 0;
  });
  if (!is_plain) return;
  const bool fits =
      std::ranges::all_of(columns, [](const Column& column) { return column.lowest.are_floats(); });
  records_ = {nullptr, columns.size(), fits ? 4 : 8};
  const auto width = static_cast<std::size_t>(records_.width);
  void* const to = memory_.reserve(n_rows * columns.size() * width);
  records_.values = to;
  const auto write = [&]<class Value>(Value* values) {
    write_records(columns, n_rows, 8192, values,
                  [](const Column& column, std::uint32_t code) { return column.lower(code); });
  };
  fits ? write(static_cast<float*>(to)) : write(static_cast<double*>(to));
}

}  // namespace ramify
