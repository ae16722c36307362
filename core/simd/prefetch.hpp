// SPDX-License-Identifier: BSD-3-Clause
// What will be read soon, and lies far away.
#pragma once

#include <cstddef>

namespace ramify {

inline void prefetch(const void* place) {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#else
  (void)place;
#endif
}

/// The same for n numbers side by side.
inline void prefetch(const double* x, std::size_t n) {
  constexpr std::size_t line = 8;
  for (std::size_t i = 0; i < n; i += line) prefetch(x + i);
}

/// What will be written soon.
inline void prefetch_to_write(void* place) {
#if defined(__GNUC__)
  __builtin_prefetch(place, 1);
#else
  (void)place;
#endif
}

}  // namespace ramify
