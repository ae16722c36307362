// SPDX-License-Identifier: BSD-3-Clause
// The rows of a small node as sorted lists of short items, for all nodes below it: its columns are
// sorted once, and a node is a segment of every list.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "rows/cache_local_rows.hpp"
#include "rows/row_indices.hpp"
#include "scan/flags.hpp"
#include "scan/kernels.hpp"

namespace ramify {

/// Where the rows of a node lie in every list.
struct ItemRange {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};

/// Two classes. Items are those of `FlagLayout`, of 16 bits, and name a row by its place in the
/// node that the block began with. A row that counts several times has as many items, side by side.
class SampledBlock {
 public:
  static constexpr std::uint32_t max_rows = 2048;
  /// Items of all rows of a block; their counts are exact in floats.
  static constexpr std::uint32_t max_weight = 4096;

  /// How wide items would be, and that keys of rows fit into 31 bits: else there are no blocks.
  void prepare(const Table& table, ItemLayout row_indices) {
    std::uint32_t n_codes = 1;
    for (const Column& column : table.columns) n_codes = std::max(n_codes, column.n_codes());
    const int class_bits = std::max(1, row_indices.class_bits);
    const int row_bits =
        std::min({11, 15 - class_bits, 31 - static_cast<int>(std::bit_width(n_codes))});
    if (row_bits < 8) return;
    index_layout_ = row_indices;
    layout_ = {row_bits, class_bits};
    room_for_rows_ = 1u << row_bits;
    stride_ = max_weight + vector_items;
  }
  bool takes(std::uint32_t n_rows, double weight) const {
    return n_rows <= room_for_rows_ && weight <= max_weight;
  }

  /// Takes the rows of a node and sorts some columns; gives the number of items.
  std::uint32_t start(std::span<const RowIndex> row_indices, const CodeRecords& records,
                      std::span<const std::uint32_t> columns) {
    const auto n = static_cast<std::uint32_t>(row_indices.size());
    make_room(n, records);
    // These are far apart, and all columns of them are read.
    copy_records(
        records.codes, records.n_columns * static_cast<std::size_t>(records.width), n,
        [&](std::size_t i) { return row_indices[i].row; }, near_.data());
    records_ = {near_.data(), records.n_columns, records.width};
    std::uint32_t n_items = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t low = row_indices[i].low;
      numbered_[i] = {i, i};
      body_[i] =
          (index_layout_.label(low) << layout_.row_bits | i) * std::uint64_t{0x1000100010001};
      times_[i] = static_cast<std::uint8_t>(index_layout_.often(low));
      n_items += times_[i];
    }
    const KeyKernels<CountKey>& kernel = kernels().keys<CountKey>();
    CountKey* keys[columns_at_once];
    for (std::size_t j = 0; j < columns_at_once; ++j) keys[j] = keys_[j].data();
    for (std::size_t first = 0; first < columns.size(); first += columns_at_once) {
      const auto group = columns.subspan(first, std::min(columns_at_once, columns.size() - first));
      kernel.gather({records_,
                     numbered_.data(),
                     n,
                     {layout_.row_bits, 0, 0},
                     group.data(),
                     static_cast<int>(group.size()),
                     keys});
      for (std::size_t j = 0; j < group.size(); ++j)
        write(kernel.sort(keys[j], n, layout_.row_bits, spare_.data()), n, items(group[j], 0));
    }
    return n_items;
  }

  FlagLayout layout() const { return layout_; }
  std::uint16_t* items(std::uint32_t column, std::uint32_t begin) {
    return lists_.data() + column * std::size_t{stride_} + begin;
  }
  /// The code of the row that an item names.
  std::uint32_t code(std::uint32_t column, std::uint16_t item) const {
    const std::size_t place = layout_.row(item) * records_.n_columns + column;
    return RAMIFY_KERNELS::with_codes(
        records_, [=](const auto* codes) -> std::uint32_t { return codes[place]; });
  }
  /// Room to part a list.
  std::uint16_t* spare() { return spare_items_.data(); }

 private:
  static constexpr std::uint32_t vector_items = 32;

  void make_room(std::uint32_t n, const CodeRecords& records) {
    if (lists_.empty()) {
      lists_.resize(records.n_columns * std::size_t{stride_});
      spare_items_.resize(stride_);
    }
    if (body_.size() >= n) return;
    body_.resize(n);
    times_.resize(n);
    numbered_.resize(n);
    near_.resize(n * records.n_columns * static_cast<std::size_t>(records.width) +
                 room_behind_records);
    for (auto& keys : keys_) keys.resize(n + 8);  // see sort_keys
    spare_.resize(n + 8);
  }

  /// Makes items of sorted keys. Four are written at once: few rows count more often.
  void write(const CountKey* sorted, std::uint32_t n, std::uint16_t* to) const {
    const std::uint32_t mask = layout_.row_mask();
    const int shift = layout_.row_bits;
    CountKey before = ~sorted[0];
    for (std::uint32_t i = 0; i < n; ++i) {
      const CountKey key = sorted[i];
      const std::uint32_t row = key & mask, times = times_[row];
      const std::uint64_t flag = (key ^ before) >> shift != 0;
      const std::uint64_t four = body_[row] | flag << 15;
      std::memcpy(to, &four, sizeof four);
      if (times > 4) [[unlikely]]
        std::fill(to + 4, to + times, static_cast<std::uint16_t>(body_[row]));
      to += times;
      before = key;
    }
  }

  ItemLayout index_layout_;
  FlagLayout layout_;
  std::uint32_t room_for_rows_ = 0, stride_ = 0;
  std::vector<char> near_;                          // copies of records
  CodeRecords records_{};                           // of these
  std::vector<std::uint16_t> lists_, spare_items_;  // [column][place]
  std::vector<std::uint64_t> body_;                 // of each row: its item four times
  std::vector<std::uint8_t> times_;                 // how often it counts
  std::vector<RowIndex> numbered_;
  std::vector<CountKey> keys_[columns_at_once], spare_;
};

}  // namespace ramify
