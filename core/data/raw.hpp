// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers of any type from the caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "data/column.hpp"

namespace ramify {

/// Calls use(T{}) with the type of some values; a flag is a byte.
template <class Use>
auto with_type(RawColumn::Type type, Use use) {
  using Type = RawColumn::Type;
  switch (type) {
    case Type::f32:
      return use(float{});
    case Type::f64:
      return use(double{});
    case Type::i8:
      return use(std::int8_t{});
    case Type::i16:
      return use(std::int16_t{});
    case Type::i32:
      return use(std::int32_t{});
    case Type::i64:
      return use(std::int64_t{});
    case Type::u16:
      return use(std::uint16_t{});
    case Type::u32:
      return use(std::uint32_t{});
    case Type::u64:
      return use(std::uint64_t{});
    default:
      return use(std::uint8_t{});
  }
}

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
