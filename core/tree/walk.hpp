// SPDX-License-Identifier: BSD-3-Clause
// Walkers that go down trees side by side.
#pragma once

#include <cstdint>

namespace ramify {

/// Lets n walkers go from the root to a leaf, several side by side since each step waits for
/// memory. `from(first)` gives a function step(i, at) that says where walker first + i goes from
/// node `at`, and `at` itself in a leaf: so all take a few steps before anybody looks whether the
/// last has arrived, and nothing is done by branches, which could not be foreseen. Nobody looks at
/// all in a tree of few levels: then each takes `depth` steps. Calls arrive(walker, node).
template <class From, class Arrive>
void walk(std::int64_t n, int depth, From from, Arrive arrive) {
  constexpr int n_walkers = 12, n_steps = 4, shallow = 10;
  std::int64_t first = 0;
  for (; first + n_walkers <= n; first += n_walkers) {
    const auto step = from(first);
    std::uint32_t at[n_walkers] = {};
    const auto step_all = [&] {
#if defined(__GNUC__)
#pragma GCC unroll 12
#endif
      for (int i = 0; i < n_walkers; ++i) at[i] = step(i, at[i]);
    };
    if (depth <= shallow) {
      for (int s = 0; s < depth; ++s) step_all();
    } else {
      for (std::uint32_t moved = 1; moved;) {
        for (int s = 0; s < n_steps; ++s) step_all();
        moved = 0;
#if defined(__GNUC__)
#pragma GCC unroll 12
#endif
        for (int i = 0; i < n_walkers; ++i) {
          const std::uint32_t to = step(i, at[i]);
          moved |= to ^ at[i];
          at[i] = to;
        }
      }
    }
    for (int i = 0; i < n_walkers; ++i) arrive(first + i, at[i]);
  }
  for (; first < n; ++first) {
    const auto step = from(first);
    std::uint32_t at = 0;
    for (std::uint32_t to = step(0, at); to != at; to = step(0, at)) at = to;
    arrive(first, at);
  }
}

}  // namespace ramify
