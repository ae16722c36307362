// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of numbers in flagged lists for this processor.
#include "scan/steps.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const StepKernels step_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const StepKernels step_table;
}
#endif
#ifdef RAMIFY_HAS_AVX512
namespace avx512 {
extern const StepKernels step_table;
}
#endif

const StepKernels& step_kernels() {
#ifdef RAMIFY_HAS_AVX512
  if (has_avx512()) return avx512::step_table;
#endif
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::step_table;
#endif
  return portable::step_table;
}

}  // namespace ramify
