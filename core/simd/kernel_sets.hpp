// SPDX-License-Identifier: BSD-3-Clause
// Chooses among tables of kernels that were compiled for several instruction sets, each in the
// namespace of its set (see CMakeLists.txt): `choose()` gives the one for this processor.
#pragma once

#include "simd/processor.hpp"

#ifdef RAMIFY_HAS_AVX2
#define RAMIFY_DECLARE_AVX2(Type, table) \
  namespace avx2 {                       \
  extern const Type table;               \
  }
#define RAMIFY_TRY_AVX2(table) \
  if (has_avx2()) return avx2::table;
#else
#define RAMIFY_DECLARE_AVX2(Type, table)
#define RAMIFY_TRY_AVX2(table)
#endif

#ifdef RAMIFY_HAS_AVX512
#define RAMIFY_DECLARE_AVX512(Type, table) \
  namespace avx512 {                       \
  extern const Type table;                 \
  }
#define RAMIFY_TRY_AVX512(table) \
  if (has_avx512()) return avx512::table;
#else
#define RAMIFY_DECLARE_AVX512(Type, table)
#define RAMIFY_TRY_AVX512(table)
#endif

/// For kernels that are compiled for any processor and for AVX2.
#define RAMIFY_TWO_SETS(Type, table, choose) \
  namespace portable {                       \
  extern const Type table;                   \
  }                                          \
  RAMIFY_DECLARE_AVX2(Type, table)           \
  const Type& choose() {                     \
    RAMIFY_TRY_AVX2(table)                   \
    return portable::table;                  \
  }

/// For those that gain from AVX-512, too.
#define RAMIFY_THREE_SETS(Type, table, choose) \
  namespace portable {                         \
  extern const Type table;                     \
  }                                            \
  RAMIFY_DECLARE_AVX2(Type, table)             \
  RAMIFY_DECLARE_AVX512(Type, table)           \
  const Type& choose() {                       \
    RAMIFY_TRY_AVX512(table)                   \
    RAMIFY_TRY_AVX2(table)                     \
    return portable::table;                    \
  }
