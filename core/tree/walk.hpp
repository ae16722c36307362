// SPDX-License-Identifier: BSD-3-Clause
// Walks down trees with many rows at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ramify {

/// A dozen interleaved walkers, since each step waits for memory. There are no branches: they would
/// be unpredictable.
template <class Own>
struct Walkers {
  static constexpr int n = 12;
  Own own[n];
  std::uint32_t at[n];

  template <class Step>
  void go(int n_steps, Step step) {
    for (int s = 0; s < n_steps; ++s) {
#if defined(__GNUC__)
#pragma GCC unroll 12
#endif
      for (int i = 0; i < n; ++i) at[i] = step(own[i], at[i]);
    }
  }
};

/// Walkers whose paths differ much in length: all take some steps before it is checked which have
/// arrived, and the others go on together. Up to `max` of them.
template <class Own>
class LongWalk {
 public:
  static constexpr int max = 480;

  template <class OwnOf, class Step, class Arrive>
  void go(std::int64_t first, int n, int first_steps, OwnOf own_of, Step step, Arrive arrive) {
    constexpr int n_steps = 4;
    std::fill_n(at_, n, 0u);
    std::iota(who_, who_ + n, 0u);
    for (int steps = first_steps; n > 0; steps = n_steps) {
      std::fill_n(at_ + n, Group::n, at_[0]);  // fills up the last group
      std::fill_n(who_ + n, Group::n, who_[0]);
      int n_kept = 0;
      for (int begin = 0; begin < n; begin += Group::n) {
        Group group;
        for (int i = 0; i < Group::n; ++i) {
          group.own[i] = own_of(first + who_[begin + i]);
          group.at[i] = at_[begin + i];
        }
        group.go(steps, step);
        const int n_here = std::min(Group::n, n - begin);
        for (int i = 0; i < n_here; ++i) {
          const std::uint32_t walker = who_[begin + i], here = group.at[i];
          arrive(first + walker, here);  // or still on the way
          at_[n_kept] = here;
          who_[n_kept] = walker;
          n_kept += step(group.own[i], here) != here;
        }
      }
      n = n_kept;
    }
  }

 private:
  using Group = Walkers<Own>;
  std::uint32_t at_[max + Group::n], who_[max + Group::n];
};

/// Moves n walkers from the root to a leaf. `own_of(walker)` is the state of a walker, and
/// step(own, at) returns the next node from node `at`: in a leaf, `at` itself. In a tree of few
/// levels each takes `depth` steps. Calls arrive(walker, node), possibly before it is the last.
template <class OwnOf, class Step, class Arrive>
void walk(std::int64_t n, int depth, OwnOf own_of, Step step, Arrive arrive) {
  constexpr int shallow = 16, most_common = 50;
  using Own = decltype(own_of(n));
  std::int64_t first = 0;
  if (depth <= shallow) {
    Walkers<Own> group;
    for (; first + group.n <= n; first += group.n) {
      for (int i = 0; i < group.n; ++i) {
        group.own[i] = own_of(first + i);
        group.at[i] = 0;
      }
      group.go(depth, step);
      for (int i = 0; i < group.n; ++i) arrive(first + i, group.at[i]);
    }
  } else {
    LongWalk<Own> together;
    const int first_steps = 2 * std::min(depth, most_common) / 5;  // few paths are shorter
    while (first + Walkers<Own>::n <= n) {
      const auto m = static_cast<int>(std::min<std::int64_t>(together.max, n - first));
      together.go(first, m, first_steps, own_of, step, arrive);
      first += m;
    }
  }
  for (; first < n; ++first) {
    const Own own = own_of(first);
    std::uint32_t here = 0;
    for (std::uint32_t to = step(own, here); to != here; to = step(own, here)) here = to;
    arrive(first, here);
  }
}

}  // namespace ramify
