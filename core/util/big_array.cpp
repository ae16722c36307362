// SPDX-License-Identifier: BSD-3-Clause
#include "util/big_array.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ramify {

#ifdef __linux__
namespace {

/// Rounds up to a multiple of the page size.
std::size_t whole_pages(std::size_t n_bytes) {
  constexpr std::size_t page = 65'536;
  return (n_bytes + page - 1) / page * page;
}

}  // namespace

void* map_memory(std::size_t n_bytes, std::size_t alignment) {
  const std::size_t n_used = whole_pages(n_bytes), n_all = n_used + alignment;
  void* const all =
      mmap(nullptr, n_all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<std::uintptr_t>(all);
  const std::uintptr_t first = (begin + alignment - 1) / alignment * alignment;
  if (first > begin) munmap(all, first - begin);
  munmap(reinterpret_cast<void*>(first + n_used), begin + alignment - first);
  void* const memory = reinterpret_cast<void*>(first);
  madvise(memory, n_used, MADV_HUGEPAGE);  // only a hint: the result does not matter
  return memory;
}

void unmap_memory(void* memory, std::size_t n_bytes, std::size_t) {
  munmap(memory, whole_pages(n_bytes));
}
#else
void* map_memory(std::size_t n_bytes, std::size_t alignment) {
  return ::operator new(n_bytes, std::align_val_t{alignment});
}

void unmap_memory(void* memory, std::size_t, std::size_t alignment) {
  ::operator delete(memory, std::align_val_t{alignment});
}
#endif

}  // namespace ramify
