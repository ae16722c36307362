// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "split/drawn_kernels.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const DrawnKernels drawn_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const DrawnKernels drawn_table;
}
#endif
#ifdef RAMIFY_HAS_AVX512
namespace avx512 {
extern const DrawnKernels drawn_table;
}
#endif

const DrawnKernels& drawn_kernels() {
#ifdef RAMIFY_HAS_AVX512
  if (has_avx512()) return avx512::drawn_table;
#endif
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::drawn_table;
#endif
  return portable::drawn_table;
}

}  // namespace ramify
