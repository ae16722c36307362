// SPDX-License-Identifier: BSD-3-Clause
// Training rows in no order: row-major codes, and a list of row indices per node. A search builds
// and sorts the keys of a column on the spot.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "rows/layout.hpp"

namespace ramify {

/// Layout of the keys: code, class, and how often the row counts; or, if weights are not small
/// integers, the row.
ItemLayout key_layout(const Target& target);

/// Whether keys hold the rows of a table. Keys have 31 bits if rows are counted, else 63; a row
/// index holds all of them but the code. Each row must have a positive weight, since a sum of zero
/// means that there are no rows.
bool has_keys(const Table& table, const Target& target);

/// The training rows, by their index in the row-major codes of the table. A node is a segment of
/// the row indices.
class IndexedRows {
 public:
  /// `by_value`: use the values if the table has them, else the codes.
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
