// SPDX-License-Identifier: BSD-3-Clause
// Histograms of a node: the sums of gradient pairs by column and code. They add up over rows, and
// that of a sibling is the difference to the parent, exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "boost/binned.hpp"
#include "boost/kernels.hpp"
#include "boost/search.hpp"

namespace ramify {

/// A histogram in anyone's memory, [column][code].
struct HistogramView {
  Pair* sums = nullptr;
  std::uint32_t* counts = nullptr;  // of rows; null if not needed

  /// Adds rows to the columns of a block. `codes` are row-major, `stride` bytes per row.
  void add(const std::uint8_t* codes, std::size_t stride, const ColumnBlock& block,
           const RowSpan& rows) const {
    const BoostKernels& kernels = boost_kernels();
    const std::size_t begin = begin_of(block);
    kernels.add_rows(codes + block.first, stride, block.width, rows, sums + begin);
    if (counts) kernels.count_rows(codes + block.first, stride, block.width, rows, counts + begin);
  }
  void clear(const ColumnBlock& block) const {
    std::fill_n(sums + begin_of(block), size_of(block), Pair{0});
    if (counts) std::fill_n(counts + begin_of(block), size_of(block), 0u);
  }
  void add(const HistogramView& other, const ColumnBlock& block) const {
    combine(other, block, [](auto& own, auto others) { own += others; });
  }
  void subtract(const HistogramView& other, const ColumnBlock& block) const {
    combine(other, block, [](auto& own, auto others) { own -= others; });
  }
  /// The columns of a block, for the search of a node with these sums.
  BlockSums of(const ColumnBlock& block, Pair total, std::uint32_t n_rows) const {
    const std::size_t begin = begin_of(block);
    return {sums + begin, counts ? counts + begin : nullptr, total, n_rows};
  }

 private:
  static std::size_t begin_of(const ColumnBlock& block) { return block.first * histogram_codes; }
  static std::size_t size_of(const ColumnBlock& block) {
    return static_cast<std::size_t>(block.width) * histogram_codes;
  }
  template <class Combine>
  void combine(const HistogramView& other, const ColumnBlock& block, Combine combine) const {
    const std::size_t begin = begin_of(block), end = begin + size_of(block);
    for (std::size_t i = begin; i < end; ++i) combine(sums[i], other.sums[i]);
    for (std::size_t i = begin; i < end && counts; ++i) combine(counts[i], other.counts[i]);
  }
};

/// The same with memory of its own.
class BoostHistogram {
 public:
  BoostHistogram(std::size_t n_columns, bool counts_rows)
      : sums_(n_columns * histogram_codes), counts_(counts_rows ? sums_.size() : 0) {}

  HistogramView view() { return {sums_.data(), counts_.empty() ? nullptr : counts_.data()}; }

 private:
  std::vector<Pair> sums_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace ramify
