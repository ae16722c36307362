// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "oblique/kernels.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const ObliqueKernels oblique_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const ObliqueKernels oblique_table;
}
#endif

const ObliqueKernels& oblique_kernels() {
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::oblique_table;
#endif
  return portable::oblique_table;
}

}  // namespace ramify
