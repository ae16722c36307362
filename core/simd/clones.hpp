// SPDX-License-Identifier: BSD-3-Clause
// Functions that are compiled for processors with AVX2 too, and chosen when the program starts.
#pragma once

// Not under ThreadSanitizer: what chooses runs before its functions can be called.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(__SANITIZE_THREAD__)
#define RAMIFY_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RAMIFY_CLONES
#endif
