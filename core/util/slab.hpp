// SPDX-License-Identifier: BSD-3-Clause
// A slab allocator: arrays that are made and freed together lie side by side on huge pages. A table
// of 50 MB then has some dozen pages to clear instead of thousands at microseconds each.
#pragma once

#include <cstddef>
#include <vector>

namespace ramify {

/// Allocates from slabs of many huge pages. Each array is placed behind the previous one in the
/// last slab, and a slab returns to the system with the last of its arrays. Small arrays come from
/// the common allocator, and very large ones have pages of their own.
void* take_of_slab(std::size_t n_bytes);
void give_to_slab(void* memory, std::size_t n_bytes);

template <class T>
struct SlabAllocator {
  using value_type = T;
  SlabAllocator() = default;
  template <class U>
  SlabAllocator(const SlabAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(take_of_slab(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) { give_to_slab(memory, n * sizeof(T)); }
  friend bool operator==(SlabAllocator, SlabAllocator) { return true; }
};

template <class T>
using SlabVector = std::vector<T, SlabAllocator<T>>;

}  // namespace ramify
