// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "scan/kernels.hpp"
#include "util/processor.hpp"

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
  if (has_avx2()) return avx2::table;
#endif
  return portable::table;
}

}  // namespace ramify
