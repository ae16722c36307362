// SPDX-License-Identifier: BSD-3-Clause
// The vectors that flagged lists are walked along and parted by. Each instruction set has its own
// of the same names, so that the walks are written once:
//   Floats         some floats side by side, with +, - and *, and the few functions of them
//   Chunk<Item>    32 items of a list
//   Lanes<Item>    a vector of items while a list is parted, and Marks: which rows are marked
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "simd/pack.hpp"

#ifdef __AVX512VBMI2__
#include "simd/flag_lanes_avx512.hpp"
#else
#include "simd/flag_lanes_avx2.hpp"
#endif
