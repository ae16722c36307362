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
  with_type(raw.type, [&]<class T>(T) { read_as<T>(raw, first, n, values); });
}

}  // namespace ramify
