// SPDX-License-Identifier: BSD-3-Clause
// Stores that bypass the cache.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ramify {

/// Writes two values past the cache, to an address that is a multiple of 16 bytes. Complete cache
/// lines that are not read again soon are written three times as fast this way.
inline void write_through(double* to, double first, double second) {
#ifdef __SSE2__
  _mm_stream_pd(to, _mm_set_pd(second, first));
#else
  to[0] = first;
  to[1] = second;
#endif
}

/// Makes everything written so far visible to all threads.
inline void finish_writing() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace ramify
