// SPDX-License-Identifier: BSD-3-Clause
// What will be read soon, and lies far away.
#pragma once

namespace ramify {

inline void prefetch(const void* place) {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#else
  (void)place;
#endif
}

}  // namespace ramify
