// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers of any type from the caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "data/column.hpp"

namespace ramify {

/// Reads a value as a double (exact for every integer type but 64 bits).
template <class T>
double read(const RawColumn& raw, std::uint32_t row) {
  T x;
  std::memcpy(&x, static_cast<const char*>(raw.data) + raw.stride * row, sizeof(T));
  return static_cast<double>(x);
}

/// Reads the values of n rows, from `first` on, as doubles.
void read_some(const RawColumn& raw, std::size_t first, std::size_t n, double* values);

}  // namespace ramify
