// SPDX-License-Identifier: BSD-3-Clause
#include "data/raw.hpp"

namespace ramify {
namespace {

template <class T>
void read_as(const RawColumn& raw, std::size_t first, std::size_t n, double* values) {
  const char* from =
      static_cast<const char*>(raw.data) + raw.stride * static_cast<std::ptrdiff_t>(first);
  const auto read_each = [&](std::ptrdiff_t stride) {
    for (std::size_t i = 0; i < n; ++i) {
      T x;
      std::memcpy(&x, from + static_cast<std::ptrdiff_t>(i) * stride, sizeof(T));
      values[i] = static_cast<double>(x);
    }
  };
  if (raw.stride == sizeof(T))
    read_each(sizeof(T));  // a constant stride lets the compiler vectorise
  else
    read_each(raw.stride);
}

}  // namespace

void read_some(const RawColumn& raw, std::size_t first, std::size_t n, double* values) {
  using Type = RawColumn::Type;
  switch (raw.type) {
    case Type::f32:
      return read_as<float>(raw, first, n, values);
    case Type::f64:
      return read_as<double>(raw, first, n, values);
    case Type::i8:
      return read_as<std::int8_t>(raw, first, n, values);
    case Type::i16:
      return read_as<std::int16_t>(raw, first, n, values);
    case Type::i32:
      return read_as<std::int32_t>(raw, first, n, values);
    case Type::i64:
      return read_as<std::int64_t>(raw, first, n, values);
    case Type::u16:
      return read_as<std::uint16_t>(raw, first, n, values);
    case Type::u32:
      return read_as<std::uint32_t>(raw, first, n, values);
    case Type::u64:
      return read_as<std::uint64_t>(raw, first, n, values);
    case Type::u8:
    case Type::boolean:
      return read_as<std::uint8_t>(raw, first, n, values);
  }
}

}  // namespace ramify
