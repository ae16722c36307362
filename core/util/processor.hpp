// SPDX-License-Identifier: BSD-3-Clause
// Room `util`: what has nothing to do with trees? Packs of numbers, threads, random numbers, exact
// sums, tests and distributions, optimisation. This header says what the processor can do.
#pragma once

namespace ramify {

/// May code that was compiled for AVX2 (see CMakeLists.txt) run here?
inline bool has_avx2() {
#ifdef RAMIFY_HAS_AVX2
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2");
  return has;
#else
  return false;
#endif
}

}  // namespace ramify
