// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "search/random_cut_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "scan/partition.hpp"
#include "simd/pack.hpp"
#include "simd/prefetch.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

#ifdef __AVX512F__
constexpr std::size_t packs_together = 6;  // as many as registers hold the sums of
#else
constexpr std::size_t packs_together = 3;
#endif
static_assert(ValueRows::max_gathered == pack_width);
static_assert(packs_together * pack_width * sizeof(double) <= RecordMemory::beyond);

#if defined(__GNUC__) && !defined(__AVX__)
/// GCC compares packs number by number where no register holds four: extra trees took 2.8 times as
/// long.
typedef double Lanes __attribute__((vector_size(2 * sizeof(double))));
template <class Mask>
Lanes choose(Mask condition, Lanes yes, Lanes no) {
  return condition ? yes : no;
}
Lanes alike(double x) { return Lanes{x, x}; }
Lanes load_lanes_of(const double* from) { return load<Lanes>(from); }
Lanes load_lanes_of(const float* from) { return Lanes{from[0], from[1]}; }
#else
using Lanes = Pack;
template <class Mask>
Lanes choose(Mask condition, Lanes yes, Lanes no) {
  return select(condition, yes, no);
}
Lanes alike(double x) { return spread<Pack>(x); }
template <class Value>
Lanes load_lanes_of(const Value* from) {
  return load_pack(from);
}
#endif
constexpr std::size_t lane_width = sizeof(Lanes) / sizeof(double);

/// Columns side by side in their records. Those that nobody asks for cost nothing; a record may be
/// read beyond its end.
template <class Value>
struct Together {
  static constexpr bool is_together = true;
  static constexpr std::size_t n_packs = packs_together * pack_width / lane_width;
  const Value* first;
  std::size_t stride;
  const RowIndex* row_indices;
  const std::uint32_t* columns;

  explicit Together(const ValueRows& rows)
      : first(static_cast<const Value*>(rows.records.values) + rows.columns[0]),
        stride(rows.records.n_columns),
        row_indices(rows.row_indices),
        columns(rows.columns.data()) {}
  const Value* at(std::uint32_t i) const { return first + row_indices[i].row * stride; }
  std::size_t lane(std::size_t j) const { return columns[j] - columns[0]; }
};

/// Columns that were gathered.
template <class Value>
struct Gathered {
  static constexpr bool is_together = false;
  static constexpr std::size_t n_packs = pack_width / lane_width;
  const Value* values;

  explicit Gathered(const ValueRows& rows) : values(static_cast<const Value*>(rows.gathered)) {}
  const Value* at(std::uint32_t i) const { return values + std::size_t{pack_width} * i; }
  std::size_t lane(std::size_t j) const { return j; }
};

/// Calls use(source) with where the values are.
template <class Use>
void with_source(const ValueRows& rows, Use use) {
  if (rows.gathered)
    rows.records.width == 4 ? use(Gathered<float>(rows)) : use(Gathered<double>(rows));
  else
    rows.records.width == 4 ? use(Together<float>(rows)) : use(Together<double>(rows));
}

template <class Value>
void gather(const ValueRows& rows) {
  std::size_t column[pack_width];
  for (std::size_t j = 0; j < pack_width; ++j)
    column[j] = rows.columns[j < rows.columns.size() ? j : 0];
  const auto* const values = static_cast<const Value*>(rows.records.values);
  auto* to = static_cast<Value*>(rows.gathered);
  for (std::uint32_t i = 0, n = rows.n; i < n; ++i, to += pack_width) {
    const Value* const record = values + rows.row_indices[i].row * rows.records.n_columns;
    for (std::size_t j = 0; j < pack_width; ++j) to[j] = record[column[j]];
  }
}

template <class Source>
void find_ranges_of(const ValueRows& rows, const Source& source, double* to_min, double* to_max) {
  constexpr std::uint32_t ahead = 16;
  constexpr std::size_t n_packs = Source::n_packs;
  Lanes min[n_packs], max[n_packs];
  for (std::size_t p = 0; p < n_packs; ++p)
    min[p] = max[p] = load_lanes_of(source.at(0) + p * lane_width);
  for (std::uint32_t i = 1, n = rows.n; i < n; ++i) {
    const auto* const values = source.at(i);
    if constexpr (Source::is_together) {
      const auto* const soon = source.at(i + ahead < n ? i + ahead : i);
      prefetch(soon);
      prefetch(reinterpret_cast<const char*>(soon) + 64);
    }
    for (std::size_t p = 0; p < n_packs; ++p) {
      const Lanes x = load_lanes_of(values + p * lane_width);
      min[p] = choose(min[p] > x, x, min[p]);
      max[p] = choose(x > max[p], x, max[p]);
    }
  }
  for (std::size_t j = 0; j < rows.columns.size(); ++j) {
    const std::size_t lane = source.lane(j);
    to_min[j] = min[lane / lane_width][lane % lane_width];
    to_max[j] = max[lane / lane_width][lane % lane_width];
  }
}

void find_ranges(const ValueRows& rows, double* min, double* max) {
  if (rows.gathered) rows.records.width == 4 ? gather<float>(rows) : gather<double>(rows);
  with_source(rows, [&](const auto& source) { find_ranges_of(rows, source, min, max); });
}

// What a row adds to a few sums, which stay in registers: the row itself comes first.

/// Two classes: the second, unless all count once after how much it weighs.
template <bool is_weighted>
struct TwoClassAdds {
  static constexpr int n_sums = is_weighted ? 3 : 2;
  ClassAdds adds;

  void of(std::uint32_t low, double* own) const {
    const double is_second = adds.layout.label(low);
    if constexpr (is_weighted) {
      own[1] = adds.weight_of(low);
      own[2] = is_second * own[1];
    } else {
      own[1] = is_second;
    }
  }
  static void finish(const double* found, double* sums, std::size_t stride) {
    sums[0] = found[n_sums - 2] - found[n_sums - 1];
    sums[stride] = found[n_sums - 1];
  }
};

template <bool is_counted>
struct MeanAdds {
  static constexpr int n_sums = is_counted ? 2 : 3;
  const double* quantised;

  void of(std::uint32_t low, double* own) const {
    for (int k = 1; k < n_sums; ++k)
      own[k] = quantised[std::size_t{low} * (n_sums - 1) + static_cast<std::size_t>(k) - 1];
  }
  static void finish(const double* found, double* sums, std::size_t stride) {
    sums[0] = found[n_sums - 2];
    sums[stride] = found[n_sums - 1];
  }
};

template <class Source>
void load_thresholds(const ValueRows& rows, const double* thresholds, const Source& source,
                     Lanes* threshold) {
  double own[Source::n_packs * lane_width] = {};
  for (std::size_t j = 0; j < rows.columns.size(); ++j) own[source.lane(j)] = thresholds[j];
  for (std::size_t p = 0; p < Source::n_packs; ++p)
    threshold[p] = load_lanes_of(own + p * lane_width);
}

template <class Source, class Adds>
void sum_in_registers(const ValueRows& rows, const double* thresholds, const Source& source,
                      const Adds& adds, LeftSums left) {
  constexpr std::size_t n_packs = Source::n_packs;
  const Lanes zero = alike(0);
  Lanes threshold[n_packs], sums[Adds::n_sums][n_packs] = {};
  load_thresholds(rows, thresholds, source, threshold);
  double own[Adds::n_sums] = {1};
  for (std::uint32_t i = 0, n = rows.n; i < n; ++i) {
    const auto* const values = source.at(i);
    adds.of(rows.row_indices[i].low, own);
    for (std::size_t p = 0; p < n_packs; ++p) {
      const auto is_right = load_lanes_of(values + p * lane_width) > threshold[p];
      for (int k = 0; k < Adds::n_sums; ++k) sums[k][p] += choose(is_right, zero, alike(own[k]));
    }
  }
  double found[Adds::n_sums][n_packs * lane_width] = {};
  std::memcpy(found, sums, sizeof(found));
  for (std::size_t j = 0; j < rows.columns.size(); ++j) {
    for (int k = 0; k < Adds::n_sums; ++k) own[k] = found[k][source.lane(j)];
    left.n_rows[j] = static_cast<std::uint32_t>(own[0]);
    Adds::finish(own, left.sums + j, left.stride);
  }
}

/// Any number of classes: their sums are in memory, [class][lane].
template <class Source>
void sum_in_memory(const ValueRows& rows, const double* thresholds, const Source& source,
                   const ClassAdds& adds, LeftSums left) {
  constexpr std::size_t n_packs = Source::n_packs, width = n_packs * lane_width;
  static_assert(width <= LeftSums::max_lanes);
  const auto n_classes = static_cast<std::size_t>(adds.n_classes);
  const Lanes zero = alike(0), one = alike(1);
  double* const sums = left.work;
  std::fill_n(sums, n_classes * width, 0.0);
  Lanes threshold[n_packs], n_left[n_packs] = {};
  load_thresholds(rows, thresholds, source, threshold);
  for (std::uint32_t i = 0, n = rows.n; i < n; ++i) {
    const std::uint32_t low = rows.row_indices[i].low;
    const auto* const values = source.at(i);
    const Lanes weight = alike(adds.weight_of(low));
    double* const own = sums + adds.layout.label(low) * width;
    for (std::size_t p = 0; p < n_packs; ++p) {
      const auto is_right = load_lanes_of(values + p * lane_width) > threshold[p];
      n_left[p] += choose(is_right, zero, one);
      store(own + p * lane_width,
            load_lanes_of(own + p * lane_width) + choose(is_right, zero, weight));
    }
  }
  for (std::size_t j = 0; j < rows.columns.size(); ++j) {
    const std::size_t lane = source.lane(j);
    left.n_rows[j] = static_cast<std::uint32_t>(n_left[lane / lane_width][lane % lane_width]);
    for (std::size_t k = 0; k < n_classes; ++k)
      left.sums[k * left.stride + j] = sums[k * width + lane];
  }
}

void sum_classes(const ValueRows& rows, const double* thresholds, const ClassAdds& adds,
                 LeftSums left) {
  with_source(rows, [&](const auto& source) {
    if (adds.n_classes != 2)
      sum_in_memory(rows, thresholds, source, adds, left);
    else if (adds.weight || adds.layout.times_bits > 0)
      sum_in_registers(rows, thresholds, source, TwoClassAdds<true>{adds}, left);
    else
      sum_in_registers(rows, thresholds, source, TwoClassAdds<false>{adds}, left);
  });
}

void sum_regression(const ValueRows& rows, const double* thresholds, const RegressionAdds& adds,
                    LeftSums left) {
  with_source(rows, [&](const auto& source) {
    if (adds.is_counted)
      sum_in_registers(rows, thresholds, source, MeanAdds<true>{adds.quantised}, left);
    else
      sum_in_registers(rows, thresholds, source, MeanAdds<false>{adds.quantised}, left);
  });
}

template <class Value>
std::uint32_t partition_by(const ValuePartition& call) {
  const auto part = [&](auto value_of) {
    return partition_in_order(
        call.row_indices, call.n, call.spare,
        [=, threshold = call.threshold](std::uint32_t i, const RowIndex& row_index) {
          return static_cast<std::uint32_t>(value_of(i, row_index.row) <= threshold);
        });
  };
  if (call.gathered)
    return part([own = static_cast<const Value*>(call.gathered)](std::size_t i, std::uint32_t) {
      return own[i * pack_width];
    });
  return part([own = static_cast<const Value*>(call.records.values) + call.column,
               stride = call.records.n_columns](std::uint32_t, std::size_t row) {
    return own[row * stride];
  });
}

std::uint32_t partition(const ValuePartition& call) {
  return call.records.width == 4 ? partition_by<float>(call) : partition_by<double>(call);
}

}  // namespace

extern const RandomCutKernels random_cut_table;
const RandomCutKernels random_cut_table{.n_together = packs_together * pack_width,
                                        .find_ranges = find_ranges,
                                        .sum_classes = sum_classes,
                                        .sum_regression = sum_regression,
                                        .partition = partition};

}  // namespace ramify::RAMIFY_KERNELS
