// SPDX-License-Identifier: BSD-3-Clause
// Training rows that are kept in no order: row-major codes, and a list of members per node. Who
// looks at a column makes and sorts the keys of the rows on the spot.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "rows/layout.hpp"

namespace ramify {

/// How keys are made: code, class, and how often the row counts; or, if weights are not small whole
/// numbers, the row.
ItemLayout key_layout(const Target& target);

/// Do the rows of a table have keys? Those that count have 31 bits, others 63, of which a member
/// has all but the code; and each must weigh something, since a sum of zero says that nobody is
/// there.
bool has_keys(const Table& table, const Target& target);

/// The training rows, by their place in the row-major codes of the table. A node is a segment of
/// the members.
class IndexedRows {
 public:
  /// `by_value`: values are asked for, if the table has them; else codes.
  IndexedRows(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
              bool by_value);

  std::span<RowIndex> row_indices(std::uint32_t begin, std::uint32_t end) {
    return std::span(row_indices_).subspan(begin, end - begin);
  }
  const CodeRecords& records() const { return records_; }
  const ValueRecords& values() const { return values_; }
  ItemLayout layout() const { return layout_; }

 private:
  ItemLayout layout_;
  std::vector<RowIndex> row_indices_;
  CodeRecords records_{};
  ValueRecords values_{};
};

}  // namespace ramify
