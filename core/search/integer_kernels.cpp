// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "search/integer_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "criteria/criterion.hpp"
#include "criteria/impurity.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ramify::RAMIFY_KERNELS {
namespace {

template <int n_columns, class Code>
void count_into(const Code* codes, const CellCall& call) {
  // Copies, since the compiler must think that what is written could be what is read.
  const ItemLayout layout = call.layout;
  const std::size_t width = call.records.n_columns;
  const auto stride = static_cast<std::uint32_t>(call.stride);
  const std::uint32_t unit = layout.times_bits == 0;
  std::uint16_t* cells[n_columns];
  const Code* column[n_columns];
  for (int j = 0; j < n_columns; ++j) {
    cells[j] = call.cells[j];
    column[j] = codes + call.columns[j];
  }
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const RowIndex row_index = call.row_indices[i];
    const std::size_t place = row_index.row * width;
    const std::uint32_t label = layout.label(row_index.low),
                        times = layout.times(row_index.low) + unit;
    for (int j = 0; j < n_columns; ++j)
      cells[j][column[j][place] * stride + label] += static_cast<std::uint16_t>(times);
  }
}

template <class Code>
void count_columns(const Code* codes, const CellCall& call) {
  static_assert(columns_at_once == 4);
  if (call.n_columns == 1) return count_into<1>(codes, call);
  if (call.n_columns == 2) return count_into<2>(codes, call);
  if (call.n_columns == 3) return count_into<3>(codes, call);
  count_into<4>(codes, call);
}

void count_cells(const CellCall& call) {
  with_codes(call.records, [&](const auto* codes) { count_columns(codes, call); });
}

void take_away(std::uint16_t* from, const std::uint16_t* cells, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<std::uint16_t>(from[i] - cells[i]);
}

void count_masks(std::uint64_t rows, const std::uint64_t* classes, std::size_t n,
                 std::uint32_t* counts) {
  for (std::size_t k = 0; k < n; ++k)
    counts[k] = static_cast<std::uint32_t>(std::popcount(rows & classes[k]));
}

template <class Code>
int find_codes_of(const Code* codes, const CodeBits& call) {
  std::uint64_t present[4] = {};
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < call.n; ++i) {
    const RowIndex row_index = call.row_indices[i];
    const std::uint32_t code = codes[row_index.row * call.records.n_columns];
    const std::uint32_t times = call.layout.often(row_index.low);
    call.by_code[code] |= ~std::uint64_t{0} >> (64 - times) << at;
    present[code / 64] |= std::uint64_t{1} << code % 64;
    at += times;
  }
  std::uint64_t so_far = 0;
  int n = 0;
  for (std::uint32_t word = 0; word < 4; ++word)
    for (std::uint64_t left = present[word]; left != 0; left &= left - 1) {
      const std::uint32_t code = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      so_far |= std::exchange(call.by_code[code], 0);
      call.code[n] = code;
      call.up_to[n++] = so_far;
    }
  return n;
}

#if defined(__AVX512BW__)
/// Four rounds of interleaving turn 16 x 16 bytes; a vector has four such squares side by side.
void turn_codes(const CodeBytes& call) {
  alignas(64) std::uint8_t rows[CodeBytes::size + 64];
  const auto* const codes =
      static_cast<const std::uint8_t*>(call.records.codes) + call.group * CodeBytes::columns;
  const std::uint32_t unit = call.layout.times_bits == 0;
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < call.n; ++i) {
    const RowIndex row_index = call.row_indices[i];
    const __m128i record = _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(codes + row_index.row * call.records.n_columns));
    const std::uint32_t end = at + call.layout.times(row_index.low) + unit;
    for (; at < end; ++at)
      _mm_store_si128(reinterpret_cast<__m128i*>(rows + at % 16 * 64 + at / 16 * 16), record);
  }
  __m512i own[16], turned[16];
  for (int i = 0; i < 16; ++i) own[i] = _mm512_load_si512(rows + 64 * i);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) {
      turned[2 * i] = _mm512_unpacklo_epi8(own[i], own[i + 8]);
      turned[2 * i + 1] = _mm512_unpackhi_epi8(own[i], own[i + 8]);
    }
    for (int i = 0; i < 16; ++i) own[i] = turned[i];
  }
  for (int i = 0; i < 16; ++i) _mm512_storeu_si512(call.bytes + 64 * i, own[i]);
}

/// The least of the bytes that are marked.
std::uint32_t min_byte(__m512i bytes, std::uint64_t marked) {
  const __m512i all = _mm512_mask_blend_epi8(marked, _mm512_set1_epi8(-1), bytes);
  const __m256i half =
      _mm256_min_epu8(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
  const __m128i quarter =
      _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(
             _mm_minpos_epu16(_mm_min_epu8(quarter, _mm_srli_epi16(quarter, 8))))) &
         0xff;
}

/// The codes of all rows are the bytes of one vector, which is compared with one code after the
/// other; where they are far apart, with those that occur.
int find_codes_in_bytes(const CodeBits& call) {
  constexpr std::uint32_t few = 64;
  const __m512i all = _mm512_loadu_si512(call.bytes);
  const std::uint64_t valid = ~std::uint64_t{0} >> (64 - call.n_bits);
  const auto rows_up_to = [&](std::uint32_t code) {
    return valid & _mm512_cmple_epu8_mask(all, _mm512_set1_epi8(static_cast<char>(code)));
  };
  std::uint32_t code = min_byte(all, valid);
  std::uint64_t rows = 0;
  int n = 0;
  for (const std::uint32_t end = code + few; rows != valid && code < end; ++code) {
    const std::uint64_t before = rows;
    rows = rows_up_to(code);
    call.code[n] = code;
    call.up_to[n] = rows;
    n += rows != before;
  }
  while (rows != valid) {
    code = min_byte(all, valid & ~rows);
    rows = rows_up_to(code);
    call.code[n] = code;
    call.up_to[n++] = rows;
  }
  return n;
}
#endif

int find_codes(const CodeBits& call) {
#if defined(__AVX512BW__)
  if (call.bytes) return find_codes_in_bytes(call);
#endif
  return with_codes(call.records,
                    [&](const auto* codes) { return find_codes_of(codes + call.column, call); });
}

/// Whole sums of the two sides of each cut, and what weighs on its left.
struct IntegerCuts {
  static constexpr int room = CutBlock::capacity + 8;
  alignas(64) std::int32_t total_left[room], left[room], right[room];
  int n = 0;
};

template <class C>
void score_integer(IntegerCuts& cuts, double total, double whole, double* scores) {
  const C criterion{};
  for (int i = cuts.n; i % pack_width; ++i) {  // harmless numbers up to a whole pack
    cuts.total_left[i] = cuts.total_left[0];
    cuts.left[i] = cuts.left[0];
    cuts.right[i] = cuts.right[0];
  }
  for (int i = 0; i < cuts.n; i += pack_width) {
    double weight[pack_width], left[pack_width], right[pack_width];
    for (int lane = 0; lane < pack_width; ++lane) {
      weight[lane] = cuts.total_left[i + lane];
      left[lane] = cuts.left[i + lane];
      right[lane] = cuts.right[i + lane];
    }
    const Pack total_left = load<Pack>(weight);
    store(scores + i, criterion.combine(ClassSums<Pack>{total, whole, total_left, load<Pack>(left),
                                                        total - total_left, load<Pack>(right)}));
  }
}

/// Looks cuts over, in floats: are there any at all, and may one of them reach a score? Sums of
/// whole numbers below 2^30 lose less than a millionth there.
template <class C>
class Overview {
 public:
  explicit Overview(double total) : all_(static_cast<std::int32_t>(total)) {}

  void add(std::int32_t total_left, std::int32_t left, std::int32_t right) {
    const std::int32_t total_right = all_ - total_left;
    if (total_left == 0 || total_right == 0) return;
    has_cuts_ = true;
    top_ = std::max(top_, C::children(static_cast<float>(left), static_cast<float>(total_left),
                                      static_cast<float>(right), static_cast<float>(total_right)));
  }
#if defined(__AVX2__)
  /// Four or eight cuts side by side.
  template <class Ints, class Floats>
  struct Lanes {
    Ints top = {}, is_cut = {};  // floats that are not negative have the order of their bits

    void add(Ints total_left, Ints left, Ints right, std::int32_t all) {
      const Ints total_right = all - total_left, cut = (total_left != 0) & (total_right != 0);
      const auto as_floats = [](Ints x) { return __builtin_convertvector(x, Floats); };
      const Floats reached = C::children(as_floats(left), as_floats(total_left), as_floats(right),
                                         as_floats(total_right));
      const Ints bits = reinterpret_cast<Ints>(reached) & cut;
      top = bits > top ? bits : top;
      is_cut |= cut;
    }
  };
  typedef std::int32_t Four __attribute__((vector_size(16)));
  typedef float FourFloats __attribute__((vector_size(16)));
  typedef std::int32_t Eight __attribute__((vector_size(32)));
  typedef float EightFloats __attribute__((vector_size(32)));

  template <class Ints, class Floats>
  void take(const Lanes<Ints, Floats>& lanes) {
    for (std::size_t i = 0; i < sizeof(Ints) / sizeof(std::int32_t); ++i) {
      has_cuts_ = has_cuts_ || lanes.is_cut[i];
      top_ = std::max(top_, std::bit_cast<float>(std::int32_t{lanes.top[i]}));
    }
  }
  std::int32_t all() const { return all_; }
#endif

  Seen seen(double total, double whole, double min) const {
    constexpr double share = 1 - 4e-6;
    if (!has_cuts_) return Seen::constant;
    return top_ < C::min_children(min, total, whole) * share ? Seen::beaten : Seen::scored;
  }

 private:
  std::int32_t all_;
  bool has_cuts_ = false;
  float top_ = 0;
};

/// Keeps the sums of codes that occur, and writes these down; code_of(i) is the i-th.
template <class CodeOf>
void keep_present(IntegerCuts& cuts, CutBlock& block, CodeOf code_of) {
  int m = 0;
  std::int32_t before = 0;
  for (int i = 0; i < cuts.n; ++i) {
    const std::int32_t total_left = cuts.total_left[i];
    block.code[m] = code_of(i);
    block.rows_left[m] = static_cast<std::uint32_t>(total_left);
    cuts.total_left[m] = total_left;
    cuts.left[m] = cuts.left[i];
    cuts.right[m] = cuts.right[i];
    m += total_left != before;
    before = total_left;
  }
  block.n_cuts = cuts.n = m - 1;  // behind the last code there is no cut
}

#if defined(__AVX2__)
/// The sum of each of four vectors.
inline __m128i sums_of(const __m256i (&x)[4]) {
  const __m256i sums =
      _mm256_hadd_epi32(_mm256_hadd_epi32(x[0], x[1]), _mm256_hadd_epi32(x[2], x[3]));
  return _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}
#endif

/// What lies up to each code. `stride` is known when this is compiled: the loops over classes
/// become a few vector steps.
template <class C, int stride>
std::int32_t sum_cells(const CellWalk& walk, IntegerCuts& cuts, Overview<C>& overview) {
  std::int32_t whole = 0;
  for (int k = 0; k < stride; ++k) whole += std::int32_t{walk.parent[k]} * walk.parent[k];
  cuts.n = static_cast<int>(walk.n_codes);
#if defined(__AVX2__)
  static_assert(CellCall::codes_at_once == 4 && stride % 16 == 0);
  constexpr int n_parts = stride / 16;
  const auto load = [](const std::uint16_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  };
  const auto store = [](std::int32_t* to, __m128i x) {
    _mm_store_si128(reinterpret_cast<__m128i*>(to), x);
    return reinterpret_cast<typename Overview<C>::Four>(x);
  };
  typename Overview<C>::template Lanes<typename Overview<C>::Four, typename Overview<C>::FourFloats>
      lanes;
  __m256i left[n_parts], parent[n_parts];
  for (int p = 0; p < n_parts; ++p) {
    left[p] = _mm256_setzero_si256();
    parent[p] = load(walk.parent + 16 * p);
  }
  const __m256i ones = _mm256_set1_epi16(1);
  for (int code = 0; code < cuts.n; code += 4) {
    __m256i total[4], of_left[4], of_right[4];
    for (int c = 0; c < 4; ++c) {
      total[c] = of_left[c] = of_right[c] = _mm256_setzero_si256();
      for (int p = 0; p < n_parts; ++p) {
        left[p] = _mm256_add_epi16(left[p], load(walk.cells + (code + c) * stride + 16 * p));
        const __m256i right = _mm256_sub_epi16(parent[p], left[p]);
        total[c] = _mm256_add_epi32(total[c], _mm256_madd_epi16(left[p], ones));
        of_left[c] = _mm256_add_epi32(of_left[c], _mm256_madd_epi16(left[p], left[p]));
        of_right[c] = _mm256_add_epi32(of_right[c], _mm256_madd_epi16(right, right));
      }
    }
    lanes.add(store(cuts.total_left + code, sums_of(total)),
              store(cuts.left + code, sums_of(of_left)),
              store(cuts.right + code, sums_of(of_right)), overview.all());
  }
  overview.take(lanes);
#else
  std::int16_t left[stride] = {};
  std::int32_t total = 0;
  for (int code = 0; code < cuts.n; ++code) {
    const std::uint16_t* here = walk.cells + code * stride;
    std::int32_t moved = 0, of_left = 0, of_right = 0;
    for (int k = 0; k < stride; ++k) moved += here[k];
    for (int k = 0; k < stride; ++k) left[k] = static_cast<std::int16_t>(left[k] + here[k]);
    for (int k = 0; k < stride; ++k) of_left += left[k] * left[k];
    for (int k = 0; k < stride; ++k) {
      const auto right = static_cast<std::int16_t>(walk.parent[k] - left[k]);
      of_right += right * right;
    }
    total += moved;
    cuts.total_left[code] = total;
    cuts.left[code] = of_left;
    cuts.right[code] = of_right;
    overview.add(total, of_left, of_right);
  }
#endif
  return whole;
}

template <class C>
Seen walk_cells(const CellWalk& walk, CutBlock& block, double* scores) {
  static_assert(CellCall::max_classes == 4 * CellCall::step);
  IntegerCuts cuts;
  Overview<C> overview(walk.total);
  const std::int32_t whole = walk.stride == 16   ? sum_cells<C, 16>(walk, cuts, overview)
                             : walk.stride == 32 ? sum_cells<C, 32>(walk, cuts, overview)
                             : walk.stride == 48 ? sum_cells<C, 48>(walk, cuts, overview)
                                                 : sum_cells<C, 64>(walk, cuts, overview);
  const Seen seen = overview.seen(walk.total, whole, walk.min);
  if (seen != Seen::scored) return seen;
  keep_present(cuts, block, [](int i) { return static_cast<std::uint32_t>(i); });
  score_integer<C>(cuts, walk.total, whole, scores);
  return seen;
}

/// Sums of the two sides of each cut, where `up_to` says what lies left of it.
template <class C>
void sum_masks(const MaskWalk& walk, IntegerCuts& cuts, Overview<C>& overview) {
  cuts.n = walk.n;
#if defined(__AVX512VPOPCNTDQ__)
  typename Overview<C>::template Lanes<typename Overview<C>::Eight,
                                       typename Overview<C>::EightFloats>
      sides;
  const __m512i node = _mm512_set1_epi64(static_cast<long long>(walk.node));
  for (int i = 0; i < walk.n; i += 8) {
    const auto lanes = static_cast<__mmask8>(walk.n - i < 8 ? (1 << (walk.n - i)) - 1 : 255);
    const __m512i rows = _mm512_and_si512(_mm512_maskz_loadu_epi64(lanes, walk.up_to + i), node);
    __m512i left = _mm512_setzero_si512(), right = left;
    for (int k = 0; k < walk.n_classes; ++k) {
      const __m512i own = _mm512_set1_epi64(static_cast<long long>(walk.classes[k]));
      const __m512i n = _mm512_popcnt_epi64(_mm512_and_si512(rows, own));
      const __m512i rest = _mm512_sub_epi64(_mm512_set1_epi64(walk.parent[k]), n);
      left = _mm512_add_epi64(left, _mm512_mul_epu32(n, n));
      right = _mm512_add_epi64(right, _mm512_mul_epu32(rest, rest));
    }
    const auto store = [i](std::int32_t* to, __m512i x) {
      const __m256i half = _mm512_cvtepi64_epi32(x);
      _mm256_store_si256(reinterpret_cast<__m256i*>(to + i), half);
      return reinterpret_cast<typename Overview<C>::Eight>(half);
    };
    sides.add(store(cuts.total_left, _mm512_popcnt_epi64(rows)), store(cuts.left, left),
              store(cuts.right, right), overview.all());
  }
  overview.take(sides);
#else
  std::uint64_t before = 0;
  std::int32_t left = 0, right = 0, total_left = 0;
  for (int i = 0; i < walk.n; ++i) {
    const std::uint64_t rows = walk.up_to[i] & walk.node;
    if (rows != before) {
      before = rows;
      left = right = 0;
      for (int k = 0; k < walk.n_classes; ++k) {
        const std::int32_t n = std::popcount(rows & walk.classes[k]),
                           rest = static_cast<std::int32_t>(walk.parent[k]) - n;
        left += n * n;
        right += rest * rest;
      }
      total_left = std::popcount(rows);
      overview.add(total_left, left, right);
    }
    cuts.total_left[i] = total_left;
    cuts.left[i] = left;
    cuts.right[i] = right;
  }
#endif
}

inline std::int32_t whole_of(const MaskWalk& walk) {
  std::int32_t whole = 0;
  for (int k = 0; k < walk.n_classes; ++k)
    whole += static_cast<std::int32_t>(walk.parent[k] * walk.parent[k]);
  return whole;
}

template <class C>
Seen walk_masks(const MaskWalk& walk, CutBlock& block, double* scores) {
  IntegerCuts cuts;
  Overview<C> overview(walk.total);
  sum_masks(walk, cuts, overview);
  const std::int32_t whole = whole_of(walk);
  const Seen seen = overview.seen(walk.total, whole, walk.min);
  if (seen != Seen::scored) return seen;
  keep_present(cuts, block, [&](int i) { return walk.code[i]; });
  score_integer<C>(cuts, walk.total, whole, scores);
  return seen;
}

template <class C>
constexpr IntegerKernel integer_entry() {
  static_assert(C::has_integer_sums);
  return {&C::info, C::max, walk_cells<C>, walk_masks<C>};
}

constexpr std::array integer_criteria{integer_entry<Gini>()};

}  // namespace

extern const IntegerKernels integer_table;
const IntegerKernels integer_table{.criteria = integer_criteria,
                                   .count_cells = count_cells,
                                   .count_masks = count_masks,
#if defined(__AVX512BW__)
                                   .turn = turn_codes,
#else
                                   .turn = nullptr,
#endif
                                   .find_codes = find_codes,
                                   .take_away = take_away};

}  // namespace ramify::RAMIFY_KERNELS
