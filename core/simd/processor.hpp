// SPDX-License-Identifier: BSD-3-Clause
// What the processor can do.
#pragma once

#include <cstdlib>
#include <string_view>

namespace ramify {

/// May code of an instruction set be used? The variable RAMIFY_PROCESSOR names the widest, for
/// tests: portable, avx2 or avx512.
inline bool may_use(std::string_view set) {
  const char* widest = std::getenv("RAMIFY_PROCESSOR");
  if (!widest) return true;
  return std::string_view(widest) == set || (std::string_view(widest) == "avx512" && set == "avx2");
}

/// May code that was compiled for AVX2 (see CMakeLists.txt) run here?
inline bool has_avx2() {
#ifdef RAMIFY_HAS_AVX2
  static const bool has = may_use("avx2") && __builtin_cpu_supports("avx2") &&
                          __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return has;
#else
  return false;
#endif
}

/// The same for AVX-512 with all that the kernels of lists need.
inline bool has_avx512() {
#ifdef RAMIFY_HAS_AVX512
  static const bool has =
      may_use("avx512") && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
      __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2");
  return has;
#else
  return false;
#endif
}

}  // namespace ramify
