// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "search/bit_kernels.hpp"

#include <bit>

#if defined(__AVX512VBMI2__)
#include "simd/flag_lanes.hpp"
#endif

namespace ramify::RAMIFY_KERNELS {
extern const BitKernels bit_table;

#if defined(__AVX512VBMI2__)
namespace {

std::uint64_t first_bits(std::uint32_t n) {
  return n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
}

/// A bit for each item, whose row is a bit of a word: its byte is looked up, then its bit.
std::uint64_t bits_in_order(const std::uint8_t* order, std::uint64_t rows) {
  const __m512i at = _mm512_loadu_si512(order), seven = _mm512_set1_epi8(7);
  const __m512i bytes = _mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<long long>(rows)),
                                            _mm512_and_si512(_mm512_srli_epi16(at, 3), seven));
  const __m512i bits = _mm512_shuffle_epi8(
      _mm512_set1_epi64(static_cast<long long>(0x8040201008040201)), _mm512_and_si512(at, seven));
  return _mm512_test_epi8_mask(bytes, bits);
}

std::uint64_t items_of(const std::uint8_t* order, std::uint32_t n_items, std::uint64_t rows) {
  return bits_in_order(order, rows) & first_bits(n_items);
}

/// The items of the node are moved together, with flags of those skipped before them: see
/// FlagCarry. Those of the second class say it all.
int sum_cuts(const BitCall& call) {
  const std::uint64_t items = items_of(call.order, call.n_items, call.rows);
  const std::uint64_t skipped = ~items & first_bits(call.n_items);
  const std::uint64_t flags = call.flags | (skipped + (call.flags & skipped));
  std::uint64_t cuts = _pext_u64(flags, items) & ~std::uint64_t{1};
  std::uint64_t second = _pext_u64(bits_in_order(call.order, call.second), items);
  int m = 0;
  std::uint32_t before = 0;
  for (std::uint32_t from = 0; cuts; from += 16, cuts >>= 16, second >>= 16) {
    const auto here = static_cast<std::uint32_t>(cuts & 0xffff),
               bits = static_cast<std::uint32_t>(second & 0xffff);
    if (here)
      m += write_two(here, bits, before, from, call.items_left + m, call.left + m,
                     call.left + CutBlock::stride + m);
    before += static_cast<std::uint32_t>(std::popcount(bits));
  }
  return m;
}

ListPeak peak(const std::uint16_t* items, std::uint32_t n, FlagLayout layout,
              const DeviationFilter& filter) {
  const std::uint32_t label_mask = layout.class_mask(), second = filter.label[1] << layout.row_bits;
  const Floats share = floats(filter.share[1]), slack = floats(filter.slack),
               total = floats(filter.total);
  Floats max = floats(-1);
  __m512i place = _mm512_setzero_si512(), in_second = place;
  std::uint32_t seconds = 0, first = ~1u;  // the first item begins no cut
  for (std::uint32_t at = 0; at < n; at += 32) {
    Chunk<std::uint16_t> chunk(items + at, n - at);
    std::uint32_t cuts = chunk.flags() & first;
    first = ~0u;
    chunk.keep(label_mask);
    std::uint32_t bits = chunk.equal(second);
    for (std::uint32_t from = at; from < at + 32; from += 16, cuts >>= 16, bits >>= 16) {
      const __m512i own = regression_before(bits & 0xffff, seconds);
      seconds += static_cast<std::uint32_t>(std::popcount(bits & 0xffff));
      const Floats n_left = counts_from(from);
      const Floats deviation =
          magnitude_of(minus_product(_mm512_cvtepi32_ps(own), n_left, share)) + slack;
      const Floats here = deviation * deviation / (n_left * (total - n_left));
      const __mmask16 is_more =
          _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(cuts), here, max, _CMP_GT_OQ);
      max = _mm512_mask_mov_ps(max, is_more, here);
      place = _mm512_mask_mov_epi32(
          place, is_more, _mm512_add_epi32(lanes(), _mm512_set1_epi32(static_cast<int>(from))));
      in_second = _mm512_mask_mov_epi32(in_second, is_more, own);
    }
  }
  ListPeak found;
  found.max = _mm512_reduce_max_ps(max);
  const __mmask16 is_it = _mm512_cmp_ps_mask(max, floats(found.max), _CMP_EQ_OQ);
  const auto lane = static_cast<__mmask16>(is_it & (0u - is_it));
  found.items_left = static_cast<std::uint32_t>(_mm512_mask_reduce_add_epi32(lane, place));
  found.in_second = static_cast<std::uint32_t>(_mm512_mask_reduce_add_epi32(lane, in_second));
  return found;
}

}  // namespace

const BitKernels bit_table{.sum_cuts = sum_cuts, .items_of = items_of, .peak = peak};
#else
const BitKernels bit_table{};
#endif

}  // namespace ramify::RAMIFY_KERNELS
