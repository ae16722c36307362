// SPDX-License-Identifier: BSD-3-Clause
// Room for many numbers: on large pages where the system has them, and written past the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ramify {

inline constexpr std::size_t large_page = std::size_t{1} << 21;

/// Fresh memory that goes back to the system when it is freed, and does not stay for others; from a
/// multiple of a power of two on. On large pages if the system has them: these are cleared and
/// found faster, 32 MB are ready in 2 ms instead of 7.
void* map_memory(std::size_t n_bytes, std::size_t alignment = large_page);
void unmap_memory(void* memory, std::size_t n_bytes, std::size_t alignment = large_page);

/// Gives the memory of a big array back.
struct FreeBigArray {
  std::size_t n_mapped = 0;  // bytes; 0 if they are not many
  void operator()(void* memory) const {
    n_mapped > 0 ? unmap_memory(memory, n_mapped) : ::operator delete(memory);
  }
};
template <class T>
using BigArrayOf = std::unique_ptr<T[], FreeBigArray>;
using BigArray = BigArrayOf<double>;

/// Room for n numbers, which are not set.
template <class T = double>
BigArrayOf<T> big_array(std::size_t n) {
  std::size_t n_bytes = n * sizeof(T);
  if (n_bytes < large_page / 2)
    return BigArrayOf<T>(static_cast<T*>(::operator new(n_bytes)), FreeBigArray{});
  n_bytes = (n_bytes + large_page - 1) / large_page * large_page;
  return BigArrayOf<T>(static_cast<T*>(map_memory(n_bytes)), FreeBigArray{n_bytes});
}

/// Writes two numbers past the cache, to a place that is a multiple of 16 bytes. What fills whole
/// lines of memory and is not needed soon is written three times as fast so.
inline void write_through(double* to, double first, double second) {
#ifdef __SSE2__
  _mm_stream_pd(to, _mm_set_pd(second, first));
#else
  to[0] = first;
  to[1] = second;
#endif
}

/// What was written so far is seen by all threads.
inline void finish_writing() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace ramify
