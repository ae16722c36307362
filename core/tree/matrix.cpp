// SPDX-License-Identifier: BSD-3-Clause
#include "tree/matrix.hpp"

#include <cmath>
#include <limits>

namespace ramify {
namespace {

template <class T>
Unusual inspect_as(const RawMatrix& X) {
  const bool by_row = X.column_stride <= X.row_stride;
  const std::int64_t n_outer = by_row ? X.n_rows : X.n_columns,
                     n_inner = by_row ? X.n_columns : X.n_rows;
  const std::int64_t outer_stride = by_row ? X.row_stride : X.column_stride;
  const std::int64_t inner_stride = by_row ? X.column_stride : X.row_stride;
  Unusual found;
  for (std::int64_t i = 0; i < n_outer; ++i) {
    const char* line = static_cast<const char*>(X.data) + i * outer_stride;
    constexpr T largest = std::numeric_limits<T>::max();
    int n_unusual = 0;  // no early exit, so that the loop vectorises
    if (inner_stride == sizeof(T))
      for (std::int64_t j = 0; j < n_inner; ++j)
        n_unusual +=
            !(std::abs(value_at<T>(line, j * static_cast<std::int64_t>(sizeof(T)))) <= largest);
    else
      for (std::int64_t j = 0; j < n_inner; ++j)
        n_unusual += !(std::abs(value_at<T>(line, j * inner_stride)) <= largest);
    for (std::int64_t j = 0; n_unusual > 0 && j < n_inner; ++j) {
      const T x = value_at<T>(line, j * inner_stride);
      found.has_missing |= std::isnan(x);
      if (!std::isinf(x)) continue;
      found.infinite_row = by_row ? i : j;
      found.infinite_column = by_row ? j : i;
      return found;
    }
  }
  return found;
}

bool fits_float(const RawMatrix& X) {
  for (std::int64_t row = 0; row < X.n_rows; ++row)
    for (std::int64_t column = 0; column < X.n_columns; ++column) {
      const auto x = value_at<double>(X.row(row), column * X.column_stride);
      if (x == x && static_cast<double>(static_cast<float>(x)) != x) return false;
    }
  return true;
}

template <class From, class To>
RawMatrix copied(const RawMatrix& X, std::vector<To>& cells) {
  cells.resize(X.n_rows * X.n_columns);
  To* cell = cells.data();
  for (std::int64_t row = 0; row < X.n_rows; ++row)
    for (std::int64_t column = 0; column < X.n_columns; ++column)
      *cell++ = static_cast<To>(value_at<From>(X.row(row), column * X.column_stride));
  const auto item = static_cast<std::int64_t>(sizeof(To));
  return {cells.data(), X.n_rows,
          X.n_columns,  X.n_columns * item,
          item,         sizeof(To) == sizeof(float) ? RawColumn::Type::f32 : RawColumn::Type::f64};
}

}  // namespace

Unusual inspect(const RawMatrix& X) {
  return X.is_float() ? inspect_as<float>(X) : inspect_as<double>(X);
}

RawMatrix RowBlock::rows(const RawMatrix& X, std::int64_t first, std::int64_t last) {
  const RawMatrix part = X.some_rows(first, last);
  if (X.is_float())
    return X.column_stride == sizeof(float) ? part : copied<float, float>(part, floats_);
  if (fits_float(part)) return copied<double, float>(part, floats_);
  return X.column_stride == sizeof(double) ? part : copied<double, double>(part, doubles_);
}

}  // namespace ramify
