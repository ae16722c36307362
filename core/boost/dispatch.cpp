// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "boost/kernels.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const BoostKernels boost_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const BoostKernels boost_table;
}
#endif

const BoostKernels& boost_kernels() {
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::boost_table;
#endif
  return portable::boost_table;
}

}  // namespace ramify
