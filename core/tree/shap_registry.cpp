// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "tree/shap_kernels.hpp"

namespace ramify {

namespace portable {
extern const ShapKernels shap_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const ShapKernels shap_table;
}
#endif

const ShapKernels& shap_kernels() {
#ifdef RAMIFY_HAS_AVX2
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                               __builtin_cpu_supports("bmi2");
  if (has_avx2) return avx2::shap_table;
#endif
  return portable::shap_table;
}

}  // namespace ramify
