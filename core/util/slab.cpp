// SPDX-License-Identifier: BSD-3-Clause
#include "util/slab.hpp"

#include <cstdint>
#include <mutex>
#include <new>

#include "util/big_array.hpp"

#ifdef __unix__
#include <pthread.h>
#endif

namespace ramify {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t min_of_slab = ~std::size_t{0};  // lets the sanitizer see each array's end
#else
constexpr std::size_t min_of_slab = std::size_t{1} << 17;
#endif
constexpr std::size_t max_of_slab = std::size_t{1} << 24;
constexpr std::size_t slab_size = std::size_t{1} << 26, cache_line = 64;

/// Lies at the start of its memory, which is aligned to its size.
struct Slab {
  std::size_t used = cache_line, n_arrays = 0;
};

std::mutex slab_mutex;
Slab* last_slab = nullptr;

#ifdef __unix__
/// Without this, a process forked while another thread holds the mutex would wait for ever.
[[maybe_unused]] const int no_fork_inside = pthread_atfork(
    [] { slab_mutex.lock(); }, [] { slab_mutex.unlock(); }, [] { slab_mutex.unlock(); });
#endif

}  // namespace

void* take_of_slab(std::size_t n_bytes) {
  if (n_bytes < min_of_slab) return ::operator new(n_bytes);
  if (n_bytes > max_of_slab) return map_memory(n_bytes);
  const std::lock_guard lock(slab_mutex);
  if (!last_slab || last_slab->used + n_bytes > slab_size)
    last_slab = new (map_memory(slab_size, slab_size)) Slab;
  void* const memory = reinterpret_cast<char*>(last_slab) + last_slab->used;
  last_slab->used += (n_bytes + cache_line - 1) / cache_line * cache_line;
  ++last_slab->n_arrays;
  return memory;
}

void give_to_slab(void* memory, std::size_t n_bytes) {
  if (n_bytes < min_of_slab) return ::operator delete(memory);
  if (n_bytes > max_of_slab) return unmap_memory(memory, n_bytes);
  const std::lock_guard lock(slab_mutex);
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory) / slab_size * slab_size;
  auto* const slab = reinterpret_cast<Slab*>(begin);
  if (--slab->n_arrays > 0) return;
  if (slab == last_slab) last_slab = nullptr;
  unmap_memory(slab, slab_size, slab_size);
}

}  // namespace ramify
