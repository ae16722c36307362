// SPDX-License-Identifier: BSD-3-Clause
// Arrays that are made and freed together lie side by side on large pages: a table of 50 MB has
// some dozen pages to clear and not thousands, each of which takes microseconds.
#pragma once

#include <cstddef>
#include <vector>

namespace ramify {

/// Memory in slabs of many large pages. Room is taken from the last slab, one array behind the
/// other, and a slab goes back to the system with the last of its arrays. Small arrays are common
/// ones, and very large ones have pages of their own.
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
