// SPDX-License-Identifier: BSD-3-Clause
// The training rows, arranged so that every node is one segment [begin, end): high-cardinality
// columns as sorted lists, low-cardinality ones as bytes side by side in a record per row.
// Splitting a node is a stable partition of its segment.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "data/table.hpp"
#include "rows/layout.hpp"
#include "util/parallel.hpp"

namespace ramify {

class Store {
 public:
  /// No rows at all: for searches that are supplied with the sums of a node.
  Store() : n_(0), keeps_rows_(false) {}
  /// `many_branches`: nodes may have more than two children. `keep_rows`: keeps the rows of a node
  /// in ascending order even where no column needs it.
  Store(const Table& table, std::span<const std::uint32_t> rows, const Target& target, Pool& pool,
        bool many_branches, bool keep_rows)
      : n_(target.n_rows),
        slot_(table.columns.size()),
        goes_left_(new std::uint8_t[n_]),
        branch_(many_branches ? n_ : 0),
        keeps_rows_(keep_rows) {
    layout_.row_bits = std::max(1, static_cast<int>(std::bit_width(n_ - 1)));
    if (target.is_plain())
      layout_.class_bits = std::bit_width(static_cast<unsigned>(target.n_classes[0] - 1));
    std::vector<int> high_cardinality;
    int code_bits = 0;
    for (int j = 0; j < static_cast<int>(slot_.size()); ++j) {
      const bool is_low = table.columns[j].is_low_cardinality();
      slot_[j] = is_low ? n_low_cardinality_++ : static_cast<int>(high_cardinality.size());
      if (!is_low) high_cardinality.push_back(j);
      code_bits = std::max(code_bits, static_cast<int>(std::bit_width(table.columns[j].n_codes())));
    }
    if (layout_.code_shift() + code_bits > 64)
      throw std::invalid_argument(
          "X has too many rows, distinct values and classes together; use fewer rows, or bin the "
          "columns");
    if (target.is_integer() && !target.times.empty()) {
      const int bits = std::bit_width(std::ranges::max(target.times));
      if (layout_.code_shift() + bits + code_bits <= 64) layout_.times_bits = bits;
    }
    lists_.resize(high_cardinality.size());
    pool.run(static_cast<int>(high_cardinality.size()), [&](int i, int) {
      lists_[i].reset(new std::uint64_t[n_]);
      std::visit([&](const auto& codes) { sort_list(codes, rows, target, lists_[i].get()); },
                 table.columns[high_cardinality[i]].codes);
    });
    if (n_low_cardinality_ > 0 || keep_rows) make_records(table, rows, target);
  }

  std::uint32_t n_rows() const { return n_; }
  ItemLayout layout() const { return layout_; }
  std::uint64_t* list(int column) const { return lists_[slot_[column]].get(); }
  int record_offset(int column) const { return slot_[column]; }
  std::uint8_t* goes_left() const { return goes_left_.get(); }
  std::uint32_t* branch() { return branch_.data(); }
  bool keeps_rows() const { return keeps_rows_; }
  RecordView records(std::uint32_t begin, std::uint32_t end) const {
    return {record(begin), record_bytes_, rows_.data() + begin, labels_.data() + begin,
            end - begin};
  }

  /// Stable partition of the records of a segment; goes_left(i) decides for the record at place i.
  template <class GoesLeft>
  void partition_records(std::uint32_t begin, std::uint32_t end, Keep keep,
                         std::vector<std::uint64_t>& spare, GoesLeft goes_left) {
    if (keep == Keep::right) {  // from the back, to fill the end of the segment in place
      std::uint32_t to = end;
      for (std::uint32_t i = end; i-- > begin;)
        if (!goes_left(i)) move_record(i, --to);
      return;
    }
    const auto words = static_cast<std::size_t>(record_bytes_) / 8;
    if (keep == Keep::both && spare.size() < (end - begin) * (words + 1))
      spare.resize((end - begin) * (words + 1));
    std::uint32_t to = begin, n_aside = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (goes_left(i))
        move_record(i, to++);
      else if (keep == Keep::both)
        put_aside(i, spare, n_aside++);
    }
    for (std::uint32_t i = 0; i < n_aside; ++i) take_back(to + i, spare, i);
  }

  /// Partitions a list or the records of a segment into many branches, by branch(); branch b begins
  /// at place[b] of the segment.
  void scatter_list(int column, std::uint32_t begin, std::uint32_t end,
                    std::vector<std::uint32_t> place, std::vector<std::uint64_t>& spare) const {
    std::uint64_t* items = list(column) + begin;
    if (spare.size() < end - begin) spare.resize(end - begin);
    for (std::uint32_t i = 0; i < end - begin; ++i)
      spare[place[branch_[layout_.row(items[i])]]++] = items[i];
    std::copy_n(spare.begin(), end - begin, items);
  }
  void scatter_records(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t> place,
                       std::vector<std::uint64_t>& spare) {
    const auto words = static_cast<std::size_t>(record_bytes_) / 8;
    if (spare.size() < (end - begin) * (words + 1)) spare.resize((end - begin) * (words + 1));
    for (std::uint32_t i = begin; i < end; ++i) put_aside(i, spare, place[branch_[rows_[i]]]++);
    for (std::uint32_t i = begin; i < end; ++i) take_back(i, spare, i - begin);
  }

  /// Frees the memory; the store cannot be used any more.
  void clear() {
    lists_.clear();
    codes_.reset();
  }

  bool has_lists() const { return !lists_.empty(); }

 private:
  std::uint32_t label(const Target& target, std::uint32_t row) const {
    return target.is_plain() ? target.classes[row] : 0;
  }

  /// Radix sort of items by code, eleven bits at a time, from the lowest.
  template <class Codes>
  void sort_list(const Codes& codes, std::span<const std::uint32_t> rows, const Target& target,
                 std::uint64_t* list) const {
    constexpr int bits = 11, buckets = 1 << bits;
    std::uint32_t highest = 0;
    for (std::uint32_t row = 0; row < n_; ++row) {
      const std::uint32_t code = codes[rows[row]];
      highest = std::max(highest, code);
      list[row] =
          layout_.make(code, label(target, row), row, layout_.times_bits ? target.times[row] : 0);
    }
    const std::unique_ptr<std::uint64_t[]> spare(new std::uint64_t[n_]);
    std::uint64_t *from = list, *to = spare.get();
    for (int shift = 0; highest >> shift; shift += bits) {
      std::uint32_t start[buckets] = {};
      const auto digit = [&](std::uint64_t item) {
        return layout_.code(item) >> shift & (buckets - 1);
      };
      for (std::uint32_t i = 0; i < n_; ++i) ++start[digit(from[i])];
      std::exclusive_scan(start, start + buckets, start, 0u);
      for (std::uint32_t i = 0; i < n_; ++i) to[start[digit(from[i])]++] = from[i];
      std::swap(from, to);
      if (shift + bits >= 32) break;
    }
    if (from != list) std::memcpy(list, from, n_ * sizeof(std::uint64_t));
  }

  void make_records(const Table& table, std::span<const std::uint32_t> rows, const Target& target) {
    record_bytes_ = (n_low_cardinality_ + 7) / 8 * 8;
    codes_.reset(new std::uint64_t[std::size_t{n_} * record_bytes_ / 8]);
    rows_.resize(n_);
    labels_.resize(n_);
    std::iota(rows_.begin(), rows_.end(), 0u);
    for (std::uint32_t row = 0; row < n_; ++row) labels_[row] = label(target, row);
    // Writes a stretch of rows at a time: its records stay in the cache while column after column
    // is written.
    constexpr std::uint32_t stretch = 1024;
    for (std::uint32_t first = 0; first < n_; first += stretch) {
      const std::uint32_t last = std::min(n_, first + stretch);
      for (std::size_t j = 0; j < slot_.size(); ++j) {
        if (!table.columns[j].is_low_cardinality()) continue;
        const auto& codes = std::get<std::vector<std::uint8_t>>(table.columns[j].codes);
        std::uint8_t* to = record(first) + slot_[j];
        for (std::uint32_t row = first; row < last; ++row, to += record_bytes_)
          *to = codes[rows[row]];
      }
    }
  }

  std::uint64_t* record_words(std::uint32_t i) const {
    return codes_.get() + std::int64_t{i} * (record_bytes_ / 8);
  }
  std::uint8_t* record(std::uint32_t i) const {
    return reinterpret_cast<std::uint8_t*>(record_words(i));
  }
  static void copy_words(std::uint64_t* to, const std::uint64_t* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      to[i] = from[i];  // a few words: a call of memcpy would cost more
  }
  /// Copies a record to a place in the spare memory, and back.
  void put_aside(std::uint32_t i, std::vector<std::uint64_t>& spare, std::uint32_t place) const {
    const auto words = static_cast<std::size_t>(record_bytes_) / 8;
    std::uint64_t* to = spare.data() + place * (words + 1);
    copy_words(to, record_words(i), words);
    to[words] = std::uint64_t{labels_[i]} << 32 | rows_[i];
  }
  void take_back(std::uint32_t i, const std::vector<std::uint64_t>& spare, std::uint32_t place) {
    const auto words = static_cast<std::size_t>(record_bytes_) / 8;
    const std::uint64_t* from = spare.data() + place * (words + 1);
    copy_words(record_words(i), from, words);
    rows_[i] = static_cast<std::uint32_t>(from[words]);
    labels_[i] = static_cast<std::uint32_t>(from[words] >> 32);
  }
  void move_record(std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    copy_words(record_words(to), record_words(from), static_cast<std::size_t>(record_bytes_) / 8);
    rows_[to] = rows_[from];
    labels_[to] = labels_[from];
  }

  std::uint32_t n_;
  ItemLayout layout_;
  std::vector<int> slot_;  // of each column: its list, or its byte in a record
  std::vector<std::unique_ptr<std::uint64_t[]>> lists_;
  std::unique_ptr<std::uint8_t[]> goes_left_;  // by row, for the node being split
  std::vector<std::uint32_t> branch_;          // the same for many branches
  bool keeps_rows_;
  int n_low_cardinality_ = 0;
  std::int64_t record_bytes_ = 0;
  std::unique_ptr<std::uint64_t[]> codes_;
  std::vector<std::uint32_t> rows_, labels_;
};

}  // namespace ramify
