// SPDX-License-Identifier: BSD-3-Clause
#include "data/row_records.hpp"

#include <algorithm>
#include <variant>

namespace ramify {
namespace {

/// Writes cell_of(column, code) of all columns side by side, one record per row. It writes a
/// stretch of rows at a time, so that the records stay in the cache while column after column is
/// written; the stretch is longer if what cell_of looks up should stay there, too.
template <class Cell, class CellOf>
void write_records(std::span<const Column> columns, std::size_t n_rows, std::size_t stretch,
                   void* memory, CellOf cell_of) {
  Cell* const to = static_cast<Cell*>(memory);
  const std::size_t stride = columns.size();
  for (std::size_t first = 0; first < n_rows; first += stretch) {
    const std::size_t last = std::min(n_rows, first + stretch);
    for (std::size_t j = 0; j < stride; ++j)
      std::visit(
          [&](const auto& codes) {
            for (std::size_t row = first; row < last; ++row)
              to[row * stride + j] = static_cast<Cell>(cell_of(columns[j], codes[row]));
          },
          columns[j].codes);
  }
}

std::size_t bytes_of_codes(const Column& column) {
  return std::visit([](const auto& codes) { return sizeof(codes[0]); }, column.codes);
}

}  // namespace

CodeRecords RowRecords::codes(std::span<const Column> columns, std::size_t n_rows) {
  std::size_t width = 1;
  for (const Column& column : columns) width = std::max(width, bytes_of_codes(column));
  const auto code_of = [](const Column&, std::uint32_t code) { return code; };
  const void* const codes = codes_.make(n_rows * columns.size() * width, [&](void* to) {
    constexpr std::size_t stretch = 512;
    if (width == 1)
      write_records<std::uint8_t>(columns, n_rows, stretch, to, code_of);
    else if (width == 2)
      write_records<std::uint16_t>(columns, n_rows, stretch, to, code_of);
    else
      write_records<std::uint32_t>(columns, n_rows, stretch, to, code_of);
  });
  return {codes, columns.size(), static_cast<int>(width)};
}

ValueRecords RowRecords::values(std::span<const Column> columns, std::size_t n_rows) {
  const bool is_plain = std::ranges::none_of(columns, [](const Column& column) {
    return column.is_categorical || column.n_missing > 0 || column.highest.size() > 0;
  });
  if (!is_plain) return {};
  const bool fits =
      std::ranges::all_of(columns, [](const Column& column) { return column.lowest.are_floats(); });
  const std::size_t width = fits ? sizeof(float) : sizeof(double);
  const auto value_of = [](const Column& column, std::uint32_t code) { return column.lower(code); };
  const void* const values = values_.make(n_rows * columns.size() * width, [&](void* to) {
    constexpr std::size_t stretch = 8192;
    fits ? write_records<float>(columns, n_rows, stretch, to, value_of)
         : write_records<double>(columns, n_rows, stretch, to, value_of);
  });
  return {values, columns.size(), static_cast<int>(width)};
}

}  // namespace ramify
