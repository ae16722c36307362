// SPDX-License-Identifier: BSD-3-Clause
// Stable partition of up to 16 bytes: the lowest four bits number a row, and the highest is a flag
// that says whether the byte differs from the one before it. A byte gets the flags of those between
// it and the one before it on its side. What lies behind the bytes is read and written as it was,
// up to 16 from the first.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "simd/bit_places.hpp"
#include "simd/pack.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ramify::RAMIFY_KERNELS {

#if defined(__AVX2__)
#if !defined(__AVX512VBMI2__)
__extension__ typedef unsigned __int128 Sixteen;
inline Sixteen places(std::uint32_t bits) {
  return bit_places.low[bits & 0xff] | Sixteen{bit_places.high[bits >> 8]}
                                           << 8 * std::popcount(bits & 0xff);
}
#endif

class BytePartition {
 public:
  /// A bit of `left` is set if the row of this number goes left.
  BytePartition(std::uint32_t left, std::uint32_t n)
      : is_left_(bytes_of(left)), n_left_(std::popcount(left)), valid_((1u << n) - 1) {}

  void run(std::uint8_t* bytes) const {
    auto* const place = reinterpret_cast<__m128i*>(bytes);
    __m128i own = _mm_loadu_si128(place);
    const auto flags = static_cast<std::uint32_t>(_mm_movemask_epi8(own));
    const __m128i rows = _mm_and_si128(own, _mm_set1_epi8(0x0f));
    const auto sides =
        static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_shuffle_epi8(is_left_, rows)));
    const std::uint32_t left = sides & valid_, right = ~sides & valid_;
    if ((flags & valid_) !=
        valid_) {  // a carry runs from a flag through the bytes that are skipped
      const std::uint32_t carried =
          (left & (right + (flags & right))) | (right & (left + (flags & left)));
      own = _mm_or_si128(own, _mm_and_si128(bytes_of(carried), _mm_set1_epi8(-128)));
    }
    _mm_storeu_si128(place, left_first(own, left));
  }

 private:
  static __m128i bytes_of(std::uint32_t bits) {
    const __m128i bit = _mm_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const __m128i own = _mm_shuffle_epi8(_mm_cvtsi32_si128(static_cast<int>(bits)),
                                         _mm_set_epi64x(0x0101010101010101, 0));
    return _mm_cmpeq_epi8(_mm_and_si128(own, bit), bit);
  }
  __m128i left_first(__m128i bytes, std::uint32_t left) const {
#if defined(__AVX512VBMI2__)
    const __m128i right = _mm_maskz_compress_epi8(static_cast<__mmask16>(~left), bytes);
    return _mm_mask_expand_epi8(_mm_maskz_compress_epi8(static_cast<__mmask16>(left), bytes),
                                static_cast<__mmask16>(~0u << n_left_), right);
#else
    const Sixteen order = places(left) | places(~left & 0xffff) << 8 * n_left_;
    return _mm_shuffle_epi8(
        bytes, _mm_set_epi64x(static_cast<long long>(order >> 64), static_cast<long long>(order)));
#endif
  }

  __m128i is_left_;  // by row
  int n_left_;
  std::uint32_t valid_;
};
#else
class BytePartition {
 public:
  BytePartition(std::uint32_t left, std::uint32_t n) : left_(left), n_(n) {}

  void run(std::uint8_t* bytes) const {
    std::uint8_t spare[16];
    std::uint32_t n_left = 0, to_left = 0, to_right = 0;  // flags of those on the other side
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::uint32_t own = bytes[i], flag = own & 0x80, is_left = left_ >> (own & 0x0f) & 1;
      bytes[n_left] = static_cast<std::uint8_t>(own | to_left);
      spare[i - n_left] = static_cast<std::uint8_t>(own | to_right);
      n_left += is_left;
      to_left = (to_left | flag) & (is_left - 1);
      to_right = (to_right | flag) & (0 - is_left);
    }
    std::memcpy(bytes + n_left, spare, n_ - n_left);
  }

 private:
  std::uint32_t left_, n_;
};
#endif

}  // namespace ramify::RAMIFY_KERNELS
