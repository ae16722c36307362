// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "search/sampled_kernels.hpp"

#include <cstring>

#include "scan/partition.hpp"
#include "search/round_down.hpp"
#include "simd/pack.hpp"
#include "simd/prefetch.hpp"
#ifdef __AVX512VBMI2__
#include "search/sampled_vectors.hpp"
#endif

namespace ramify::RAMIFY_KERNELS {
namespace {

/// Four numbers side by side, one of each column; what comparing them gives, and counts.
#if defined(__GNUC__)
template <class Value>
struct Lanes;
template <>
struct Lanes<float> {
  typedef float Four __attribute__((vector_size(16)));
  typedef std::int32_t Integer __attribute__((vector_size(16)));
};
template <>
struct Lanes<double> {
  typedef double Four __attribute__((vector_size(32)));
  typedef std::int64_t Integer __attribute__((vector_size(32)));
};
template <class Four>
Four smaller_of(Four a, Four b) {
  return a < b ? a : b;
}
template <class Four>
Four larger_of(Four a, Four b) {
  return a > b ? a : b;
}
template <class Integer, class Four>
Integer up_to(Four x, Four threshold) {
  return x <= threshold;
}
template <class Integer>
Integer spread_integer(std::uint32_t x) {
  return Integer{} + static_cast<std::int32_t>(x);
}
#else
template <class T>
struct FourOf {
  T lane[4];
  T& operator[](int i) { return lane[i]; }
  T operator[](int i) const { return lane[i]; }
  template <class F>
  static FourOf each(F f) {
    return {f(0), f(1), f(2), f(3)};
  }
};
template <class T>
FourOf<T> operator&(FourOf<T> a, FourOf<T> b) {
  return FourOf<T>::each([&](int i) { return T(a[i] & b[i]); });
}
template <class T>
FourOf<T> operator-(FourOf<T> a, FourOf<T> b) {
  return FourOf<T>::each([&](int i) { return T(a[i] - b[i]); });
}
template <class T>
FourOf<T> operator+(FourOf<T> a, FourOf<T> b) {
  return FourOf<T>::each([&](int i) { return T(a[i] + b[i]); });
}
template <class Value>
struct Lanes {
  using Four = FourOf<Value>;
  using Integer = FourOf<std::int32_t>;
};
template <class Four>
Four smaller_of(Four a, Four b) {
  return Four::each([&](int i) { return a[i] < b[i] ? a[i] : b[i]; });
}
template <class Four>
Four larger_of(Four a, Four b) {
  return Four::each([&](int i) { return a[i] > b[i] ? a[i] : b[i]; });
}
template <class Integer, class Four>
Integer up_to(Four x, Four threshold) {
  return Integer::each([&](int i) { return x[i] <= threshold[i] ? -1 : 0; });
}
template <class Integer>
Integer spread_integer(std::uint32_t x) {
  return Integer::each([&](int) { return static_cast<std::int32_t>(x); });
}
#endif

template <class Value>
void gather_into(const ValueCall& call) {
  using Four = typename Lanes<Value>::Four;
  const std::size_t stride = call.records.n_columns;
  const auto* const values = static_cast<const Value*>(call.records.values);
  std::size_t column[4];
  for (int j = 0; j < 4; ++j) column[j] = call.columns[j < call.n_columns ? j : 0];
  const auto at = [&](std::uint32_t row) {
    const Value* const x = values + row * stride;
    return Four{x[column[0]], x[column[1]], x[column[2]], x[column[3]]};
  };
  auto* const to = static_cast<Value*>(call.values);
  const RowIndex* const row_indices = call.row_indices;
  Four min = at(row_indices[0].row), max = min;
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const Four x = at(row_indices[i].row);
    std::memcpy(to + std::size_t{4} * i, &x, sizeof(x));
    min = smaller_of(x, min);
    max = larger_of(x, max);
  }
  for (int j = 0; j < call.n_columns; ++j) {
    call.min[j] = min[j];
    call.max[j] = max[j];
  }
}

void gather_values(const ValueCall& call) {
  call.records.width == 4 ? gather_into<float>(call) : gather_into<double>(call);
}

/// Which of four values of a row are up to the thresholds of their columns.
template <class Value>
struct FourSides {
  using Four = typename Lanes<Value>::Four;
  using Integer = typename Lanes<Value>::Integer;
  const Value* values;
  Four threshold;

  template <class Key>
  explicit FourSides(const SideCall<Key>& call) : values(static_cast<const Value*>(call.values)) {
    for (int j = 0; j < 4; ++j) threshold[j] = rounded_down<Value>(call.threshold[j]);
  }
  Integer of(std::uint32_t i) const {
    Four x;
    std::memcpy(&x, values + std::size_t{4} * i, sizeof(x));
    return up_to<Integer>(x, threshold);
  }
};

/// Two classes that count: four columns are four lanes.
template <class Value>
void count_two_sides(const SideCall<CountKey>& call) {
#ifdef __AVX512VBMI2__
  if constexpr (sizeof(Value) == sizeof(float)) {
    float thresholds[4];
    for (int j = 0; j < 4; ++j) thresholds[j] = rounded_down<float>(call.threshold[j]);
    return count_two_sides_vectors(call, thresholds);
  }
#endif
  using Integer = typename Lanes<Value>::Integer;
  const RowIndex* const row_indices = call.row_indices;
  const Weigher<CountKey> weigher = call.weigher;
  const FourSides<Value> sides(call);
  Integer n_left = spread_integer<Integer>(0), both = n_left, second = n_left;
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const std::uint32_t low = row_indices[i].low;
    const Integer left = sides.of(i), here = left & spread_integer<Integer>(weigher.of(low));
    n_left = n_left - left;
    both = both + here;
    second = second + (here & spread_integer<Integer>(0u - weigher.layout.label(low)));
  }
  for (int j = 0; j < 4; ++j) {
    call.classes[2 * j] = static_cast<std::uint32_t>(both[j] - second[j]);
    call.classes[2 * j + 1] = static_cast<std::uint32_t>(second[j]);
    call.n_left[j] = static_cast<std::uint32_t>(n_left[j]);
  }
}

template <class Value, class Key>
void sum_sides(const SideCall<Key>& call) {
  using Integer = typename Lanes<Value>::Integer;
  using Sum = typename Weigher<Key>::Sum;
  const RowIndex* const row_indices = call.row_indices;
  const Weigher<Key> weigher = call.weigher;
  const FourSides<Value> sides(call);
  Sum* const classes = call.classes;
  const auto n_classes = static_cast<std::uint32_t>(call.n_classes);
  for (std::uint32_t i = 0; i < 4 * n_classes; ++i) classes[i] = 0;
  Integer n_left = spread_integer<Integer>(0);
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const Sum weight = weigher.of(row_indices[i].low);
    const std::uint32_t label = weigher.layout.label(row_indices[i].low);
    const Integer left = sides.of(i);
    n_left = n_left - left;
    for (std::uint32_t j = 0; j < 4; ++j)
      classes[j * n_classes + label] += left[static_cast<int>(j)] ? weight : 0;
  }
  for (int j = 0; j < 4; ++j) call.n_left[j] = static_cast<std::uint32_t>(n_left[j]);
}

void count_up_to(const SideCall<CountKey>& call) {
  if (call.n_classes == 2)
    call.width == 4 ? count_two_sides<float>(call) : count_two_sides<double>(call);
  else
    call.width == 4 ? sum_sides<float>(call) : sum_sides<double>(call);
}

void weigh_up_to(const SideCall<RowKey>& call) {
  call.width == 4 ? sum_sides<float>(call) : sum_sides<double>(call);
}

template <class Value>
std::uint32_t partition_by_value(const ValuePartition& call) {
  const Value threshold = rounded_down<Value>(call.threshold);
#ifdef __AVX512VBMI2__
  if constexpr (sizeof(Value) == sizeof(float))
    if (call.gathered) return partition_gathered_vectors(call, threshold);
#endif
  const auto part = [&](auto value_of) {
    return partition_in_order(
        call.row_indices, call.n, call.spare, [=](std::uint32_t i, const RowIndex& row_index) {
          return static_cast<std::uint32_t>(value_of(i, row_index) <= threshold);
        });
  };
  if (call.gathered)
    return part([own = static_cast<const Value*>(call.gathered)](std::uint32_t i, const RowIndex&) {
      return own[std::size_t{4} * i];
    });
  const Value* const column = static_cast<const Value*>(call.records.values) + call.column;
  const std::size_t stride = call.records.n_columns;
  return part(
      [=](std::uint32_t, const RowIndex& row_index) { return column[row_index.row * stride]; });
}

std::uint32_t partition_values(const ValuePartition& call) {
  return call.records.width == 4 ? partition_by_value<float>(call)
                                 : partition_by_value<double>(call);
}

/// As many columns as registers hold, and as may be read beyond a record.
template <class Value>
constexpr std::size_t stretch_lanes() {
#ifdef __AVX512VBMI2__
  if (sizeof(Value) == sizeof(float)) return 24;
#endif
  return 12;
}

/// Calls use(column, n) for some columns side by side, n of them, such that all that are asked for
/// are among them.
template <class Value, class Use>
void each_stretch(const ValuePasses& call, Use use) {
  constexpr std::size_t lanes = stretch_lanes<Value>();
  static_assert(ValuePasses::lanes % lanes == 0);
  for (std::size_t i = 0; i < call.n_requested;) {
    const std::size_t column = call.columns[i];
    std::size_t n = 0;
    while (i < call.n_requested && call.columns[i] < column + lanes) ++i, ++n;
    n > 1 ? use.template operator()<lanes>(column) : use.template operator()<1>(column);
  }
}

#if defined(__GNUC__)
/// Values side by side in one register: of 32 bytes, or of 16 if only those fill the width.
template <class Value, std::size_t width>
struct Chunk {
  static constexpr std::size_t bytes = width * sizeof(Value) % 32 == 0 ? 32 : 16;
  static constexpr std::size_t size = bytes / sizeof(Value), n = width / size;
  static_assert(n * size == width, "columns beyond the last chunk would never be read");
  typedef Value Lanes __attribute__((vector_size(bytes)));
};
#endif

template <class Value>
void find_ends_of(const ValuePasses& call) {
  const std::size_t stride = call.records.n_columns;
  const auto* const values = static_cast<const Value*>(call.records.values);
  const RowIndex* const row_indices = call.row_indices;
  each_stretch<Value>(call, [&]<std::size_t width>(std::size_t column) {
    const Value* const mine = values + column;
    Value min[width], max[width];
    for (std::size_t j = 0; j < width; ++j) min[j] = max[j] = mine[row_indices[0].row * stride + j];
    const std::uint32_t n = call.n;
#if defined(__GNUC__)
    if constexpr (width > 1) {  // the compiler does not find vectors here by itself
      using Chunks = Chunk<Value, width>;
      using Lanes = typename Chunks::Lanes;
      constexpr std::size_t ahead = 16;
      Lanes low[Chunks::n], high[Chunks::n];
      static_assert(sizeof(low) == sizeof(min));
      std::memcpy(low, min, sizeof(low));
      std::memcpy(high, min, sizeof(high));
      for (std::uint32_t i = 1; i < n; ++i) {
        const Value* const x = mine + row_indices[i].row * stride;
        const Value* const soon = mine + row_indices[i + ahead < n ? i + ahead : i].row * stride;
        prefetch(soon);
        prefetch(reinterpret_cast<const char*>(soon) + 64);
        for (std::size_t c = 0; c < Chunks::n; ++c) {
          Lanes own;
          std::memcpy(&own, x + c * Chunks::size, sizeof(own));
          low[c] = smaller_of(own, low[c]);
          high[c] = larger_of(own, high[c]);
        }
      }
      std::memcpy(min, low, sizeof(low));
      std::memcpy(max, high, sizeof(high));
    } else
#endif
      for (std::uint32_t i = 1; i < n; ++i) {
        const Value* const x = mine + row_indices[i].row * stride;
        for (std::size_t j = 0; j < width; ++j) {
          min[j] = x[j] < min[j] ? x[j] : min[j];
          max[j] = x[j] > max[j] ? x[j] : max[j];
        }
      }
    for (std::size_t j = 0; j < width && column + j < stride; ++j) {
      call.min[column + j] = min[j];
      call.max[column + j] = max[j];
    }
  });
}

void find_ends(const ValuePasses& call) {
  call.records.width == 4 ? find_ends_of<float>(call) : find_ends_of<double>(call);
}

/// Four values side by side as doubles.
#if defined(__GNUC__)
inline Pack load_values(const float* x) {
  typedef float Floats __attribute__((vector_size(pack_width * sizeof(float))));
  Floats four;
  std::memcpy(&four, x, sizeof(four));
  return __builtin_convertvector(four, Pack);
}
#else
inline Pack load_values(const float* x) { return Pack{x[0], x[1], x[2], x[3]}; }
#endif
inline Pack load_values(const double* x) { return load<Pack>(x); }

template <class Value, bool is_counted>
void sum_up_to_of(const ValuePasses& call) {
  const std::size_t stride = call.records.n_columns;
  const auto* const values = static_cast<const Value*>(call.records.values);
  const RowIndex* const row_indices = call.row_indices;
  const double* const quantised = call.quantised;
  const Pack zero = spread<Pack>(0), one = spread<Pack>(1);
  each_stretch<Value>(call, [&]<std::size_t width>(std::size_t column) {
    constexpr std::size_t n_packs = (width + pack_width - 1) / pack_width;
    const Value* const mine = values + column;
    double thresholds[n_packs * pack_width] = {};
    for (std::size_t j = 0; j < width && column + j < stride; ++j)
      thresholds[j] = call.threshold[column + j];
    Pack threshold[n_packs], n_left[n_packs], weight[n_packs], sum[n_packs];
    for (std::size_t p = 0; p < n_packs; ++p) {
      threshold[p] = load<Pack>(thresholds + p * pack_width);
      n_left[p] = weight[p] = sum[p] = zero;
    }
#ifdef __AVX512VBMI2__
    if constexpr (sizeof(Value) == sizeof(float) && width > 1) {
      alignas(64) double found[3][width];
      sum_up_to_vectors<width, is_counted>(call, mine, thresholds, found);
      for (std::size_t j = 0; j < width && column + j < stride; ++j) {
        call.n_left[column + j] = static_cast<std::uint32_t>(found[0][j]);
        call.weight[column + j] = found[is_counted ? 0 : 1][j];
        call.sum[column + j] = found[2][j];
      }
      return;
    }
#endif
    for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
      const Value* const x = mine + row_indices[i].row * stride;
      const double* const own =
          quantised + std::size_t{row_indices[i].low} * (is_counted ? 1u : 2u);
      const Pack times = spread<Pack>(own[0]), mark = spread<Pack>(own[is_counted ? 0 : 1]);
      for (std::size_t p = 0; p < n_packs; ++p) {
        const auto is_right = load_values(x + p * pack_width) > threshold[p];
        n_left[p] += select(is_right, zero, one);
        sum[p] += select(is_right, zero, mark);
        if constexpr (!is_counted) weight[p] += select(is_right, zero, times);
      }
    }
    for (std::size_t j = 0; j < width && column + j < stride; ++j) {
      const std::size_t p = j / pack_width, lane = j % pack_width;
      call.n_left[column + j] = static_cast<std::uint32_t>(n_left[p][lane]);
      call.weight[column + j] = is_counted ? n_left[p][lane] : weight[p][lane];
      call.sum[column + j] = sum[p][lane];
    }
  });
}

void sum_up_to(const ValuePasses& call) {
  if (call.records.width == 4)
    call.n_quantised == 1 ? sum_up_to_of<float, true>(call) : sum_up_to_of<float, false>(call);
  else
    call.n_quantised == 1 ? sum_up_to_of<double, true>(call) : sum_up_to_of<double, false>(call);
}

}  // namespace

extern const SampledKernels sampled_table;
const SampledKernels sampled_table{.gather_values = gather_values,
                                   .count_up_to = count_up_to,
                                   .weigh_up_to = weigh_up_to,
                                   .partition_values = partition_values,
                                   .find_ends = find_ends,
                                   .sum_up_to = sum_up_to};

}  // namespace ramify::RAMIFY_KERNELS
