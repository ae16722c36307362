// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of flagged lists for this processor.
#include <cstdlib>
#include <string_view>

#include "scan/flags.hpp"
#include "util/processor.hpp"

namespace ramify {

namespace portable {
extern const FlagKernels flag_table;
}
#ifdef RAMIFY_HAS_AVX2
namespace avx2 {
extern const FlagKernels flag_table;
}
#endif
#ifdef RAMIFY_HAS_AVX512
namespace avx512 {
extern const FlagKernels flag_table;
}
#endif

const FlagKernels& flag_kernels() {
#ifdef RAMIFY_HAS_AVX512
  if (has_avx512()) return avx512::flag_table;
#endif
#ifdef RAMIFY_HAS_AVX2
  if (has_avx2()) return avx2::flag_table;
#endif
  return portable::flag_table;
}

}  // namespace ramify
