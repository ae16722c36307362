// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "split/kernels.hpp"

namespace ramify {

namespace portable {
extern const Kernels table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const Kernels table;
}
#endif

const Kernels& kernels() {
#ifdef RAMIFY_HAS_AVX2
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                               __builtin_cpu_supports("bmi2");
  if (has_avx2) return avx2::table;
#endif
  return portable::table;
}

}  // namespace ramify
