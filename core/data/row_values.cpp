// SPDX-License-Identifier: BSD-3-Clause
#include "data/row_values.hpp"

#include <algorithm>
#include <variant>

namespace ramify {

ValueRecords RowValues::of(std::span<const Column> columns, std::size_t n_rows) {
  std::call_once(is_made_, [&] { make(columns, n_rows); });
  return records_;
}

void RowValues::make(std::span<const Column> columns, std::size_t n_rows) {
  const bool is_plain = std::ranges::none_of(columns, [](const Column& column) {
    return column.is_categorical || column.n_missing > 0 || column.highest.size() > 0;
  });
  const bool is_wide =
      std::ranges::any_of(columns, [](const Column& column) { return !column.is_narrow(); });
  if (!is_plain || !is_wide) return;
  const bool fits =
      std::ranges::all_of(columns, [](const Column& column) { return column.lowest.are_floats(); });
  records_ = {nullptr, columns.size(), fits ? 4 : 8};
  const std::size_t n_bytes = n_rows * columns.size() * static_cast<std::size_t>(records_.width);
  values_.reset(new double[n_bytes / sizeof(double) + 16]);  // who reads whole packs reads beyond
  std::fill_n(values_.get() + n_bytes / sizeof(double), 16, 0.0);
  records_.values = values_.get();
  if (fits)
    copy(columns, n_rows, reinterpret_cast<float*>(values_.get()));
  else
    copy(columns, n_rows, values_.get());
}

/// Long stretches of rows: the values of a column are read many times while they are in the cache.
template <class Value>
void RowValues::copy(std::span<const Column> columns, std::size_t n_rows, Value* to) const {
  constexpr std::size_t stretch = 8192;
  const std::size_t stride = columns.size();
  for (std::size_t first = 0; first < n_rows; first += stretch) {
    const std::size_t last = std::min(n_rows, first + stretch);
    for (std::size_t j = 0; j < stride; ++j)
      std::visit(
          [&](const auto& codes) {
            for (std::size_t row = first; row < last; ++row)
              to[row * stride + j] = static_cast<Value>(columns[j].lower(codes[row]));
          },
          columns[j].codes);
  }
}

}  // namespace ramify
