// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "boost/kernels.hpp"
#include "boost/loss_kernels.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const BoostKernels boost_table;
extern const LossKernels loss_table;
}  // namespace portable
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const BoostKernels boost_table;
extern const LossKernels loss_table;
}  // namespace avx2
#endif

const BoostKernels& boost_kernels() {
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::boost_table;
#endif
  return portable::boost_table;
}

const LossKernels& loss_kernels() {
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::loss_table;
#endif
  return portable::loss_table;
}

}  // namespace ramify
