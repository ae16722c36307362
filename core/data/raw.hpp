// SPDX-License-Identifier: BSD-3-Clause
// Numbers as they lie in memory, whatever their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "data/column.hpp"

namespace ramify {

/// Reads any numeric column as doubles (every integer type but 64 bits is exact).
template <class T>
double read(const RawColumn& raw, std::uint32_t row) {
  T x;
  std::memcpy(&x, static_cast<const char*>(raw.data) + raw.stride * row, sizeof(T));
  return static_cast<double>(x);
}

/// The numbers of some rows, from `first` on, as doubles.
void read_some(const RawColumn& raw, std::size_t first, std::size_t n, double* values);

}  // namespace ramify
