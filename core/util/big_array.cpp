// SPDX-License-Identifier: BSD-3-Clause
#include "util/big_array.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ramify {

#ifdef __linux__
void* map_memory(std::size_t n_bytes) {
  void* const all = mmap(nullptr, n_bytes + large_page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<std::uintptr_t>(all);
  const std::uintptr_t first = (begin + large_page - 1) / large_page * large_page;
  if (first > begin) munmap(all, first - begin);
  munmap(reinterpret_cast<void*>(first + n_bytes), begin + large_page - first);
  void* const memory = reinterpret_cast<void*>(first);
  madvise(memory, n_bytes, MADV_HUGEPAGE);  // only a hint: the result does not matter
  return memory;
}

void unmap_memory(void* memory, std::size_t n_bytes) { munmap(memory, n_bytes); }
#else
void* map_memory(std::size_t n_bytes) {
  return ::operator new(n_bytes, std::align_val_t{large_page});
}

void unmap_memory(void* memory, std::size_t) {
  ::operator delete(memory, std::align_val_t{large_page});
}
#endif

}  // namespace ramify
