// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for this processor.
#include "scan/plain_kernels.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const std::span<const PlainKernel> plain_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const std::span<const PlainKernel> plain_table;
}
#endif

std::span<const PlainKernel> plain_kernels() {
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::plain_table;
#endif
  return portable::plain_table;
}

}  // namespace ramify
