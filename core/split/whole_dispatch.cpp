// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of whole sums for this processor.
#include "split/whole_kernels.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const WholeKernels whole_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const WholeKernels whole_table;
}
#endif
#ifdef RAMIFY_HAS_AVX512
namespace avx512 {
extern const WholeKernels whole_table;
}
#endif

const WholeKernels& whole_kernels() {
#ifdef RAMIFY_HAS_AVX512
  if (has_avx512()) return avx512::whole_table;
#endif
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::whole_table;
#endif
  return portable::whole_table;
}

}  // namespace ramify
